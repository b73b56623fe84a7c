//! A conversation that cannot be left unpaired.

mod calls_in_text;
mod drive;
mod not_pending;
mod pending;
mod reply_warning;
mod request;
mod saved;
mod third_failure;

pub use drive::Ending;
pub use not_pending::NotPendingError;
pub use pending::PendingCalls;
pub use reply_warning::ReplyWarning;
pub use request::{Request, RequestError};

use crate::history::{HistoryError, validate};
#[cfg(feature = "history")]
use crate::history::{TrimBudget, Trimmed, trim};
use crate::message::{AssistantMessage, Content, Echo, Message};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::mem::discriminant;
use std::sync::Arc;

/// The messages so far, in which every call has its answer, whatever is done with it.
///
/// It serialises as the `messages` array of a request. [`reply`](Conversation::reply) consumes it: where the model asks
/// for tools, there are [`PendingCalls`] instead, which become a conversation again when every call has its answer. A
/// program that would send the one without the other does not compile. A clone is a pointer, until one of the two gets
/// a message more.
///
/// ```
/// use tool_runtime::conversation::Turn;
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
///     match chat.reply(reply) {
///         Turn::Answer(done) => break done,
///         Turn::Calls(pending) => chat = pending.dispatch(&registry).await,
///     }
/// };
/// assert_eq!(answer.final_text(), "It is sunny.");
/// assert_eq!(answer.messages()[3].text(), "Beijing: sunny");
/// # Ok(())
/// # }
/// ```
///
/// [`drive`](Conversation::drive) is this loop, with an end to it.
#[derive(Clone, Debug, Default)]
#[must_use = "it is the whole conversation"]
pub struct Conversation {
    messages: Arc<Vec<Message>>,
    echo: Echo,
    warnings: Vec<ReplyWarning>,
}

/// What the model's reply leads to.
#[derive(Clone, Debug)]
#[must_use = "the conversation is in it"]
pub enum Turn {
    /// It answers: the conversation again, with the [`final_text`](Conversation::final_text).
    Answer(Conversation),
    /// It asks for tools.
    Calls(PendingCalls),
}

impl Conversation {
    /// An empty one.
    pub fn new() -> Self {
        Conversation::default()
    }

    /// With a system message at its end.
    pub fn system(self, content: impl Into<Content>) -> Self {
        self.with(Message::system(content))
    }

    /// With a developer message at its end.
    pub fn developer(self, content: impl Into<Content>) -> Self {
        self.with(Message::developer(content))
    }

    /// With a user message at its end.
    pub fn user(self, content: impl Into<Content>) -> Self {
        self.with(Message::user(content))
    }

    /// With a reply at its end that the program puts into the model's mouth: an example of how to answer.
    pub fn assistant(self, content: impl Into<Content>) -> Self {
        self.with(Message::assistant(content))
    }

    /// Changes the messages, to others that a server takes; the settings stay.
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
    /// Everything that is wrong with the messages that came out; the conversation stays as it was.
    pub fn edit<T>(&mut self, change: impl FnOnce(&mut Vec<Message>) -> T) -> Result<T, HistoryError> {
        let mut messages = self.messages.to_vec();
        let changed = change(&mut messages);
        validate(&messages)?;
        self.messages = Arc::new(messages);
        Ok(changed)
    }

    /// How much of each reply goes back to the server, from now on. It is not part of what is serialised.
    pub fn echo(self, echo: Echo) -> Self {
        Conversation { echo, ..self }
    }

    /// The messages.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// What the model said last: the text of the newest reply, or its refusal; empty where there is none, or it only
    /// called tools.
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

    /// What looked wrong in the replies so far, the first of each kind: not part of what is serialised, and empty in
    /// most conversations. To be shown to whoever runs the program.
    #[must_use]
    pub fn warnings(&self) -> &[ReplyWarning] {
        &self.warnings
    }

    /// Takes the model's reply, as the [`echo`](AssistantMessage::echo) that the history may hold.
    ///
    /// ```
    /// use tool_runtime::conversation::Turn;
    /// use tool_runtime::{AssistantMessage, Conversation};
    ///
    /// match Conversation::new().user("Hello!").reply(AssistantMessage::saying("Hello.")) {
    ///     Turn::Answer(chat) => assert_eq!(chat.user("How are you?").messages().len(), 3),
    ///     Turn::Calls(_) => unreachable!("it calls nothing"),
    /// }
    /// ```
    pub fn reply(mut self, reply: AssistantMessage) -> Turn {
        for warning in ReplyWarning::of(&reply, self.echo) {
            if self.warnings.iter().all(|known| discriminant(known) != discriminant(&warning)) {
                self.warnings.push(warning);
            }
        }
        let mut reply = reply.echo(self.echo);
        if reply.is_empty() {
            // A null alone is refused.
            reply.content = Some(Content::default());
        }
        if reply.tool_calls.is_empty() {
            Turn::Answer(self.with(reply.into()))
        } else {
            Turn::Calls(PendingCalls::new(self, reply))
        }
    }

    fn with(mut self, message: Message) -> Self {
        self.push(message);
        self
    }

    fn push(&mut self, message: Message) {
        // Shared only while a request is on its way.
        Arc::make_mut(&mut self.messages).push(message);
    }
}

#[cfg(feature = "history")]
impl Conversation {
    /// Makes the conversation shorter, to be within this budget, and says what was done for it: see
    /// [`history::trim`](crate::history::trim()).
    ///
    /// ```
    /// use tool_runtime::{Conversation, history::TrimBudget};
    ///
    /// let mut chat = Conversation::new().system("Be brief.").user("One?").assistant("One.").user("Two?");
    /// let trimmed = chat.trim(&TrimBudget::messages(2));
    /// assert_eq!(chat.messages().len(), 2);
    /// assert_eq!(trimmed.removed[0].text(), "One?");
    /// ```
    pub fn trim(&mut self, budget: &TrimBudget<'_>) -> Trimmed {
        let (messages, trimmed) = trim(self.messages.to_vec(), budget);
        self.messages = Arc::new(messages);
        trimmed
    }
}

/// Equal when they have equal messages.
impl PartialEq for Conversation {
    fn eq(&self, other: &Self) -> bool {
        self.messages == other.messages
    }
}

/// Of messages that are paired as every server wants it; [`history::repair`](crate::history) makes such of any.
/// [`history::warnings`](crate::history::warnings) says what some servers refuse all the same.
impl TryFrom<Vec<Message>> for Conversation {
    type Error = HistoryError;

    /// # Errors
    ///
    /// Everything that is wrong with them.
    fn try_from(messages: Vec<Message>) -> Result<Self, HistoryError> {
        validate(&messages)?;
        Ok(Conversation { messages: Arc::new(messages), ..Conversation::default() })
    }
}

impl From<Conversation> for Vec<Message> {
    fn from(conversation: Conversation) -> Self {
        Arc::unwrap_or_clone(conversation.messages)
    }
}

impl Serialize for Conversation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.messages.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Conversation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer)?.try_into().map_err(D::Error::custom)
    }
}
