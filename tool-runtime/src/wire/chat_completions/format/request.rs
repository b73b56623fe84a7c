//! Requests: how they are written, and how their messages are read.

use super::tool::Definition;
use super::write::write as write_messages;
use super::{ChatCompletions, NAME};
use crate::message::Message;
use crate::schema::ToolSchema;
use crate::tool_choice::ToolChoice;
use crate::wire::body::raw;
use crate::wire::error::beginning;
use crate::wire::expected::Expected;
use crate::wire::report::reasons;
use crate::wire::response_format::JsonSchema;
use crate::wire::tool_arrays::{ToolArray, ToolForm};
use crate::wire::{Body, NotStrictTool, RequestParts, Wire as _, WireError};
use serde::Serialize;
use serde_json::{Value, json};

pub(super) fn write(wire: &ChatCompletions, parts: &RequestParts<'_>) -> Result<Body, WireError> {
    let mut body = Body::new();
    let messages = write_messages(parts.messages, wire.keep_reasoning, wire.id_rules(), &mut body.report);
    body.write("messages", &messages)?;
    if parts.stream_usage && wire.stream_usage {
        body.write("stream_options", &json!({ "include_usage": true }))?;
    }
    let choice = parts.choice(&mut body.report);
    if let Some(answer) = parts.answer_schema {
        let json_schema = JsonSchema::openai(answer, &mut body.report);
        body.write("response_format", &ResponseFormatField { r#type: "json_schema", json_schema })?;
    }
    let sent = if wire.native_allowed_tools { parts.with_all_tools_allowed() } else { *parts };
    // Servers reject an empty list, and the other fields without tools.
    if !sent.has_allowed_tools() {
        return Ok(body);
    }
    let form = ToolForm { is_strict: wire.strict, ..ToolForm::new(NAME) };
    sent.write_tools(&mut body, Some(form), |tools| tool_array(tools, wire.strict))?;
    if let Some(names) = parts.allowed_tools().filter(|_| wire.native_allowed_tools) {
        body.write("tool_choice", &allowed_tools(choice, names, parts.tools()))?;
    } else if *choice != ToolChoice::Auto {
        body.write("tool_choice", choice)?;
    }
    if !parts.parallel_calls {
        body.write("parallel_tool_calls", &false)?;
    }
    Ok(body)
}

/// <https://platform.openai.com/docs/api-reference/chat/create#chat-create-response_format>
#[derive(Serialize)]
struct ResponseFormatField<'a> {
    r#type: &'static str,
    json_schema: JsonSchema<'a>,
}

fn tool_array(tools: &[&ToolSchema], is_strict: bool) -> Result<ToolArray, WireError> {
    if !is_strict {
        return ToolArray::new(tools, Vec::new());
    }
    let mut not_strict = Vec::new();
    let mut definitions = Vec::with_capacity(tools.len());
    for tool in tools {
        // A request may have both kinds of tools.
        let form = tool.openai_strict().map_err(reasons);
        definitions.push(match NotStrictTool::strict_form(tool, form, &mut not_strict) {
            Some(parameters) => raw(&Definition::new(tool, true, parameters))?,
            None => raw(tool)?,
        });
    }
    ToolArray::new(&definitions, not_strict)
}

/// <https://platform.openai.com/docs/guides/function-calling#allowed-tools>
fn allowed_tools<'a>(
    choice: &ToolChoice,
    names: impl Iterator<Item = &'a str>,
    tools: &[ToolSchema],
) -> Value {
    let mode = match choice {
        ToolChoice::Required => "required",
        ToolChoice::Auto => "auto",
        ToolChoice::None | ToolChoice::Tool(_) => return json!(choice),
    };
    // A deferred tool, or an unknown one, is not in the request.
    let listed = names.filter(|name| tools.iter().any(|tool| tool.name() == *name));
    let tools: Vec<Value> =
        listed.map(|name| json!({ "type": "function", "function": { "name": name } })).collect();
    json!({ "type": "allowed_tools", "allowed_tools": { "mode": mode, "tools": tools } })
}

/// Reads the messages of a request: an array, or the `messages` of an object.
pub(super) fn read_messages(body: &str) -> Result<Vec<Message>, WireError> {
    const REQUEST: Expected = Expected::request(NAME, "the messages of a request of Chat Completions");
    let value: Value = serde_json::from_str(body).map_err(|source| WireError::not_json(body, source))?;
    let messages = match value {
        Value::Object(mut fields) => fields.get_mut("messages").map(Value::take),
        list => Some(list),
    };
    let Some(messages) = messages else {
        return Err(REQUEST.unexpected(format_args!("there is no field `messages` in {}", beginning(body))));
    };
    serde_json::from_value(messages).map_err(|error| REQUEST.unexpected(error))
}
