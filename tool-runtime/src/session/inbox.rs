//! Messages of the user that arrive during a run.

#[cfg(doc)]
use super::Run;
use super::Session;
use crate::message::{Content, InputMessage, Message};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Takes messages for a session from other tasks, while a run borrows it. Clones are the same inbox.
///
/// [`Session::inbox`](Session::inbox) returns it. A run adds the messages as user messages before its next request, never
/// between a call and its result. The inbox belongs to one session in memory: a message that is added after the session was stored
/// for the last time, and before it is dropped, is lost. It does not change the session's
/// [`revision`](Session::revision) until a run adds it.
///
/// ```
/// use tool_runtime::Session;
///
/// let session = Session::new().user("Refactor the parser.");
/// let inbox = session.inbox(); // for the task that reads the terminal
/// inbox.push_user("Run the tests too.");
/// assert_eq!(inbox.len(), 1);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Inbox(Arc<Mutex<VecDeque<Content>>>);

impl Inbox {
    /// Adds a message of the user, after those that wait.
    pub fn push_user(&self, content: impl Into<Content>) {
        let content = content.into();
        self.waiting().push_back(content);
    }

    /// The number of messages that no run has taken.
    #[must_use]
    pub fn len(&self) -> usize {
        self.waiting().len()
    }

    /// Whether no message waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.waiting().is_empty()
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<Content>> {
        // No code panics while it has the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The inbox of one session. A clone has the same messages, and is another inbox: each message goes to one session.
#[derive(Debug, Default)]
pub(super) struct SessionInbox(pub(super) Inbox);

impl SessionInbox {
    pub(super) fn pop(&self) -> Option<Content> {
        self.0.waiting().pop_front()
    }

    /// Removes the first message if it is this one.
    pub(super) fn remove_front(&self, message: &Message) {
        let mut waiting = self.0.waiting();
        let is_front =
            |message: &InputMessage| waiting.front().is_some_and(|front| *front == message.content);
        if matches!(message, Message::User(message) if is_front(message)) {
            waiting.pop_front();
        }
    }

    /// The waiting messages, for storage.
    pub(super) fn to_messages(&self) -> Vec<Message> {
        self.0.waiting().iter().cloned().map(Message::user).collect()
    }

    pub(super) fn from_messages(messages: Vec<Message>) -> Self {
        let inbox = Inbox::default();
        for message in messages {
            if let Message::User(message) = message {
                inbox.push_user(message.content);
            }
        }
        SessionInbox(inbox)
    }
}

impl Clone for SessionInbox {
    fn clone(&self) -> Self {
        SessionInbox(Inbox(Arc::new(Mutex::new(self.0.waiting().clone()))))
    }
}

impl Session {
    /// The inbox of this session, for tasks that send messages of the user while a run borrows the session. The next request has
    /// them; a message that arrives during the last reply waits for the next run, or continues this one
    /// ([`continue_with_inbox`](Run::continue_with_inbox)). Limits count again from such a message, as from
    /// [`push_user`](Session::push_user).
    ///
    /// While calls wait for a person, messages wait as well. Those that wait are stored with the session, and a clone of the session
    /// has an inbox of its own with the same messages.
    ///
    /// ```
    /// use tool_runtime::{Registry, Session, tools};
    /// # use tool_runtime::AssistantMessage;
    /// # use tool_runtime::conversation::Request;
    /// # async fn complete(_: Request) -> Result<AssistantMessage, std::io::Error> { Ok(AssistantMessage::from_text("Hi!")) }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut session = Session::new().user("Hello!");
    /// let inbox = session.inbox();
    /// let registry = Registry::new(tools![])?;
    /// inbox.push_user("Are you there?"); // in another task, at any time
    /// let _ = session.run(&registry).continue_with_inbox().complete(complete).await?;
    /// assert_eq!(session.messages()[1].text(), "Are you there?");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn inbox(&self) -> Inbox {
        self.inbox.0.clone()
    }
}
