//! The events of a reply.

use super::Event;
use super::answer_format::AnswerFormat;
use super::reporter::EventSender;
use crate::dispatch::{EventCall, ReplyEvent};
use crate::message::{AssistantMessage, ToolCall};
use crate::stream;
use std::collections::HashMap;
use std::sync::Arc;

/// The events of a streamed reply, without calls of the tool for a typed answer.
pub(super) struct ReplyEvents {
    /// `None` without a listener.
    sender: Option<EventSender>,
    /// The format of the answer, if it has a type.
    answer: Option<Arc<AnswerFormat>>,
    /// The announced calls, and whether their arguments have begun.
    announced: HashMap<usize, bool>,
}

impl ReplyEvents {
    pub(super) fn new(sender: Option<&EventSender>, answer: Option<&Arc<AnswerFormat>>) -> Self {
        ReplyEvents { sender: sender.cloned(), answer: answer.cloned(), announced: HashMap::new() }
    }

    fn is_answer(&self, call: &ToolCall) -> bool {
        self.answer.as_ref().is_some_and(|answer| answer.is_answer(call))
    }

    pub(super) fn send(&mut self, ReplyEvent { event, call }: ReplyEvent<'_>) {
        let Some(sender) = &self.sender else { return };
        match (event, call) {
            (stream::Event::Text(text), _) => sender.send(Event::Text { text: text.to_owned() }),
            (stream::Event::Reasoning(text), _) => sender.send(Event::Reasoning { text: text.to_owned() }),
            // The session sends it as text, if it accepts it.
            (_, Some(EventCall { call, .. })) if self.is_answer(call) => {}
            (event, Some(EventCall { index, call, id: Some(id) })) => {
                let is_new = !self.announced.contains_key(&index);
                let has_arguments = self.announced.entry(index).or_default();
                if is_new {
                    sender.send(Event::CallAnnounced { id: id.to_owned(), tool: call.name.clone() });
                }
                match event {
                    stream::Event::Arguments { partial, piece, .. } => {
                        let is_restart = *has_arguments && partial.len() == piece.len();
                        // Earlier pieces arrived before the id.
                        let text = if *has_arguments { piece } else { partial };
                        *has_arguments = true;
                        sender.send(Event::CallArguments {
                            id: id.to_owned(),
                            text: text.to_owned(),
                            is_restart,
                        });
                    }
                    stream::Event::CallComplete { call, .. } => sender.send(Event::CallComplete {
                        id: id.to_owned(),
                        tool: call.name.clone(),
                        arguments: call.arguments.clone(),
                    }),
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

/// Sends the events of a reply that was not streamed, without calls of the tool for a typed answer.
pub(super) fn send_whole(sender: &EventSender, reply: &AssistantMessage, answer: Option<&AnswerFormat>) {
    let reasoning = reply.reasoning();
    if !reasoning.is_empty() {
        sender.send(Event::Reasoning { text: reasoning });
    }
    if !reply.text().is_empty() {
        sender.send(Event::Text { text: reply.text().to_owned() });
    }
    for call in &reply.tool_calls {
        let (id, tool, arguments) = (call.id.clone(), call.name.clone(), call.arguments.clone());
        if answer.is_some_and(|answer| answer.is_answer(call)) {
            continue;
        }
        sender.send(Event::CallAnnounced { id: id.clone(), tool: tool.clone() });
        sender.send(Event::CallArguments { id: id.clone(), text: arguments.clone(), is_restart: false });
        if !call.is_truncated {
            sender.send(Event::CallComplete { id, tool, arguments });
        }
    }
}
