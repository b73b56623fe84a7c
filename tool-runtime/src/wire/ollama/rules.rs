//! The rules of Ollama's own API: its types, with the error messages of its parser, and the pairing of Chat Completions, which
//! the API does not check itself.

use crate::wire::chat_completions::rules::{OpenCalls, check_all_paired, check_result, check_tools};
use crate::wire::rejected::{RejectedError, list, reject};
use serde_json::Value;

pub(super) fn check(request: &Value) -> Result<(), RejectedError> {
    check_tools(request)?;
    let messages = list(&request["messages"]);
    if messages.is_empty() {
        return reject("messages", "[] is too short - 'messages'");
    }
    let mut open: Option<OpenCalls> = None;
    let mut tools: Vec<&Value> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        check_types(message)?;
        match message["role"].as_str() {
            Some("tool") => {
                let mut result = message.clone();
                if let (Value::Null | Value::String(_), Some(open)) = (&message["tool_call_id"], &open) {
                    result["tool_call_id"] = id_of(message, open, &tools).into();
                }
                check_result(index, &result, open.as_mut())?;
            }
            Some(role @ ("system" | "user" | "assistant")) => {
                check_all_paired(open.take())?;
                let calls = list(&message["tool_calls"]);
                if role == "assistant" && !calls.is_empty() {
                    let ids = (0..).zip(calls).map(|(position, call)| match call["id"].as_str() {
                        Some(id) if !id.is_empty() => id.to_owned(),
                        _ => format!("the call {position}"),
                    });
                    open = Some(OpenCalls::new(index, ids.collect()));
                    tools = calls.iter().map(|call| &call["function"]["name"]).collect();
                }
            }
            _ => return reject(format!("messages.[{index}].role"), "Invalid value for 'role'."),
        }
    }
    check_all_paired(open)
}

/// The id of a result: its own, or that of the first open call, of its tool if it has a name.
fn id_of(result: &Value, open: &OpenCalls, tools: &[&Value]) -> String {
    if let Some(id) = result["tool_call_id"].as_str().filter(|id| !id.is_empty()) {
        return id.to_owned();
    }
    let name = &result["tool_name"];
    let is_of_tool = |tool: &Value| name.is_null() || name == tool;
    let mut calls = open.ids.iter().zip(&open.answered).zip(tools);
    let call = calls.find(|((_, is_answered), tool)| !**is_answered && is_of_tool(tool));
    call.map(|((id, _), _)| id.clone()).unwrap_or_default()
}

fn check_types(message: &Value) -> Result<(), RejectedError> {
    for field in ["content", "thinking", "tool_name", "tool_call_id"] {
        let value = &message[field];
        if !value.is_string() && !value.is_null() {
            return invalid(field, value, "string");
        }
    }
    if let Some(image) = list(&message["images"]).iter().find(|image| !image.is_string()) {
        return invalid("images", image, "[]uint8");
    }
    for call in list(&message["tool_calls"]) {
        let function = &call["function"];
        if !function["name"].is_string() {
            return invalid("tool_calls.function.name", &function["name"], "string");
        }
        if !function["arguments"].is_object() {
            let expected = "api.ToolCallFunctionArguments";
            return invalid("tool_calls.function.arguments", &function["arguments"], expected);
        }
    }
    Ok(())
}

fn invalid(field: &str, value: &Value, expected: &str) -> Result<(), RejectedError> {
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
