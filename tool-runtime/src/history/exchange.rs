//! A reply and its tool messages: the unit in which calls and tool messages are paired.

use crate::message::{Message, ToolCall, ToolMessage};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// A reply and the tool messages directly after it.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The index of the reply; `None` for tool messages without a reply before them.
    pub reply: Option<usize>,
    /// The indices of the tool messages.
    pub results: Range<usize>,
}

/// All replies, and all sequences of tool messages without a reply.
pub fn exchanges(messages: &[Message]) -> impl Iterator<Item = Exchange> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let is_part = |message: &Message| matches!(message, Message::Assistant(_) | Message::Tool(_));
        next += messages[next..].iter().position(is_part)?;
        let reply = matches!(messages[next], Message::Assistant(_)).then_some(next);
        let first = next + usize::from(reply.is_some());
        let results = messages[first..].iter().take_while(|message| matches!(message, Message::Tool(_)));
        next = first + results.count();
        Some(Exchange { reply, results: first..next })
    })
}

impl Exchange {
    /// The calls of the reply.
    #[must_use]
    pub fn calls<'a>(&self, messages: &'a [Message]) -> &'a [ToolCall] {
        match self.reply.and_then(|reply| messages.get(reply)) {
            Some(Message::Assistant(reply)) => &reply.tool_calls,
            _ => &[],
        }
    }

    /// The tool messages, each with its index.
    pub fn results<'a>(&self, messages: &'a [Message]) -> impl Iterator<Item = (usize, &'a ToolMessage)> {
        self.results.clone().filter_map(|place| match &messages[place] {
            Message::Tool(result) => Some((place, result)),
            _ => None,
        })
    }

    /// The ids of the calls.
    #[must_use]
    pub fn ids<'a>(&self, messages: &'a [Message]) -> HashSet<&'a str> {
        self.calls(messages).iter().map(|call| &*call.id).collect()
    }

    /// The index of the tool message of each call, paired by id; the first if a call has several. If calls share an id,
    /// a tool message that names its tool is paired with a call of that tool.
    #[must_use]
    pub fn pairs(&self, messages: &[Message]) -> Vec<Option<usize>> {
        let calls = self.calls(messages);
        let mut pairs = vec![None; calls.len()];
        if self.results.is_empty() {
            return pairs;
        }
        let mut open = OpenCalls::default();
        // `take` returns the call that was added last, so the first call is added last.
        for (position, call) in calls.iter().enumerate().rev() {
            open.add(call, position);
        }
        let share_ids = self.ids(messages).len() < calls.len();
        // A tool message that names the tool of a call with its id does not belong to a call of another tool.
        let results = self.results(messages).map(|(place, result)| {
            let id = &*result.tool_call_id;
            (place, id, result.tool().filter(|tool| share_ids && open.has_call(id, tool)))
        });
        let (named, others): (Vec<_>, Vec<_>) = results.partition(|(_, _, tool)| tool.is_some());
        for (place, id, tool) in named.into_iter().chain(others) {
            if let Some(position) = open.take(id, tool, |position| pairs[*position].is_none()) {
                pairs[position] = Some(place);
            }
        }
        pairs
    }
}

/// The positions of the calls without a tool message, by id, and by id and tool. A call that was paired stays in its other
/// list.
#[derive(Debug, Default)]
pub struct OpenCalls<'a, Position>(HashMap<(&'a str, Option<&'a str>), Vec<Position>>);

impl<'a, Position: Copy> OpenCalls<'a, Position> {
    /// Adds a call.
    pub fn add(&mut self, call: &'a ToolCall, position: Position) {
        for tool in [None, Some(&*call.name)] {
            self.0.entry((&call.id, tool)).or_default().push(position);
        }
    }

    fn has_call(&self, id: &'a str, tool: &'a str) -> bool {
        self.0.contains_key(&(id, Some(tool)))
    }

    /// Takes the open call with this id, and of this tool if there is one, that was added last. `is_open` returns whether a
    /// call is still without a tool message.
    pub fn take(
        &mut self,
        id: &'a str,
        tool: Option<&'a str>,
        is_open: impl FnMut(&Position) -> bool,
    ) -> Option<Position> {
        let calls = self.0.get_mut(&(id, tool))?;
        std::iter::from_fn(|| calls.pop()).find(is_open)
    }
}
