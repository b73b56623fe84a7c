//! The rules of Chat Completions: those of the strictest of its providers.
//!
//! The error messages are those of OpenAI if they are known, otherwise those of the provider in the comment.

mod response_format;

pub(in crate::wire) use response_format::{INVALID_NAME, check_response_format};

use super::{FOREIGN, MAX_TOOLS, errors};
use crate::schema::ToolSchema;
use crate::schema::conversion::broken_rule;
use crate::wire::rejected::{Checked, RejectedError, check_fields, list, reject, require_at};
use crate::wire::{ChatCompletions, RequestParts, Wire, reasoning};
use serde_json::Value;
use serde_json::value::RawValue;

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
pub(in crate::wire) fn messages(request: &Value) -> Result<&[Value], RejectedError> {
    match list(&request["messages"]) {
        [] => reject("messages", "[] is too short - 'messages'"),
        messages => Ok(messages),
    }
}

pub(in crate::wire) fn invalid_role(index: usize) -> Checked {
    reject(format!("messages.[{index}].role"), "Invalid value for 'role'.")
}

/// The calls of the newest assistant message while its tool messages are read.
#[derive(Default)]
pub(in crate::wire) struct OpenCalls {
    /// The index of the assistant message.
    pub(in crate::wire) index: usize,
    pub(in crate::wire) calls: Vec<OpenCall>,
}

pub(in crate::wire) struct OpenCall {
    pub(in crate::wire) id: String,
    /// The name of its tool.
    pub(in crate::wire) tool: Value,
    pub(in crate::wire) is_answered: bool,
}

impl OpenCalls {
    /// Checks a tool message with this id.
    pub(in crate::wire) fn check_result(&mut self, index: usize, id: &str, content: &Value) -> Checked {
        let param = format!("messages.[{index}].role");
        require_at(param, !self.calls.is_empty(), || errors::RESULT_WITHOUT_CALLS)?;
        let param = format!("messages.[{index}].tool_call_id");
        require_at(&*param, !id.is_empty(), || errors::result_without_id(index))?;
        let Some(call) = self.calls.iter_mut().find(|call| call.id == id) else {
            return reject(param, errors::unexpected_result(id));
        };
        require_at(param, !call.is_answered, || errors::repeated_id(index, id))?;
        call.is_answered = true;
        let param = format!("messages[{index}]");
        require_at(&*param, is_text_or_parts(content), || {
            format!("Invalid '{param}'. Content blocks are expected to be either text or image_url type.")
        })
    }

    /// Checks that each call has a tool message, and removes the calls.
    pub(in crate::wire) fn check_all_paired(&mut self) -> Checked {
        let calls = std::mem::take(&mut self.calls);
        let missing: Vec<&str> =
            calls.iter().filter(|call| !call.is_answered).map(|call| &*call.id).collect();
        let param = format!("messages.[{}].role", self.index);
        require_at(param, missing.is_empty(), || errors::missing_results(&missing.join(", ")))
    }
}

pub(in crate::wire) fn check_tools(request: &Value) -> Checked {
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

pub(in crate::wire) fn check_number(tools: &[Value]) -> Checked {
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
    let parameters = RawValue::NULL;
    let tool =
        |number: usize| ToolSchema::new(format!("tool_{number}").into(), "".into(), parameters.to_owned());
    let tools: Vec<ToolSchema> = (0..=MAX_TOOLS).map(tool).collect();
    let body = wire.write(&RequestParts::new(&[]).tools(&tools));
    let tools = body.ok().and_then(|body| serde_json::from_str::<Vec<Value>>(body.get("tools")?.get()).ok());
    tools.is_some_and(|tools| tools.len() > MAX_TOOLS)
}

/// Checks the parameters of a function, which it may lack.
pub(in crate::wire) fn check_parameters(function: &Value, param: &str) -> Checked {
    let Some((place, error)) = broken_rule(&function["parameters"], FOREIGN.rules) else { return Ok(()) };
    let name = function["name"].as_str().unwrap_or_default();
    let param = format!("{param}{}", place.replace('/', "."));
    reject(param, format!("Invalid schema for function '{name}': {error}"))
}

fn check_reply(index: usize, message: &Value) -> Result<OpenCalls, RejectedError> {
    let Some(sent) = message.get("tool_calls") else {
        let param = format!("messages.[{index}].content");
        require_at(param, is_text_or_parts(&message["content"]), || errors::EMPTY_REPLY)?;
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
        require_at(param, !id.is_empty(), || errors::invalid_id(index, position, errors::EMPTY_ID))?;
        require_at(param, id.len() <= 40, || errors::long_id(index, position, id.len()))?;
        require_at(param, calls.iter().all(|earlier| earlier.id != id), || errors::duplicate_call(id))?;
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
    let known = [known, if keeps_reasoning { &reasoning::FIELDS } else { &[] }].concat();
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
