//! Repair of invalid lists of messages.

use crate::pairing::Pairing;
use crate::rebuild::Rebuild;
use crate::report::Repair;
use std::collections::HashSet;
use tool_runtime::__repair::{exchanges, replace_unusable_ids};
use tool_runtime::message::Message;

/// How [`repair_with`] treats tool messages without a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Orphans {
    /// Removes the message; the [`Repair`] contains it.
    #[default]
    Drop,
    /// Converts the message to a user message with its text, so that the model can still read the result.
    ConvertToUser,
}

/// Makes a list of messages valid, reports the changes, and leaves all other messages unchanged. A valid list stays as it
/// is.
///
/// Tool messages are paired by id, tool and order. A tool message moves to the nearest call with its id. It never moves
/// to a call of another tool, or past a user message to a later call. A tool message with an unknown id gets the id of
/// a call without a tool message in the reply before it, if there are as many such calls as such tool messages. A call
/// that still has no tool message gets one with the text `Error: the result of this call was lost`; a tool message that
/// still has no call is removed ([`repair_with`] can convert it to a user message; `repair` does so if the list has no
/// other messages). All other messages stay as they are.
///
/// The running time is linear in the number of messages. The result is deterministic, and a repaired list is valid:
/// repairing it again changes nothing.
///
/// ```
/// use tool_runtime::message::Message;
/// use tool_runtime::{AssistantMessage, ToolCall, ToolMessage, history};
/// use tool_runtime_repair::repair;
///
/// let calls = vec![ToolCall::new("call_1", "now", "{}"), ToolCall::new("call_2", "today", "{}")];
/// let messages = vec![
///     AssistantMessage::from_tool_calls(calls).into(),
///     Message::user("Are you there?"),
///     ToolMessage::new("call_1", "12:00").into(),
/// ];
/// let (messages, repairs) = repair(messages);
/// assert!(history::validate(&messages).is_ok());
/// assert_eq!(messages[1].text(), "12:00");
/// assert_eq!(messages[2].text(), "Error: the result of this call was lost");
/// let report: Vec<String> = repairs.iter().map(ToString::to_string).collect();
/// assert_eq!(
///     report,
///     [
///         "messages[0]: the call call_2 had no tool message: added one that reports a lost result",
///         "messages[2]: the tool message call_1 was moved after its call in messages[0]",
///     ],
/// );
/// ```
#[must_use]
pub fn repair(messages: Vec<Message>) -> (Vec<Message>, Vec<Repair>) {
    repair_with(messages, Orphans::Drop)
}

/// Like [`repair`], with a choice of what happens to tool messages without a call.
#[must_use]
pub fn repair_with(mut messages: Vec<Message>, orphans: Orphans) -> (Vec<Message>, Vec<Repair>) {
    let has_other = |message: &Message| !matches!(message, Message::Tool(_));
    // A list without messages is rejected.
    let orphans = if messages.iter().any(has_other) { orphans } else { Orphans::ConvertToUser };
    let mut repairs = Vec::new();
    let taken = unique_ids(&messages);
    let mut pairing = Pairing::by_id(&messages);
    pairing.by_position(&messages, &taken);
    unify_ids(&mut messages, &pairing, &mut repairs);
    let repaired = Rebuild::new(messages, orphans, &mut repairs).put(&pairing);
    repairs.sort_by_key(Repair::index);
    (repaired, repairs)
}

/// The ids of all calls, if no two calls share an id; otherwise empty, as for servers that count from `call_0` in each
/// reply. A tool message with one of these ids belongs to the call of that id only.
fn unique_ids(messages: &[Message]) -> HashSet<&str> {
    let mut ids = HashSet::new();
    for call in exchanges(messages).flat_map(|exchange| exchange.calls(messages)) {
        if !call.id.is_empty() && !ids.insert(&*call.id) {
            return HashSet::new();
        }
    }
    ids
}

/// Makes the ids of the calls unique within each reply, and gives each tool message the id of its call.
fn unify_ids(messages: &mut [Message], pairing: &Pairing, repairs: &mut Vec<Repair>) {
    for (exchange, results) in pairing.exchanges.iter().zip(&pairing.results) {
        let Some(index) = exchange.reply else { continue };
        let Message::Assistant(reply) = &mut messages[index] else { continue };
        let old_ids: Vec<String> = reply.tool_calls.iter().map(|call| call.id.clone()).collect();
        replace_unusable_ids(reply, index);
        let ids: Vec<String> = reply.tool_calls.iter().map(|call| call.id.clone()).collect();
        for ((old_id, id), place) in old_ids.into_iter().zip(ids).zip(results) {
            if let Some((place, Message::Tool(result))) = place.map(|place| (place, &mut messages[place])) {
                let result_id = std::mem::replace(&mut result.tool_call_id, id.clone());
                // A tool message that follows the new id of its call is not reported in addition to the call.
                if result_id != id && result_id != old_id {
                    let (old_id, id) = (result_id, id.clone());
                    repairs.push(Repair::ResultIdChanged { index: place, reply: index, old_id, id });
                }
            }
            if old_id != id {
                repairs.push(Repair::CallIdChanged { index, old_id, id });
            }
        }
    }
}
