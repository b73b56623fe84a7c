//! Calls: how entries of `tool_calls` are read and written.

use super::NAME;
use super::message::null_is_default;
use crate::json::remove_entry;
use crate::message::{Extra, ToolCall, is_object, means_none};
use crate::tool_name;
use crate::wire::reasoning::is_reasoning;
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// The name in a form that servers accept: they reject, for example, the dots and spaces that models invent.
pub(crate) fn written_name(call: &ToolCall) -> Cow<'_, str> {
    if tool_name::is_valid(&call.name) {
        Cow::Borrowed(&call.name)
    } else {
        Cow::Owned(tool_name::sanitize(&call.name))
    }
}

/// The arguments as the text of one JSON object, since several servers parse the arguments of a history again: `{}` if
/// they mean no arguments, and `{"invalid_json": ".."}` if they are not an object.
pub(crate) fn written_arguments(call: &ToolCall) -> Cow<'_, str> {
    if is_object(&call.arguments) {
        Cow::Borrowed(&call.arguments)
    } else if means_none(&call.arguments) {
        Cow::Borrowed("{}")
    } else {
        Cow::Owned(json!({ "invalid_json": call.arguments }).to_string())
    }
}

/// The further fields of a message or call that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    /// Every field: a request contained it.
    All,
    /// The reasoning.
    Reasoning,
    None,
}

impl Keep {
    pub(super) fn keeps(self, field: &str, value: &Value) -> bool {
        match self {
            Keep::All => true,
            Keep::Reasoning => is_reasoning(field) && !value.is_null(),
            Keep::None => false,
        }
    }
}

/// A call in a request.
pub(super) struct WrittenCall<'a> {
    pub(super) call: &'a ToolCall,
    pub(super) id: Cow<'a, str>,
    pub(super) keep: Keep,
}

#[derive(Serialize)]
struct WrittenFunction<'a> {
    name: Cow<'a, str>,
    arguments: Cow<'a, str>,
}

impl Serialize for WrittenCall<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let WrittenCall { call, ref id, keep } = *self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", id)?;
        let kind = other_type(call);
        map.serialize_entry("type", kind.unwrap_or("function"))?;
        if let Some(kind) = kind {
            map.serialize_entry(kind, &json!({ "name": call.name, "input": call.arguments }))?;
        } else {
            let function = WrittenFunction { name: written_name(call), arguments: written_arguments(call) };
            map.serialize_entry("function", &function)?;
        }
        for (field, value) in call.extra.on_wire(NAME) {
            if field != "type" && kind.is_none_or(|kind| field != kind) && keep.keeps(field, value) {
                map.serialize_entry(field, value)?;
            }
        }
        map.end()
    }
}

/// The type of the call, if it is not `function`: for example OpenAI's `custom`, whose name and input are in a field named
/// after the type. Its input is any text.
fn other_type(call: &ToolCall) -> Option<&str> {
    call.extra.on_wire(NAME).find(|(field, _)| *field == "type")?.1.as_str()
}

impl Serialize for ToolCall {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        WrittenCall { call: self, id: Cow::Borrowed(&self.id), keep: Keep::None }.serialize(serializer)
    }
}

#[derive(Deserialize)]
#[serde(expecting = "a tool call")]
struct ReadCall {
    #[serde(default)]
    id: Value,
    function: Option<ReadFunction>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(expecting = "the name and the arguments of a function")]
struct ReadFunction {
    #[serde(default, deserialize_with = "null_is_default")]
    name: String,
    #[serde(default)]
    arguments: Value,
}

/// Reads every form that servers send: `arguments` as a string, an object, null or missing; `type` and `index` present or
/// missing.
impl<'de> Deserialize<'de> for ToolCall {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let ReadCall { id, function, mut other } = ReadCall::deserialize(deserializer)?;
        remove_entry(&mut other, "index");
        let kind = other.get("type").and_then(Value::as_str).map(str::to_owned);
        let kind = kind.filter(|kind| function.is_none() && kind != "function");
        let (name, arguments) = if let Some(called) = kind.and_then(|kind| remove_entry(&mut other, &kind)) {
            (to_text(called["name"].clone()), to_text(called["input"].clone()))
        } else {
            remove_entry(&mut other, "type");
            // Some servers leave out the `function` object around name and arguments.
            let function = function.unwrap_or_else(|| ReadFunction {
                name: to_text(remove_entry(&mut other, "name").unwrap_or_default()),
                arguments: remove_entry(&mut other, "arguments").unwrap_or_default(),
            });
            (function.name, to_text(function.arguments))
        };
        Ok(ToolCall { extra: Extra::new(NAME, other), ..ToolCall::new(to_text(id), name, arguments) })
    }
}

/// Strings as they are, null as an empty string, any other value as its JSON.
pub(super) fn to_text(value: Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text,
        other => other.to_string(),
    }
}
