//! The rules of Chat Completions: those of the strictest of its providers.
//!
//! The error messages are those of OpenAI if they are known, otherwise those of the provider in the comment.

use super::response_format::check_response_format;
use crate::rejected::{Checked, RejectedError, check_fields, list, reject, require_at};
use serde_json::{Value, json};
use tool_runtime::__testing::broken_definition;
use tool_runtime::wire::{ChatCompletions, RequestParts, Wire};
use tool_runtime::{DynamicTool, Registry, RegistryBuilder};

/// The name of the wire.
pub(super) const WIRE: &str = "chat_completions";

/// The maximum number of tools in a request of OpenAI: <https://github.com/zed-industries/zed/issues/42393>.
const MAX_TOOLS: usize = 128;

/// The problem of an id, in the error messages of OpenAI.
pub(super) const EMPTY_ID: &str =
    "empty string. Expected a string with minimum length 1, but got an empty string instead.";

/// The fields with reasoning, which a wire sends back if its setting `keep_reasoning` is on.
const REASONING: [&str; 6] =
    ["reasoning_content", "reasoning", "reasoning_details", "thinking", "extra_content", "thought_signature"];

pub(super) fn check(wire: &dyn Wire, request: &Value) -> Checked {
    check_tools(request)?;
    let tools = list(&request["tools"]);
    if tools.len() > MAX_TOOLS && !sends_more_tools(wire) {
        check_number(tools)?;
    }
    for (index, tool) in tools.iter().enumerate() {
        check_parameters(&tool["function"], &format!("tools[{index}].function.parameters"))?;
    }
    check_response_format("response_format.json_schema", &request["response_format"]["json_schema"])?;
    let mut open = OpenCalls::default();
    for (index, message) in messages(request)?.iter().enumerate() {
        check_message_fields(wire, index, message)?;
        let content = &message["content"];
        match message["role"].as_str() {
            Some("tool") => {
                open.check_result(index, message["tool_call_id"].as_str().unwrap_or_default(), content)?;
            }
            Some("assistant") => {
                open.check_all_paired()?;
                open = check_reply(index, message)?;
            }
            Some("system" | "developer" | "user") => {
                open.check_all_paired()?;
                require_at(format!("messages.[{index}].content"), is_text_or_parts(content), || {
                    format!("Invalid value for 'content': expected a string, got {content}.")
                })?;
            }
            _ => return invalid_role(index),
        }
    }
    open.check_all_paired()
}

/// The messages of a request; at least one.
pub(super) fn messages(request: &Value) -> Result<&[Value], RejectedError> {
    match list(&request["messages"]) {
        [] => reject("messages", "[] is too short - 'messages'"),
        messages => Ok(messages),
    }
}

pub(super) fn invalid_role(index: usize) -> Checked {
    reject(format!("messages.[{index}].role"), "Invalid value for 'role'.")
}

/// The calls of the newest assistant message while its tool messages are read.
#[derive(Default)]
pub(super) struct OpenCalls {
    /// The index of the assistant message.
    pub(super) index: usize,
    pub(super) calls: Vec<OpenCall>,
}

pub(super) struct OpenCall {
    pub(super) id: String,
    /// The name of its tool.
    pub(super) tool: Value,
    pub(super) is_answered: bool,
}

impl OpenCalls {
    /// Checks a tool message with this id.
    pub(super) fn check_result(&mut self, index: usize, id: &str, content: &Value) -> Checked {
        let param = format!("messages.[{index}].role");
        // https://github.com/miurla/morphic/issues/136, with the spelling of OpenAI.
        require_at(
            param,
            !self.calls.is_empty(),
            || "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        )?;
        let param = format!("messages.[{index}].tool_call_id");
        // Groq.
        require_at(&*param, !id.is_empty(), || {
            format!(
                "'messages.{index}' : for 'role:tool' the following must be satisfied[('messages.{index}.tool_call_id' : \
                 property 'tool_call_id' is missing)]"
            )
        })?;
        let Some(call) = self.calls.iter_mut().find(|call| call.id == id) else {
            // Mistral: https://github.com/mistralai/mistral-common, `protocol/instruct/validator.py`
            return reject(param, format!("Unexpected tool call id {id} in tool results"));
        };
        // DeepSeek.
        require_at(param, !call.is_answered, || {
            format!("Duplicate value for 'tool_call_id' of {id} in message[{index}]")
        })?;
        call.is_answered = true;
        let param = format!("messages[{index}]");
        require_at(&*param, is_text_or_parts(content), || {
            format!("Invalid '{param}'. Content blocks are expected to be either text or image_url type.")
        })
    }

    /// Checks that each call has a tool message, and removes the calls.
    pub(super) fn check_all_paired(&mut self) -> Checked {
        let calls = std::mem::take(&mut self.calls);
        let missing: Vec<&str> =
            calls.iter().filter(|call| !call.is_answered).map(|call| &*call.id).collect();
        let param = format!("messages.[{}].role", self.index);
        // https://github.com/BerriAI/litellm/issues/10083
        require_at(param, missing.is_empty(), || {
            format!(
                "An assistant message with 'tool_calls' must be followed by tool messages responding to each \
                 'tool_call_id'. The following tool_call_ids did not have response messages: {}",
                missing.join(", ")
            )
        })
    }
}

pub(super) fn check_tools(request: &Value) -> Checked {
    let Some(tools) = request.get("tools") else {
        return require_at(
            "tool_choice",
            request.get("tool_choice").is_none(),
            || "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
        );
    };
    let Value::Array(tools) = tools else { return Ok(()) };
    // The error messages of vLLM.
    require_at(
        "tools",
        !tools.is_empty(),
        || "`tools` must not be an empty array. Either provide at least one tool or omit the field entirely.",
    )?;
    let name = request.pointer("/tool_choice/function/name");
    let is_chosen = |tool: &Value| name.is_none_or(|name| tool["function"]["name"] == *name);
    require_at(
        "tool_choice",
        tools.iter().any(is_chosen),
        || "The tool specified in `tool_choice` does not match any of the specified `tools`",
    )
}

pub(super) fn check_number(tools: &[Value]) -> Checked {
    let count = tools.len();
    require_at("tools", count <= MAX_TOOLS, || {
        format!(
            "Invalid 'tools': array too long. Expected an array with maximum length {MAX_TOOLS}, but got an array with \
             length {count} instead."
        )
    })
}

/// Whether the wire sends more tools than OpenAI accepts, to a server that accepts them.
fn sends_more_tools(wire: &dyn Wire) -> bool {
    let tool = |number| DynamicTool::external(format!("tool_{number}"), "", json!({}));
    let builder = (0..=MAX_TOOLS).map(tool).fold(Registry::builder(), RegistryBuilder::dynamic);
    let Ok(registry) = builder.build() else { return false };
    let body = wire.write(&RequestParts::new(&[]).tools(registry.schemas()));
    let tools = body.ok().and_then(|body| serde_json::from_str::<Vec<Value>>(body.get("tools")?.get()).ok());
    tools.is_some_and(|tools| tools.len() > MAX_TOOLS)
}

/// Checks the parameters of a function, which it may lack.
pub(super) fn check_parameters(function: &Value, param: &str) -> Checked {
    let Some((place, error)) = broken_definition(WIRE, &function["parameters"]) else { return Ok(()) };
    let name = function["name"].as_str().unwrap_or_default();
    let param = format!("{param}{}", place.replace('/', "."));
    reject(param, format!("Invalid schema for function '{name}': {error}"))
}

fn check_reply(index: usize, message: &Value) -> Result<OpenCalls, RejectedError> {
    let Some(sent) = message.get("tool_calls") else {
        let param = format!("messages.[{index}].content");
        // llama.cpp: https://github.com/ggml-org/llama.cpp, `tools/server/server-common.cpp`
        require_at(
            param,
            is_text_or_parts(&message["content"]),
            || "Assistant message must contain either 'content' or 'tool_calls'!",
        )?;
        return Ok(OpenCalls::default());
    };
    let sent = list(sent);
    require_at(format!("messages.[{index}].tool_calls"), !sent.is_empty(), || {
        format!("[] is too short - 'messages.{index}.tool_calls'")
    })?;
    let mut calls: Vec<OpenCall> = Vec::new();
    for (position, call) in sent.iter().enumerate() {
        let param = &*format!("messages.[{index}].tool_calls.[{position}]");
        // Error message of llama.cpp.
        require_at(param, call["type"] == "function", || {
            format!("Failed to parse messages: Missing tool call type: {call}")
        })?;
        let id = call["id"].as_str().unwrap_or_default();
        let invalid_id =
            |problem: &str| format!("Invalid 'messages[{index}].tool_calls[{position}].id': {problem}");
        require_at(param, !id.is_empty(), || invalid_id(EMPTY_ID))?;
        require_at(param, id.len() <= 40, || {
            let length = id.len();
            invalid_id(&format!(
                "string too long. Expected a string with maximum length 40, but got a string with length {length}"
            ))
        })?;
        // Mistral.
        require_at(param, calls.iter().all(|earlier| earlier.id != id), || {
            format!("Duplicate tool call id {id} in assistant message")
        })?;
        let function = &call["function"];
        let arguments = function["arguments"].as_str().and_then(|text| serde_json::from_str(text).ok());
        // Error message of Ollama.
        let is_object = matches!(arguments, Some(Value::Object(_)));
        require_at(param, is_object, || "invalid tool call arguments")?;
        calls.push(OpenCall { id: id.to_owned(), tool: function["name"].clone(), is_answered: false });
    }
    Ok(OpenCalls { index, calls })
}

/// Checks that the API reference of OpenAI or Mistral (`prefix`) lists the fields of the message, or that they are reasoning that the wire keeps.
/// Mistral and some gateways reject other fields, with this error message.
fn check_message_fields(wire: &dyn Wire, index: usize, message: &Value) -> Checked {
    let known: &[&str] = match message["role"].as_str() {
        Some("assistant") => &["role", "content", "tool_calls", "refusal", "name", "audio", "prefix"],
        Some("tool") => &["role", "content", "tool_call_id", "name"],
        _ => &["role", "content", "name"],
    };
    let keeps_reasoning = message["role"] == "assistant" && keeps_reasoning(wire);
    let known = [known, if keeps_reasoning { &REASONING } else { &[] }].concat();
    check_fields(message, &known, |field| {
        reject(format!("messages.[{index}].{field}"), "Extra inputs are not permitted")
    })
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
