//! The changes of a session's messages between two replies, for logs.

use super::Session;
use super::limits::Used;
use crate::context::BegunCalls;
use crate::message::{Message, stored};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// The changes of the inbox, the hooks and the compaction of a run in the messages before a request.
///
/// A [`RunLog`](super::RunLog) records them, and [`Session::replay_changes`](super::Session::replay_changes) replays them in a later run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MessageChanges {
    /// The number of messages before the changes.
    pub messages_before: usize,
    /// The text of the newest user message before the changes; empty if there was none.
    pub user_text: String,
    /// The positions of the replaced messages.
    pub replaced: Range<usize>,
    /// The messages in their place.
    #[serde(with = "stored")]
    pub replacement: Vec<Message>,
    /// Whether the limits count again, since a message of the user is among them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resets_limits: bool,
}

/// Changes before a request to which no reply was recorded: the run has failed, or its process has ended. The session keeps them, so
/// that the reply to a later request is recorded with all of them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct UnrecordedChanges {
    messages_before: usize,
    /// The position of the first changed message.
    start: usize,
    user_text: String,
    replies_since_user: usize,
}

impl UnrecordedChanges {
    /// Any message may have changed.
    pub(super) fn begin_at_start(&mut self) {
        self.start = 0;
    }

    /// Whether the recorded changes begin with these.
    fn is_first_part_of(&self, changes: &MessageChanges) -> bool {
        let MessageChanges { messages_before, user_text, replaced, .. } = changes;
        (self.messages_before, &self.user_text) == (*messages_before, user_text)
            && replaced.start <= self.start
            && replaced.end == *messages_before
    }
}

/// The messages of a session before its hooks.
pub(super) struct MessagesBefore {
    messages: Arc<Vec<Message>>,
    replies_since_user: usize,
}

impl MessagesBefore {
    pub(super) fn new(session: &Session) -> Self {
        let messages = session.state.conversation().shared_messages();
        MessagesBefore { messages, replies_since_user: session.replies_since_user() }
    }

    /// The changes since then, with the unrecorded ones before; `None` if there are none.
    pub(super) fn changes(&self, session: &mut Session) -> Option<MessageChanges> {
        let earlier = session.unrecorded.take();
        let (before, after) = (&**self.messages, session.messages());
        if earlier.is_none() && std::ptr::eq(before, after) {
            // The messages are shared. To compare them before each request would take quadratic time.
            return None;
        }
        let start = before.iter().zip(after).take_while(|(before, after)| before == after).count();
        let (unrecorded, end) = match earlier {
            Some(earlier) => (UnrecordedChanges { start: start.min(earlier.start), ..earlier }, 0),
            None if start == before.len() && start == after.len() => return None,
            None => {
                let pairs = before[start..].iter().rev().zip(after[start..].iter().rev());
                let end = pairs.take_while(|(before, after)| before == after).count();
                let user_text = newest_user_text(before).to_owned();
                let (messages_before, replies_since_user) = (before.len(), self.replies_since_user);
                (UnrecordedChanges { messages_before, start, user_text, replies_since_user }, end)
            }
        };
        let UnrecordedChanges { messages_before, start, ref user_text, replies_since_user } = unrecorded;
        let changes = MessageChanges {
            messages_before,
            user_text: user_text.clone(),
            replaced: start..messages_before - end,
            replacement: session.messages()[start..session.messages().len() - end].to_vec(),
            resets_limits: session.replies_since_user() < replies_since_user,
        };
        session.unrecorded = Some(unrecorded);
        Some(changes)
    }
}

fn newest_user_text(messages: &[Message]) -> &str {
    let newest = messages.iter().rev().find(|message| matches!(message, Message::User(_)));
    newest.map_or("", Message::text)
}

impl Session {
    /// Replays changes that a [`RunLog`](super::RunLog) has recorded. Returns whether they fit, and the session has them now: it has the
    /// messages that it had [before](MessageChanges::messages_before), or some or all of the changes, since a hook has stored it
    /// meanwhile. Otherwise it does not change. Messages that were in the inbox are removed from it.
    pub fn replay_changes(&mut self, changes: &MessageChanges) -> bool {
        let MessageChanges { messages_before, user_text, replaced, replacement, resets_limits } = changes;
        if self.pending().is_some() || replaced.start > replaced.end || replaced.end > *messages_before {
            return false;
        }
        if self.has_changes(changes) {
            return true;
        }
        // The end of the messages before the changes, and of the replaced ones.
        let (before, end) =
            if self.unrecorded.as_ref().is_some_and(|earlier| earlier.is_first_part_of(changes)) {
                // A part of the changes, which may have shortened the session.
                if replaced.start > self.messages().len() || self.has_other_input(changes) {
                    return false;
                }
                (self.messages().len(), self.messages().len())
            } else {
                let Some(further) = self.messages().get(*messages_before..) else { return false };
                let is_known = further.iter().all(|message| replacement.contains(message));
                if !is_known || newest_user_text(&self.messages()[..*messages_before]) != user_text {
                    return false;
                }
                (*messages_before, replaced.end)
            };
        let new = new_user_messages(&self.messages()[replaced.start..], replacement);
        let replayed = self.edit(|messages| {
            messages.truncate(before);
            messages.splice(replaced.start..end, replacement.iter().cloned()).count()
        });
        if replayed.is_err() {
            return false;
        }
        for message in new {
            self.inbox.remove_front(message);
        }
        if *resets_limits {
            (self.used, self.begun_calls) = (Used::default(), BegunCalls::default());
        }
        true
    }

    /// Whether the session ends with a message of the user that is not among the changes.
    fn has_other_input(&self, changes: &MessageChanges) -> bool {
        let newest = self.messages()[changes.replaced.start..].last();
        newest
            .is_some_and(|newest| matches!(newest, Message::User(_)) && !changes.replacement.contains(newest))
    }

    /// Whether the session was stored with all of these changes.
    fn has_changes(&self, changes: &MessageChanges) -> bool {
        let MessageChanges { messages_before, replaced, replacement, .. } = changes;
        let start = replaced.start;
        self.messages().len() == messages_before - replaced.len() + replacement.len()
            && self.messages().get(start..start + replacement.len()).is_some_and(|found| found == replacement)
    }
}

/// The user messages among `replacement` that are not among `known`.
fn new_user_messages<'a>(known: &[Message], replacement: &'a [Message]) -> Vec<&'a Message> {
    let is_user = |message: &&Message| matches!(message, Message::User(_));
    let mut known: Vec<&Message> = known.iter().filter(is_user).collect();
    let is_new = |message: &&Message| match known.iter().position(|known| known == message) {
        Some(position) => {
            known.swap_remove(position);
            false
        }
        None => true,
    };
    replacement.iter().filter(is_user).filter(is_new).collect()
}
