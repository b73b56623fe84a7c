//! Results of calls: <https://ai.google.dev/api/caching#FunctionResponse>.

use super::part::{field, snake_case, write_part};
use super::{NAME, names};
use crate::message::{Content, Extra, Part, RETURNED, ToolMessage};
use crate::wire::open_calls::ReadResult;
use crate::wire::text_with_notices;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// The part of a result in a request.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WrittenResult<'a> {
    function_response: FunctionResponse<'a>,
}

#[derive(Serialize)]
struct FunctionResponse<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a Value>,
    name: &'a str,
    response: Response<'a>,
    #[serde(flatten)]
    extra: Map<String, Value>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Response<'a> {
    /// As the API sent it.
    Native(&'a Value),
    /// A result that is JSON, with its keys in their order.
    Json {
        output: &'a RawValue,
    },
    Value(Value),
}

impl<'a> WrittenResult<'a> {
    /// The result of the call with this name and, if the provider made one, this id.
    pub(super) fn new(result: &'a ToolMessage, name: &'a str, id: Option<&'a Value>) -> Self {
        let (response, extra) = (response(result), result.extra.to_map(NAME));
        WrittenResult { function_response: FunctionResponse { id, name, response, extra } }
    }
}

/// The API takes any object: "Use `output` key to specify function output and `error` key to specify error details (if
/// any)".
fn response(result: &ToolMessage) -> Response<'_> {
    let content = &result.content;
    if let Some(response) = content.native(NAME) {
        return Response::Native(response);
    }
    if content.is_json() && !result.is_error() {
        if let Ok(output) = serde_json::from_str(content.as_str()) {
            return Response::Json { output };
        }
    }
    let parts = content.parts().unwrap_or_default().iter();
    let parts: Vec<&Part> = parts.filter(|part| part.as_tool_reference().is_none()).collect();
    Response::Value(match &*parts {
        _ if result.is_error() => json!({ "error": text_with_notices("", content) }),
        [Part::Json { json }] => json!({ "output": json }),
        _ => json!({ "output": text_with_notices("", content) }),
    })
}

/// The images and files of a result, which older models do not accept in it, in the format of the API, and the types of
/// the parts that have no such format.
pub(super) fn media(result: &ToolMessage) -> (Vec<Value>, Vec<&str>) {
    let (mut written, mut dropped) = (Vec::new(), Vec::new());
    if result.content.native(NAME).is_none() {
        let parts = result.content.parts().unwrap_or_default();
        for part in parts.iter().filter(|part| part.as_text().is_none()) {
            match write_part(part) {
                Some(part) => written.push(part),
                None if part.as_tool_reference().is_some() => {}
                None => dropped.push(part.kind()),
            }
        }
    }
    (written, dropped)
}

/// Reads a part with a result; `None` if the part is not one.
pub(super) fn read(part: &Value) -> Option<ReadResult> {
    let Value::Object(result) = field(part, "functionResponse") else { return None };
    let mut extra = result.clone();
    let mut take = |name: &str| extra.remove(name).or_else(|| extra.remove(&snake_case(name)));
    let id = take("id");
    let name = take("name");
    let (content, is_error) = read_response(take("response").unwrap_or_default());
    let text = |value: Option<Value>| value.as_ref().and_then(Value::as_str).map(str::to_owned);
    let tool = names::read(&text(name).unwrap_or_default()).to_owned();
    let message = ToolMessage {
        tool: Cow::Owned(tool.clone()),
        error_kind: is_error.then_some(Cow::Borrowed(RETURNED)),
        extra: Extra::new(NAME, extra),
        ..ToolMessage::new("", content)
    };
    Some(ReadResult { id: text(id).filter(|id| !id.is_empty()), tool: Some(tool), message })
}

/// The content of a response, and whether it is an error. The response stays if the content does not contain all of it.
fn read_response(response: Value) -> (Content, bool) {
    let only = |name: &str| response.as_object().filter(|all| all.len() == 1).and_then(|all| all.get(name));
    match (only("output"), only("error"), &response) {
        (Some(Value::String(text)), ..) => (text.clone().into(), false),
        (Some(output), ..) => (Content::from_json_text(output.to_string()), false),
        (_, Some(Value::String(text)), _) => (text.clone().into(), true),
        (_, _, Value::Null) => (Content::default(), false),
        // Not an object, which only other clients send.
        (_, _, Value::String(text)) => (text.clone().into(), false),
        _ => (Content::from(response.to_string()).with_native(NAME, response), false),
    }
}
