//! Errors for texts that are in the format of another provider.

use super::WireError;
use serde_json::{Map, Value};

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
