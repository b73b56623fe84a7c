//! What makes a provider answer 400, in its own words.
//!
//! The words of OpenAI where they are known, else those of another provider with the same rule, named beside.

use serde_json::Value;
use std::fmt;

/// Why a request is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The provider's words.
    pub message: String,
    /// Which part of the request is at fault.
    pub param: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (param: {})", self.message, self.param)
    }
}

/// Checks a request to Chat Completions as the strictest of the providers would.
///
/// # Errors
///
/// The first rule that it breaks.
pub fn check(request: &Value) -> Result<(), Refusal> {
    check_tools(request)?;
    let messages = request.get("messages").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if messages.is_empty() {
        return refuse("messages", "[] is too short - 'messages'");
    }
    let mut open: Option<OpenCalls> = None;
    for (index, message) in messages.iter().enumerate() {
        match message.get("role").and_then(Value::as_str) {
            Some("tool") => check_answer(index, message, open.as_mut())?,
            Some(role @ ("system" | "developer" | "user" | "assistant")) => {
                all_answered(open.take())?;
                if role == "assistant" {
                    open = check_reply(index, message)?;
                } else if !is_text_or_parts(&message["content"]) {
                    let text = format!(
                        "Invalid value for 'content': expected a string, got {}.",
                        message["content"]
                    );
                    return refuse(format!("messages.[{index}].content"), text);
                }
            }
            _ => return refuse(format!("messages.[{index}].role"), "Invalid value for 'role'."),
        }
    }
    all_answered(open)
}

/// The calls of an assistant message while their answers are read.
struct OpenCalls {
    /// Where the assistant message stands.
    index: usize,
    ids: Vec<String>,
    answered: Vec<bool>,
}

fn check_tools(request: &Value) -> Result<(), Refusal> {
    match request.get("tools") {
        None if request.get("tool_choice").is_some() => refuse(
            "tool_choice",
            "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
        ),
        // vLLM's words.
        Some(Value::Array(tools)) if tools.is_empty() => refuse(
            "tools",
            "`tools` must not be an empty array. Either provide at least one tool or omit the field entirely.",
        ),
        Some(Value::Array(tools)) => match request.pointer("/tool_choice/function/name") {
            Some(name) if tools.iter().all(|tool| &tool["function"]["name"] != name) => {
                // vLLM's words.
                refuse(
                    "tool_choice",
                    "The tool specified in `tool_choice` does not match any of the specified `tools`",
                )
            }
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}

fn check_reply(index: usize, message: &Value) -> Result<Option<OpenCalls>, Refusal> {
    // A gateway's words.
    if let Some(extra) =
        message.as_object().and_then(|message| message.keys().find(|key| !is_input_field(key)))
    {
        return refuse(format!("messages.[{index}].{extra}"), "Extra inputs are not permitted");
    }
    let Some(calls) = message.get("tool_calls") else {
        if is_text_or_parts(&message["content"]) {
            return Ok(None);
        }
        // llama.cpp's words.
        return refuse(
            format!("messages.[{index}].content"),
            "Assistant message must contain either 'content' or 'tool_calls'!",
        );
    };
    let calls = calls.as_array().map_or(&[][..], Vec::as_slice);
    if calls.is_empty() {
        return refuse(
            format!("messages.[{index}].tool_calls"),
            format!("[] is too short - 'messages.{index}.tool_calls'"),
        );
    }
    let mut ids: Vec<String> = Vec::new();
    for (position, call) in calls.iter().enumerate() {
        let param = format!("messages.[{index}].tool_calls.[{position}]");
        if call["type"] != "function" {
            // llama.cpp's words.
            return refuse(param, format!("Failed to parse messages: Missing tool call type: {call}"));
        }
        let id = call["id"].as_str().unwrap_or_default().to_owned();
        let invalid_id = |problem: &str| {
            let text = format!("Invalid 'messages[{index}].tool_calls[{position}].id': {problem}");
            refuse(&*param, text)
        };
        if id.is_empty() {
            return invalid_id(
                "empty string. Expected a string with minimum length 1, but got an empty string instead.",
            );
        }
        if id.len() > 40 {
            let length = id.len();
            return invalid_id(&format!(
                "string too long. Expected a string with maximum length 40, but got a string with length {length}"
            ));
        }
        if ids.contains(&id) {
            // Mistral's words.
            return refuse(param, format!("Duplicate tool call id {id} in assistant message"));
        }
        let arguments =
            call["function"]["arguments"].as_str().and_then(|text| serde_json::from_str(text).ok());
        if !matches!(arguments, Some(Value::Object(_))) {
            // Ollama's words.
            return refuse(param, "invalid tool call arguments");
        }
        ids.push(id);
    }
    let answered = vec![false; ids.len()];
    Ok(Some(OpenCalls { index, ids, answered }))
}

fn check_answer(index: usize, message: &Value, open: Option<&mut OpenCalls>) -> Result<(), Refusal> {
    let Some(open) = open else {
        return refuse(
            format!("messages.[{index}].role"),
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        );
    };
    let param = format!("messages.[{index}].tool_call_id");
    let Some(id) = message["tool_call_id"].as_str().filter(|id| !id.is_empty()) else {
        // Groq's words.
        let text = format!(
            "'messages.{index}' : for 'role:tool' the following must be satisfied\
             [('messages.{index}.tool_call_id' : property 'tool_call_id' is missing)]"
        );
        return refuse(param, text);
    };
    match open.ids.iter().position(|call| call == id) {
        // Mistral's words.
        None => refuse(param, format!("Unexpected tool call id {id} in tool results")),
        Some(position) if open.answered[position] => {
            refuse(param, format!("Duplicate value for 'tool_call_id' of {id} in message[{index}]"))
        }
        Some(position) => {
            open.answered[position] = true;
            if is_text_or_parts(&message["content"]) {
                return Ok(());
            }
            let text = format!(
                "Invalid 'messages[{index}]'. Content blocks are expected to be either text or image_url type."
            );
            refuse(format!("messages[{index}]"), text)
        }
    }
}

fn all_answered(open: Option<OpenCalls>) -> Result<(), Refusal> {
    let Some(OpenCalls { index, ids, answered }) = open else { return Ok(()) };
    let missing: Vec<&str> =
        ids.iter().zip(answered).filter(|(_, answered)| !answered).map(|(id, _)| id.as_str()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let text = format!(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each \
         'tool_call_id'. The following tool_call_ids did not have response messages: {}",
        missing.join(", ")
    );
    refuse(format!("messages.[{index}].role"), text)
}

/// What an assistant message may hold in a request, by the API's reference.
fn is_input_field(key: &str) -> bool {
    ["role", "content", "tool_calls", "refusal", "name", "audio"].contains(&key)
}

fn is_text_or_parts(content: &Value) -> bool {
    match content {
        Value::String(_) => true,
        Value::Array(parts) => parts.iter().all(|part| part["type"].is_string()),
        _ => false,
    }
}

fn refuse<T>(param: impl Into<String>, message: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal { message: message.into(), param: param.into() })
}
