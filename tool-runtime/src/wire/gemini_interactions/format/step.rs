//! Steps of replies: <https://ai.google.dev/api/interactions-api#Resource:Step>.

use super::content::join_text;
use super::{SKIP_VALIDATION, names};
use crate::message::{AssistantMessage, ItemContent, ReadItem, ToolCall, is_object};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// The fields of a step that decide how it is read, and how it goes back. All are empty for what is written anew.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct StepHead<'a> {
    pub(super) r#type: Value,
    pub(super) id: Value,
    pub(super) name: Value,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    signature: Value,
    content: Value,
    error: Value,
}

/// Whether a call is the last step that is not an empty text.
pub(super) fn ends_with_call(steps: &[&RawValue]) -> bool {
    let mut heads = steps.iter().rev().filter_map(|raw| serde_json::from_str::<StepHead<'_>>(raw.get()).ok());
    let last = heads.find(|head| {
        head.r#type != "model_output" || join_text(&head.content).is_none_or(|text| !text.is_empty())
    });
    last.is_some_and(|head| head.r#type == "function_call")
}

/// The reply with these steps as its items.
pub(super) fn read_steps(steps: &[&RawValue]) -> serde_json::Result<AssistantMessage> {
    let mut items = Vec::with_capacity(steps.len());
    let mut refusal = None;
    for raw in steps {
        let head: StepHead<'_> = serde_json::from_str(raw.get())?;
        refusal = head.error["message"].as_str().map(str::to_owned).or(refusal);
        // A retrieved interaction may have its input. The writer adds this thought.
        let is_input = matches!(head.r#type.as_str(), Some("user_input" | "function_result"));
        if !is_input && head.signature != SKIP_VALIDATION {
            items.push(read_step(raw, &head));
        }
    }
    Ok(AssistantMessage { refusal, ..AssistantMessage::from_items(items) })
}

fn read_step(raw: &RawValue, head: &StepHead<'_>) -> ReadItem {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut is_valid = true;
    let content = match head.r#type.as_str() {
        Some("function_call") => {
            let (name, arguments) = (text(&head.name), head.arguments.map_or("{}", RawValue::get));
            is_valid = is_object(arguments) && head.arguments.is_some() && !name.is_empty();
            ItemContent::Call(ToolCall::new(text(&head.id), names::read(&name), arguments))
        }
        Some("thought") => ItemContent::Reasoning,
        Some("model_output") => join_text(&head.content).map_or(ItemContent::Native, ItemContent::Text),
        _ => ItemContent::Native,
    };
    ReadItem { json: raw.get().to_owned(), content, is_valid }
}
