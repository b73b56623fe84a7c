//! Messages: how they are read.

use super::NAME;
use crate::json::remove_entry;
use crate::message::{AssistantMessage, Content, ERROR, Extra, InputMessage, Message, ToolCall, ToolMessage};
use crate::outcome::bounded_error;
use crate::wire::{WireError, detect};
use serde::de::{Error, IntoDeserializer as _, value};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value, json};

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Role {
    System,
    Developer,
    User,
    Assistant,
    Tool,
}

/// A message of any role.
#[derive(Deserialize)]
#[serde(expecting = "a message")]
#[expect(clippy::option_option, reason = "a missing field differs from null")]
pub(super) struct ReadMessage {
    role: Option<String>,
    #[serde(default, deserialize_with = "read_present")]
    content: Option<Option<Content>>,
    #[serde(default, deserialize_with = "read_present")]
    tool_calls: Option<Option<Vec<Option<ToolCall>>>>,
    #[serde(default, deserialize_with = "text_or_number")]
    tool_call_id: Option<String>,
    #[serde(flatten)]
    pub(super) other: Map<String, Value>,
}

/// Reads a field that is not missing, and may be null.
#[expect(clippy::option_option, reason = "a missing field differs from null")]
fn read_present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// An id, which some programs write as a number.
fn text_or_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::Null => Ok(None),
        Value::String(id) => Ok(Some(id)),
        Value::Number(id) => Ok(Some(id.to_string())),
        other => Err(D::Error::custom(format_args!("expected an id, got {other}"))),
    }
}

/// Reads null like a missing field.
pub(super) fn null_is_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

impl ReadMessage {
    /// The role, which decides the kind of the message.
    fn role<E: Error>(&self) -> Result<Role, E> {
        let role = self.role.as_deref().ok_or_else(|| E::missing_field("role"))?;
        Role::deserialize(role.into_deserializer()).map_err(bounded_error)
    }

    /// The message, unless it has a different known role, where only one role is valid. The role may be missing or
    /// unknown, as some servers write it.
    pub(super) fn checked_as<E: Error>(self, role: &str) -> Result<Self, E> {
        match self.role.as_deref() {
            Some(other) if other != role && self.role::<value::Error>().is_ok() => {
                Err(E::custom(format_args!("expected a message of role `{role}`, got `{other}`")))
            }
            _ => Ok(self),
        }
    }

    /// Whether all fields of a message are missing.
    pub(super) fn is_no_message(&self) -> bool {
        self.role.is_none() && self.content.is_none() && self.tool_calls.is_none()
    }

    /// Whether it has neither content nor calls.
    pub(super) fn is_silent(&self) -> bool {
        matches!(self.content, None | Some(None)) && matches!(self.tool_calls, None | Some(None))
    }

    /// The calls, without null entries.
    fn calls(&mut self) -> Option<Vec<ToolCall>> {
        Some(self.tool_calls.take()??.into_iter().flatten().collect())
    }

    // Fields that belong to another role stay with the further fields, so that no data is lost.

    fn keep_tool_calls(&mut self) {
        if let Some(calls) = self.calls() {
            self.other.insert("tool_calls".to_owned(), json!(calls));
        }
    }

    fn keep_tool_call_id(&mut self) {
        if let Some(id) = self.tool_call_id.take() {
            self.other.insert("tool_call_id".to_owned(), json!(id));
        }
    }
}

impl From<ReadMessage> for InputMessage {
    fn from(mut read: ReadMessage) -> Self {
        read.keep_tool_calls();
        read.keep_tool_call_id();
        let extra = Extra::new(NAME, read.other);
        InputMessage { extra, ..InputMessage::new(read.content.flatten().unwrap_or_default()) }
    }
}

impl From<ReadMessage> for AssistantMessage {
    fn from(mut read: ReadMessage) -> Self {
        read.keep_tool_call_id();
        let tool_calls = read.calls().unwrap_or_default();
        let content = read.content.take().flatten();
        let refusal = read.other.get("refusal").and_then(Value::as_str).map(str::to_owned);
        if refusal.is_some() {
            remove_entry(&mut read.other, "refusal");
        }
        let extra = Extra::new(NAME, read.other);
        AssistantMessage { content, tool_calls, refusal, extra, ..AssistantMessage::default() }
    }
}

impl From<ReadMessage> for ToolMessage {
    fn from(mut read: ReadMessage) -> Self {
        read.keep_tool_calls();
        let id = read.tool_call_id.unwrap_or_default();
        let content = read.content.take().flatten().unwrap_or_default();
        let is_error = content.as_str().starts_with(ERROR);
        let tool = tool_name(&id, &read.other).unwrap_or_default();
        ToolMessage::read(id, tool, content, is_error, Extra::new(NAME, read.other))
    }
}

/// The name of the tool of a tool message: in `name` (older servers), in `tool_name` (Ollama), or in its id
/// (`functions.now:0`, Kimi).
fn tool_name(id: &str, other: &Map<String, Value>) -> Option<String> {
    let named = |field| other.get(field)?.as_str().filter(|name| !name.is_empty());
    let in_id = || {
        let (name, index) = id.strip_prefix("functions.")?.rsplit_once(':')?;
        (!name.is_empty() && index.parse::<usize>().is_ok()).then_some(name)
    };
    named("name").or_else(|| named("tool_name")).or_else(in_id).map(str::to_owned)
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = ReadMessage::deserialize(deserializer)?;
        if let Some(wire) = detect::wire_of_fields(&read.other) {
            return Err(D::Error::custom(WireError::OtherWire { wire }));
        }
        if is_stored(&read.other) {
            return Err(D::Error::custom(
                "the message is in the stored form: read it with `message::stored`",
            ));
        }
        match read.role::<D::Error>()? {
            Role::System => Ok(Message::System(read.into())),
            Role::Developer => Ok(Message::Developer(read.into())),
            Role::User => Ok(Message::User(read.into())),
            Role::Assistant => Ok(Message::Assistant(read.into())),
            Role::Tool => Ok(Message::Tool(read.into())),
        }
    }
}

/// Whether a message with these further fields is in the stored form.
fn is_stored(fields: &Map<String, Value>) -> bool {
    let is_stored = |field| fields.contains_key(field);
    ["completeness", "native", "error_kind", "tool"].into_iter().any(is_stored)
        || ["origin", "extra"]
            .iter()
            .any(|field| fields.get(*field).is_some_and(|value| value.get("wire").is_some()))
}

impl<'de> Deserialize<'de> for ToolMessage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ReadMessage::deserialize(deserializer)?.checked_as("tool").map(Into::into)
    }
}
