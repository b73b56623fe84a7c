//! Storage of messages without loss, for serde's `with`.
//!
//! The stored form keeps every field of a message: the origin and the items of a reply, its usage, whether a call was
//! truncated, and the tool of a result. (Outcomes and artifacts of results belong to the process.) Servers reject it;
//! requests are written by a [`wire`](crate::wire). A [`Session`](crate::Session) contains its messages in this form.
//!
//! ```
//! use serde::{Deserialize, Serialize};
//! use tool_runtime::{Conversation, message};
//!
//! #[derive(Serialize, Deserialize)]
//! struct Chat {
//!     user: u64,
//!     #[serde(with = "message::stored")]
//!     conversation: Conversation, // or `Vec<Message>`
//! }
//!
//! let chat = Chat { user: 7, conversation: Conversation::new().user("Hello!") };
//! let text = serde_json::to_string(&chat)?;
//! assert_eq!(text, r#"{"user":7,"conversation":[{"role":"user","content":"Hello!"}]}"#);
//! let read: Chat = serde_json::from_str(&text)?;
//! assert_eq!(read.conversation.messages(), chat.conversation.messages());
//! # Ok::<(), serde_json::Error>(())
//! ```

use super::content::NativeContent;
use super::process_data::ProcessData;
use super::{
    AssistantMessage, Completeness, Content, Extra, InputMessage, Message, NativeItem, Origin, Part,
};
use super::{ToolCall, ToolMessage, Usage};
use crate::outcome::bounded_error;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// Serializes messages in the stored form: a list of messages, or a [`Conversation`](crate::Conversation).
///
/// # Errors
///
/// Returns the errors of the serializer.
pub fn serialize<S: Serializer>(
    messages: &(impl AsRef<[Message]> + ?Sized),
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(messages.as_ref().iter().map(StoredMessage::from))
}

/// Deserializes messages from the stored form: a list of messages, or a [`Conversation`](crate::Conversation). Also reads
/// messages in the format of Chat Completions that have only a role and text.
///
/// # Errors
///
/// The data is not in the stored form, or the messages of a conversation are not valid.
pub fn deserialize<'de, D, M>(deserializer: D) -> Result<M, D::Error>
where
    D: Deserializer<'de>,
    M: TryFrom<Vec<Message>>,
    M::Error: fmt::Display,
{
    let messages: Vec<StoredMessage<'_>> = Vec::deserialize(deserializer).map_err(bounded_error)?;
    let messages: Vec<Message> = messages.into_iter().map(Message::from).collect();
    messages.try_into().map_err(D::Error::custom)
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
enum StoredMessage<'a> {
    System(StoredInput<'a>),
    Developer(StoredInput<'a>),
    User(StoredInput<'a>),
    Assistant(StoredReply<'a>),
    Tool(StoredResult<'a>),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredInput<'a> {
    content: StoredContent<'a>,
    #[serde(default, skip_serializing_if = "Extra::is_empty")]
    extra: Cow<'a, Extra>,
}

/// A reply in the stored form.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StoredReply<'a> {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    content: Option<StoredContent<'a>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<StoredCall<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refusal: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    origin: Option<Cow<'a, Origin>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    finish_reason: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "is_default")]
    completeness: Completeness,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    usage: Option<Usage>,
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    native: Cow<'a, [NativeItem]>,
    #[serde(default, skip_serializing_if = "Extra::is_empty")]
    extra: Cow<'a, Extra>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredCall<'a> {
    id: Cow<'a, str>,
    name: Cow<'a, str>,
    arguments: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "is_default")]
    is_truncated: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    null_is_absent: bool,
    #[serde(default, skip_serializing_if = "Extra::is_empty")]
    extra: Cow<'a, Extra>,
}

/// A tool message in the stored form.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StoredResult<'a> {
    tool_call_id: Cow<'a, str>,
    content: StoredContent<'a>,
    #[serde(default, skip_serializing_if = "str::is_empty")]
    tool: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error_kind: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Extra::is_empty")]
    extra: Cow<'a, Extra>,
}

#[derive(Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "a content in the stored form: text, or a map with `parts`; a wire reads requests"
)]
pub(crate) enum StoredContent<'a> {
    Text(Cow<'a, str>),
    Parts(StoredParts<'a>),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StoredParts<'a> {
    /// Missing if the content is one text that a provider sent in another form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parts: Option<Cow<'a, [Part]>>,
    #[serde(default, skip_serializing_if = "str::is_empty")]
    text: Cow<'a, str>,
    /// Whether the text is one JSON value.
    #[serde(default, skip_serializing_if = "is_default")]
    is_json: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    native: Option<Cow<'a, NativeContent>>,
}

impl<'a> From<&'a Content> for StoredContent<'a> {
    fn from(content: &'a Content) -> Self {
        let parts = content.parts().map(Cow::Borrowed);
        let native = content.native_content().map(Cow::Borrowed);
        if parts.is_none() && native.is_none() && !content.is_json() {
            return StoredContent::Text(content.as_str().into());
        }
        let text = if parts.is_none() { content.as_str() } else { "" };
        StoredContent::Parts(StoredParts { parts, text: text.into(), is_json: content.is_json(), native })
    }
}

impl From<StoredContent<'_>> for Content {
    fn from(content: StoredContent<'_>) -> Self {
        match content {
            StoredContent::Text(text) => text.into_owned().into(),
            StoredContent::Parts(StoredParts { parts, text, is_json, native }) => {
                let content = match parts {
                    Some(parts) => Content::from_parts(parts.into_owned()),
                    None if is_json => Content::from_stored_json(text.into_owned()),
                    None => text.into_owned().into(),
                };
                content.with_native_content(native.map(Cow::into_owned))
            }
        }
    }
}

impl<'a> From<&'a InputMessage> for StoredInput<'a> {
    fn from(message: &'a InputMessage) -> Self {
        StoredInput { content: (&message.content).into(), extra: Cow::Borrowed(&message.extra) }
    }
}

impl From<StoredInput<'_>> for InputMessage {
    fn from(message: StoredInput<'_>) -> Self {
        InputMessage { content: message.content.into(), extra: message.extra.into_owned() }
    }
}

impl<'a> From<&'a AssistantMessage> for StoredReply<'a> {
    fn from(reply: &'a AssistantMessage) -> Self {
        StoredReply {
            content: reply.content.as_ref().map(StoredContent::from),
            tool_calls: reply.tool_calls.iter().map(StoredCall::from).collect(),
            refusal: reply.refusal.as_deref().map(Cow::Borrowed),
            origin: reply.origin.as_ref().map(Cow::Borrowed),
            finish_reason: reply.finish_reason.as_deref().map(Cow::Borrowed),
            completeness: reply.completeness,
            usage: reply.usage,
            native: Cow::Borrowed(&reply.native),
            extra: Cow::Borrowed(&reply.extra),
        }
    }
}

impl From<StoredReply<'_>> for AssistantMessage {
    fn from(reply: StoredReply<'_>) -> Self {
        AssistantMessage {
            content: reply.content.map(Content::from),
            tool_calls: reply.tool_calls.into_iter().map(ToolCall::from).collect(),
            refusal: reply.refusal.map(Cow::into_owned),
            origin: reply.origin.map(Cow::into_owned),
            finish_reason: reply.finish_reason.map(Cow::into_owned),
            completeness: reply.completeness,
            usage: reply.usage,
            native: reply.native.into_owned(),
            extra: reply.extra.into_owned(),
        }
    }
}

impl<'a> From<&'a ToolCall> for StoredCall<'a> {
    fn from(call: &'a ToolCall) -> Self {
        StoredCall {
            id: Cow::Borrowed(&call.id),
            name: Cow::Borrowed(&call.name),
            arguments: Cow::Borrowed(&call.arguments),
            is_truncated: call.is_truncated,
            null_is_absent: call.null_is_absent,
            extra: Cow::Borrowed(&call.extra),
        }
    }
}

impl From<StoredCall<'_>> for ToolCall {
    fn from(call: StoredCall<'_>) -> Self {
        ToolCall {
            id: call.id.into_owned(),
            name: call.name.into_owned(),
            arguments: call.arguments.into_owned(),
            is_truncated: call.is_truncated,
            null_is_absent: call.null_is_absent,
            extra: call.extra.into_owned(),
        }
    }
}

impl<'a> From<&'a ToolMessage> for StoredResult<'a> {
    fn from(result: &'a ToolMessage) -> Self {
        StoredResult {
            tool_call_id: Cow::Borrowed(&result.tool_call_id),
            content: (&result.content).into(),
            tool: Cow::Borrowed(&result.tool),
            error_kind: result.error_kind.as_deref().map(Cow::Borrowed),
            extra: Cow::Borrowed(&result.extra),
        }
    }
}

impl From<StoredResult<'_>> for ToolMessage {
    fn from(result: StoredResult<'_>) -> Self {
        ToolMessage {
            tool_call_id: result.tool_call_id.into_owned(),
            content: result.content.into(),
            tool: Cow::Owned(result.tool.into_owned()),
            error_kind: result.error_kind.map(|kind| Cow::Owned(kind.into_owned())),
            extra: result.extra.into_owned(),
            process: ProcessData::default(),
        }
    }
}

impl<'a> From<&'a Message> for StoredMessage<'a> {
    fn from(message: &'a Message) -> Self {
        match message {
            Message::System(input) => StoredMessage::System(input.into()),
            Message::Developer(input) => StoredMessage::Developer(input.into()),
            Message::User(input) => StoredMessage::User(input.into()),
            Message::Assistant(reply) => StoredMessage::Assistant(reply.into()),
            Message::Tool(result) => StoredMessage::Tool(result.into()),
        }
    }
}

impl From<StoredMessage<'_>> for Message {
    fn from(message: StoredMessage<'_>) -> Self {
        match message {
            StoredMessage::System(input) => Message::System(input.into()),
            StoredMessage::Developer(input) => Message::Developer(input.into()),
            StoredMessage::User(input) => Message::User(input.into()),
            StoredMessage::Assistant(reply) => Message::Assistant(reply.into()),
            StoredMessage::Tool(result) => Message::Tool(result.into()),
        }
    }
}
