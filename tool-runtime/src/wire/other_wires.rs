//! Errors for texts that are in the format of another provider.

use super::WireError;
use super::detect::{wire_of_request, wire_of_response};
use serde_json::{Map, Value};

/// The error for the body of a response that the wire `own` cannot read.
pub(super) fn response_error(body: &str, own: &str, expected: &'static str, problem: String) -> WireError {
    let wire = wire_of_response(&serde_json::from_str(body).unwrap_or_default());
    wire.filter(|wire| *wire != own).map_or(WireError::Unexpected { expected, problem }, error)
}

/// The error for the body of a request that the wire `own` cannot read.
pub(super) fn request_error(body: &str, own: &str, expected: &'static str, problem: String) -> WireError {
    let wire = wire_of_request(&serde_json::from_str(body).unwrap_or_default());
    wire.filter(|wire| *wire != own).map_or(WireError::Unexpected { expected, problem }, error)
}

pub(super) fn error(wire: &'static str) -> WireError {
    WireError::OtherWire { wire }
}

/// Whether a message with these further fields is in the stored form.
pub(super) fn is_stored(fields: &Map<String, Value>) -> bool {
    let is_stored = |field| fields.contains_key(field);
    ["completeness", "native", "error_kind", "tool"].into_iter().any(is_stored)
        || ["origin", "extra"]
            .iter()
            .any(|field| fields.get(*field).is_some_and(|value| value.get("wire").is_some()))
}
