//! The rules of Ollama's own API: its types, with the error messages of its parser, and the pairing of Chat Completions, which
//! the API does not check itself.

use super::chat_completions::{OpenCall, OpenCalls, check_tools, invalid_role, messages};
use crate::rejected::{Checked, ensure, list, reject};
use serde_json::Value;

/// The name of the wire.
pub(super) const WIRE: &str = "ollama";

pub(super) fn check(request: &Value) -> Checked {
    // Recorded: Ollama accepts an empty array.
    if !list(&request["tools"]).is_empty() || request["tools"].is_null() {
        check_tools(request)?;
    }
    let mut open = OpenCalls::default();
    for (index, message) in messages(request)?.iter().enumerate() {
        check_types(message)?;
        match message["role"].as_str() {
            Some("tool") => {
                let id = id_of(message, &open.calls).to_owned();
                open.check_result(index, &id, &message["content"])?;
            }
            Some("system" | "user") => open.check_all_paired()?,
            Some("assistant") => {
                open.check_all_paired()?;
                open = OpenCalls { index, calls: calls(message) };
            }
            _ => return invalid_role(index),
        }
    }
    open.check_all_paired()
}

fn calls(reply: &Value) -> Vec<OpenCall> {
    let calls = list(&reply["tool_calls"]).iter().enumerate();
    calls
        .map(|(position, call)| OpenCall {
            id: match call["id"].as_str() {
                Some(id) if !id.is_empty() => id.to_owned(),
                _ => format!("the call {position}"),
            },
            tool: call["function"]["name"].clone(),
            is_answered: false,
        })
        .collect()
}

/// The id of a result: its own, or that of the first open call, of its tool if it has a name.
fn id_of<'a>(result: &'a Value, calls: &'a [OpenCall]) -> &'a str {
    if let Some(id) = result["tool_call_id"].as_str().filter(|id| !id.is_empty()) {
        return id;
    }
    let name = &result["tool_name"];
    let call = calls.iter().find(|call| !call.is_answered && (name.is_null() || *name == call.tool));
    call.map_or("", |call| &call.id)
}

fn check_types(message: &Value) -> Checked {
    for field in ["content", "thinking", "tool_name", "tool_call_id"] {
        let value = &message[field];
        ensure(value.is_string() || value.is_null(), || invalid(field, value, "string"))?;
    }
    for image in list(&message["images"]) {
        ensure(image.is_string(), || invalid("images", image, "[]uint8"))?;
    }
    for call in list(&message["tool_calls"]) {
        let [name, arguments] = ["name", "arguments"].map(|field| &call["function"][field]);
        ensure(name.is_string(), || invalid("tool_calls.function.name", name, "string"))?;
        ensure(arguments.is_object(), || {
            invalid("tool_calls.function.arguments", arguments, "api.ToolCallFunctionArguments")
        })?;
    }
    Ok(())
}

fn invalid(field: &str, value: &Value, expected: &str) -> Checked {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let field = format!("messages.{field}");
    let text =
        format!("json: cannot unmarshal {kind} into Go struct field ChatRequest.{field} of type {expected}");
    reject(field, text)
}
