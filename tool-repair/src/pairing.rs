//! Pairing of tool messages with calls.

use std::collections::{HashMap, HashSet};
use tool_runtime::__repair::{Exchange, OpenCalls, exchanges};
use tool_runtime::ToolCall;
use tool_runtime::message::Message;

pub(crate) struct Pairing {
    pub(crate) exchanges: Vec<Exchange>,
    /// For each exchange and each call in it: the index of the tool message.
    pub(crate) results: Vec<Vec<Option<usize>>>,
    /// For each message: the exchange of the call that it belongs to.
    pub(crate) exchange_of: Vec<Option<usize>>,
}

impl Pairing {
    /// Pairs tool messages with calls of the reply before them first. Each remaining one is paired with the nearest
    /// call of its id: an earlier call, or else a later one with no user message in between.
    pub(crate) fn by_id(messages: &[Message]) -> Self {
        let exchanges: Vec<Exchange> = exchanges(messages).collect();
        let results: Vec<_> = exchanges.iter().map(|exchange| exchange.pairs(messages)).collect();
        let mut exchange_of = vec![None; messages.len()];
        for (number, results) in results.iter().enumerate() {
            for &place in results.iter().flatten() {
                exchange_of[place] = Some(number);
            }
        }
        let mut pairing = Pairing { exchanges, results, exchange_of };
        let mut open = OpenCalls::default();
        for number in 0..pairing.exchanges.len() {
            pairing.displaced(number, messages, &mut open);
        }
        pairing.by_later_call(messages);
        pairing
    }

    /// A result never comes before its call, so a tool message is paired with a later call only if no user message is
    /// in between.
    fn by_later_call(&mut self, messages: &[Message]) {
        let mut open = OpenCalls::default();
        let mut next = messages.len();
        for number in (0..self.exchanges.len()).rev() {
            let exchange = &self.exchanges[number];
            if messages[exchange.results.end..next].iter().any(|message| matches!(message, Message::User(_)))
            {
                open = OpenCalls::default();
            }
            next = exchange.reply.unwrap_or(exchange.results.start);
            self.displaced(number, messages, &mut open);
        }
    }

    /// Pairs tool messages that do not belong to the reply before them with open calls of the exchanges so far, first
    /// those that name their tool. Then adds the open calls of this exchange, each as the number of its exchange and its
    /// position there.
    fn displaced<'a>(
        &mut self,
        number: usize,
        messages: &'a [Message],
        open: &mut OpenCalls<'a, (usize, usize)>,
    ) {
        let own = self.exchanges[number].ids(messages);
        // A second tool message for a call of this reply does not belong to another call of that id.
        let displaced = self.exchanges[number].results(messages).filter(|(place, result)| {
            let id = &*result.tool_call_id;
            self.exchange_of[*place].is_none() && !id.is_empty() && !own.contains(id)
        });
        let (named, nameless): (Vec<_>, Vec<_>) = displaced.partition(|(_, result)| result.tool().is_some());
        for (place, result) in named.into_iter().chain(nameless) {
            let is_open = |&(exchange, position): &(usize, usize)| self.results[exchange][position].is_none();
            if let Some((exchange, position)) = open.take(&result.tool_call_id, result.tool(), is_open) {
                self.pair(exchange, position, place);
            }
        }
        // `take` returns the call that was added last, so the first call is added last.
        for (position, call) in self.open_calls(number, messages).rev() {
            open.add(call, (number, position));
        }
    }

    /// Pairs tool messages with unknown or missing ids with the open calls of the reply before them, if there are as
    /// many of both. Those that name their tool come first.
    ///
    /// A tool message with an id in `taken` belongs to the call of that id only.
    pub(crate) fn by_position(&mut self, messages: &[Message], taken: &HashSet<&str>) {
        for number in 0..self.exchanges.len() {
            let ids = self.exchanges[number].ids(messages);
            // By tool name; `None` if the message does not name its tool.
            let mut unidentified: HashMap<Option<&str>, Vec<usize>> = HashMap::new();
            for (place, result) in self.exchanges[number].results(messages) {
                let id = &*result.tool_call_id;
                if self.exchange_of[place].is_none() && !ids.contains(id) && !taken.contains(id) {
                    unidentified.entry(result.tool()).or_default().push(place);
                }
            }
            let nameless = unidentified.remove(&None).unwrap_or_default();
            let mut open: HashMap<Option<&str>, Vec<usize>> = HashMap::new();
            for (position, call) in self.open_calls(number, messages) {
                open.entry(Some(&call.name)).or_default().push(position);
            }
            for (tool, places) in unidentified {
                self.pair_as_many(number, open.remove(&tool).unwrap_or_default(), places);
            }
            let open = self.open_calls(number, messages).map(|(position, _)| position).collect();
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

    fn open_calls<'a>(
        &self,
        exchange: usize,
        messages: &'a [Message],
    ) -> impl DoubleEndedIterator<Item = (usize, &'a ToolCall)> {
        let calls = self.exchanges[exchange].calls(messages).iter().enumerate();
        calls.filter(move |&(position, _)| self.results[exchange][position].is_none())
    }

    fn pair(&mut self, exchange: usize, position: usize, place: usize) {
        self.results[exchange][position] = Some(place);
        self.exchange_of[place] = Some(exchange);
    }
}
