//! The rules of Chat Completions: those of the strictest of its providers.
//!
//! The error messages are those of OpenAI if they are known, otherwise those of the provider in the comment.

mod response_format;

pub(in crate::wire) use response_format::{INVALID_NAME, check_response_format};

use super::errors;
use crate::wire::rejected::{RejectedError, list, reject, unknown_field};
use crate::wire::{ChatCompletions, RequestParts, Wire};
use serde_json::Value;

pub(super) fn check(wire: &dyn Wire, request: &Value) -> Result<(), RejectedError> {
    check_tools(request)?;
    check_response_format("response_format.json_schema", &request["response_format"]["json_schema"])?;
    let messages = list(&request["messages"]);
    if messages.is_empty() {
        return reject("messages", "[] is too short - 'messages'");
    }
    let mut open: Option<OpenCalls> = None;
    for (index, message) in messages.iter().enumerate() {
        check_fields(wire, index, message)?;
        match message.get("role").and_then(Value::as_str) {
            Some("tool") => check_result(index, message, open.as_mut())?,
            Some(role @ ("system" | "developer" | "user" | "assistant")) => {
                check_all_paired(open.take())?;
                if role == "assistant" {
                    open = check_reply(index, message)?;
                } else if !is_text_or_parts(&message["content"]) {
                    let text = format!(
                        "Invalid value for 'content': expected a string, got {}.",
                        message["content"]
                    );
                    return reject(format!("messages.[{index}].content"), text);
                }
            }
            _ => return reject(format!("messages.[{index}].role"), "Invalid value for 'role'."),
        }
    }
    check_all_paired(open)
}

/// The calls of an assistant message while their tool messages are read.
pub(in crate::wire) struct OpenCalls {
    /// The index of the assistant message.
    index: usize,
    pub(in crate::wire) ids: Vec<String>,
    pub(in crate::wire) answered: Vec<bool>,
}

impl OpenCalls {
    pub(in crate::wire) fn new(index: usize, ids: Vec<String>) -> Self {
        let answered = vec![false; ids.len()];
        OpenCalls { index, ids, answered }
    }
}

pub(in crate::wire) fn check_tools(request: &Value) -> Result<(), RejectedError> {
    match request.get("tools") {
        None if request.get("tool_choice").is_some() => reject(
            "tool_choice",
            "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
        ),
        // Error message of vLLM.
        Some(Value::Array(tools)) if tools.is_empty() => reject(
            "tools",
            "`tools` must not be an empty array. Either provide at least one tool or omit the field entirely.",
        ),
        Some(Value::Array(tools)) => match request.pointer("/tool_choice/function/name") {
            Some(name) if tools.iter().all(|tool| &tool["function"]["name"] != name) => {
                // Error message of vLLM.
                reject(
                    "tool_choice",
                    "The tool specified in `tool_choice` does not match any of the specified `tools`",
                )
            }
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}

fn check_reply(index: usize, message: &Value) -> Result<Option<OpenCalls>, RejectedError> {
    let Some(calls) = message.get("tool_calls") else {
        if is_text_or_parts(&message["content"]) {
            return Ok(None);
        }
        return reject(format!("messages.[{index}].content"), errors::EMPTY_REPLY);
    };
    let calls = list(calls);
    if calls.is_empty() {
        return reject(
            format!("messages.[{index}].tool_calls"),
            format!("[] is too short - 'messages.{index}.tool_calls'"),
        );
    }
    let mut ids: Vec<String> = Vec::new();
    for (position, call) in calls.iter().enumerate() {
        let param = format!("messages.[{index}].tool_calls.[{position}]");
        if call["type"] != "function" {
            // Error message of llama.cpp.
            return reject(param, format!("Failed to parse messages: Missing tool call type: {call}"));
        }
        let id = call["id"].as_str().unwrap_or_default().to_owned();
        if id.is_empty() {
            let problem =
                "empty string. Expected a string with minimum length 1, but got an empty string instead.";
            return reject(param, errors::invalid_id(index, position, problem));
        }
        if id.len() > 40 {
            return reject(param, errors::long_id(index, position, id.len()));
        }
        if ids.contains(&id) {
            return reject(param, errors::duplicate_call(&id));
        }
        let arguments =
            call["function"]["arguments"].as_str().and_then(|text| serde_json::from_str(text).ok());
        if !matches!(arguments, Some(Value::Object(_))) {
            // Error message of Ollama.
            return reject(param, "invalid tool call arguments");
        }
        ids.push(id);
    }
    Ok(Some(OpenCalls::new(index, ids)))
}

pub(in crate::wire) fn check_result(
    index: usize,
    message: &Value,
    open: Option<&mut OpenCalls>,
) -> Result<(), RejectedError> {
    let Some(open) = open else {
        return reject(format!("messages.[{index}].role"), errors::RESULT_WITHOUT_CALLS);
    };
    let param = format!("messages.[{index}].tool_call_id");
    let Some(id) = message["tool_call_id"].as_str().filter(|id| !id.is_empty()) else {
        return reject(param, errors::result_without_id(index));
    };
    match open.ids.iter().position(|call| call == id) {
        None => reject(param, errors::unexpected_result(id)),
        Some(position) if open.answered[position] => reject(param, errors::repeated_id(index, id)),
        Some(position) => {
            open.answered[position] = true;
            if is_text_or_parts(&message["content"]) {
                return Ok(());
            }
            let text = format!(
                "Invalid 'messages[{index}]'. Content blocks are expected to be either text or image_url type."
            );
            reject(format!("messages[{index}]"), text)
        }
    }
}

pub(in crate::wire) fn check_all_paired(open: Option<OpenCalls>) -> Result<(), RejectedError> {
    let Some(OpenCalls { index, ids, answered }) = open else { return Ok(()) };
    let missing: Vec<&str> =
        ids.iter().zip(answered).filter(|(_, answered)| !answered).map(|(id, _)| id.as_str()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    reject(format!("messages.[{index}].role"), errors::missing_results(&missing.join(", ")))
}

/// The fields in which servers send and take reasoning.
const REASONING: [&str; 6] =
    ["reasoning_content", "reasoning", "reasoning_details", "thinking", "extra_content", "thought_signature"];

/// Checks that the API reference lists the fields of the message, or that they are reasoning that the wire keeps.
/// Mistral and some gateways reject other fields, with this error message.
fn check_fields(wire: &dyn Wire, index: usize, message: &Value) -> Result<(), RejectedError> {
    let known: &[&str] = match message["role"].as_str() {
        Some("assistant") => &["role", "content", "tool_calls", "refusal", "name", "audio"],
        Some("tool") => &["role", "content", "tool_call_id", "name"],
        _ => &["role", "content", "name"],
    };
    let keeps_reasoning = message["role"] == "assistant" && keeps_reasoning(wire);
    let known = [known, if keeps_reasoning { &REASONING } else { &[] }].concat();
    let Some(field) = unknown_field(message, &known) else { return Ok(()) };
    reject(format!("messages.[{index}].{field}"), "Extra inputs are not permitted")
}

/// Whether the wire sends reasoning back, to a server that accepts it.
fn keeps_reasoning(wire: &dyn Wire) -> bool {
    let reply = r#"{"choices":[{"message":{"content":"-","reasoning_content":"-"}}]}"#;
    let Ok(reply) = ChatCompletions::new().read_reply(reply) else { return false };
    let body = wire.write(&RequestParts::new(&[reply.into()]));
    body.is_ok_and(|body| {
        body.get("messages").is_some_and(|messages| messages.get().contains("reasoning_content"))
    })
}

fn is_text_or_parts(content: &Value) -> bool {
    match content {
        Value::String(_) => true,
        Value::Array(parts) => parts.iter().all(|part| part["type"].is_string()),
        _ => false,
    }
}
