//! The messages of a conversation, independent of a provider's format.
//!
//! A [`Message`] is an [`InputMessage`] of the system, the developer or the user, an [`AssistantMessage`] with its
//! [`ToolCall`]s, or a [`ToolMessage`]. [`Content`] is text or a list of [`Part`]s.
//!
//! Messages have two serialized forms:
//!
//! - `Serialize` and `Deserialize` of the message types are the request form of Chat Completions. It contains only
//!   fields that servers accept. [`wire`](crate::wire) reads and writes the formats of other providers.
//!   A list of `Message`s has a notice such as `[image: image/png]` in place of images and files of results; a
//!   [`Conversation`](crate::Conversation) or a wire adds them in a user message.
//! - [`stored`] is for databases and files. It keeps every field, and servers reject it.

mod assistant;
mod call_ids;
mod call_piece;
mod chunk;
mod content;
mod extra;
mod input;
mod native;
mod origin;
mod part;
mod piece;
mod process_data;
pub mod stored;
mod stored_json;
pub(crate) mod stream_error;
mod tool_call;
mod tool_message;
mod usage;

pub use assistant::AssistantMessage;
pub(crate) use call_ids::{
    RemovedIds, TakenIds, id_numbers, ids_of_calls, inner_id, replace_unusable_ids, short_id,
};
pub(crate) use call_piece::{Arguments, CallPiece, Truncation};
pub use chunk::Chunk;
pub use content::Content;
pub(crate) use extra::Extra;
pub use input::InputMessage;
pub(crate) use native::{ItemContent, NativeItem, ReadItem, ReplyItem, StandsFor};
pub use origin::{Completeness, Origin};
pub use part::{Media, Part};
pub(crate) use piece::{Finish, Growth, ItemKind, Piece, WrapItem};
pub(crate) use process_data::{Artifact, ProcessData};
pub(crate) use stream_error::StreamError;
pub use tool_call::ToolCall;
pub(crate) use tool_call::{ASKS_APPROVAL, is_empty_object, is_object, is_same_value, means_none};
pub use tool_message::ToolMessage;
pub(crate) use tool_message::{ERROR, RETURNED};
pub(crate) use usage::TokenCounts;
pub use usage::{Prices, Usage};

/// One message of a conversation.
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
    System(InputMessage),
    /// Instructions of the program; newer models of OpenAI take them under this role.
    Developer(InputMessage),
    /// Input of the user.
    User(InputMessage),
    /// A reply of the model: text, tool calls, or both.
    Assistant(AssistantMessage),
    /// The result of one tool call.
    Tool(ToolMessage),
}

impl Message {
    /// A system message.
    #[must_use]
    pub fn system(content: impl Into<Content>) -> Self {
        Message::System(InputMessage::new(content))
    }

    /// A developer message.
    #[must_use]
    pub fn developer(content: impl Into<Content>) -> Self {
        Message::Developer(InputMessage::new(content))
    }

    /// A developer message that adds tools of the registry to a conversation: the model may call them from here on.
    ///
    /// Push it when the registry of the conversation gets further tools
    /// ([`Session::edit`](crate::Session::edit)). With the setting `mid_conversation_changes` of
    /// [`Anthropic`](crate::wire::Anthropic) and [`Responses`](crate::wire::Responses), the definitions are written at this place, and
    /// the prompt cache stays valid. Elsewhere, the definitions are in the list of tools, which loses the cache, and the model reads
    /// the names. The names are those of the registry; a name that no tool has is only in the text.
    ///
    /// ```
    /// use tool_runtime::message::Message;
    ///
    /// assert_eq!(Message::added_tools(["zip_files"]).text(), "Further tools are available now: zip_files");
    /// ```
    #[must_use]
    pub fn added_tools<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        let text = format!("Further tools are available now: {}", names.join(", "));
        let references = names.into_iter().map(Part::tool_reference);
        Message::developer(Content::from_parts([Part::text(text)].into_iter().chain(references)))
    }

    /// A user message.
    #[must_use]
    pub fn user(content: impl Into<Content>) -> Self {
        Message::User(InputMessage::new(content))
    }

    /// A reply of text.
    #[must_use]
    pub fn assistant(content: impl Into<Content>) -> Self {
        AssistantMessage::from_text(content).into()
    }

    /// The text of the message; empty where it has none.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Message::System(input) | Message::Developer(input) | Message::User(input) => input.text(),
            Message::Assistant(message) => message.text(),
            Message::Tool(message) => message.text(),
        }
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
