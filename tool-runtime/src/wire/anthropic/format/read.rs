//! Histories: how the messages of a request are read.

use super::part::read_content;
use super::{NAME, reply};
use crate::json::remove_entry;
use crate::message::{AssistantMessage, Content, Extra, InputMessage, Message, Origin, ToolMessage};
use crate::wire::body::raw;
use crate::wire::error::beginning;
use crate::wire::expected::Expected;
use crate::wire::role_messages::called_tools;
use crate::wire::tool_settings::ToolSettings;
use crate::wire::{WireError, chat_completions};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashMap;

const REQUEST: Expected = Expected::request(NAME, "the messages of a request of Anthropic's Messages API");

#[derive(Deserialize)]
struct Request<'a> {
    system: Option<Value>,
    #[serde(borrow)]
    messages: Vec<ReadMessage<'a>>,
}

#[derive(Deserialize)]
struct ReadMessage<'a> {
    role: String,
    #[serde(default, borrow)]
    content: Option<&'a RawValue>,
    /// A field of Chat Completions.
    tool_calls: Option<IgnoredAny>,
}

/// Reads the body of a request, or its array of messages.
pub(super) fn messages(body: &str, tools: &ToolSettings) -> Result<Vec<Message>, WireError> {
    let Request { system, messages } =
        REQUEST.read_or_list(body, |messages| Request { system: None, messages })?;
    let mut read: Vec<Message> = Vec::with_capacity(messages.len());
    if let Some(system) = system.filter(|system| !system.is_null()) {
        read.push(Message::system(content(system)?));
    }
    // The blocks of adjacent messages that are one reply.
    let mut calls = Vec::new();
    let mut messages = messages.into_iter().peekable();
    while let Some(ReadMessage { role, content: raw, tool_calls }) = messages.next() {
        if tool_calls.is_some() || matches!(&*role, "tool" | "developer") {
            return Err(WireError::OtherWire { wire: chat_completions::NAME });
        }
        let raw = raw.ok_or_else(|| {
            REQUEST.unexpected(format_args!("a message of role `{role}` without `content`"))
        })?;
        match &*role {
            "user" => read_user(REQUEST.read_part(raw.get())?, &mut read)?,
            "assistant" if calls.is_empty() && !continues(raw, messages.peek()) => {
                read.push(read_assistant(raw, tools)?.into());
            }
            "assistant" => {
                calls.extend(blocks(raw)?);
                if messages.peek().is_none_or(|next| next.role != "assistant") {
                    let blocks = std::mem::take(&mut calls);
                    let blocks: Vec<&RawValue> = blocks.iter().map(Cow::as_ref).collect();
                    read.push(read_blocks(&blocks, tools)?.into());
                }
            }
            "system" => {
                // Marked as native, so that it goes back to its place.
                let value: Value = REQUEST.read_part(raw.get())?;
                let blocks = match &value {
                    Value::String(text) => Value::Array(vec![super::part::text_block(text)]),
                    blocks => blocks.clone(),
                };
                read.push(Message::system(content(value)?.with_native(NAME, blocks)));
            }
            other => return Err(REQUEST.unexpected(format_args!("the role `{other}`"))),
        }
    }
    Ok(read)
}

/// A text, or blocks.
fn content(value: Value) -> Result<Content, WireError> {
    match value {
        Value::Null => Ok(Content::default()),
        Value::String(text) => Ok(text.into()),
        Value::Array(blocks) => Ok(read_content(blocks)),
        other => Err(REQUEST.unexpected(format_args!("the content {}", beginning(&other.to_string())))),
    }
}

fn read_assistant(raw: &RawValue, tools: &ToolSettings) -> Result<AssistantMessage, WireError> {
    if let Value::String(text) = REQUEST.read_part(raw.get())? {
        return Ok(AssistantMessage { origin: Some(Origin::new(NAME)), ..AssistantMessage::from_text(text) });
    }
    read_blocks(&REQUEST.read_part::<Vec<_>>(raw.get())?, tools)
}

fn read_blocks(blocks: &[&RawValue], tools: &ToolSettings) -> Result<AssistantMessage, WireError> {
    Ok(AssistantMessage { origin: Some(Origin::new(NAME)), ..reply::read_blocks(blocks, tools)? })
}

/// Whether the next message continues the reply with this content: the API accepts calls in adjacent messages whose results
/// are together.
fn continues(content: &RawValue, next: Option<&ReadMessage<'_>>) -> bool {
    let is_call = |block: &Value| block["type"] == "tool_use";
    let has_call =
        || serde_json::from_str::<Vec<Value>>(content.get()).is_ok_and(|all| all.iter().any(is_call));
    next.is_some_and(|next| next.role == "assistant") && has_call()
}

/// The blocks of a content; a text is one block.
fn blocks(content: &RawValue) -> Result<Vec<Cow<'_, RawValue>>, WireError> {
    if let Value::String(text) = REQUEST.read_part(content.get())? {
        return Ok(vec![Cow::Owned(raw(&super::part::text_block(&text))?)]);
    }
    Ok(REQUEST.read_part::<Vec<&RawValue>>(content.get())?.into_iter().map(Cow::Borrowed).collect())
}

/// Adds the results of a user message, and then a message with its other blocks.
fn read_user(value: Value, read: &mut Vec<Message>) -> Result<(), WireError> {
    let Value::Array(blocks) = value else {
        read.push(Message::User(InputMessage::new(content(value)?)));
        return Ok(());
    };
    let (results, rest): (Vec<Value>, Vec<Value>) =
        blocks.into_iter().partition(|block| block["type"] == "tool_result");
    let has_results = !results.is_empty();
    let tools = called_tools(read);
    for result in results {
        read.push(read_result(result, &tools)?.into());
    }
    if !rest.is_empty() || !has_results {
        read.push(Message::User(InputMessage::new(read_content(rest))));
    }
    Ok(())
}

/// Reads a result. `tools` are the tools of the newest reply, by the ids of its calls.
fn read_result(result: Value, tools: &HashMap<String, String>) -> Result<ToolMessage, WireError> {
    let Value::Object(mut fields) = result else {
        return Err(REQUEST.unexpected("a block that is not an object"));
    };
    let Some(Value::String(id)) = remove_entry(&mut fields, "tool_use_id") else {
        return Err(REQUEST.unexpected("a `tool_result` without `tool_use_id`"));
    };
    let content =
        content(remove_entry(&mut fields, "content").unwrap_or_default())?.with_names_of_references();
    let is_error = remove_entry(&mut fields, "is_error").is_some_and(|is_error| is_error == true);
    remove_entry(&mut fields, "type");
    let tool = tools.get(&id).cloned().unwrap_or_default();
    Ok(ToolMessage::read(id, tool, content, is_error, Extra::new(NAME, fields)))
}
