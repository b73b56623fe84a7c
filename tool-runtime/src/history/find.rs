//! Finding the call of a tool message, and the tool message of a call.

use super::exchange::Exchange;
use crate::message::{Message, ToolCall, ToolMessage};

/// A call and its tool message, each with its index in the list.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Pair<'a> {
    /// The index of the reply with the call.
    pub reply_index: usize,
    /// The position of the call in the reply.
    pub call_position: usize,
    /// The call.
    pub call: &'a ToolCall,
    /// The index of the tool message.
    pub result_index: usize,
    /// The tool message.
    pub result: &'a ToolMessage,
}

/// Finds the call of the tool message at this index. `None` if the message is not a tool message, or if the reply
/// before it does not have its call.
///
/// The argument is an index, not an id, since ids are unique only within one reply: several servers count from `call_0`
/// in each.
///
/// ```
/// use tool_runtime::message::Message;
/// use tool_runtime::{AssistantMessage, ToolCall, ToolMessage, history};
///
/// let calls = vec![ToolCall::new("call_1", "now", r#"{"zone":"UTC"}"#)];
/// let messages =
///     [Message::from(AssistantMessage::from_tool_calls(calls)), ToolMessage::new("call_1", "12:00").into()];
/// let pair = history::find(&messages, 1).expect("it is paired");
/// assert_eq!((&*pair.call.name, &*pair.call.arguments), ("now", r#"{"zone":"UTC"}"#));
/// assert_eq!(history::find_result(&messages, pair.reply_index, pair.call_position), Some(pair));
/// ```
#[must_use]
pub fn find(messages: &[Message], result: usize) -> Option<Pair<'_>> {
    let before = messages.get(..result)?.iter().rposition(|message| !matches!(message, Message::Tool(_)))?;
    let pairs = Exchange::starting_at(messages, before).pairs(messages);
    let position = pairs.into_iter().position(|place| place == Some(result))?;
    pair(messages, before, position, result)
}

/// Finds the tool message of the call with this position in the reply at this index. `None` if the message is not a
/// reply, or if the call has no tool message after the reply.
#[must_use]
pub fn find_result(messages: &[Message], reply: usize, position: usize) -> Option<Pair<'_>> {
    let result = *Exchange::starting_at(messages, reply).pairs(messages).get(position)?;
    pair(messages, reply, position, result?)
}

fn pair(messages: &[Message], reply: usize, position: usize, index: usize) -> Option<Pair<'_>> {
    let Message::Assistant(asked) = messages.get(reply)? else { return None };
    let Message::Tool(result) = messages.get(index)? else { return None };
    let call = asked.tool_calls.get(position)?;
    Some(Pair { reply_index: reply, call_position: position, call, result_index: index, result })
}
