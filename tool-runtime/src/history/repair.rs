//! Any list of messages made valid, with the least change.

mod order;
mod placing;
mod report;

pub use report::Repair;

use super::exchange::Exchange;
use crate::fingerprint::fingerprint;
use crate::message::{Message, ToolCall, replace_unusable_ids};
use order::Ordering;
use placing::Placing;
use std::collections::HashSet;

/// What a tool message becomes whose call is nowhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Orphans {
    /// It is taken out; the [`Repair`] has it.
    #[default]
    Drop,
    /// A user message that says what it is, so that the model still knows of it.
    IntoUserText,
}

/// Makes any list of messages valid with the least change, and says what it did. A valid list is not changed.
///
/// Answers are put back beside their calls, by their ids: never to a call of another tool, where they name theirs, nor
/// to one that a later question led to. An answer whose id is not known gets that of the call beside it which has no
/// answer, if as many calls as such answers are there. Calls that were lost are made anew where their answers name the
/// tool. A call that is still without an answer gets `Error: the result of this call was lost`;
/// an answer that is still without a call is taken out ([`repair_with`] can keep it). All other messages stay as they
/// are.
///
/// The work grows as the number of messages does. The same list is repaired in the same way, and to repair what was
/// repaired changes nothing.
///
/// ```
/// use tool_runtime::message::Message;
/// use tool_runtime::{AssistantMessage, ToolCall, ToolMessage, history};
///
/// let calls = vec![ToolCall::new("call_1", "now", "{}"), ToolCall::new("call_2", "today", "{}")];
/// let messages = vec![
///     AssistantMessage::calling(calls).into(),
///     Message::user("Are you there?"),
///     ToolMessage::new("call_1", "12:00").into(),
/// ];
/// let (messages, repairs) = history::repair(messages);
/// assert!(history::validate(&messages).is_ok());
/// assert_eq!(messages[1].text(), "12:00");
/// assert_eq!(messages[2].text(), "Error: the result of this call was lost");
/// let said: Vec<String> = repairs.iter().map(ToString::to_string).collect();
/// assert_eq!(
///     said,
///     [
///         "messages[0]: the call call_2 has no answer: one is made, which says that the result was lost",
///         "messages[2]: the answer call_1 is put behind its call, in messages[0]",
///     ],
/// );
/// ```
#[must_use]
pub fn repair(messages: Vec<Message>) -> (Vec<Message>, Vec<Repair>) {
    repair_with(messages, Orphans::Drop)
}

/// As [`repair`], with a say in what becomes of answers that are for no call.
#[must_use]
pub fn repair_with(mut messages: Vec<Message>, orphans: Orphans) -> (Vec<Message>, Vec<Repair>) {
    let mut repairs = Vec::new();
    let taken = unique_ids(&messages);
    let mut placing = Placing::by_id(&messages);
    placing.by_position(&messages, &taken);
    rebuild_calls(&mut messages, &mut placing, &taken, &mut repairs);
    settle_ids(&mut messages, &placing, &mut repairs);
    let repaired = Ordering::new(messages, orphans, &mut repairs).put(&placing);
    repairs.sort_by_key(Repair::index);
    (repaired, repairs)
}

/// Gives a reply the calls that the answers behind it name, and that are nowhere else.
fn rebuild_calls(
    messages: &mut [Message],
    placing: &mut Placing,
    taken: &HashSet<String>,
    repairs: &mut Vec<Repair>,
) {
    for exchange in 0..placing.exchanges.len() {
        let Exchange { reply, answers } = placing.exchanges[exchange].clone();
        let Some(index) = reply else { continue };
        if answers.clone().all(|place| placing.exchange_of[place].is_some()) {
            continue;
        }
        let mut ids: HashSet<String> =
            placing.exchanges[exchange].calls(messages).iter().map(|call| call.id.clone()).collect();
        for place in answers {
            if placing.exchange_of[place].is_some() {
                continue;
            }
            let Message::Tool(answer) = &messages[place] else { continue };
            let Some(tool) = answer.tool().map(str::to_owned) else { continue };
            let id = answer.tool_call_id.clone();
            // An id that is there already is that of another answer to the same call. Without an id there is no
            // telling.
            if taken.contains(&id) || (!id.is_empty() && !ids.insert(id.clone())) {
                continue;
            }
            let Message::Assistant(reply) = &mut messages[index] else { continue };
            reply.tool_calls.push(ToolCall::new(&*id, &*tool, "{}"));
            placing.pair(exchange, placing.answers[exchange].len(), place);
            repairs.push(Repair::CallRebuilt { index, id, tool });
        }
    }
}

/// The ids of all calls, where each is that of one call alone: an answer with one of them is for no call that was lost.
/// A server that counts from `call_0` in each reply has none such.
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

/// Gives each call an id of its own, and each answer that of its call.
fn settle_ids(messages: &mut [Message], placing: &Placing, repairs: &mut Vec<Repair>) {
    for (exchange, answers) in placing.exchanges.iter().zip(&placing.answers) {
        let Some(index) = exchange.reply else { continue };
        let Message::Assistant(reply) = &mut messages[index] else { continue };
        let were: Vec<String> = reply.tool_calls.iter().map(|call| call.id.clone()).collect();
        // The same list is repaired in the same way, so that prompts cache.
        let mut new_ids = 0_u32;
        replace_unusable_ids(&mut reply.tool_calls, || {
            new_ids += 1;
            fingerprint(format!("{index}.{new_ids}").into_bytes())
        });
        let ids: Vec<String> = reply.tool_calls.iter().map(|call| call.id.clone()).collect();
        for ((was, id), answer) in were.into_iter().zip(ids).zip(answers) {
            if let Some((place, Message::Tool(answer))) = answer.map(|place| (place, &mut messages[place])) {
                // One that only follows its call is not told of twice.
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
