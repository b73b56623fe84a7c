//! Items of replies.

use super::custom_tool::CustomTools;
use super::provider_calls::ProviderCall;
use super::reply::REPLY;
use super::{NAME, Responses, tool_search};
use crate::message::{AssistantMessage, Extra, ItemContent, ReadItem, ToolCall, is_object};
use crate::tool_name::{self, SEARCH_TOOLS};
use crate::wire::WireError;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

const NAMESPACE: &str = "namespace";
const CALLER: &str = "caller";

/// An item of a reply.
pub(super) struct Item {
    /// Its call is truncated if the reply ended within the item.
    pub(super) read: ReadItem,
    /// Empty if it has none.
    pub(super) id: String,
    pub(super) refusal: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Fields {
    r#type: Value,
    id: Value,
    role: Value,
    status: Value,
    content: Value,
    call_id: Value,
    name: Value,
    arguments: Value,
    input: Value,
    execution: Value,
    namespace: Value,
    caller: Value,
}

impl Item {
    pub(super) fn read(raw: &RawValue, wire: &Responses) -> Result<Self, serde_json::Error> {
        let item: Fields = serde_json::from_str(raw.get())?;
        let is_incomplete = item.status == "incomplete";
        let mut refusal = None;
        // The API rejects arguments that are not text: https://github.com/anthropics/claude-code/issues/62150.
        let has_text = match item.r#type.as_str() {
            Some("function_call") => item.arguments.is_string(),
            Some("custom_tool_call") => item.input.is_string(),
            _ => true,
        };
        let mut content = match item.r#type.as_str() {
            Some("function_call") => {
                let call = ToolCall::new(text(item.call_id), text(item.name), arguments(item.arguments));
                ItemContent::Call(with_fields(call, item.namespace, item.caller))
            }
            Some("custom_tool_call") => {
                let (id, name, input) = (text(item.call_id), text(item.name), text(item.input));
                let call = custom_call(id, name, input, &wire.custom_tools);
                ItemContent::Call(with_fields(call, item.namespace, item.caller))
            }
            // The provider runs other searches itself.
            Some(tool_search::CALL) if item.execution == tool_search::CLIENT => {
                let call = ToolCall::new(text(item.call_id), SEARCH_TOOLS, arguments(item.arguments));
                ItemContent::Call(call)
            }
            Some("reasoning") => ItemContent::Reasoning,
            Some("message") | None if item.role == "assistant" || item.role.is_null() => {
                refusal = join(&item.content, "refusal", "refusal");
                match item.content {
                    Value::String(text) => ItemContent::Text(text),
                    content => ItemContent::Text(join_text(&content)),
                }
            }
            Some(kind) => {
                match ProviderCall::from_call_type(kind).and_then(|call| call.read(raw.get(), &wire.tools)) {
                    Some(call) => ItemContent::Call(with_fields(call, Value::Null, item.caller)),
                    None => ItemContent::Native,
                }
            }
            None => ItemContent::Native,
        };
        // The API rejects names that models invent, such as `multi_tool_use.parallel`, and may reject arguments that are
        // not an object, when the item goes back.
        let mut is_valid = true;
        if let ItemContent::Call(call) = &mut content {
            call.is_truncated = is_incomplete;
            is_valid = has_text
                && tool_name::is_valid(&call.name)
                && (is_custom(call) || is_object(&call.arguments));
        }
        let read = ReadItem { json: raw.get().to_owned(), content, is_valid };
        Ok(Item { read, id: text(item.id), refusal })
    }
}

/// The string; empty if it is none.
pub(super) fn text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        _ => String::new(),
    }
}

/// The text of arguments: a string for functions, an object for searches.
fn arguments(value: Value) -> String {
    match value {
        Value::String(arguments) => arguments,
        Value::Null => String::new(),
        arguments => arguments.to_string(),
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

/// The call with its namespace, which it keeps if its item is written anew, and with its caller, which its result has too.
fn with_fields(mut call: ToolCall, namespace: Value, caller: Value) -> ToolCall {
    let new = [(NAMESPACE, namespace), (CALLER, caller)].into_iter().filter(|(_, value)| !value.is_null());
    let mut fields = call.extra.to_map(NAME);
    fields.extend(new.map(|(field, value)| (field.to_owned(), value)));
    call.extra = Extra::new(NAME, fields);
    call
}

/// The caller of a call: a program of the model, or the model itself.
pub(super) fn caller(call: &ToolCall) -> Option<&Value> {
    call.extra.on_wire(NAME).find(|(field, _)| *field == CALLER).map(|(_, caller)| caller)
}

/// The namespace of a call, which the API requires when the call goes back.
pub(super) fn namespace(call: &ToolCall) -> Option<&str> {
    let mut fields = call.extra.on_wire(NAME);
    fields.find(|(field, _)| *field == NAMESPACE).and_then(|(_, namespace)| namespace.as_str())
}

/// Whether the arguments of the call are any text.
pub(super) fn is_custom(call: &ToolCall) -> bool {
    call.extra.on_wire(NAME).any(|(field, value)| field == "type" && value == "custom")
}

/// The fields of an item that are needed before it is read.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Head {
    pub(super) r#type: Value,
    pub(super) execution: Value,
    status: Value,
}

/// Whether a reply with these items, if it is truncated, may have ended within the text of a call of a custom tool. Such an
/// item need not have a `status`.
pub(super) fn may_end_in_text(items: &[&RawValue]) -> bool {
    let last = items.last().and_then(|item| serde_json::from_str::<Head>(item.get()).ok());
    last.is_some_and(|last| last.r#type == "custom_tool_call" && last.status != "completed")
}

/// The text of the parts of this type.
fn join(parts: &Value, kind: &str, field: &str) -> Option<String> {
    let parts = parts.as_array().into_iter().flatten().filter(|part| part["type"] == kind);
    parts.filter_map(|part| part[field].as_str()).map(str::to_owned).reduce(|all, part| all + &part)
}

/// The text of the parts of a reply, including those with the type of an input, which other programs write.
fn join_text(parts: &Value) -> String {
    let parts = parts.as_array().into_iter().flatten();
    let is_text =
        |part: &&Value| matches!(part["type"].as_str(), Some("output_text" | "input_text" | "text"));
    parts.filter(is_text).filter_map(|part| part["text"].as_str()).collect()
}

/// The message of a reply in the form that the API accepts; `None` if no change is needed. `dropped` gets the
/// types of the parts that a reply cannot have.
pub(super) fn accepted_message(json: &str, mut dropped: impl FnMut(&str)) -> Option<Value> {
    let mut message: Value = serde_json::from_str(json).ok()?;
    let parts = match message.get_mut("content")? {
        Value::String(_) => return None,
        Value::Array(parts) => parts,
        other => {
            *other = "".into();
            return Some(message);
        }
    };
    let is_accepted = |part: &Value| matches!(part["type"].as_str(), Some("output_text" | "refusal"));
    if parts.iter().all(is_accepted) {
        return None;
    }
    parts.retain_mut(|part| {
        let is_text = matches!(part["type"].as_str(), Some("input_text" | "text"));
        if is_text {
            part["type"] = "output_text".into();
        } else if !is_accepted(part) {
            dropped(part["type"].as_str().unwrap_or("part"));
            return false;
        }
        true
    });
    Some(message)
}

/// The reply with these items.
pub(super) fn read_items(items: &[&RawValue], wire: &Responses) -> Result<AssistantMessage, WireError> {
    let mut refusal: Option<String> = None;
    let mut read = Vec::with_capacity(items.len());
    for raw in items {
        let item = Item::read(raw, wire).map_err(|error| REPLY.unexpected(error))?;
        if let Some(piece) = item.refusal {
            refusal.get_or_insert_default().push_str(&piece);
        }
        read.push(item.read);
    }
    let mut reply = AssistantMessage::from_items(read);
    if refusal.is_some() {
        reply.content = reply.content.filter(|content| !content.is_empty());
    }
    reply.refusal = refusal;
    Ok(reply)
}
