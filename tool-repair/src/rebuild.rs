//! Putting messages into a valid order.

use crate::pairing::Pairing;
use crate::{Orphans, Repair};
use std::ops::Range;
use tool_runtime::__repair::{ERROR, Exchange};
use tool_runtime::message::{Content, Message, Part};
use tool_runtime::{AssistantMessage, ToolMessage};

/// The error of a call whose result was lost.
const LOST: &str = "the result of this call was lost";

pub(crate) struct Rebuild<'a> {
    /// The messages that are not yet in `ordered`.
    messages: Vec<Option<Message>>,
    ordered: Vec<Message>,
    orphans: Orphans,
    repairs: &'a mut Vec<Repair>,
}

impl<'a> Rebuild<'a> {
    pub(crate) fn new(messages: Vec<Message>, orphans: Orphans, repairs: &'a mut Vec<Repair>) -> Self {
        let ordered = Vec::with_capacity(messages.len());
        Rebuild { messages: messages.into_iter().map(Some).collect(), ordered, orphans, repairs }
    }

    pub(crate) fn put(mut self, pairing: &Pairing) -> Vec<Message> {
        let mut next = 0;
        for (number, exchange) in pairing.exchanges.iter().enumerate() {
            self.as_they_are(next..exchange.reply.unwrap_or(exchange.results.start));
            next = exchange.results.end;
            let calls = exchange.reply.map_or_else(Vec::new, |index| self.reply(index));
            // Tool messages of this reply's calls keep their order.
            for place in exchange.results.clone().filter(|&place| pairing.exchange_of[place] == Some(number))
            {
                self.as_they_are(place..place + 1);
            }
            self.missing(exchange, calls, &pairing.results[number]);
            for place in exchange.results.clone().filter(|&place| pairing.exchange_of[place].is_none()) {
                self.orphan(place);
            }
        }
        self.as_they_are(next..self.messages.len());
        self.ordered
    }

    fn as_they_are(&mut self, places: Range<usize>) {
        self.ordered.extend(self.messages[places].iter_mut().filter_map(Option::take));
    }

    /// Adds the reply at this index, and returns the id and the tool of each of its calls.
    fn reply(&mut self, index: usize) -> Vec<(String, String)> {
        let Some(Message::Assistant(mut reply)) = self.messages[index].take() else { return Vec::new() };
        if is_empty(&reply) {
            reply.content = Some(Content::default());
            self.repairs.push(Repair::ReplyFilled { index });
        }
        let calls = reply.tool_calls.iter().map(|call| (call.id.clone(), call.name.clone())).collect();
        self.ordered.push(Message::Assistant(reply));
        calls
    }

    /// Adds the tool messages that are elsewhere in the list, or nowhere.
    fn missing(&mut self, exchange: &Exchange, calls: Vec<(String, String)>, results: &[Option<usize>]) {
        let Some(reply) = exchange.reply else { return };
        for ((id, tool), result) in calls.into_iter().zip(results) {
            match *result {
                Some(place) if exchange.results.contains(&place) => {}
                Some(place) => {
                    self.as_they_are(place..place + 1);
                    self.repairs.push(Repair::ResultMoved { index: place, id, reply });
                }
                None => {
                    self.ordered.push(ToolMessage::error(&*id, LOST).with_tool(tool).into());
                    self.repairs.push(Repair::ResultAdded { index: reply, id });
                }
            }
        }
    }

    fn orphan(&mut self, index: usize) {
        let Some(Message::Tool(result)) = self.messages[index].take() else { return };
        match self.orphans {
            Orphans::Drop => self.repairs.push(Repair::ResultDropped { index, result }),
            Orphans::ConvertToUser => {
                let id = result.tool_call_id.clone();
                self.repairs.push(Repair::ResultConvertedToUser { index, id });
                self.ordered.push(user_text(&result));
            }
        }
    }
}

/// The content `""` counts as content.
fn is_empty(reply: &AssistantMessage) -> bool {
    reply.content.is_none()
        && reply.tool_calls.is_empty()
        && reply.refusal().is_none()
        && reply.native_items().next().is_none()
}

fn user_text(result: &ToolMessage) -> Message {
    let tool = result.tool().map_or_else(String::new, |tool| format!(" of `{tool}`"));
    let title = format!("The result of a call{tool} that is no longer in this conversation:");
    Message::user(match result.content.parts() {
        None => {
            let is_marked = !result.is_error() || result.text().starts_with(ERROR);
            format!("{title}\n{}{}", if is_marked { "" } else { ERROR }, result.content).into()
        }
        Some(parts) => Content::from_parts([&[Part::text(title)], parts].concat()),
    })
}
