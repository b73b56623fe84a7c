//! The events of a reply.

use super::Event;
use super::reporter::Events;
use crate::dispatch::{Piece, PieceOfCall};
use crate::message::AssistantMessage;
use crate::stream;
use std::collections::HashMap;

/// The events of a streamed reply.
pub(super) struct Pieces {
    /// `None` if nobody listens.
    events: Option<Events>,
    /// The announced calls, and whether their arguments have begun.
    announced: HashMap<usize, bool>,
}

impl Pieces {
    pub(super) fn new(events: Option<&Events>) -> Self {
        Pieces { events: events.cloned(), announced: HashMap::new() }
    }

    pub(super) fn send(&mut self, piece: Piece<'_>) {
        let Some(events) = &self.events else { return };
        match (piece.event, piece.call) {
            (stream::Event::Text(text), _) => events.send(Event::Text { text: text.to_owned() }),
            (stream::Event::Reasoning(text), _) => events.send(Event::Reasoning { text: text.to_owned() }),
            (event, Some(PieceOfCall { index, call, id: Some(id) })) => {
                let is_new = !self.announced.contains_key(&index);
                let has_arguments = self.announced.entry(index).or_default();
                if is_new {
                    events.send(Event::CallAnnounced { id: id.to_owned(), tool: call.name.clone() });
                }
                match event {
                    stream::Event::Arguments { partial, piece, .. } => {
                        let is_restart = *has_arguments && partial.len() == piece.len();
                        // Earlier pieces arrived before the id.
                        let text = if *has_arguments { piece } else { partial };
                        *has_arguments = true;
                        events.send(Event::CallArguments {
                            id: id.to_owned(),
                            text: text.to_owned(),
                            is_restart,
                        });
                    }
                    stream::Event::CallComplete { call, .. } => events.send(Event::CallComplete {
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

/// The events of a reply that was not streamed.
pub(super) fn send_whole(events: &Events, reply: &AssistantMessage) {
    let reasoning = reply.reasoning();
    if !reasoning.is_empty() {
        events.send(Event::Reasoning { text: reasoning });
    }
    if !reply.text().is_empty() {
        events.send(Event::Text { text: reply.text().to_owned() });
    }
    for call in &reply.tool_calls {
        let (id, tool, arguments) = (call.id.clone(), call.name.clone(), call.arguments.clone());
        events.send(Event::CallAnnounced { id: id.clone(), tool: tool.clone() });
        if !call.is_truncated {
            events.send(Event::CallComplete { id, tool, arguments });
        }
    }
}
