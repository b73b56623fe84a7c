//! Ids of calls that are unique in a session, since several servers count from `call_0` in each reply.

use super::Session;
use crate::message::{AssistantMessage, TakenIds, ids_of_calls};

impl Session {
    /// The ids of all calls so far, for those of the next reply.
    pub(super) fn taken_ids(&mut self) -> &mut TakenIds {
        let Session { state, ids, replies, .. } = self;
        let conversation = state.conversation();
        let ids = ids.get_or_insert_with(|| {
            let mut taken = TakenIds::default();
            let pending = state.pending().map_or(&[][..], |pending| pending.calls.calls());
            for id in ids_of_calls(conversation.messages()).chain(pending.iter().map(|call| &*call.id)) {
                taken.take(id);
            }
            taken
        });
        ids.start_reply(*replies, conversation.removed_ids());
        ids
    }

    /// Replaces the ids of calls that are empty or taken.
    pub(super) fn make_ids_unique(&mut self, reply: &mut AssistantMessage) {
        let taken = self.taken_ids();
        let response_id = reply.origin.as_ref().and_then(|origin| origin.response_id.clone());
        reply.change_calls(|calls| {
            for (position, call) in calls.iter_mut().enumerate() {
                call.id = taken.usable_id(&call.id, position, response_id.as_deref());
            }
        });
    }
}
