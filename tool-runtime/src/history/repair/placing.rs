//! Which answer belongs to which call.

use crate::history::exchange::{Exchange, exchanges};
use crate::messages::{Message, ToolCall};
use std::collections::{HashMap, HashSet};

pub(super) struct Placing {
    pub(super) exchanges: Vec<Exchange>,
    /// Of each exchange and each call in it, where its answer stands.
    pub(super) answers: Vec<Vec<Option<usize>>>,
    /// Of each message, the exchange whose call it answers.
    pub(super) exchange_of: Vec<Option<usize>>,
}

/// Calls without an answer by their ids, each as its exchange and its position there.
type Open<'a> = HashMap<&'a str, Vec<(usize, usize)>>;

impl Placing {
    /// Answers behind their own replies first; then each goes to the nearest call of its id that has none, one before it
    /// rather than one after it.
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
        let forwards: Vec<usize> = (0..placing.exchanges.len()).collect();
        placing.displaced(messages, forwards.iter().copied());
        placing.displaced(messages, forwards.into_iter().rev());
        placing
    }

    /// Gives answers to calls of the exchanges that came before, in this order.
    fn displaced(&mut self, messages: &[Message], order: impl Iterator<Item = usize>) {
        let mut open = Open::new();
        for number in order {
            for place in self.exchanges[number].answers.clone() {
                let Message::Tool(answer) = &messages[place] else { continue };
                if self.exchange_of[place].is_some() || answer.tool_call_id.is_empty() {
                    continue;
                }
                if let Some((exchange, position)) = open.get_mut(&*answer.tool_call_id).and_then(Vec::pop) {
                    self.pair(exchange, position, place);
                }
            }
            for (position, call) in self.open_calls(number, messages) {
                open.entry(&call.id).or_default().push((number, position));
            }
        }
    }

    /// Gives answers whose id no call has to the calls beside them that have no answer, if there are as many of them: an id
    /// was mistyped, or left out.
    pub(super) fn by_position(&mut self, messages: &[Message]) {
        for number in 0..self.exchanges.len() {
            let exchange = &self.exchanges[number];
            let ids: HashSet<&str> = exchange.calls(messages).iter().map(|call| &*call.id).collect();
            let strangers: Vec<usize> = exchange
                .answers(messages)
                .filter(|(place, answer)| {
                    self.exchange_of[*place].is_none() && !ids.contains(&*answer.tool_call_id)
                })
                .map(|(place, _)| place)
                .collect();
            let open = self.open_calls(number, messages);
            let is_likely = |(place, (_, call)): (&usize, &(usize, &ToolCall))| match &messages[*place] {
                Message::Tool(answer) => answer.tool().is_none_or(|tool| tool == call.name),
                _ => false,
            };
            if open.len() == strangers.len() && strangers.iter().zip(&open).all(is_likely) {
                let positions: Vec<usize> = open.into_iter().map(|(position, _)| position).collect();
                for (position, place) in positions.into_iter().zip(strangers) {
                    self.pair(number, position, place);
                }
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
