//! Ids of calls that are unique in a session, since several servers count from `call_0` in each reply.

use super::Session;
use crate::message::{AssistantMessage, Message, TakenIds};

impl Session {
    /// The ids of all calls so far.
    pub(super) fn taken_ids(&mut self) -> &mut TakenIds {
        let Session { state, ids, .. } = self;
        ids.get_or_insert_with(|| {
            let mut taken = TakenIds::default();
            let messages = state.conversation().messages().iter();
            let replies = messages.filter_map(|message| match message {
                Message::Assistant(reply) => Some(reply),
                _ => None,
            });
            let pending = state.pending().map(|pending| pending.calls.reply());
            for call in replies.chain(pending).flat_map(|reply| &reply.tool_calls) {
                taken.take(&call.id);
            }
            taken
        })
    }

    /// Clears the ids, which may include those of a reply that the session does not have. They are computed again.
    pub(super) fn clear_ids(&mut self) {
        self.ids = None;
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
