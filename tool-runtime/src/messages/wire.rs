//! The shape that all messages share on the wire: read leniently, written as documented.

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

/// Any message, before its role says which.
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
    other: Map<String, Value>,
}

/// One of the `choices` of a response.
#[derive(Deserialize)]
#[serde(expecting = "a choice")]
pub(super) struct WireChoice {
    pub(super) message: WireMessage,
    /// Ollama's own API has another name for it.
    #[serde(default, alias = "done_reason")]
    pub(super) finish_reason: Option<String>,
}

/// A key of a message that may be null, and may not be there.
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

/// Where `null` says the same as absence.
pub(super) fn null_is_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

impl WireMessage {
    /// The role, which decides what the message is.
    pub(super) fn role<E: Error>(&self) -> Result<Role, E> {
        let role = self.role.as_deref().ok_or_else(|| E::missing_field("role"))?;
        Role::deserialize(role.into_deserializer())
    }

    /// A message that is read where only one role makes sense, which it may leave out or call by a name of its
    /// own, as some servers do.
    pub(super) fn of_role<'de, D: Deserializer<'de>>(role: Role, deserializer: D) -> Result<Self, D::Error> {
        WireMessage::deserialize(deserializer)?.checked_as(role)
    }

    /// The same, if it does not have the role of another.
    pub(super) fn checked_as<E: Error>(self, role: Role) -> Result<Self, E> {
        match self.role::<value::Error>() {
            Ok(other) if other != role => {
                Err(E::custom(format_args!("expected a message of role `{role}`, got `{other}`")))
            }
            _ => Ok(self),
        }
    }

    /// The choice that this is, or the first of the response that it is, where it is no message.
    pub(super) fn take_choice(&mut self) -> Result<Option<WireChoice>, String> {
        if self.role.is_some() || !self.content.is_absent() || !self.tool_calls.is_absent() {
            return match self.other.get("error").and_then(error_text) {
                Some(error) if self.content.is_null() && self.tool_calls.is_null() => {
                    Err(format!("expected a reply, got an error: {error}"))
                }
                _ => Ok(None),
            };
        }
        let mut choice = Value::Object(std::mem::take(&mut self.other));
        if told_error(&choice).is_none() {
            if let Some(first) = choice.pointer_mut("/choices/0") {
                choice = first.take();
            }
        }
        if let Some(error) = told_error(&choice) {
            return Err(format!("expected a reply, got an error: {error}"));
        }
        if choice["message"].is_object() {
            return serde_json::from_value(choice).map(Some).map_err(|error| error.to_string());
        }
        let beginning: String = choice.to_string().chars().take(200).collect();
        Err(format!("expected a reply, or a response with one in its `choices`, got {beginning}"))
    }

    /// The calls; a null among them is none.
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

/// Fields that belong to another role are kept with the unknown ones, so that a history loses nothing.
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
        AssistantMessage { content: wire.content.take(), tool_calls, other: wire.other, finish_reason: None }
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

/// The text of an error, in any of the shapes in which servers send one.
fn told_error(response: &Value) -> Option<String> {
    let alone = || response.get("message").or_else(|| response.get("detail"))?.as_str().map(str::to_owned);
    response.get("error").and_then(error_text).or_else(alone)
}

/// The text of what stands under `error`, if it is one.
fn error_text(error: &Value) -> Option<String> {
    match error {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Object(fields) => {
            let told = fields.get("message").and_then(Value::as_str);
            Some(told.map_or_else(|| error.to_string(), str::to_owned))
        }
        _ => None,
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
