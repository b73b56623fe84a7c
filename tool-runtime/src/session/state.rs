//! The state of a session: a conversation, or a reply with pending calls.

use crate::conversation::{Conversation, PendingCalls};
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(super) enum State {
    Ready(Conversation),
    Pending(Pending),
}

/// A reply whose calls do not all have their results.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    pub(super) calls: PendingCalls,
    /// The number of calls, from the first, that `max_calls` allows. The others wait for a run with a higher limit.
    pub(super) within_limit: usize,
    /// The tools that the request allowed; `None` for all.
    pub(super) allowed_tools: Option<Arc<[String]>>,
}

impl Pending {
    pub(super) fn new(calls: PendingCalls, allowed_tools: Option<Arc<[String]>>) -> Self {
        Pending { calls, within_limit: 0, allowed_tools }
    }
}

impl Default for State {
    fn default() -> Self {
        State::Ready(Conversation::new())
    }
}

impl State {
    /// The conversation, or that before the reply with pending calls.
    pub(super) fn conversation(&self) -> &Conversation {
        match self {
            State::Ready(conversation) => conversation,
            State::Pending(pending) => pending.calls.conversation(),
        }
    }

    pub(super) fn conversation_mut(&mut self) -> &mut Conversation {
        match self {
            State::Ready(conversation) => conversation,
            State::Pending(pending) => pending.calls.conversation_mut(),
        }
    }

    pub(super) fn pending(&self) -> Option<&Pending> {
        match self {
            State::Ready(_) => None,
            State::Pending(pending) => Some(pending),
        }
    }

    pub(super) fn pending_mut(&mut self) -> Option<&mut Pending> {
        match self {
            State::Ready(_) => None,
            State::Pending(pending) => Some(pending),
        }
    }

    pub(super) fn skip_calls(&mut self, reason: String) {
        *self = State::Ready(match std::mem::take(self) {
            State::Ready(conversation) => conversation,
            State::Pending(pending) => pending.calls.skip_calls(reason),
        });
    }

    /// Becomes a conversation if each call has its result.
    pub(super) fn finish(&mut self) {
        if let State::Pending(Pending { calls, .. }) = self {
            if calls.is_finished() {
                // No call is skipped.
                self.skip_calls(String::new());
            }
        }
    }

    pub(super) fn into_conversation(mut self) -> Result<Conversation, PendingCalls> {
        self.finish();
        match self {
            State::Ready(conversation) => Ok(conversation),
            State::Pending(pending) => Err(pending.calls),
        }
    }
}
