//! The JSON format that all messages share, read leniently and written as documented.

use super::{AssistantMessage, Content, Prompt, ToolCall, ToolMessage};
use serde::de::{Error, IntoDeserializer as _, value};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};
use std::fmt;

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Role {
    System,
    Developer,
    User,
    Assistant,
    Tool,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Role::System => "system",
            Role::Developer => "developer",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
        })
    }
}

/// A message of any role.
#[derive(Deserialize)]
#[serde(expecting = "a message")]
pub(super) struct WireMessage {
    #[serde(default)]
    role: Option<String>,
    #[serde(default)]
    content: Key<Content>,
    #[serde(default)]
    tool_calls: Key<Vec<Option<ToolCall>>>,
    #[serde(default, deserialize_with = "text_or_number")]
    tool_call_id: Option<String>,
    #[serde(flatten)]
    pub(super) other: Map<String, Value>,
}

/// A field that may be missing or null.
#[derive(Default)]
enum Key<T> {
    #[default]
    Absent,
    Present(Option<T>),
}

impl<T> Key<T> {
    fn take(&mut self) -> Option<T> {
        match self {
            Key::Absent => None,
            Key::Present(value) => value.take(),
        }
    }

    fn is_absent(&self) -> bool {
        matches!(self, Key::Absent)
    }

    fn is_null(&self) -> bool {
        matches!(self, Key::Absent | Key::Present(None))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Key<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::deserialize(deserializer).map(Key::Present)
    }
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

impl WireMessage {
    /// The role, which decides the kind of the message.
    pub(super) fn role<E: Error>(&self) -> Result<Role, E> {
        let role = self.role.as_deref().ok_or_else(|| E::missing_field("role"))?;
        Role::deserialize(role.into_deserializer())
    }

    /// Reads a message where only one role is valid. Its role may be missing or unknown, as some servers write it.
    pub(super) fn with_role<'de, D: Deserializer<'de>>(
        role: Role,
        deserializer: D,
    ) -> Result<Self, D::Error> {
        WireMessage::deserialize(deserializer)?.checked_as(role)
    }

    /// The message, unless it has a different known role.
    pub(super) fn checked_as<E: Error>(self, role: Role) -> Result<Self, E> {
        match self.role::<value::Error>() {
            Ok(other) if other != role => {
                Err(E::custom(format_args!("expected a message of role `{role}`, got `{other}`")))
            }
            _ => Ok(self),
        }
    }

    /// Whether all fields of a message are missing.
    pub(super) fn is_no_message(&self) -> bool {
        self.role.is_none() && self.content.is_absent() && self.tool_calls.is_absent()
    }

    /// Whether it has neither content nor calls.
    pub(super) fn is_silent(&self) -> bool {
        self.content.is_null() && self.tool_calls.is_null()
    }

    /// The calls, without null entries.
    fn calls(&mut self) -> Option<Vec<ToolCall>> {
        Some(self.tool_calls.take()?.into_iter().flatten().collect())
    }

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

/// Keeps fields that belong to another role with the unknown fields, so that no data is lost.
impl From<WireMessage> for Prompt {
    fn from(mut wire: WireMessage) -> Self {
        wire.keep_tool_calls();
        wire.keep_tool_call_id();
        Prompt { content: wire.content.take().unwrap_or_default(), other: wire.other }
    }
}

impl From<WireMessage> for AssistantMessage {
    fn from(mut wire: WireMessage) -> Self {
        wire.keep_tool_call_id();
        let tool_calls = wire.calls().unwrap_or_default();
        let content = wire.content.take();
        AssistantMessage { content, tool_calls, other: wire.other, ..AssistantMessage::default() }
    }
}

impl From<WireMessage> for ToolMessage {
    fn from(mut wire: WireMessage) -> Self {
        wire.keep_tool_calls();
        ToolMessage {
            tool_call_id: wire.tool_call_id.unwrap_or_default(),
            content: wire.content.take().unwrap_or_default(),
            other: wire.other,
            outcome: None,
            artifact: None,
        }
    }
}

pub(super) fn write_prompt<S: Serializer>(
    role: Role,
    prompt: &Prompt,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    map.serialize_entry("role", &role)?;
    map.serialize_entry("content", &prompt.content)?;
    write_other::<S>(&mut map, &prompt.other)?;
    map.end()
}

pub(super) fn write_other<S: Serializer>(
    map: &mut S::SerializeMap,
    other: &Map<String, Value>,
) -> Result<(), S::Error> {
    other.iter().try_for_each(|(key, value)| map.serialize_entry(key, value))
}
