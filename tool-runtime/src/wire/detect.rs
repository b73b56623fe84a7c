//! Detection of the wire of a history.

use serde_json::{Map, Value};

/// Returns the name of the wire of a history, which is the body of a request or its array of messages, items or contents.
/// `None` if the text is none of these.
///
/// [`by_name`](super::by_name) has the wire of the name, and [`Wire::read_messages`](super::Wire::read_messages) reads the
/// messages. The crate may have no wire of this name: `bedrock` is the format of Amazon's Converse API.
///
/// The first message with a field, a role or a part that only one format has decides. If there is none, the fields `system`
/// and `tools` of the request decide. Otherwise, a list of messages with roles is `chat_completions`; messages of plain text
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
fn wire_of_history(body: &Value) -> Option<&'static str> {
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
        return if element["parts"].is_array() { Some("gemini") } else { wire_of_calls(element) };
    }
    if element["images"].is_array() || element["thinking"].is_string() {
        return Some("ollama");
    }
    let mut parts = element["content"].as_array().into_iter().flatten();
    let of_part = parts.find_map(wire_of_content_part);
    of_part.or_else(|| wire_of_fields(fields)).or_else(|| {
        let kind = element["type"].as_str()?;
        let is_item = matches!(kind, "message" | "reasoning" | "item_reference" | "tool_search_output")
            || kind.ends_with("_call")
            || kind.ends_with("_call_output");
        is_item.then_some("responses")
    })
}

/// The wire of a message with calls or a result, which has the same fields in Chat Completions and at Ollama.
///
/// Some servers of Chat Completions, such as llama.cpp, also send and take arguments that are objects. So a call with both an
/// object and an id decides nothing: the result after it does.
fn wire_of_calls(element: &Value) -> Option<&'static str> {
    let calls = element["tool_calls"].as_array().into_iter().flatten();
    let mut of_objects = calls.filter(|call| call["function"]["arguments"].is_object()).peekable();
    if of_objects.peek().is_some() {
        return of_objects.all(|call| call["id"].is_null()).then_some("ollama");
    }
    Some(if element["tool_name"].is_string() { "ollama" } else { "chat_completions" })
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
    if fields.get("message").is_some_and(Value::is_object)
        && fields.get("done").is_some_and(Value::is_boolean)
    {
        return Some("ollama");
    }
    let parts = fields.get("content").and_then(Value::as_array).into_iter().flatten();
    let mut kinds = parts.filter_map(|part| part["type"].as_str());
    wire_of_fields(fields).or_else(|| kinds.find_map(wire_of_part))
}

/// The wire of the body of a request that is not in the expected format.
pub(super) fn wire_of_request(body: &Value) -> Option<&'static str> {
    wire_of_history(body).or_else(|| body["messages"].is_array().then_some("chat_completions"))
}
