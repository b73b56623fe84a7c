//! Detection of the wire of a history.

use super::other_wires::{wire_of_fields, wire_of_part};
use serde_json::Value;

/// The name of the wire of a history: of the body of a request, or of its list of messages, items or contents. `None` if
/// the text is neither.
///
/// [`by_name`](super::by_name) has the wire of the name, and [`Wire::read_messages`](super::Wire::read_messages) reads the
/// messages. There may be no such wire in this crate: the name is `bedrock` for the format of Amazon's Converse API.
///
/// The first message decides that has a field, a role or a part of only one format; after them, the fields `system` and
/// `tools` of a request. Without any, a list of messages with roles is `chat_completions`, although messages of plain text
/// are the same in the formats of Anthropic and the Responses API.
///
/// ```
/// use tool_runtime::wire;
///
/// assert_eq!(wire::detect(r#"{"contents":[{"role":"user","parts":[{"text":"Hello!"}]}]}"#), Some("gemini"));
/// assert_eq!(wire::detect(r#"[{"type":"function_call_output","call_id":"call_1","output":"4"}]"#), Some("responses"));
/// assert_eq!(wire::detect(r#"[{"role":"user","content":"Hello!"}]"#), Some("chat_completions"));
/// assert_eq!(wire::detect("Hello!"), None);
/// ```
#[must_use]
pub fn detect(history: &str) -> Option<&'static str> {
    let body: Value = serde_json::from_str(history).ok()?;
    if let Some(wire) = wire_of_history(&body) {
        return Some(wire);
    }
    let messages = body.as_array().or_else(|| body["messages"].as_array())?;
    messages.iter().all(|message| message["role"].is_string()).then_some("chat_completions")
}

/// The wire of a history, if it has anything that only one format has.
pub(super) fn wire_of_history(body: &Value) -> Option<&'static str> {
    if let Some(elements) = body.as_array() {
        return elements.iter().find_map(wire_of_element);
    }
    if body["contents"].is_array() {
        return Some("gemini");
    }
    if !body["input"].is_null() {
        return Some("responses");
    }
    let wire = body["messages"].as_array()?.iter().find_map(wire_of_element);
    wire.or_else(|| {
        let has_schema = |tool: &Value| tool["input_schema"].is_object();
        let is_of_anthropic =
            !body["system"].is_null() || body["tools"].as_array().into_iter().flatten().any(has_schema);
        is_of_anthropic.then_some("anthropic")
    })
}

/// The wire of a message, an item or a content.
fn wire_of_element(element: &Value) -> Option<&'static str> {
    let fields = element.as_object()?;
    if !element["tool_calls"].is_null() || matches!(element["role"].as_str(), Some("tool" | "function")) {
        // Gemini has contents of the role `function`.
        return Some(if element["parts"].is_array() { "gemini" } else { "chat_completions" });
    }
    let mut parts = element["content"].as_array().into_iter().flatten();
    let of_part = parts.find_map(wire_of_content_part);
    of_part.or_else(|| wire_of_fields(fields)).or_else(|| {
        let kind = element["type"].as_str()?;
        let is_item = matches!(kind, "message" | "reasoning" | "item_reference")
            || kind.ends_with("_call")
            || kind.ends_with("_call_output");
        is_item.then_some("responses")
    })
}

fn wire_of_content_part(part: &Value) -> Option<&'static str> {
    let Some(kind) = part["type"].as_str() else {
        let is_of_bedrock = ["text", "toolUse", "toolResult"].iter().any(|field| !part[*field].is_null());
        return is_of_bedrock.then_some("bedrock");
    };
    match kind {
        "image_url" | "input_audio" | "file" => Some("chat_completions"),
        "input_image" | "input_file" => Some("responses"),
        "image" | "document" if part["source"].is_object() => Some("anthropic"),
        // Mistral has thinking with a list of parts.
        "thinking" if part["thinking"].is_string() => Some("anthropic"),
        kind if kind.ends_with("tool_use") || kind.ends_with("tool_result") => Some("anthropic"),
        kind => wire_of_part(kind),
    }
}
