//! The reply to one request: its content on a wire, and how it arrives.

use crate::ScriptedModelError;
use crate::rules::rules_of;
use serde_json::Value;
use std::fmt;
use std::io;
use std::time::Duration;
use tool_runtime::__testing;
use tool_runtime::AssistantMessage;
use tool_runtime::stream::{Chunk, ReplyAssembler};
use tool_runtime::wire::{Wire, WireError};

/// A reply that is not a function of the request.
#[derive(Debug)]
pub(crate) struct SentReply {
    pub(crate) content: Content,
    pub(crate) delivery: Delivery,
}

/// How a reply arrives.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Delivery {
    /// The time before the reply or its first chunk.
    pub(crate) delay: Option<Duration>,
    /// The time between two chunks.
    pub(crate) chunk_delay: Option<Duration>,
    /// The number of chunks before the connection fails.
    pub(crate) interrupted_after: Option<usize>,
}

#[derive(Clone)]
pub(crate) enum Content {
    Message(Box<AssistantMessage>),
    Body(Value),
    Events(Vec<Value>),
    Refusal(String),
    Error(String),
}

impl SentReply {
    /// The complete reply.
    pub(crate) fn complete(self, wire: &dyn Wire) -> Result<AssistantMessage, ScriptedModelError> {
        match self.delivery.interrupted_after {
            Some(_) => assemble(self.chunks(wire)?),
            None => self.content.complete(wire),
        }
    }

    /// The chunks of the reply, up to its interruption.
    pub(crate) fn chunks(self, wire: &dyn Wire) -> Result<Vec<Chunk>, ScriptedModelError> {
        let mut chunks = match self.content {
            Content::Events(events) => read_events(&events, wire),
            content => __testing::chunks(&content.complete(wire)?, wire),
        };
        if let Some(count) = self.delivery.interrupted_after {
            chunks.truncate(count);
            let reset = io::Error::new(io::ErrorKind::ConnectionReset, "the script interrupts the reply");
            chunks.push(Chunk::from(Err::<Chunk, _>(reset)));
        }
        Ok(chunks)
    }
}

impl Delivery {
    /// These settings, and the others where this one has none.
    pub(crate) fn or(self, others: Self) -> Self {
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
            Content::Message(message) => Ok(__testing::from_wire(*message, wire)),
            Content::Refusal(text) => Ok(__testing::from_wire(declined(text, wire.name()), wire)),
            Content::Body(body) => wire.read_reply(&body.to_string()).map_err(|error| match error {
                WireError::Server { message, .. } => ScriptedModelError::Server { message },
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

/// The reply with this reason, and with the finish reason of the wire's provider.
fn declined(reason: String, wire: &str) -> AssistantMessage {
    let finish_reason = rules_of(wire).map_or("stop", |rules| rules.declined_finish_reason);
    __testing::declined(reason).with_finish_reason(finish_reason)
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
