//! The events of a reply.

use super::Event;
use super::answer_format::AnswerFormat;
use super::reporter::EventSender;
use crate::dispatch::{EventCall, StreamedEvent};
use crate::message::{AssistantMessage, ToolCall, is_empty_object};
use crate::stream;
use std::collections::HashMap;
use std::sync::Arc;

/// The events of a streamed reply, without calls of the tool for a typed answer.
pub(super) struct EventForwarder {
    /// `None` without a listener.
    sender: Option<EventSender>,
    /// The format of the answer, if it has a type.
    answer: Option<Arc<AnswerFormat>>,
    /// The announced calls, and whether their arguments have begun.
    announced: HashMap<usize, bool>,
}

impl EventForwarder {
    pub(super) fn new(sender: Option<&EventSender>, answer: Option<&Arc<AnswerFormat>>) -> Self {
        EventForwarder { sender: sender.cloned(), answer: answer.cloned(), announced: HashMap::new() }
    }

    fn is_answer(&self, call: &ToolCall) -> bool {
        self.answer.as_ref().is_some_and(|answer| answer.is_answer(call))
    }

    pub(super) fn send(&mut self, StreamedEvent { event, call }: StreamedEvent<'_>) {
        let Some(sender) = &self.sender else { return };
        match (event, call) {
            (stream::ReplyEvent::Text(text), _) => sender.send(Event::Text { text: text.to_owned() }),
            (stream::ReplyEvent::Reasoning(text), _) => {
                sender.send(Event::Reasoning { text: text.to_owned() });
            }
            // The session sends it as text, if it accepts it.
            (_, Some(EventCall { call, .. })) if self.is_answer(call) => {}
            (event, Some(EventCall { index, call, id: Some(id) })) => {
                let is_new = !self.announced.contains_key(&index);
                let has_arguments = self.announced.entry(index).or_default();
                let is_continued = *has_arguments;
                if is_new {
                    sender.send(Event::CallAnnounced { id: id.to_owned(), tool: call.name.clone() });
                }
                let mut send_arguments = |text: &str, is_restart| {
                    *has_arguments = true;
                    let (id, text) = (id.to_owned(), text.to_owned());
                    sender.send(Event::CallArguments { id, text, is_restart });
                };
                match event {
                    // Earlier pieces arrived before the id.
                    stream::ReplyEvent::CallArguments { arguments, .. } if !is_continued => {
                        send_arguments(arguments, false);
                    }
                    stream::ReplyEvent::CallArguments { arguments, piece, .. } => {
                        send_arguments(piece, arguments.len() == piece.len());
                    }
                    stream::ReplyEvent::CallComplete { call, .. } => {
                        if !is_continued && !is_empty_object(&call.arguments) {
                            send_arguments(&call.arguments, false);
                        }
                        let (id, tool, arguments) =
                            (id.to_owned(), call.name.clone(), call.arguments.clone());
                        sender.send(Event::CallComplete { id, tool, arguments });
                    }
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
