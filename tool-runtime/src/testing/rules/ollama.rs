//! The rules of Ollama's own API: its types, with the error messages of its parser, and the pairing of Chat Completions.

use super::{RejectedError, reject};
use crate::message::{AssistantMessage, ToolCall};
use crate::wire::{RequestParts, Wire};
use serde_json::Value;

/// Whether the wire writes requests for Ollama's own API.
pub(super) fn is_written_by(wire: &dyn Wire) -> bool {
    let reply = AssistantMessage::from_tool_calls(vec![ToolCall::new("call_1", "now", "{}")]);
    let body = wire.write(&RequestParts::new(&[reply.into()]));
    body.is_ok_and(|body| {
        body.get("messages").is_some_and(|messages| messages.get().contains(r#""arguments":{}"#))
    })
}

/// The request with its messages in the form of Chat Completions.
pub(super) fn to_chat_completions(request: &Value) -> Result<Value, RejectedError> {
    let mut request = request.clone();
    for message in request["messages"].as_array_mut().into_iter().flatten() {
        let content = &message["content"];
        if !content.is_string() && !content.is_null() {
            return invalid("content", content, "string");
        }
        let is_result = message["role"] == "tool";
        let Some(fields) = message.as_object_mut() else { continue };
        if is_result && !fields.remove("tool_name").is_some_and(|name| name.is_string()) {
            return reject("tool_name", "Field required");
        }
        if !is_result {
            fields.remove("thinking");
            let images = fields.remove("images").unwrap_or_default();
            if let Some(image) = images.as_array().into_iter().flatten().find(|image| !image.is_string()) {
                return invalid("images", image, "[]uint8");
            }
        }
        for call in fields.get_mut("tool_calls").and_then(Value::as_array_mut).into_iter().flatten() {
            let arguments = &mut call["function"]["arguments"];
            if !arguments.is_object() {
                return invalid("tool_calls.function.arguments", arguments, "api.ToolCallFunctionArguments");
            }
            *arguments = arguments.to_string().into();
        }
    }
    Ok(request)
}

fn invalid<T>(field: &str, value: &Value, expected: &str) -> Result<T, RejectedError> {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    reject(
        format!("messages.{field}"),
        format!(
            "json: cannot unmarshal {kind} into Go struct field ChatRequest.messages.{field} of type {expected}"
        ),
    )
}
