//! A reply in which the model declines to answer.

use crate::message::AssistantMessage;
use crate::wire::provider;

/// The reply with this reason, and with the finish reason of the wire's provider.
pub(super) fn declined(reason: String, wire: &str) -> AssistantMessage {
    let finish_reason = provider(wire).and_then(|provider| provider.declined_finish_reason).unwrap_or("stop");
    let reply = AssistantMessage { refusal: Some(reason), ..AssistantMessage::default() };
    reply.with_finish_reason(finish_reason)
}
