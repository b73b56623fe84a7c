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
//!
//! [`reply`] and [`results`] are for parts of a conversation.

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
    serializer.collect_seq(messages.as_ref().iter().map(Stored::from))
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
    let messages: Vec<Stored<'_, Message>> = Vec::deserialize(deserializer).map_err(bounded_error)?;
    let messages: Vec<Message> = messages.into_iter().map(Stored::into_inner).collect();
    messages.try_into().map_err(D::Error::custom)
}

/// Storage of one reply without loss, for serde's `with`.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use tool_runtime::{AssistantMessage, message};
///
/// #[derive(Serialize, Deserialize)]
/// struct Step {
///     number: u64,
///     #[serde(with = "message::stored::reply")]
///     reply: AssistantMessage,
/// }
///
/// let step = Step { number: 0, reply: AssistantMessage::from_text("Hello!") };
/// assert_eq!(serde_json::to_string(&step)?, r#"{"number":0,"reply":{"content":"Hello!"}}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub mod reply {
    use super::{AssistantMessage, Deserialize as _, Deserializer, Serialize as _, Serializer, Stored};

    /// Serializes a reply in the stored form.
    ///
    /// # Errors
    ///
    /// Returns the errors of the serializer.
    pub fn serialize<S: Serializer>(reply: &AssistantMessage, serializer: S) -> Result<S::Ok, S::Error> {
        Stored::from(reply).serialize(serializer)
    }

    /// Deserializes a reply from the stored form.
    ///
    /// # Errors
    ///
    /// The data is not a reply in the stored form.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<AssistantMessage, D::Error> {
        Stored::deserialize(deserializer).map(Stored::into_inner)
    }
}

/// Storage of tool messages without loss, for serde's `with`, like [`reply`].
pub mod results {
    use super::{Deserialize as _, Deserializer, Serializer, Stored, ToolMessage};

    /// Serializes tool messages in the stored form: a list.
    ///
    /// # Errors
    ///
    /// Returns the errors of the serializer.
    pub fn serialize<S: Serializer>(results: &[ToolMessage], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(results.iter().map(Stored::from))
    }

    /// Deserializes tool messages from the stored form.
    ///
    /// # Errors
    ///
    /// The data is not a list of tool messages in the stored form.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<ToolMessage>, D::Error> {
        let results = Vec::<Stored<'_, ToolMessage>>::deserialize(deserializer)?;
        Ok(results.into_iter().map(Stored::into_inner).collect())
    }
}

pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A value in its stored form.
#[derive(Clone, Debug)]
pub(crate) struct Stored<'a, T: Clone>(pub(crate) Cow<'a, T>);

impl<'a, T: Clone> From<&'a T> for Stored<'a, T> {
    fn from(value: &'a T) -> Self {
        Stored(Cow::Borrowed(value))
    }
}

impl<T: Clone> Stored<'_, T> {
    pub(crate) fn into_inner(self) -> T {
        self.0.into_owned()
    }
}

/// Implements serde's traits with a definition of the stored form: <https://serde.rs/remote-derive.html>.
macro_rules! stored_by {
    ($($definition:ident: $value:ty),*) => {$(
        impl Serialize for Stored<'_, $value> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $definition::serialize(&*self.0, serializer)
            }
        }

        impl<'de> Deserialize<'de> for Stored<'_, $value> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $definition::deserialize(deserializer).map(|value| Stored(Cow::Owned(value)))
            }
        }
    )*};
}
stored_by!(StoredMessage: Message, StoredReply: AssistantMessage, StoredCall: ToolCall, StoredResult: ToolMessage);

#[derive(Serialize, Deserialize)]
#[serde(remote = "Message", tag = "role", rename_all = "snake_case")]
enum StoredMessage {
    System(#[serde(with = "StoredInput")] InputMessage),
    Developer(#[serde(with = "StoredInput")] InputMessage),
    User(#[serde(with = "StoredInput")] InputMessage),
    Assistant(#[serde(with = "StoredReply")] AssistantMessage),
    Tool(#[serde(with = "StoredResult")] ToolMessage),
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "InputMessage", deny_unknown_fields)]
struct StoredInput {
    #[serde(with = "content")]
    content: Content,
    #[serde(default, skip_serializing_if = "Extra::is_empty")]
    extra: Extra,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "AssistantMessage", deny_unknown_fields)]
struct StoredReply {
    #[serde(default, skip_serializing_if = "Option::is_none", with = "optional_content")]
    content: Option<Content>,
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "calls")]
    tool_calls: Vec<ToolCall>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refusal: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    origin: Option<Origin>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    finish_reason: Option<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    completeness: Completeness,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    usage: Option<Usage>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    native: Vec<NativeItem>,
    #[serde(default, skip_serializing_if = "Extra::is_empty")]
    extra: Extra,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "ToolCall", deny_unknown_fields)]
struct StoredCall {
    id: String,
    name: String,
    arguments: String,
    #[serde(default, skip_serializing_if = "is_default")]
    is_truncated: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    null_is_absent: bool,
    #[serde(default, skip_serializing_if = "Extra::is_empty")]
    extra: Extra,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "ToolMessage", deny_unknown_fields)]
struct StoredResult {
    tool_call_id: String,
    #[serde(with = "content")]
    content: Content,
    #[serde(default, skip_serializing_if = "str::is_empty")]
    tool: Cow<'static, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error_kind: Option<Cow<'static, str>>,
    #[serde(default, skip_serializing_if = "Extra::is_empty")]
    extra: Extra,
    #[serde(skip)]
    process: ProcessData,
}

mod content {
    use super::{Content, Deserialize as _, Deserializer, Serialize as _, Serializer, StoredContent};

    pub(super) fn serialize<S: Serializer>(content: &Content, serializer: S) -> Result<S::Ok, S::Error> {
        StoredContent::from(content).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Content, D::Error> {
        StoredContent::deserialize(deserializer).map(Content::from)
    }
}

mod optional_content {
    use super::{Content, Deserialize as _, Deserializer, Serialize as _, Serializer, StoredContent};

    #[expect(clippy::ref_option, reason = "serde passes the field")]
    pub(super) fn serialize<S: Serializer>(
        content: &Option<Content>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        content.as_ref().map(StoredContent::from).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Content>, D::Error> {
        Ok(Option::<StoredContent<'_>>::deserialize(deserializer)?.map(Content::from))
    }
}

mod calls {
    use super::{Deserialize as _, Deserializer, Serializer, Stored, ToolCall};

    pub(super) fn serialize<S: Serializer>(calls: &[ToolCall], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(calls.iter().map(Stored::from))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<ToolCall>, D::Error> {
        let calls = Vec::<Stored<'_, ToolCall>>::deserialize(deserializer)?;
        Ok(calls.into_iter().map(Stored::into_inner).collect())
    }
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
