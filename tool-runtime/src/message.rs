//! Messages of a conversation in the format of Chat Completions.
//!
//! A [`Message`] is a [`Prompt`] of the system, the developer or the user, an [`AssistantMessage`] with its [`ToolCall`]s, or
//! a [`ToolMessage`]. [`Content`] is text or a list of parts. [`Echo`] selects how much of a reply goes back to the server.
//!
//! Reading accepts the variations that servers send; writing follows the API reference:
//! <https://platform.openai.com/docs/api-reference/chat/create>.

mod artifact;
mod assistant;
mod call_ids;
mod content;
mod echo;
mod response;
mod tool_call;
mod tool_message;
mod wire;

pub(crate) use artifact::Artifact;
pub use assistant::AssistantMessage;
#[cfg(feature = "stream")]
pub(crate) use assistant::{is_cut_short, is_no_reason};
#[cfg(feature = "stream")]
pub(crate) use call_ids::TakenIds;
#[cfg(feature = "history")]
pub(crate) use call_ids::replace_unusable_ids;
pub use content::Content;
pub use echo::Echo;
#[cfg(feature = "stream")]
pub(crate) use response::error_text;
pub use tool_call::ToolCall;
pub(crate) use tool_call::means_none;
#[cfg(feature = "stream")]
pub(crate) use tool_call::{as_text, is_object};
pub(crate) use tool_message::ERROR;
pub use tool_message::ToolMessage;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use wire::{Role, WireMessage};

/// One message of the `messages` array.
///
/// ```
/// use tool_runtime::message::Message;
///
/// let message = Message::user("Beijing and Shanghai?");
/// assert_eq!(serde_json::to_string(&message)?, r#"{"role":"user","content":"Beijing and Shanghai?"}"#);
///
/// let read: Message = serde_json::from_str(r#"{"role":"tool","tool_call_id":"call_1","content":"sunny"}"#)?;
/// assert!(matches!(read, Message::Tool(message) if message.tool_call_id == "call_1"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Message {
    /// Instructions of the program to the model.
    System(Prompt),
    /// Instructions of the program; newer models of OpenAI take them under this role.
    Developer(Prompt),
    /// Input of the user.
    User(Prompt),
    /// A reply of the model: text, tool calls, or both.
    Assistant(AssistantMessage),
    /// The result of one tool call.
    Tool(ToolMessage),
}

/// A message of the user or of the program to the model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prompt {
    /// Text, or parts with images and files.
    pub content: Content,
    /// Other fields, such as `name`. They are written as they were read.
    other: Map<String, Value>,
}

impl Message {
    /// A system message.
    #[must_use]
    pub fn system(content: impl Into<Content>) -> Self {
        Message::System(Prompt::new(content))
    }

    /// A developer message.
    #[must_use]
    pub fn developer(content: impl Into<Content>) -> Self {
        Message::Developer(Prompt::new(content))
    }

    /// A user message.
    #[must_use]
    pub fn user(content: impl Into<Content>) -> Self {
        Message::User(Prompt::new(content))
    }

    /// A reply of text.
    #[must_use]
    pub fn assistant(content: impl Into<Content>) -> Self {
        AssistantMessage::saying(content).into()
    }

    /// The text of the message; empty where it has none.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Message::System(prompt) | Message::Developer(prompt) | Message::User(prompt) => {
                prompt.content.as_str()
            }
            Message::Assistant(message) => message.text(),
            Message::Tool(message) => message.text(),
        }
    }
}

impl Prompt {
    /// A prompt of text, or of parts.
    #[must_use]
    pub fn new(content: impl Into<Content>) -> Self {
        Prompt { content: content.into(), other: Map::new() }
    }
}

impl From<AssistantMessage> for Message {
    fn from(message: AssistantMessage) -> Self {
        Message::Assistant(message)
    }
}

impl From<ToolMessage> for Message {
    fn from(message: ToolMessage) -> Self {
        Message::Tool(message)
    }
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Message::System(prompt) => wire::write_prompt(Role::System, prompt, serializer),
            Message::Developer(prompt) => wire::write_prompt(Role::Developer, prompt, serializer),
            Message::User(prompt) => wire::write_prompt(Role::User, prompt, serializer),
            Message::Assistant(message) => message.serialize(serializer),
            Message::Tool(message) => message.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wire = WireMessage::deserialize(deserializer)?;
        match wire.role::<D::Error>()? {
            Role::System => Ok(Message::System(wire.into())),
            Role::Developer => Ok(Message::Developer(wire.into())),
            Role::User => Ok(Message::User(wire.into())),
            Role::Assistant => Ok(Message::Assistant(wire.into())),
            Role::Tool => Ok(Message::Tool(wire.into())),
        }
    }
}
