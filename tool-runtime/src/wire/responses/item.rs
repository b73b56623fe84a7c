//! Items of replies.

use super::custom_tool::CustomTools;
use super::{NAME, reply};
use crate::fingerprint::Fingerprint;
use crate::message::{AssistantMessage, Extra, ItemKind, NativeItem, ToolCall, is_object};
use crate::tool_name;
use crate::wire::WireError;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

/// An item of a reply.
pub(super) struct Item {
    pub(super) content: ItemContent,
    /// Whether the reply ended within the item.
    pub(super) is_incomplete: bool,
}

/// The neutral content of an item.
pub(super) enum ItemContent {
    Text {
        text: Option<String>,
        refusal: Option<String>,
    },
    Call(ToolCall),
    Reasoning,
    /// A call of a tool that the provider runs, for example.
    Native,
}

#[derive(Deserialize)]
struct ReadItem {
    #[serde(default)]
    r#type: Value,
    #[serde(default)]
    role: Value,
    #[serde(default)]
    status: Value,
    #[serde(default)]
    content: Value,
    #[serde(default)]
    call_id: Value,
    #[serde(default)]
    name: Value,
    #[serde(default)]
    arguments: Value,
    #[serde(default)]
    input: Value,
}

impl Item {
    pub(super) fn read(json: &str, custom_tools: &CustomTools) -> Result<Self, serde_json::Error> {
        let item: ReadItem = serde_json::from_str(json)?;
        let is_incomplete = item.status == "incomplete";
        let content = match item.r#type.as_str() {
            Some("function_call") => {
                let arguments = match item.arguments {
                    Value::String(arguments) => arguments,
                    Value::Null => String::new(),
                    arguments => arguments.to_string(),
                };
                ItemContent::Call(ToolCall::new(text(item.call_id), text(item.name), arguments))
            }
            Some("custom_tool_call") => ItemContent::Call(custom_call(
                text(item.call_id),
                text(item.name),
                text(item.input),
                custom_tools,
            )),
            Some("reasoning") => ItemContent::Reasoning,
            Some("message") | None if item.role == "assistant" || item.role.is_null() => {
                read_message(&item.content)
            }
            _ => ItemContent::Native,
        };
        Ok(Item { content, is_incomplete })
    }

    /// The kind of the item. The API rejects names that models invent, such as `multi_tool_use.parallel`, and may reject
    /// arguments that are not an object.
    pub(super) fn kind(&self) -> Option<ItemKind> {
        match &self.content {
            ItemContent::Text { .. } => Some(ItemKind::Text),
            ItemContent::Call(call) => {
                let is_valid =
                    tool_name::is_valid(&call.name) && (is_custom(call) || is_object(&call.arguments));
                is_valid.then_some(ItemKind::Call)
            }
            ItemContent::Reasoning => Some(ItemKind::Reasoning),
            ItemContent::Native => Some(ItemKind::Native),
        }
    }
}

fn text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        _ => String::new(),
    }
}

/// A call of a custom tool. The arguments of one that the wire does not know are its text.
fn custom_call(id: String, name: String, input: String, custom_tools: &CustomTools) -> ToolCall {
    if let Some(arguments) = custom_tools.arguments(&name, &input) {
        return ToolCall::new(id, name, arguments);
    }
    let kind = Map::from_iter([("type".to_owned(), json!("custom"))]);
    ToolCall { extra: Extra::new(NAME, kind), ..ToolCall::new(id, name, input) }
}

/// Whether the arguments of the call are any text.
pub(super) fn is_custom(call: &ToolCall) -> bool {
    call.extra.on_wire(NAME).any(|(field, value)| field == "type" && value == "custom")
}

/// Whether a reply with these items, if it is truncated, may have ended within the text of a call of a custom tool. Such an
/// item need not have a `status`.
pub(super) fn may_end_in_text(items: &[&RawValue]) -> bool {
    #[derive(Deserialize)]
    struct Head {
        #[serde(default)]
        r#type: Value,
        #[serde(default)]
        status: Value,
    }
    let last = items.last().and_then(|item| serde_json::from_str::<Head>(item.get()).ok());
    last.is_some_and(|last| last.r#type == "custom_tool_call" && last.status != "completed")
}

fn read_message(content: &Value) -> ItemContent {
    if let Value::String(text) = content {
        return ItemContent::Text { text: Some(text.clone()), refusal: None };
    }
    let parts = content.as_array().map(Vec::as_slice).unwrap_or_default();
    let join = |kind: &str, field: &str| {
        let parts = parts.iter().filter(|part| part["type"] == kind);
        parts.filter_map(|part| part[field].as_str()).map(str::to_owned).reduce(|all, part| all + &part)
    };
    ItemContent::Text { text: join("output_text", "text"), refusal: join("refusal", "refusal") }
}

/// The reply with these items.
pub(super) fn read_items(
    items: &[&RawValue],
    custom_tools: &CustomTools,
) -> Result<AssistantMessage, WireError> {
    let mut reply = AssistantMessage::default();
    let mut text: Option<String> = None;
    let mut kinds = Vec::with_capacity(items.len());
    for raw in items {
        let item =
            Item::read(raw.get(), custom_tools).map_err(|error| reply::unexpected(error.to_string()))?;
        let kind = item.kind();
        let mut call_index = None;
        match item.content {
            ItemContent::Text { text: piece, refusal } => {
                if let Some(piece) = piece {
                    text.get_or_insert_default().push_str(&piece);
                }
                if let Some(refusal) = refusal {
                    reply.refusal.get_or_insert_default().push_str(&refusal);
                }
            }
            ItemContent::Call(mut call) => {
                call.is_truncated = item.is_incomplete;
                call_index = Some(reply.tool_calls.len());
                reply.tool_calls.push(call);
            }
            ItemContent::Reasoning | ItemContent::Native => {}
        }
        kinds.push((kind, call_index));
    }
    let whole_text = Fingerprint::new(&[text.as_deref().unwrap_or_default()]);
    for (raw, (kind, call_index)) in items.iter().zip(kinds) {
        let json = raw.get().to_owned();
        let call = call_index.and_then(|index| reply.tool_calls.get(index));
        reply.native.extend(match (kind, call) {
            (Some(ItemKind::Call), Some(call)) => Some(NativeItem::from_call(json, call)),
            (Some(ItemKind::Text), _) => Some(NativeItem::from_text(json, whole_text)),
            (Some(ItemKind::Reasoning), _) => Some(NativeItem::from_reasoning(json)),
            (Some(ItemKind::Native), _) => Some(NativeItem::new(json)),
            _ => None,
        });
    }
    reply.content = text.map(Into::into);
    Ok(reply)
}
