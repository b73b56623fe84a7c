//! The response that a request continues, on the servers that keep conversations.

use crate::message::{Completeness, Message};

/// The index and the id of the newest reply that the server of this wire has.
pub(super) fn newest_response<'a>(messages: &'a [Message], wire: &str) -> Option<(usize, &'a str)> {
    let id = |message: &'a Message| {
        let Message::Assistant(reply) = message else { return None };
        // The server may have more of a response than an interrupted stream.
        let is_whole = reply.completeness != Completeness::Unconfirmed;
        let origin = reply.origin.as_ref().filter(|origin| is_whole && origin.wire == wire)?;
        origin.response_id.as_deref()
    };
    messages.iter().enumerate().rev().find_map(|(index, message)| Some((index, id(message)?)))
}
