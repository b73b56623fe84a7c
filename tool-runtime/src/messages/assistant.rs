//! What the model answers.

use super::wire::{self, Role, WireMessage};
use super::{Content, ToolCall};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// A reply of the model: the `message` of a choice.
///
/// Before it goes into the history, [`echo`](AssistantMessage::echo) makes of it what the next request may
/// carry.
///
/// ```
/// use tool_runtime::AssistantMessage;
///
/// let reply: AssistantMessage = serde_json::from_str(
///     r#"{"role":"assistant","content":null,"tool_calls":[
///         {"id":"call_1","type":"function","function":{"name":"now","arguments":"{}"}}]}"#,
/// )?;
/// assert_eq!(reply.content, None);
/// assert_eq!(reply.tool_calls[0].name, "now");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AssistantMessage {
    /// What it says. `None` (null or absent on the wire, written as null) is usual beside calls.
    pub content: Option<Content>,
    /// What it wants to run. Absent, null and `[]` on the wire are the same; where there is none, the key is
    /// left out when written.
    pub tool_calls: Vec<ToolCall>,
    /// All other fields: reasoning, annotations, a refusal.
    pub(super) other: Map<String, Value>,
}

impl AssistantMessage {
    /// A reply of text.
    #[must_use]
    pub fn saying(content: impl Into<Content>) -> Self {
        AssistantMessage { content: Some(content.into()), ..AssistantMessage::default() }
    }

    /// A reply of calls, without a word.
    #[must_use]
    pub fn calling(tool_calls: Vec<ToolCall>) -> Self {
        AssistantMessage { tool_calls, ..AssistantMessage::default() }
    }

    /// Why the model declines to answer, where it says so in this field.
    #[must_use]
    pub fn refusal(&self) -> Option<&str> {
        self.other.get("refusal")?.as_str()
    }
}

impl Serialize for AssistantMessage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("role", &Role::Assistant)?;
        map.serialize_entry("content", &self.content)?;
        if !self.tool_calls.is_empty() {
            map.serialize_entry("tool_calls", &self.tool_calls)?;
        }
        wire::write_other::<S>(&mut map, &self.other)?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for AssistantMessage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        WireMessage::of_role(Role::Assistant, deserializer).map(Into::into)
    }
}
