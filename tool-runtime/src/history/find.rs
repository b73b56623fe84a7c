//! From an answer to its call, and back.

use super::exchange::Exchange;
use crate::message::{Message, ToolCall, ToolMessage};

/// A call and its answer, each with its place in the list.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Pair<'a> {
    /// The place of the reply that has the call.
    pub reply_index: usize,
    /// Which of the reply's calls it is.
    pub call_position: usize,
    /// The call: its tool and its arguments.
    pub call: &'a ToolCall,
    /// The place of the answer.
    pub answer_index: usize,
    /// The answer.
    pub answer: &'a ToolMessage,
}

/// The call that the tool message at this place answers; `None` where there is another message, or its call is not in
/// the reply before it.
///
/// It takes a place, since ids need not be unique beyond one reply: several servers count from `call_0` in each.
///
/// ```
/// use tool_runtime::message::Message;
/// use tool_runtime::{AssistantMessage, ToolCall, ToolMessage, history};
///
/// let calls = vec![ToolCall::new("call_1", "now", r#"{"zone":"UTC"}"#)];
/// let messages =
///     [Message::from(AssistantMessage::calling(calls)), ToolMessage::new("call_1", "12:00").into()];
/// let pair = history::find(&messages, 1).expect("it is paired");
/// assert_eq!((&*pair.call.name, &*pair.call.arguments), ("now", r#"{"zone":"UTC"}"#));
/// assert_eq!(history::find_answer(&messages, pair.reply_index, pair.call_position), Some(pair));
/// ```
#[must_use]
pub fn find(messages: &[Message], answer: usize) -> Option<Pair<'_>> {
    let before = messages.get(..answer)?.iter().rposition(|message| !matches!(message, Message::Tool(_)))?;
    let exchange = Exchange::of_reply(messages, before)?;
    let position = exchange.pairs(messages).into_iter().position(|place| place == Some(answer))?;
    pair(messages, before, position, answer)
}

/// The answer to the call that has this position among those of the reply at this place; `None` where there is another
/// message, or no answer behind it.
#[must_use]
pub fn find_answer(messages: &[Message], reply: usize, position: usize) -> Option<Pair<'_>> {
    let answer = *Exchange::of_reply(messages, reply)?.pairs(messages).get(position)?;
    pair(messages, reply, position, answer?)
}

fn pair(messages: &[Message], reply: usize, position: usize, index: usize) -> Option<Pair<'_>> {
    match (messages.get(reply)?, messages.get(index)?) {
        (Message::Assistant(asked), Message::Tool(answer)) => {
            let call = asked.tool_calls.get(position)?;
            Some(Pair { reply_index: reply, call_position: position, call, answer_index: index, answer })
        }
        _ => None,
    }
}
