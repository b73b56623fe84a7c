//! Ids of calls that are unique in a session, since several servers count from `call_0` in each reply.

use super::Session;
use crate::message::{AssistantMessage, Message, TakenIds};
use std::sync::Arc;

/// The ids of the calls in these messages.
fn ids_in(messages: &[Message]) -> impl Iterator<Item = &str> {
    let calls = messages.iter().flat_map(|message| match message {
        Message::Assistant(reply) => &reply.tool_calls[..],
        _ => &[],
    });
    calls.map(|call| &*call.id)
}

impl Session {
    /// The ids of all calls so far, for those of the next reply.
    pub(super) fn taken_ids(&mut self) -> &mut TakenIds {
        let Session { state, ids, replies, removed_ids, .. } = self;
        let ids = ids.get_or_insert_with(|| {
            let mut taken = TakenIds::default();
            let pending = state.pending().map_or(&[][..], |pending| pending.calls.calls());
            for id in ids_in(state.conversation().messages()).chain(pending.iter().map(|call| &*call.id)) {
                taken.take(id);
            }
            taken
        });
        ids.start_reply(*replies, removed_ids);
        ids
    }

    /// Marks the ids in these earlier messages as taken if the session has no such call any more.
    pub(super) fn keep_ids_taken(&mut self, earlier: &[Message]) {
        self.ids = None;
        let mut removed = Arc::clone(&self.removed_ids);
        let (replies, taken) = (self.replies, self.taken_ids());
        for id in ids_in(earlier).filter(|id| !taken.contains(id)) {
            Arc::make_mut(&mut removed).add(id, replies);
        }
        self.removed_ids = removed;
    }

    /// Replaces the ids of calls that are empty or taken.
    pub(super) fn make_ids_unique(&mut self, reply: &mut AssistantMessage) {
        let taken = self.taken_ids();
        let response_id = reply.origin.as_ref().and_then(|origin| origin.response_id.clone());
        reply.change_ids(|calls| {
            for (position, call) in calls.iter_mut().enumerate() {
                call.id = taken.usable_id(&call.id, position, response_id.as_deref());
            }
        });
    }
}
