//! The shape that all messages share on the wire: read leniently, written as documented.

use super::{AssistantMessage, Content, Prompt, ToolCall, ToolMessage};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
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

/// Any message, before its role says which.
#[derive(Deserialize)]
pub(super) struct WireMessage {
    #[serde(default)]
    pub(super) role: Option<Role>,
    #[serde(default)]
    content: Option<Content>,
    #[serde(default, deserialize_with = "null_is_default")]
    tool_calls: Vec<ToolCall>,
    #[serde(default, deserialize_with = "null_is_default")]
    tool_call_id: String,
    #[serde(flatten)]
    other: Map<String, Value>,
}

/// Where `null` says the same as absence.
pub(super) fn null_is_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

impl WireMessage {
    /// A message that is read where only one role makes sense, which it may leave out.
    pub(super) fn of_role<'de, D: Deserializer<'de>>(role: Role, deserializer: D) -> Result<Self, D::Error> {
        let wire = WireMessage::deserialize(deserializer)?;
        match wire.role {
            Some(other) if other != role => Err(serde::de::Error::custom(format_args!(
                "expected a message of role `{role}`, got `{other}`"
            ))),
            _ => Ok(wire),
        }
    }
}

impl From<WireMessage> for Prompt {
    fn from(wire: WireMessage) -> Self {
        Prompt { content: wire.content.unwrap_or_default(), other: wire.other }
    }
}

impl From<WireMessage> for AssistantMessage {
    fn from(wire: WireMessage) -> Self {
        AssistantMessage { content: wire.content, tool_calls: wire.tool_calls, other: wire.other }
    }
}

impl From<WireMessage> for ToolMessage {
    fn from(wire: WireMessage) -> Self {
        ToolMessage {
            tool_call_id: wire.tool_call_id,
            content: wire.content.unwrap_or_default(),
            other: wire.other,
            outcome: None,
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
