//! The reply to one request: its content on a wire, and how it arrives.

use super::ScriptedModelError;
use super::chunks::chunks_of;
use crate::message::{AssistantMessage, Chunk, Origin, StreamError};
use crate::stream::ReplyAssembler;
use crate::wire::{Wire, WireError, provider};
use serde_json::Value;
use std::fmt;
use std::io;
use std::time::Duration;

/// A reply that is not a function of the request.
#[derive(Debug)]
pub(super) struct SentReply {
    pub(super) content: Content,
    pub(super) delivery: Delivery,
}

/// How a reply arrives.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Delivery {
    /// The time before the reply or its first chunk.
    pub(super) delay: Option<Duration>,
    /// The time between two chunks.
    pub(super) chunk_delay: Option<Duration>,
    /// The number of chunks before the connection fails.
    pub(super) interrupted_after: Option<usize>,
}

#[derive(Clone)]
pub(super) enum Content {
    Message(Box<AssistantMessage>),
    Body(Value),
    Events(Vec<Value>),
    Refusal(String),
    Error(String),
}

impl SentReply {
    /// The complete reply.
    pub(super) fn complete(self, wire: &dyn Wire) -> Result<AssistantMessage, ScriptedModelError> {
        match self.delivery.interrupted_after {
            Some(_) => assemble(self.chunks(wire)?),
            None => self.content.complete(wire),
        }
    }

    /// The chunks of the reply, up to its interruption.
    pub(super) fn chunks(self, wire: &dyn Wire) -> Result<Vec<Chunk>, ScriptedModelError> {
        let mut chunks = match self.content {
            Content::Events(events) => read_events(&events, wire),
            content => chunks_of(&content.complete(wire)?, wire.name()),
        };
        if let Some(count) = self.delivery.interrupted_after {
            chunks.truncate(count);
            let reset = io::Error::new(io::ErrorKind::ConnectionReset, "the script interrupts the reply");
            chunks.push(Chunk::failed(StreamError::Transport { source: reset.into() }));
        }
        Ok(chunks)
    }
}

impl Delivery {
    /// These settings, and the others where this one has none.
    pub(super) fn or(self, others: Self) -> Self {
        Delivery {
            delay: self.delay.or(others.delay),
            chunk_delay: self.chunk_delay.or(others.chunk_delay),
            interrupted_after: self.interrupted_after.or(others.interrupted_after),
        }
    }
}

impl Content {
    fn complete(self, wire: &dyn Wire) -> Result<AssistantMessage, ScriptedModelError> {
        match self {
            Content::Message(message) => Ok(from_wire(*message, wire)),
            Content::Refusal(text) => Ok(from_wire(declined(text, wire.name()), wire)),
            Content::Body(body) => wire.read_reply(&body.to_string()).map_err(|error| match error {
                WireError::Server { message } => ScriptedModelError::Server { message },
                source => ScriptedModelError::NotAReply { source },
            }),
            Content::Events(events) => assemble(read_events(&events, wire)),
            Content::Error(body) => {
                let message = wire.read_error(&body).unwrap_or(body);
                Err(ScriptedModelError::Server { message })
            }
        }
    }
}

/// A reply of the script as a server of this wire would send it.
fn from_wire(mut reply: AssistantMessage, wire: &dyn Wire) -> AssistantMessage {
    reply.origin.get_or_insert_with(|| Origin::new(wire.name()));
    reply
}

/// The reply with this reason, and with the finish reason of the wire's provider.
fn declined(reason: String, wire: &str) -> AssistantMessage {
    let finish_reason = provider(wire).and_then(|provider| provider.declined_finish_reason).unwrap_or("stop");
    let reply = AssistantMessage { refusal: Some(reason), ..AssistantMessage::default() };
    reply.with_finish_reason(finish_reason)
}

fn read_events(events: &[Value], wire: &dyn Wire) -> Vec<Chunk> {
    let chunks = events.iter().map(|event| match event {
        Value::String(text) => wire.read_event(text),
        event => wire.read_event(&event.to_string()),
    });
    chunks.collect()
}

fn assemble(chunks: Vec<Chunk>) -> Result<AssistantMessage, ScriptedModelError> {
    let mut reply = ReplyAssembler::new();
    for chunk in chunks {
        reply.push(chunk);
    }
    reply.into_reply().map_err(ScriptedModelError::Interrupted)
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Content::Message(message) => message.fmt(f),
            Content::Body(body) => body.fmt(f),
            Content::Events(events) => f.debug_tuple("Stream").field(events).finish(),
            Content::Refusal(text) => f.debug_tuple("Refusal").field(text).finish(),
            Content::Error(body) => f.debug_tuple("Error").field(body).finish(),
        }
    }
}
