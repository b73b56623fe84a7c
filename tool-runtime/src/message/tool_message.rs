//! Results of tool calls.

use super::Content;
use super::artifact::Artifact;
use super::wire::{self, Role, WireMessage};
use crate::outcome::{CallError, Outcome};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use std::any::Any;

/// The prefix of the content of a failed call.
pub(crate) const ERROR: &str = "Error: ";

/// The result of one tool call: a message of role `tool`.
///
/// ```
/// use tool_runtime::ToolMessage;
///
/// let message = ToolMessage::new("call_1", "sunny");
/// assert_eq!(serde_json::to_string(&message)?, r#"{"role":"tool","tool_call_id":"call_1","content":"sunny"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ToolMessage {
    /// The id of the call.
    pub tool_call_id: String,
    /// The content for the model. It starts with `Error: ` if the call failed.
    pub content: Content,
    /// Other fields of a message that was read.
    pub(super) other: Map<String, Value>,
    pub(crate) outcome: Option<Outcome>,
    pub(crate) artifact: Option<Artifact>,
}

impl ToolMessage {
    /// A tool message with this content.
    #[must_use]
    pub fn new(tool_call_id: impl Into<String>, content: impl Into<Content>) -> Self {
        ToolMessage {
            tool_call_id: tool_call_id.into(),
            content: content.into(),
            other: Map::new(),
            outcome: None,
            artifact: None,
        }
    }

    /// The text for the model.
    #[must_use]
    pub fn text(&self) -> &str {
        self.content.as_str()
    }

    /// A message for this call, to be filled with its result.
    pub(crate) fn blank(id: &str) -> Self {
        ToolMessage {
            tool_call_id: id.to_owned(),
            content: Content::default(),
            other: Map::new(),
            outcome: Some(Outcome::default()),
            artifact: None,
        }
    }

    /// The message for a call that failed.
    pub(crate) fn failed(id: &str, error: CallError) -> Self {
        let mut message = ToolMessage::new(id, format!("{ERROR}{error}"));
        message.outcome = Some(Outcome::from_error(error));
        message
    }

    /// The name of the tool, if the message has it: in `name` (older servers), in `tool_name` (Ollama), or in its id
    /// (`functions.now:0`, Kimi).
    pub(crate) fn tool(&self) -> Option<&str> {
        let named = |field| self.other.get(field)?.as_str().filter(|name| !name.is_empty());
        named("name").or_else(|| named("tool_name")).or_else(|| {
            let (name, index) = self.tool_call_id.strip_prefix("functions.")?.rsplit_once(':')?;
            (!name.is_empty() && index.parse::<usize>().is_ok()).then_some(name)
        })
    }

    /// How the call ended, for the program only: it is not written. `None` if the message does not come from a
    /// dispatch.
    #[must_use]
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// Takes the artifact that the tool returned to the program, if it is of this type: see
    /// [`ToolOutput`](crate::ToolOutput). A message and its clones share one artifact, which is not written.
    #[must_use]
    pub fn take_artifact<T: Any>(&self) -> Option<T> {
        self.artifact.as_ref()?.take()
    }
}

/// Compares what is written: outcome and artifact are not compared.
impl PartialEq for ToolMessage {
    fn eq(&self, other: &Self) -> bool {
        (&self.tool_call_id, &self.content, &self.other)
            == (&other.tool_call_id, &other.content, &other.other)
    }
}

impl Serialize for ToolMessage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("role", &Role::Tool)?;
        map.serialize_entry("tool_call_id", &self.tool_call_id)?;
        map.serialize_entry("content", &self.content)?;
        wire::write_other::<S>(&mut map, &self.other)?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for ToolMessage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        WireMessage::with_role(Role::Tool, deserializer).map(Into::into)
    }
}
