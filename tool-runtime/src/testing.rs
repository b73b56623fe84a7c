//! Internals that only the package `tool-runtime-testing` uses, which pins the version of this crate with `=`. They are not part
//! of the public API and change without notice.

use crate::conversation::Request;
use crate::message::{AssistantMessage, Chunk, Origin};
use crate::stream::chunks_of;
use crate::wire::{self, Wire, WireError};
use serde_json::Value;
use std::sync::Arc;

/// The body of a request on this wire, or on its own, and the wire.
pub fn write(request: &Request, wire: Option<&Arc<dyn Wire>>) -> Result<(Value, Arc<dyn Wire>), WireError> {
    let wire = Arc::clone(wire.unwrap_or(&request.wire));
    let body = request.clone().wire(Arc::clone(&wire)).body()?;
    let body = serde_json::to_value(&body).map_err(|source| WireError::NotSerializable { source })?;
    Ok((body, wire))
}

/// The place in the parameters, and the error message, of the first rule of this wire's provider that a definition breaks.
#[must_use]
pub fn broken_definition(wire: &str, parameters: &Value) -> Option<(String, &'static str)> {
    wire::broken_definition(wire, parameters)
}

/// A reply in which the model declines to answer, for this reason.
#[must_use]
pub fn declined(reason: String) -> AssistantMessage {
    AssistantMessage { refusal: Some(reason), ..AssistantMessage::default() }
}

/// A reply as a server of this wire would send it.
pub fn from_wire(mut reply: AssistantMessage, wire: &dyn Wire) -> AssistantMessage {
    reply.origin.get_or_insert_with(|| Origin::new(wire.name()));
    reply
}

/// The chunks of a reply, as a server of this wire would stream them.
pub fn chunks(reply: &AssistantMessage, wire: &dyn Wire) -> Vec<Chunk> {
    chunks_of(reply, wire.name())
}
