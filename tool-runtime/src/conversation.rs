//! Conversations whose calls and tool messages are always paired.
//!
//! A [`Conversation`] takes a reply of the model and becomes a [`Received`]: the conversation with the model's answer, or the
//! [`PendingCalls`] of the reply. Pending calls run, wait for a person or are skipped, and become a conversation again when
//! each call has its tool message. A [`Session`](crate::Session) is this loop, with limits, approvals and storage.
//!
//! [`Conversation::request`] creates a [`Request`], which serializes as `messages`, `tools` and `tool_choice`.
//! [`ReplyWarning`]s report replies that suggest a wrong setting of the server.

mod answer_tool;
mod error;
mod finished_call;
mod inner_calls;
mod pending;
mod questions;
mod repeated_calls;
mod reply_warning;
mod request;
mod stored;
mod waiting_call;

pub(crate) use answer_tool::AnswerTool;
pub use error::NotPendingError;
pub(crate) use finished_call::FinishedCall;
use inner_calls::InnerPending;
pub use inner_calls::{InnerCallError, InnerCallFuture};
pub use pending::PendingCalls;
pub(crate) use pending::{CallsToRun, StreamedCalls};
use questions::is_question;
pub(crate) use repeated_calls::call_fingerprint;
pub use reply_warning::ReplyWarning;
pub use request::Request;
pub(crate) use request::Retry;
pub(crate) use stored::StoredPending;
pub use waiting_call::WaitingCall;

use crate::history::{HistoryError, TrimBudget, Trimmed, trim, validate};
use crate::message::{AssistantMessage, Content, Message, RemovedIds};
use crate::wire::serialize_messages;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::VecDeque;
use std::mem::discriminant;
use std::sync::Arc;

/// The messages of a conversation. Every tool call has its tool message.
///
/// `Serialize` writes the `messages` of a request of Chat Completions, without reasoning and without a provider's
/// items. To store a conversation, use `#[serde(with = "tool_runtime::message::stored")]`: see
/// [`message::stored`](crate::message::stored).
///
/// [`receive`](Conversation::receive) consumes the conversation: if the reply calls tools, it returns [`PendingCalls`],
/// which become a conversation again once every call has its tool message. Sending a conversation with unanswered calls
/// is a compile error. Clones share their messages until one of them changes.
///
/// ```
/// use tool_runtime::conversation::Received;
/// use tool_runtime::{AssistantMessage, Conversation, Registry, tool, tools};
///
/// /// Look up the weather of a city.
/// #[tool]
/// fn get_weather(city: &str) -> String {
///     format!("{city}: sunny")
/// }
/// # struct Model(std::cell::Cell<u8>);
/// # impl Model {
/// #     async fn complete(&self, _: &Conversation, _: &[tool_runtime::ToolSchema]) -> serde_json::Result<AssistantMessage> {
/// #         self.0.set(self.0.get() + 1);
/// #         serde_json::from_str(match self.0.get() {
/// #             1 => r#"{"tool_calls":[{"id":"a","function":{"name":"get_weather","arguments":"{\"city\":\"Beijing\"}"}}]}"#,
/// #             _ => r#"{"content":"It is sunny."}"#,
/// #         })
/// #     }
/// # }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let model = Model(std::cell::Cell::new(0));
///
/// let registry = Registry::new(tools![get_weather])?;
/// let mut chat = Conversation::new().system("You can look up the weather.").user("Beijing?");
/// let answer = loop {
///     let reply: AssistantMessage = model.complete(&chat, registry.schemas()).await?;
///     match chat.receive(reply) {
///         Received::Answer(done) => break done,
///         Received::ToolCalls(pending) => chat = pending.dispatch(&registry).await,
///     }
/// };
/// assert_eq!(answer.final_text(), "It is sunny.");
/// assert_eq!(answer.messages()[3].text(), "Beijing: sunny");
/// # Ok(())
/// # }
/// ```
///
/// A [`Session`](crate::Session) is this loop, with limits.
#[derive(Clone, Debug, Default)]
#[must_use = "dropping it drops all messages"]
pub struct Conversation {
    messages: Arc<Vec<Message>>,
    warnings: Vec<ReplyWarning>,
    /// The ids of removed calls. A session of this conversation gives them to no other call.
    removed_ids: Arc<RemovedIds>,
    /// The calls that ended since the last run, for the listeners of the next one.
    pub(crate) unreported: Arc<VecDeque<FinishedCall>>,
}

/// Compares the messages and the warnings.
impl PartialEq for Conversation {
    fn eq(&self, other: &Self) -> bool {
        self.messages == other.messages && self.warnings == other.warnings
    }
}

/// The result of [`Conversation::receive`].
#[derive(Clone, Debug)]
#[must_use = "it contains the conversation"]
pub enum Received {
    /// The reply calls no tool: the conversation with the [`final_text`](Conversation::final_text). A
    /// [paused](crate::message::Completeness::Paused) reply does not answer yet: send the next request. The text of a
    /// [truncated](crate::message::Completeness::Truncated) or
    /// [unconfirmed](crate::message::Completeness::Unconfirmed) reply may be incomplete.
    Answer(Conversation),
    /// The reply calls tools.
    ToolCalls(PendingCalls),
}

impl Conversation {
    /// Creates an empty conversation.
    pub fn new() -> Self {
        Conversation::default()
    }

    /// Adds a system message.
    pub fn system(self, content: impl Into<Content>) -> Self {
        self.with(Message::system(content))
    }

    /// Adds a developer message.
    pub fn developer(self, content: impl Into<Content>) -> Self {
        self.with(Message::developer(content))
    }

    /// Adds a user message.
    pub fn user(self, content: impl Into<Content>) -> Self {
        self.with(Message::user(content))
    }

    /// Adds a reply that the program wrote, for example as a sample answer.
    pub fn assistant(self, content: impl Into<Content>) -> Self {
        self.with(Message::assistant(content))
    }

    /// Changes the messages. The warnings stay.
    ///
    /// ```
    /// use tool_runtime::message::Message;
    /// use tool_runtime::Conversation;
    ///
    /// let mut chat = Conversation::new().system("It is Monday.").user("Hello!");
    /// chat.edit(|messages| messages[0] = Message::system("It is Tuesday."))?;
    /// assert_eq!(chat.messages()[0].text(), "It is Tuesday.");
    /// # Ok::<(), tool_runtime::history::HistoryError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The changed messages are invalid; the error lists all violations. The conversation is not changed.
    pub fn edit<T>(&mut self, change: impl FnOnce(&mut Vec<Message>) -> T) -> Result<T, HistoryError> {
        let mut messages = self.messages.to_vec();
        let changed = change(&mut messages);
        validate(&messages)?;
        self.removed_ids.update(&self.messages, &messages);
        self.messages = Arc::new(messages);
        Ok(changed)
    }

    /// The messages.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The messages, shared until they change.
    pub(crate) fn shared_messages(&self) -> Arc<Vec<Message>> {
        Arc::clone(&self.messages)
    }

    /// The text of the newest reply, or its `refusal`. Empty if there is no reply, or if it only calls tools.
    #[must_use]
    pub fn final_text(&self) -> &str {
        let newest = self.messages.iter().rev().find_map(|message| match message {
            Message::Assistant(reply) => Some(reply),
            _ => None,
        });
        match newest {
            Some(reply) if reply.text().is_empty() => reply.refusal().unwrap_or_default(),
            Some(reply) => reply.text(),
            None => "",
        }
    }

    /// Warnings about the replies so far, the first of each kind, for the operator of the program. They are not
    /// serialized; most conversations have none.
    #[must_use]
    pub fn warnings(&self) -> &[ReplyWarning] {
        &self.warnings
    }

    /// Adds a reply of the model. Ids of calls that are empty or repeated within the reply are replaced. The arguments are those
    /// of the model: a run gives them the keys of their tools, if the provider rejects these keys.
    ///
    /// ```
    /// use tool_runtime::conversation::Received;
    /// use tool_runtime::{AssistantMessage, Conversation};
    ///
    /// match Conversation::new().user("Hello!").receive(AssistantMessage::from_text("Hello.")) {
    ///     Received::Answer(chat) => assert_eq!(chat.user("How are you?").messages().len(), 3),
    ///     Received::ToolCalls(_) => unreachable!("it calls nothing"),
    /// }
    /// ```
    pub fn receive(self, reply: AssistantMessage) -> Received {
        let warnings = ReplyWarning::from_reply(&reply);
        self.receive_with(reply, &warnings)
    }

    /// Adds a reply with these warnings.
    pub(crate) fn receive_with(mut self, mut reply: AssistantMessage, warnings: &[ReplyWarning]) -> Received {
        for warning in warnings {
            self.warn(warning.clone());
        }
        if reply.is_empty() {
            // Servers reject a null without calls.
            reply.content = Some(Content::default());
        }
        reply.make_ids_usable();
        if reply.tool_calls.is_empty() {
            Received::Answer(self.with(reply.into()))
        } else {
            Received::ToolCalls(PendingCalls::new(self, reply))
        }
    }

    /// Adds a warning, unless there is one of its kind.
    pub(crate) fn warn(&mut self, warning: ReplyWarning) {
        if self.warnings.iter().all(|known| discriminant(known) != discriminant(&warning)) {
            self.warnings.push(warning);
        }
    }

    /// The ids of calls that the conversation does not have any more.
    pub(crate) fn removed_ids(&self) -> &Arc<RemovedIds> {
        &self.removed_ids
    }

    pub(crate) fn set_removed_ids(&mut self, removed_ids: RemovedIds) {
        self.removed_ids = Arc::new(removed_ids);
    }

    fn push_unreported(&mut self, call: FinishedCall) {
        Arc::make_mut(&mut self.unreported).push_back(call);
    }

    /// The first call that no listener has received.
    pub(crate) fn pop_unreported(&mut self) -> Option<FinishedCall> {
        if self.unreported.is_empty() { None } else { Arc::make_mut(&mut self.unreported).pop_front() }
    }

    fn with(mut self, message: Message) -> Self {
        self.push(message);
        self
    }

    pub(crate) fn push(&mut self, message: Message) {
        // Shared only while a request is being sent.
        Arc::make_mut(&mut self.messages).push(message);
    }
}

impl Conversation {
    /// Trims the conversation to this [budget](TrimBudget), and returns the changes.
    ///
    /// ```
    /// use tool_runtime::{Conversation, history::TrimBudget};
    ///
    /// let mut chat = Conversation::new().system("Be brief.").user("One?").assistant("One.").user("Two?");
    /// let trimmed = chat.trim(&TrimBudget::max_messages(2));
    /// assert_eq!(chat.messages().len(), 2);
    /// assert_eq!(trimmed.removed[0].text(), "One?");
    /// ```
    pub fn trim(&mut self, budget: &TrimBudget<'_>) -> Trimmed {
        let (messages, trimmed) = trim(self.messages.to_vec(), budget);
        self.removed_ids.update(&trimmed.removed, &messages);
        self.messages = Arc::new(messages);
        trimmed
    }
}

/// Converts messages whose calls and tool messages are paired; the package `tool-runtime-repair` repairs any others.
/// `possible_violations` of the package `tool-runtime-repair` lists what some servers reject in addition.
impl TryFrom<Vec<Message>> for Conversation {
    type Error = HistoryError;

    /// # Errors
    ///
    /// The messages are invalid; the error lists all violations.
    fn try_from(messages: Vec<Message>) -> Result<Self, HistoryError> {
        validate(&messages)?;
        Ok(Conversation { messages: Arc::new(messages), ..Conversation::default() })
    }
}

impl AsRef<[Message]> for Conversation {
    fn as_ref(&self) -> &[Message] {
        &self.messages
    }
}

impl From<Conversation> for Vec<Message> {
    fn from(conversation: Conversation) -> Self {
        Arc::unwrap_or_clone(conversation.messages)
    }
}

impl Serialize for Conversation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_messages(&self.messages, serializer)
    }
}

impl<'de> Deserialize<'de> for Conversation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer)?.try_into().map_err(D::Error::custom)
    }
}
