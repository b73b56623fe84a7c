//! The calls of a history, each with its tool message.

use super::exchange::exchanges;
use crate::message::{Message, ToolCall, ToolMessage};

/// Each call with its tool message, in the order of the calls. Calls without a tool message, and tool messages without a
/// call, are left out.
///
/// Ids are unique only within one reply: several servers count from `call_0` in each. So a call is paired only with the tool
/// messages directly after its reply.
///
/// ```
/// use tool_runtime::message::Message;
/// use tool_runtime::{AssistantMessage, ToolCall, ToolMessage, history};
///
/// let calls = vec![ToolCall::new("call_1", "now", r#"{"zone":"UTC"}"#)];
/// let messages =
///     [Message::from(AssistantMessage::from_tool_calls(calls)), ToolMessage::new("call_1", "12:00").into()];
/// for (call, result) in history::pairs(&messages) {
///     assert_eq!((&*call.name, result.text()), ("now", "12:00"));
/// }
/// ```
pub fn pairs(messages: &[Message]) -> impl Iterator<Item = (&ToolCall, &ToolMessage)> {
    exchanges(messages).flat_map(move |exchange| {
        let results = exchange.pairs(messages).into_iter();
        exchange.calls(messages).iter().zip(results).filter_map(move |(call, place)| {
            match messages.get(place?)? {
                Message::Tool(result) => Some((call, result)),
                _ => None,
            }
        })
    })
}
