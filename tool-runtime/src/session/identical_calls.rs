//! The number of identical calls in a run.

use super::Session;
use crate::conversation::call_fingerprint;
use crate::fingerprint::Fingerprint;
use crate::message::Message;
use std::collections::HashMap;

/// Counts identical calls since the last user message: those of the session when the run starts, and those of each reply.
#[derive(Default)]
pub(super) struct IdenticalCalls {
    counts: HashMap<Fingerprint, usize>,
    most: usize,
    /// The number of replies that are counted; `None` before the first count.
    replies: Option<u64>,
}

impl IdenticalCalls {
    /// The number of times that the most frequent call occurs.
    pub(super) fn count(&mut self, session: &Session) -> usize {
        if session.replies_since_user() == 0 {
            (self.counts, self.most) = (HashMap::new(), 0);
        }
        let new = match self.replies.replace(session.replies()) {
            Some(replies) => session.replies().saturating_sub(replies),
            None => u64::MAX,
        };
        let since_user =
            session.messages().iter().rev().take_while(|message| !matches!(message, Message::User(_)));
        let replies = since_user.filter_map(|message| match message {
            Message::Assistant(reply) => Some(reply),
            _ => None,
        });
        for call in
            replies.take(usize::try_from(new).unwrap_or(usize::MAX)).flat_map(|reply| &reply.tool_calls)
        {
            let count = self.counts.entry(call_fingerprint(call)).or_default();
            *count += 1;
            self.most = self.most.max(*count);
        }
        self.most
    }
}
