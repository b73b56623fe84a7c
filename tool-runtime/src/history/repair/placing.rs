//! Which answer belongs to which call.

use crate::history::exchange::{Exchange, exchanges};
use crate::message::{Message, ToolCall};
use std::collections::{HashMap, HashSet};

pub(super) struct Placing {
    pub(super) exchanges: Vec<Exchange>,
    /// Of each exchange and each call in it, where its answer stands.
    pub(super) answers: Vec<Vec<Option<usize>>>,
    /// Of each message, the exchange whose call it answers.
    pub(super) exchange_of: Vec<Option<usize>>,
}

/// Calls without an answer, each as its exchange and its position there; the one to be taken first is the last. Some may
/// have been answered since.
#[derive(Default)]
struct Open<'a> {
    by_id: HashMap<&'a str, Vec<(usize, usize)>>,
    by_id_and_tool: HashMap<(&'a str, &'a str), Vec<(usize, usize)>>,
}

impl Placing {
    /// Answers behind their own replies first; then each goes to the nearest call of its id that has none: one before
    /// it, or else one behind it that the same question led to.
    pub(super) fn by_id(messages: &[Message]) -> Self {
        let exchanges: Vec<Exchange> = exchanges(messages).collect();
        let answers: Vec<_> = exchanges.iter().map(|exchange| exchange.pairs(messages)).collect();
        let mut exchange_of = vec![None; messages.len()];
        for (number, answers) in answers.iter().enumerate() {
            for &place in answers.iter().flatten() {
                exchange_of[place] = Some(number);
            }
        }
        let mut placing = Placing { exchanges, answers, exchange_of };
        placing.give_to_earlier_calls(messages);
        placing.give_to_later_calls(messages);
        placing
    }

    fn give_to_earlier_calls(&mut self, messages: &[Message]) {
        let mut open = Open::default();
        for number in 0..self.exchanges.len() {
            self.displaced(number, messages, &mut open);
            self.add_open_calls(number, messages, &mut open);
        }
    }

    /// A result is not there before it is asked for: only an answer that was put a little too early goes to a later
    /// call.
    fn give_to_later_calls(&mut self, messages: &[Message]) {
        let mut open = Open::default();
        let mut behind = messages.len();
        for number in (0..self.exchanges.len()).rev() {
            let end = self.exchanges[number].answers.end;
            if messages[end..behind].iter().any(|message| matches!(message, Message::User(_))) {
                open = Open::default();
            }
            self.displaced(number, messages, &mut open);
            self.add_open_calls(number, messages, &mut open);
            behind = self.exchanges[number].reply.unwrap_or(self.exchanges[number].answers.start);
        }
    }

    /// Gives the answers that are not for the reply before them to open calls: those that name a tool to calls of it.
    fn displaced<'a>(&mut self, number: usize, messages: &'a [Message], open: &mut Open<'a>) {
        let exchange = self.exchanges[number].clone();
        let own: HashSet<&str> = exchange.calls(messages).iter().map(|call| &*call.id).collect();
        // A second answer to a call of its own is not one to another call of that id.
        let displaced = exchange.answers(messages).filter(|(place, answer)| {
            let id = &*answer.tool_call_id;
            self.exchange_of[*place].is_none() && !id.is_empty() && !own.contains(id)
        });
        let (named, nameless): (Vec<_>, Vec<_>) = displaced.partition(|(_, answer)| answer.tool().is_some());
        for (place, answer) in named.into_iter().chain(nameless) {
            let id = &*answer.tool_call_id;
            let calls = match answer.tool() {
                Some(tool) => open.by_id_and_tool.get_mut(&(id, tool)),
                None => open.by_id.get_mut(id),
            };
            let Some(calls) = calls else { continue };
            while let Some((exchange, position)) = calls.pop() {
                if self.answers[exchange][position].is_none() {
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

    /// Gives answers whose id no call has to the calls beside them that have no answer, where there are as many of
    /// them: an id was mistyped, or left out. Those that name their tool first.
    ///
    /// An answer with one of the ids that are `taken` is for the call of that id alone.
    pub(super) fn by_position(&mut self, messages: &[Message], taken: &HashSet<String>) {
        for number in 0..self.exchanges.len() {
            let exchange = self.exchanges[number].clone();
            let ids: HashSet<&str> = exchange.calls(messages).iter().map(|call| &*call.id).collect();
            // By the tool that they name, or do not name.
            let mut strangers: HashMap<Option<&str>, Vec<usize>> = HashMap::new();
            for (place, answer) in exchange.answers(messages) {
                let id = &*answer.tool_call_id;
                if self.exchange_of[place].is_none() && !ids.contains(id) && !taken.contains(id) {
                    strangers.entry(answer.tool()).or_default().push(place);
                }
            }
            let nameless = strangers.remove(&None).unwrap_or_default();
            if !strangers.is_empty() {
                let mut open: HashMap<&str, Vec<usize>> = HashMap::new();
                for (position, call) in self.open_calls(number, messages) {
                    open.entry(&call.name).or_default().push(position);
                }
                for (tool, places) in strangers {
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
        calls.filter(|&(position, _)| self.answers[exchange][position].is_none()).collect()
    }

    pub(super) fn pair(&mut self, exchange: usize, position: usize, place: usize) {
        let answers = &mut self.answers[exchange];
        if answers.len() <= position {
            answers.resize(position + 1, None);
        }
        answers[position] = Some(place);
        self.exchange_of[place] = Some(exchange);
    }
}
