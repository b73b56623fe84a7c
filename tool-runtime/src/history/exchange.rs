//! A reply and its tool messages: the unit in which calls and tool messages are paired.

use crate::message::{Message, ToolCall, ToolMessage};
use std::collections::HashMap;
use std::ops::Range;

/// A reply and the tool messages directly after it.
#[derive(Clone, Debug)]
pub(super) struct Exchange {
    /// The index of the reply; `None` for tool messages without a reply before them.
    pub(super) reply: Option<usize>,
    /// The indices of the tool messages.
    pub(super) results: Range<usize>,
}

/// All replies, and all sequences of tool messages without a reply.
pub(super) fn exchanges(messages: &[Message]) -> impl Iterator<Item = Exchange> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while matches!(messages.get(at)?, Message::System(_) | Message::Developer(_) | Message::User(_)) {
            at += 1;
        }
        let reply = matches!(messages[at], Message::Assistant(_)).then_some(at);
        let exchange = Exchange { reply, results: results_from(messages, at + usize::from(reply.is_some())) };
        at = exchange.results.end;
        Some(exchange)
    })
}

/// The indices of the tool messages from `start` to the next message of another role.
fn results_from(messages: &[Message], start: usize) -> Range<usize> {
    let row = messages[start..].iter().take_while(|message| matches!(message, Message::Tool(_)));
    start..start + row.count()
}

impl Exchange {
    /// The exchange of the reply at this index.
    pub(super) fn from_reply(messages: &[Message], reply: usize) -> Option<Self> {
        matches!(messages.get(reply)?, Message::Assistant(_))
            .then(|| Exchange { reply: Some(reply), results: results_from(messages, reply + 1) })
    }

    pub(super) fn calls<'a>(&self, messages: &'a [Message]) -> &'a [ToolCall] {
        match self.reply.and_then(|reply| messages.get(reply)) {
            Some(Message::Assistant(reply)) => &reply.tool_calls,
            _ => &[],
        }
    }

    /// The tool messages, each with its index.
    pub(super) fn results<'a>(
        &self,
        messages: &'a [Message],
    ) -> impl Iterator<Item = (usize, &'a ToolMessage)> {
        self.results.clone().zip(&messages[self.results.clone()]).filter_map(|(place, message)| match message
        {
            Message::Tool(result) => Some((place, result)),
            _ => None,
        })
    }

    /// The index of the tool message of each call, paired by id; the first if a call has several. If calls share an id,
    /// a tool message that names its tool is paired with a call of that tool.
    pub(super) fn pairs(&self, messages: &[Message]) -> Vec<Option<usize>> {
        let calls = self.calls(messages);
        let mut pairs = vec![None; calls.len()];
        if pairs.is_empty() {
            return pairs;
        }
        // Calls by id. `pop` takes the last one, so the first call is the last in each list.
        let mut open: HashMap<&str, Vec<usize>> = HashMap::with_capacity(calls.len());
        for (position, call) in calls.iter().enumerate().rev() {
            open.entry(&call.id).or_default().push(position);
        }
        let mut results: Vec<(usize, &ToolMessage)> = self.results(messages).collect();
        if open.len() < calls.len() {
            self.pair_by_tool(messages, &mut results, &mut pairs);
        }
        for (place, result) in results {
            let Some(open) = open.get_mut(&*result.tool_call_id) else { continue };
            while let Some(position) = open.pop() {
                if pairs[position].is_none() {
                    pairs[position] = Some(place);
                    break;
                }
            }
        }
        pairs
    }

    /// Pairs the tool messages that name the tool of a call with their id, and removes them from `results`: they do not
    /// belong to a call of another tool.
    fn pair_by_tool(
        &self,
        messages: &[Message],
        results: &mut Vec<(usize, &ToolMessage)>,
        pairs: &mut [Option<usize>],
    ) {
        let mut open: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
        for (position, call) in self.calls(messages).iter().enumerate().rev() {
            open.entry((&call.id, &call.name)).or_default().push(position);
        }
        results.retain(|(place, result)| {
            let calls = result.tool().and_then(|tool| open.get_mut(&(&*result.tool_call_id, tool)));
            let is_nameless = calls.is_none();
            if let Some(position) = calls.and_then(Vec::pop) {
                pairs[position] = Some(*place);
            }
            is_nameless
        });
    }
}
