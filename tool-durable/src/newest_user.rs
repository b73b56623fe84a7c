//! The newest user message of a session.

use std::sync::atomic::{AtomicUsize, Ordering};
use tool_runtime::Session;
use tool_runtime::message::Message;

/// The newest user message of a session. Between two changes of its messages, only further ones follow.
#[derive(Debug, Default)]
pub(crate) struct NewestUser {
    /// Its position, or 0.
    position: AtomicUsize,
    /// The number of messages in which it was searched, so that each message is read once.
    messages: AtomicUsize,
}

impl NewestUser {
    /// The text of the message; empty if there is none.
    pub(crate) fn text<'a>(&self, session: &'a Session) -> &'a str {
        let messages = session.messages();
        let known = self.messages.swap(messages.len(), Ordering::Relaxed).min(messages.len());
        let is_user = |message: &Message| matches!(message, Message::User(_));
        if let Some(position) = messages[known..].iter().rposition(is_user) {
            self.position.store(known + position, Ordering::Relaxed);
        }
        let newest = messages.get(self.position.load(Ordering::Relaxed)).filter(|message| is_user(message));
        newest.map_or("", Message::text)
    }

    /// Searches all messages again, since they have changed.
    pub(crate) fn forget(&self) {
        self.messages.store(0, Ordering::Relaxed);
        self.position.store(0, Ordering::Relaxed);
    }
}
