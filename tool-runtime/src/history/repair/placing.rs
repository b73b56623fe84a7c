//! Which answer belongs to which call.

use crate::history::exchange::{Exchange, exchanges};
use crate::messages::{Message, ToolCall, ToolMessage};
use std::collections::{HashMap, HashSet};

pub(super) struct Placing {
    pub(super) exchanges: Vec<Exchange>,
    /// Of each exchange and each call in it, where its answer stands.
    pub(super) answers: Vec<Vec<Option<usize>>>,
    /// Of each message, the exchange whose call it answers.
    pub(super) exchange_of: Vec<Option<usize>>,
}

/// Calls without an answer, by their ids.
type Open<'a> = HashMap<&'a str, Vec<OpenCall<'a>>>;

struct OpenCall<'a> {
    exchange: usize,
    position: usize,
    tool: &'a str,
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
        let mut open = Open::new();
        for number in 0..self.exchanges.len() {
            self.displaced(number, messages, &mut open);
            self.add_open_calls(number, messages, &mut open);
        }
    }

    /// A result is not there before it is asked for: only an answer that was put a little too early goes to a later
    /// call.
    fn give_to_later_calls(&mut self, messages: &[Message]) {
        let mut open = Open::new();
        let mut behind = messages.len();
        for number in (0..self.exchanges.len()).rev() {
            let end = self.exchanges[number].answers.end;
            if messages[end..behind].iter().any(|message| matches!(message, Message::User(_))) {
                open.clear();
            }
            self.displaced(number, messages, &mut open);
            self.add_open_calls(number, messages, &mut open);
            behind = self.exchanges[number].reply.unwrap_or(self.exchanges[number].answers.start);
        }
    }

    /// Gives the answers that are not for the reply before them to open calls.
    fn displaced(&mut self, number: usize, messages: &[Message], open: &mut Open<'_>) {
        if open.is_empty() {
            return;
        }
        let exchange = self.exchanges[number].clone();
        let own: HashSet<&str> = exchange.calls(messages).iter().map(|call| &*call.id).collect();
        for (place, answer) in exchange.answers(messages) {
            let id = &*answer.tool_call_id;
            // A second answer to a call of its own is not one to another call of that id.
            if self.exchange_of[place].is_some() || id.is_empty() || own.contains(id) {
                continue;
            }
            let Some(calls) = open.get_mut(id) else { continue };
            if calls.last().is_some_and(|call| is_likely(answer, call.tool)) {
                if let Some(call) = calls.pop() {
                    self.pair(call.exchange, call.position, place);
                }
            }
        }
    }

    fn add_open_calls<'a>(&self, number: usize, messages: &'a [Message], open: &mut Open<'a>) {
        for (position, call) in self.open_calls(number, messages) {
            open.entry(&call.id).or_default().push(OpenCall { exchange: number, position, tool: &call.name });
        }
    }

    /// Gives answers whose id no call has to the calls beside them that have no answer, where there are as many of
    /// them: an id was mistyped, or left out. Those that name their tool first.
    pub(super) fn by_position(&mut self, messages: &[Message]) {
        for number in 0..self.exchanges.len() {
            let exchange = self.exchanges[number].clone();
            let ids: HashSet<&str> = exchange.calls(messages).iter().map(|call| &*call.id).collect();
            // By the tool that they name, or do not name.
            let mut strangers: HashMap<Option<&str>, Vec<usize>> = HashMap::new();
            for (place, answer) in exchange.answers(messages) {
                if self.exchange_of[place].is_none() && !ids.contains(&*answer.tool_call_id) {
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

/// Whether it can be an answer of this tool: it names it, or none.
fn is_likely(answer: &ToolMessage, tool: &str) -> bool {
    answer.tool().is_none_or(|named| named == tool)
}
