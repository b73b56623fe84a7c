//! Detection of the wire of a history.

use super::chat_completions;
use super::provider::PROVIDERS;
use crate::json::replace_lone_surrogates;
use serde_json::{Map, Value};

/// Returns the name of the wire of a history, which is the body of a request or its array of messages, items or contents.
/// `None` if the text is none of these.
///
/// [`by_name`](super::by_name) has the wire of the name, and [`Wire::read_messages`](super::Wire::read_messages) reads the
/// messages, if its feature is enabled.
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
    let body: Value = serde_json::from_str(&replace_lone_surrogates(history)).ok()?;
    if let Some(wire) = wire_of_history(&body) {
        return Some(wire);
    }
    let messages = body.as_array().or_else(|| body["messages"].as_array())?;
    messages.iter().all(|message| message["role"].is_string()).then_some(chat_completions::NAME)
}

/// A part of a text whose format is unknown.
#[derive(Clone, Copy)]
pub(crate) enum Excerpt<'a> {
    /// The body of a request, whose messages may be in a field that only one format has.
    Request(&'a Value),
    /// The body of a request with `messages`, none of which decides.
    RequestOfMessages(&'a Value),
    /// A message that has `tool_calls` or the role of a result, and that may be a content of another format.
    Content(&'a Value),
    /// A message that has `tool_calls` or the role of a result.
    CallsOrResult(&'a Value),
    /// A message without calls, before its parts.
    Message(&'a Value),
    /// A part of the content of a message.
    Part(&'a Value),
    /// The type of a part.
    PartType(&'a str),
    /// The fields of a message or a response.
    Fields(&'a Map<String, Value>),
    /// The type of a message or an item.
    ElementType(&'a str),
    /// The fields of a response.
    Response(&'a Map<String, Value>),
}

impl Excerpt<'_> {
    /// The wire of the first format that recognizes this excerpt.
    fn wire(self) -> Option<&'static str> {
        PROVIDERS.into_iter().find(|format| (format.recognizes)(self)).map(|format| format.name)
    }
}

/// Whether the field is an array.
pub(super) fn has_array(fields: &Map<String, Value>, field: &str) -> bool {
    fields.get(field).is_some_and(Value::is_array)
}

/// The wire of a history, if it has anything that only one format has.
fn wire_of_history(body: &Value) -> Option<&'static str> {
    if let Some(elements) = body.as_array() {
        return elements.iter().find_map(wire_of_element);
    }
    Excerpt::Request(body).wire().or_else(|| {
        let wire = body["messages"].as_array()?.iter().find_map(wire_of_element);
        wire.or_else(|| Excerpt::RequestOfMessages(body).wire())
    })
}

/// The wire of a message, an item or a content.
fn wire_of_element(element: &Value) -> Option<&'static str> {
    let fields = element.as_object()?;
    if !element["tool_calls"].is_null() || matches!(element["role"].as_str(), Some("tool" | "function")) {
        return Excerpt::Content(element).wire().or_else(|| Excerpt::CallsOrResult(element).wire());
    }
    let mut parts = element["content"].as_array().into_iter().flatten();
    let wire_of = |part: &Value| Excerpt::Part(part).wire().or_else(|| wire_of_part(part["type"].as_str()?));
    let wire = Excerpt::Message(element).wire().or_else(|| parts.find_map(wire_of));
    let wire = wire.or_else(|| wire_of_fields(fields));
    wire.or_else(|| Excerpt::ElementType(element["type"].as_str()?).wire())
}

/// The wire of a part of this type, if only one wire has it.
pub(super) fn wire_of_part(kind: &str) -> Option<&'static str> {
    Excerpt::PartType(kind).wire()
}

/// The wire of a message or response with these fields.
pub(super) fn wire_of_fields(fields: &Map<String, Value>) -> Option<&'static str> {
    Excerpt::Fields(fields).wire()
}

/// The wire of the body of a response that is not in the expected format.
pub(super) fn wire_of_response(body: &Value) -> Option<&'static str> {
    let fields = body.as_object()?;
    let parts = fields.get("content").and_then(Value::as_array).into_iter().flatten();
    let mut kinds = parts.filter_map(|part| part["type"].as_str());
    let wire = Excerpt::Response(fields).wire().or_else(|| wire_of_fields(fields));
    wire.or_else(|| kinds.find_map(wire_of_part))
}

/// The wire of the body of a request that is not in the expected format.
pub(super) fn wire_of_request(body: &Value) -> Option<&'static str> {
    wire_of_history(body).or_else(|| body["messages"].is_array().then_some(chat_completions::NAME))
}
