//! Detection of texts that are in the format of another provider.

use super::WireError;
use super::detect::wire_of_history;
use serde_json::{Map, Value};

/// The wire of a part of this type, if only one wire has it.
pub(super) fn wire_of_part(kind: &str) -> Option<&'static str> {
    match kind {
        "tool_use" | "tool_result" | "server_tool_use" | "redacted_thinking" => Some("anthropic"),
        "function_call" | "function_call_output" | "output_text" | "input_text" => Some("responses"),
        _ => None,
    }
}

/// The wire of a message or response with these fields.
pub(super) fn wire_of_fields(fields: &Map<String, Value>) -> Option<&'static str> {
    let kind = fields.get("type").and_then(Value::as_str);
    let has_array = |field| fields.get(field).is_some_and(Value::is_array);
    if kind == Some("message") && fields.contains_key("stop_reason") {
        Some("anthropic")
    } else if has_array("output") || kind.is_some_and(|kind| kind.starts_with("function_call")) {
        Some("responses")
    } else if has_array("candidates") || has_array("parts") {
        Some("gemini")
    } else if fields.get("output").is_some_and(|output| output.get("message").is_some()) {
        Some("bedrock")
    } else {
        None
    }
}

/// The wire of the body of a response that is not in the expected format.
pub(super) fn wire_of_response(body: &Value) -> Option<&'static str> {
    let fields = body.as_object()?;
    if fields.get("choices").is_some_and(Value::is_array) {
        return Some("chat_completions");
    }
    let parts = fields.get("content").and_then(Value::as_array).into_iter().flatten();
    let mut kinds = parts.filter_map(|part| part["type"].as_str());
    wire_of_fields(fields).or_else(|| kinds.find_map(wire_of_part))
}

/// The wire of the body of a request that is not in the expected format.
fn wire_of_request(body: &Value) -> Option<&'static str> {
    wire_of_history(body).or_else(|| body["messages"].is_array().then_some("chat_completions"))
}

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
