//! Pairing of tool messages with calls.

use crate::history::exchange::{Exchange, exchanges};
use crate::message::{Message, ToolCall};
use std::collections::{HashMap, HashSet};

pub(super) struct Pairing {
    pub(super) exchanges: Vec<Exchange>,
    /// For each exchange and each call in it: the index of the tool message.
    pub(super) results: Vec<Vec<Option<usize>>>,
    /// For each message: the exchange of the call that it belongs to.
    pub(super) exchange_of: Vec<Option<usize>>,
}

/// Calls without a tool message, each as its exchange and its position there. The next one to pair is the last. Some
/// may have been paired since they were added.
#[derive(Default)]
struct Open<'a> {
    by_id: HashMap<&'a str, Vec<(usize, usize)>>,
    by_id_and_tool: HashMap<(&'a str, &'a str), Vec<(usize, usize)>>,
}

impl Pairing {
    /// Pairs tool messages with calls of the reply before them first. Each remaining one is paired with the nearest
    /// call of its id: an earlier call, or else a later one with no user message in between.
    pub(super) fn by_id(messages: &[Message]) -> Self {
        let exchanges: Vec<Exchange> = exchanges(messages).collect();
        let results: Vec<_> = exchanges.iter().map(|exchange| exchange.pairs(messages)).collect();
        let mut exchange_of = vec![None; messages.len()];
        for (number, results) in results.iter().enumerate() {
            for &place in results.iter().flatten() {
                exchange_of[place] = Some(number);
            }
        }
        let mut pairing = Pairing { exchanges, results, exchange_of };
        pairing.by_earlier_call(messages);
        pairing.by_later_call(messages);
        pairing
    }

    fn by_earlier_call(&mut self, messages: &[Message]) {
        let mut open = Open::default();
        for number in 0..self.exchanges.len() {
            self.displaced(number, messages, &mut open);
            self.add_open_calls(number, messages, &mut open);
        }
    }

    /// A result never comes before its call, so a tool message is paired with a later call only if no user message is
    /// in between.
    fn by_later_call(&mut self, messages: &[Message]) {
        let mut open = Open::default();
        let mut next = messages.len();
        for number in (0..self.exchanges.len()).rev() {
            let end = self.exchanges[number].results.end;
            if messages[end..next].iter().any(|message| matches!(message, Message::User(_))) {
                open = Open::default();
            }
            self.displaced(number, messages, &mut open);
            self.add_open_calls(number, messages, &mut open);
            next = self.exchanges[number].reply.unwrap_or(self.exchanges[number].results.start);
        }
    }

    /// Pairs tool messages that do not belong to the reply before them with open calls, first those that name their
    /// tool.
    fn displaced<'a>(&mut self, number: usize, messages: &'a [Message], open: &mut Open<'a>) {
        let exchange = self.exchanges[number].clone();
        let own: HashSet<&str> = exchange.calls(messages).iter().map(|call| &*call.id).collect();
        // A second tool message for a call of this reply does not belong to another call of that id.
        let displaced = exchange.results(messages).filter(|(place, result)| {
            let id = &*result.tool_call_id;
            self.exchange_of[*place].is_none() && !id.is_empty() && !own.contains(id)
        });
        let (named, nameless): (Vec<_>, Vec<_>) = displaced.partition(|(_, result)| result.tool().is_some());
        for (place, result) in named.into_iter().chain(nameless) {
            let id = &*result.tool_call_id;
            let calls = match result.tool() {
                Some(tool) => open.by_id_and_tool.get_mut(&(id, tool)),
                None => open.by_id.get_mut(id),
            };
            let Some(calls) = calls else { continue };
            while let Some((exchange, position)) = calls.pop() {
                if self.results[exchange][position].is_none() {
                    self.pair(exchange, position, place);
                    break;
                }
            }
        }
    }

    fn add_open_calls<'a>(&self, number: usize, messages: &'a [Message], open: &mut Open<'a>) {
        for (position, call) in self.open_calls(number, messages).into_iter().rev() {
            open.by_id.entry(&call.id).or_default().push((number, position));
            open.by_id_and_tool.entry((&call.id, &call.name)).or_default().push((number, position));
        }
    }

    /// Pairs tool messages with unknown or missing ids with the open calls of the reply before them, if there are as
    /// many of both. Those that name their tool come first.
    ///
    /// A tool message with an id in `taken` belongs to the call of that id only.
    pub(super) fn by_position(&mut self, messages: &[Message], taken: &HashSet<String>) {
        for number in 0..self.exchanges.len() {
            let exchange = self.exchanges[number].clone();
            let ids: HashSet<&str> = exchange.calls(messages).iter().map(|call| &*call.id).collect();
            // By tool name; `None` if the message does not name its tool.
            let mut unidentified: HashMap<Option<&str>, Vec<usize>> = HashMap::new();
            for (place, result) in exchange.results(messages) {
                let id = &*result.tool_call_id;
                if self.exchange_of[place].is_none() && !ids.contains(id) && !taken.contains(id) {
                    unidentified.entry(result.tool()).or_default().push(place);
                }
            }
            let nameless = unidentified.remove(&None).unwrap_or_default();
            if !unidentified.is_empty() {
                let mut open: HashMap<&str, Vec<usize>> = HashMap::new();
                for (position, call) in self.open_calls(number, messages) {
                    open.entry(&call.name).or_default().push(position);
                }
                for (tool, places) in unidentified {
                    self.pair_as_many(
                        number,
                        tool.and_then(|tool| open.remove(tool)).unwrap_or_default(),
                        places,
                    );
                }
            }
            let open = self.open_calls(number, messages).into_iter().map(|(position, _)| position).collect();
            self.pair_as_many(number, open, nameless);
        }
    }

    fn pair_as_many(&mut self, exchange: usize, positions: Vec<usize>, places: Vec<usize>) {
        if positions.len() == places.len() {
            for (position, place) in positions.into_iter().zip(places) {
                self.pair(exchange, position, place);
            }
        }
    }

    fn open_calls<'a>(&self, exchange: usize, messages: &'a [Message]) -> Vec<(usize, &'a ToolCall)> {
        let calls = self.exchanges[exchange].calls(messages).iter().enumerate();
        calls.filter(|&(position, _)| self.results[exchange][position].is_none()).collect()
    }

    pub(super) fn pair(&mut self, exchange: usize, position: usize, place: usize) {
        let results = &mut self.results[exchange];
        if results.len() <= position {
            results.resize(position + 1, None);
        }
        results[position] = Some(place);
        self.exchange_of[place] = Some(exchange);
    }
}
