//! Results of calls: <https://ai.google.dev/api/caching#FunctionResponse>.

use super::part::{field, read_media, snake_case};
use super::{NAME, names};
use crate::json::remove_entry;
use crate::message::{Content, Extra, Part, ToolMessage};
use crate::wire::element::Element;
use crate::wire::open_calls::ReadResult;
use crate::wire::{WireError, text_with_notices};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The part of the result of the call with this name and, if the provider made one, this id.
pub(super) fn write<'a>(
    result: &'a ToolMessage,
    name: &str,
    id: Option<&Value>,
) -> Result<Element<'a>, WireError> {
    let id = id.map(|id| ("id", id.into()));
    let fields = id.into_iter().chain([("name", name.into()), ("response", response(result)?)]);
    let extra = result.extra.on_wire(NAME).map(|(field, value)| (&**field, value.into()));
    Element::object([("functionResponse", Element::object(fields.chain(extra))?)])
}

/// The API takes any object: "Use `output` key to specify function output and `error` key to specify error details (if
/// any)".
fn response(result: &ToolMessage) -> Result<Element<'_>, WireError> {
    let content = &result.content;
    match content.native(NAME) {
        Some(response @ Value::Object(_)) => return Ok(response.into()),
        // The API takes an object only.
        Some(response) => return Ok(json!({ "output": response }).into()),
        None => {}
    }
    if content.is_json() && !result.is_error() {
        if let Ok(json) = serde_json::from_str::<&RawValue>(content.as_str()) {
            // The keys of the result keep their order.
            return Element::new(&BTreeMap::from([("output", json)]));
        }
    }
    let parts = content.parts().unwrap_or_default().iter();
    let parts: Vec<&Part> = parts.filter(|part| part.as_tool_reference().is_none()).collect();
    let response = match &*parts {
        _ if result.is_error() => json!({ "error": text_with_notices("", content) }),
        [Part::Json { json }] => json!({ "output": json }),
        _ => json!({ "output": text_with_notices("", content) }),
    };
    Ok(response.into())
}

/// Reads a part with a result; `None` if the part is not one.
pub(super) fn read(part: &Value) -> Option<ReadResult> {
    let Value::Object(result) = field(part, "functionResponse") else { return None };
    let mut extra = result.clone();
    let take = |extra: &mut Map<String, Value>, name: &str| {
        remove_entry(extra, name).or_else(|| remove_entry(extra, &snake_case(name)))
    };
    let id = take(&mut extra, "id");
    let name = take(&mut extra, "name");
    let response = take(&mut extra, "response").unwrap_or_default();
    let (mut content, is_error) = read_response(response.clone());
    // They stay in the fields of the result, so the content is written without them.
    let mut media =
        extra.get("parts").and_then(Value::as_array).into_iter().flatten().filter_map(read_media).peekable();
    if media.peek().is_some() {
        content = media.fold(content, Content::with_part).with_native(NAME, response);
    }
    let text = |value: Option<Value>| value.as_ref().and_then(Value::as_str).map(str::to_owned);
    let tool = names::read(&text(name).unwrap_or_default()).to_owned();
    let message = ToolMessage::read("", tool.clone(), content, is_error, Extra::new(NAME, extra));
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
