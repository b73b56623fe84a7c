//! The reasoning of replies, in the fields and items of all providers.

use super::Report;
use crate::message::{AssistantMessage, Completeness, Extra, NativeItem, StandsFor};
use serde::Deserialize;
use serde_json::Value;

/// The fields of replies and calls with reasoning, or with signatures of it.
pub(super) const FIELDS: [&str; 6] =
    ["reasoning_content", "reasoning", "reasoning_details", "thinking", "extra_content", "thought_signature"];

/// The fields in which servers send reasoning as text. Some servers send the same text in `reasoning_content` and `reasoning`;
/// `thinking` is that of Ollama's own API.
pub(super) const SHOWN_FIELDS: [&str; 3] = ["reasoning_content", "reasoning", "thinking"];

pub(super) fn is_reasoning(field: &str) -> bool {
    FIELDS.contains(&field)
}

impl AssistantMessage {
    /// The reasoning of the model as text, if the provider sends it: in the fields `reasoning_content`, `reasoning` or
    /// `thinking`, or in items such as Anthropic's blocks of thinking and the summaries of Responses. Empty otherwise.
    #[must_use]
    pub fn reasoning(&self) -> String {
        if let Some(text) = self.reasoning_field() {
            return text.to_owned();
        }
        let items = self.native.iter().filter(|item| item.is_reasoning());
        let items = items.filter_map(|item| serde_json::from_str::<ReasoningItem>(&item.item).ok());
        items.map(ReasoningItem::into_text).collect()
    }

    /// The text of the reasoning in a field.
    pub(super) fn reasoning_field(&self) -> Option<&str> {
        let text_of = |field| self.extra(field).and_then(Value::as_str).filter(|text| !text.is_empty());
        SHOWN_FIELDS.into_iter().find_map(text_of)
    }
}

/// The fields of an item that have text of reasoning.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ReasoningItem {
    thinking: Option<String>,
    text: Option<String>,
    summary: Vec<ReasoningItem>,
    content: Option<Vec<ReasoningItem>>,
    /// Bedrock has the text in an object in an object.
    #[serde(rename = "reasoningContent", alias = "reasoningText")]
    inner: Option<Box<ReasoningItem>>,
}

impl ReasoningItem {
    fn into_text(self) -> String {
        let parts = self.summary.into_iter().chain(self.content.into_iter().flatten());
        let parts = parts.filter_map(|part| part.text);
        let inner = self.inner.map(|inner| inner.into_text());
        self.thinking.into_iter().chain(self.text).chain(parts).chain(inner).collect()
    }
}

/// The reasoning in fields that a request contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    None,
    /// That of its own wire.
    Own,
    /// All text, in the field of its own wire.
    Text,
}

/// Reports the reasoning and the native items of a reply that a request does not contain, and the calls in other forms.
pub(super) fn report_dropped(
    index: usize,
    reply: &AssistantMessage,
    wire: &str,
    kept: Kept,
    report: &mut Report,
) {
    if reply.origin.as_ref().is_some_and(|origin| origin.wire != wire) {
        for item in reply.native.iter().filter(|item| item.is_native_only()) {
            report.drop_part(index, NativeItem::kind(item));
        }
    } else if reply.completeness == Completeness::Unknown {
        // Of a history: the reply of a model has warnings of its own.
        for _ in reply.native.iter().filter(|item| item.stands_for == StandsFor::RejectedCall) {
            report.change(index, "a call is written with a name and arguments that the provider takes");
        }
    }
    let extras = || [&reply.extra].into_iter().chain(reply.tool_calls.iter().map(|call| &call.extra));
    // Fields of a history that was read are written as they were read.
    let own = extras()
        .filter(|_| reply.origin.is_some() && kept == Kept::None)
        .flat_map(|extra| extra.on_wire(wire));
    for (field, value) in own.chain(extras().flat_map(|extra| Extra::on_other_wires(extra, wire))) {
        let is_kept = kept == Kept::Text && SHOWN_FIELDS.contains(&&**field);
        if is_reasoning(field) && has_value(value) && !is_kept {
            report.drop_part(index, field.as_str());
        }
    }
}

fn has_value(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(details) => !details.is_empty(),
        _ => true,
    }
}
