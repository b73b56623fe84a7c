//! Repair of invalid lists of messages.

mod pairing;
mod rebuild;
mod report;

pub use report::Repair;

use super::exchange::Exchange;
use crate::fingerprint::fingerprint;
use crate::message::{Message, ToolCall, replace_unusable_ids};
use pairing::Pairing;
use rebuild::Rebuild;
use std::collections::HashSet;

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
/// Each tool message is moved to the call with its id, but never to a call of another tool, if it names its tool, and
/// never to a call after a later user message. A tool message with an unknown id gets the id of a call without a tool
/// message in the reply before it, if there are as many such calls as such tool messages. Lost calls are rebuilt if
/// their tool messages name the tool. A call that still has no tool message gets one with the text `Error: the result
/// of this call was lost`; a tool message that still has no call is removed ([`repair_with`] can convert it to a user
/// message). All other messages stay as they are.
///
/// The running time is linear in the number of messages. The result is deterministic, and a repaired list is valid:
/// repairing it again changes nothing.
///
/// ```
/// use tool_runtime::message::Message;
/// use tool_runtime::{AssistantMessage, ToolCall, ToolMessage, history};
///
/// let calls = vec![ToolCall::new("call_1", "now", "{}"), ToolCall::new("call_2", "today", "{}")];
/// let messages = vec![
///     AssistantMessage::from_tool_calls(calls).into(),
///     Message::user("Are you there?"),
///     ToolMessage::new("call_1", "12:00").into(),
/// ];
/// let (messages, repairs) = history::repair(messages);
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
    let mut repairs = Vec::new();
    let taken = unique_ids(&messages);
    let mut pairing = Pairing::by_id(&messages);
    pairing.by_position(&messages, &taken);
    rebuild_calls(&mut messages, &mut pairing, &taken, &mut repairs);
    settle_ids(&mut messages, &pairing, &mut repairs);
    let repaired = Rebuild::new(messages, orphans, &mut repairs).put(&pairing);
    repairs.sort_by_key(Repair::index);
    (repaired, repairs)
}

/// Adds the calls to a reply that the tool messages after it name and that no reply has.
fn rebuild_calls(
    messages: &mut [Message],
    pairing: &mut Pairing,
    taken: &HashSet<String>,
    repairs: &mut Vec<Repair>,
) {
    for exchange in 0..pairing.exchanges.len() {
        let Exchange { reply, answers } = pairing.exchanges[exchange].clone();
        let Some(index) = reply else { continue };
        if answers.clone().all(|place| pairing.exchange_of[place].is_some()) {
            continue;
        }
        let mut ids: HashSet<String> =
            pairing.exchanges[exchange].calls(messages).iter().map(|call| call.id.clone()).collect();
        for place in answers {
            if pairing.exchange_of[place].is_some() {
                continue;
            }
            let Message::Tool(answer) = &messages[place] else { continue };
            let Some(tool) = answer.tool().map(str::to_owned) else { continue };
            let id = answer.tool_call_id.clone();
            // A known id means a second tool message for the same call. Tool messages without an id cannot be compared
            // this way.
            if taken.contains(&id) || (!id.is_empty() && !ids.insert(id.clone())) {
                continue;
            }
            let Message::Assistant(reply) = &mut messages[index] else { continue };
            reply.tool_calls.push(ToolCall::new(&*id, &*tool, "{}"));
            pairing.pair(exchange, pairing.answers[exchange].len(), place);
            repairs.push(Repair::CallRebuilt { index, id, tool });
        }
    }
}

/// The ids of all calls, if no two calls share an id; otherwise empty, as for servers that count from `call_0` in each
/// reply. A tool message with one of these ids does not belong to a lost call.
fn unique_ids(messages: &[Message]) -> HashSet<String> {
    let mut ids = HashSet::new();
    for message in messages {
        let Message::Assistant(reply) = message else { continue };
        for call in reply.tool_calls.iter().filter(|call| !call.id.is_empty()) {
            if !ids.insert(call.id.clone()) {
                return HashSet::new();
            }
        }
    }
    ids
}

/// Makes the ids of the calls unique within each reply, and gives each tool message the id of its call.
fn settle_ids(messages: &mut [Message], pairing: &Pairing, repairs: &mut Vec<Repair>) {
    for (exchange, answers) in pairing.exchanges.iter().zip(&pairing.answers) {
        let Some(index) = exchange.reply else { continue };
        let Message::Assistant(reply) = &mut messages[index] else { continue };
        let were: Vec<String> = reply.tool_calls.iter().map(|call| call.id.clone()).collect();
        // Deterministic ids keep prompt caches valid.
        let mut new_ids = 0_u32;
        replace_unusable_ids(&mut reply.tool_calls, || {
            new_ids += 1;
            fingerprint(format!("{index}.{new_ids}").into_bytes())
        });
        let ids: Vec<String> = reply.tool_calls.iter().map(|call| call.id.clone()).collect();
        for ((was, id), answer) in were.into_iter().zip(ids).zip(answers) {
            if let Some((place, Message::Tool(answer))) = answer.map(|place| (place, &mut messages[place])) {
                // A tool message that follows the new id of its call is not reported in addition to the call.
                if answer.tool_call_id != id && answer.tool_call_id != was {
                    let was = answer.tool_call_id.clone();
                    repairs.push(Repair::AnswerRenamed { index: place, reply: index, was, id: id.clone() });
                }
                answer.tool_call_id.clone_from(&id);
            }
            if was != id {
                repairs.push(Repair::CallRenamed { index, was, id });
            }
        }
    }
}
