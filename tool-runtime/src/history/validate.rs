//! Validation of message lists.

use super::exchange::{Exchange, exchanges};
use super::violation::{HistoryError, Violation};
use crate::message::{Message, ToolCall};
use crate::violation::ViolationKind;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Checks that each call has its tool message directly after its reply, in any order, and that each tool message has a
/// call.
///
/// ```
/// use tool_runtime::message::Message;
/// use tool_runtime::{AssistantMessage, ToolCall, history};
///
/// let calls = vec![ToolCall::new("call_1", "now", "{}")];
/// let messages = [Message::user("What time is it?"), AssistantMessage::from_tool_calls(calls).into()];
/// let error = history::validate(&messages).expect_err("the call has no result");
/// let [violation] = error.violations() else { panic!("{error}") };
/// assert_eq!(violation.index, 1);
/// assert_eq!(violation.id, "call_1");
/// assert_eq!(violation.kind, history::ViolationKind::MissingResult);
/// ```
///
/// # Errors
///
/// All [`Violation`]s, ordered by index. A tool message that another message separates from its call is one violation,
/// not two.
pub fn validate(messages: &[Message]) -> Result<(), HistoryError> {
    let mut check = Check { messages, ..Check::default() };
    for exchange in exchanges(messages) {
        check.exchange(&exchange);
    }
    for ((reply, position), id) in std::mem::take(&mut check.missing) {
        check.add(ViolationKind::MissingResult, reply, position, id);
    }
    let mut found = check.found;
    found.sort_by_key(|violation| violation.index);
    if found.is_empty() { Ok(()) } else { Err(HistoryError(found)) }
}

/// A call whose tool message is not directly after its reply.
struct Unpaired {
    reply: usize,
    position: usize,
    /// The index of the message after the exchange.
    after: usize,
}

#[derive(Default)]
struct Check<'a> {
    messages: &'a [Message],
    found: Vec<Violation>,
    /// Calls without a tool message so far, by id.
    open: HashMap<&'a str, Vec<Unpaired>>,
    /// The ids of the same calls, by the index of the reply and the position in it.
    missing: BTreeMap<(usize, usize), &'a str>,
}

impl Check<'_> {
    fn exchange(&mut self, exchange: &Exchange) {
        let calls = exchange.calls(self.messages);
        let ids = exchange.ids(self.messages);
        if let Some(reply) = exchange.reply {
            self.reply(reply, exchange, calls);
        }
        let pairs = exchange.pairs(self.messages);
        let paired: HashSet<usize> = pairs.iter().copied().flatten().collect();
        for (place, result) in exchange.results(self.messages) {
            if !paired.contains(&place) {
                self.unpaired(exchange, place, &result.tool_call_id, &ids);
            }
        }
        let Some(reply) = exchange.reply else { return };
        for (position, call) in calls.iter().enumerate().filter(|&(position, _)| pairs[position].is_none()) {
            let unpaired = Unpaired { reply, position, after: exchange.results.end };
            self.open.entry(&call.id).or_default().push(unpaired);
            self.missing.insert((reply, position), &call.id);
        }
    }

    fn reply(&mut self, index: usize, exchange: &Exchange, calls: &[ToolCall]) {
        let is_empty = matches!(&self.messages[index], Message::Assistant(reply) if reply.is_empty());
        // An empty reply with tool messages after it is one whose calls were lost.
        if is_empty && exchange.results.is_empty() {
            self.add(ViolationKind::EmptyReply, index, 0, "");
        }
        let mut ids = HashSet::new();
        for (position, call) in calls.iter().enumerate() {
            if call.id.is_empty() {
                self.add(ViolationKind::MissingCallId, index, position, "");
            } else if !ids.insert(&call.id) {
                self.add(ViolationKind::DuplicateCallId, index, position, &call.id);
            }
        }
    }

    /// A tool message without a call before it, or with a call that already has one.
    fn unpaired(&mut self, exchange: &Exchange, place: usize, id: &str, ids: &HashSet<&str>) {
        let (kind, index, position) = if ids.contains(id) {
            (ViolationKind::DuplicateResult, place, 0)
        } else if let Some(unpaired) = self.open.get_mut(id).and_then(Vec::pop) {
            self.missing.remove(&(unpaired.reply, unpaired.position));
            (ViolationKind::MessageBetween, unpaired.after, unpaired.position)
        } else {
            match exchange.reply {
                None => (ViolationKind::OrphanResult, place, 0),
                Some(reply) if ids.is_empty() => (ViolationKind::LostCalls, reply, 0),
                Some(_) => (ViolationKind::UnknownId, place, 0),
            }
        };
        self.add(kind, index, position, id);
    }

    fn add(&mut self, kind: ViolationKind, index: usize, position: usize, id: &str) {
        self.found.push(Violation { index, id: id.to_owned(), kind, position });
    }
}
