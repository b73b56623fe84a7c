//! The rules for the schema of a response format of OpenAI's APIs: <https://platform.openai.com/docs/guides/structured-outputs>.

use crate::rejected::{Checked, is_plain_name, require_at};
use serde_json::Value;

pub(super) const INVALID_NAME: &str =
    "string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.";

/// Checks the response format of OpenAI's APIs, if the request has one: its name and its schema.
pub(super) fn check_response_format(field: &str, format: &Value) -> Checked {
    let schema = &format["schema"];
    if schema.is_null() {
        return Ok(());
    }
    let name = format["name"].as_str().unwrap_or_default();
    require_at(format!("{field}.name"), is_plain_name(name) && name.len() <= 64, || {
        format!("Invalid '{field}.name': {INVALID_NAME}")
    })?;
    let invalid = |problem: &str| format!("Invalid schema for response_format '{name}': {problem}");
    let kind = &schema["type"];
    require_at("response_format", kind == "object", || {
        invalid(&format!("schema must be a JSON Schema of 'type: \"object\"', got 'type: {kind}'."))
    })?;
    let is_closed = format["strict"] != true || schema["additionalProperties"] == false;
    require_at("response_format", is_closed, || {
        invalid("In context=(), 'additionalProperties' is required to be supplied and to be false.")
    })
}
