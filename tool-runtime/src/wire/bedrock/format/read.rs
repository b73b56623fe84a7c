//! Histories: how the messages of a request are read.

use super::part::read_content;
use super::{NAME, reply};
use crate::json::remove_entry;
use crate::message::{Extra, InputMessage, Message, Origin, ToolMessage};
use crate::wire::expected::Expected;
use crate::wire::role_messages::called_tools;
use crate::wire::{WireError, chat_completions};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::collections::HashMap;

const REQUEST: Expected = Expected::request(NAME, "the messages of a request of Amazon's Converse API");

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(default)]
    system: Vec<Value>,
    #[serde(borrow)]
    messages: Vec<ReadMessage<'a>>,
}

#[derive(Deserialize)]
struct ReadMessage<'a> {
    role: String,
    #[serde(borrow)]
    content: Vec<&'a RawValue>,
}

/// Reads the body of a request, or its array of messages.
pub(super) fn messages(body: &str) -> Result<Vec<Message>, WireError> {
    let from_list = |messages| Request { system: Vec::new(), messages };
    let Request { system, messages } = REQUEST.read_or_list(body, from_list)?;
    let mut read = Vec::with_capacity(messages.len() + 1);
    if !system.is_empty() {
        read.push(Message::system(read_content(system)));
    }
    for ReadMessage { role, content } in messages {
        match &*role {
            "user" => read_user(&content, &mut read)?,
            "assistant" => {
                let mut reply = reply::read_blocks(&content).map_err(|error| REQUEST.unexpected(error))?;
                reply.origin = Some(Origin::new(NAME));
                read.push(reply.into());
            }
            "system" => read.push(Message::system(read_content(values(&content)?))),
            "tool" => return Err(WireError::OtherWire { wire: chat_completions::NAME }),
            other => return Err(REQUEST.unexpected(format_args!("the role `{other}`"))),
        }
    }
    Ok(read)
}

fn values(blocks: &[&RawValue]) -> Result<Vec<Value>, WireError> {
    blocks.iter().map(|block| REQUEST.read_part(block.get())).collect()
}

/// Adds the results of a user message, and then a message with its other blocks.
fn read_user(blocks: &[&RawValue], read: &mut Vec<Message>) -> Result<(), WireError> {
    let is_result = |block: &Value| block["toolResult"].is_object();
    let (results, rest): (Vec<Value>, Vec<Value>) = values(blocks)?.into_iter().partition(is_result);
    let has_results = !results.is_empty();
    let tools = called_tools(read);
    for mut result in results {
        let Value::Object(fields) = result["toolResult"].take() else { continue };
        read.push(read_result(fields, &tools)?.into());
    }
    if !rest.is_empty() || !has_results {
        read.push(Message::User(InputMessage::new(read_content(rest))));
    }
    Ok(())
}

/// Reads a result. `tools` are the tools of the newest reply, by the ids of its calls.
fn read_result(
    mut fields: Map<String, Value>,
    tools: &HashMap<String, String>,
) -> Result<ToolMessage, WireError> {
    let Some(Value::String(id)) = remove_entry(&mut fields, "toolUseId") else {
        return Err(REQUEST.unexpected("a `toolResult` without `toolUseId`"));
    };
    let content = match remove_entry(&mut fields, "content") {
        Some(Value::Array(blocks)) => read_content(blocks),
        _ => return Err(REQUEST.unexpected("a `toolResult` without a list `content`")),
    };
    let is_error = fields.get("status").is_some_and(|status| status == "error");
    let tool = tools.get(&id).cloned().unwrap_or_default();
    Ok(ToolMessage::read(id, tool, content, is_error, Extra::new(NAME, fields)))
}
