//! Calls that the model requests.

use super::wire::null_is_default;
use crate::tool_name;
use serde::de::IgnoredAny;
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// One entry of `tool_calls`: the tool that the model calls, and its arguments.
///
/// Reads every format that servers send: `arguments` as a string, an object, null or missing; `type` and `index`
/// present or missing.
///
/// ```
/// use tool_runtime::ToolCall;
///
/// let call: ToolCall = serde_json::from_str(
///     r#"{"index":0,"id":"call_1","function":{"name":"get_weather","arguments":{"city":"Beijing"}}}"#,
/// )?;
/// assert_eq!(call, ToolCall::new("call_1", "get_weather", r#"{"city":"Beijing"}"#));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ToolCall {
    /// The id that the `tool_call_id` of the tool message must have. Unique within one message at most: several servers
    /// count from `call_0` in each. Empty if the server sent none.
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// The arguments, as the model wrote them: the text of one JSON object if the call is well-formed. If a server sent
    /// an object instead of a string, the text is that object as `serde_json` writes it.
    pub arguments: String,
    /// Fields other than `id`, `type`, `index` and `function`.
    pub(crate) other: Map<String, Value>,
    /// Whether a name or arguments that servers reject are written in a repaired form: see [`Echo`](super::Echo).
    pub(super) written_repaired: bool,
    /// Whether the reply ended within the arguments of this call. Such a call never runs.
    pub(crate) is_cut_off: bool,
}

impl ToolCall {
    /// A call, for tests and for histories made by hand.
    #[must_use]
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: impl Into<String>) -> Self {
        ToolCall {
            id: id.into(),
            name: name.into(),
            arguments: arguments.into(),
            other: Map::new(),
            written_repaired: false,
            is_cut_off: false,
        }
    }

    /// The type of the call, if it is not `function`: for example OpenAI's `custom`, whose name and input are in a
    /// field named after the type. Such a call is written unchanged.
    pub(super) fn other_type(&self) -> Option<&str> {
        self.other.get("type")?.as_str()
    }

    /// The written form of the name.
    pub(crate) fn written_name(&self) -> Cow<'_, str> {
        if !self.written_repaired || tool_name::is_valid(&self.name) {
            Cow::Borrowed(&self.name)
        } else {
            Cow::Owned(tool_name::sanitize(&self.name))
        }
    }

    /// The written form of the arguments.
    pub(crate) fn written_arguments(&self) -> Cow<'_, str> {
        if !self.written_repaired || is_object(&self.arguments) {
            Cow::Borrowed(&self.arguments)
        } else if means_none(&self.arguments) {
            Cow::Borrowed("{}")
        } else {
            Cow::Owned(serde_json::json!({ "invalid_json": self.arguments }).to_string())
        }
    }

    /// Replaces the arguments of a call of an echo.
    pub(crate) fn set_arguments(&mut self, arguments: String) {
        if let Some(kind) = self.other_type().map(str::to_owned) {
            if let Some(called) = self.other.get_mut(&kind).and_then(Value::as_object_mut) {
                called.insert("input".to_owned(), Value::String(arguments.clone()));
            }
        }
        self.arguments = arguments;
        self.is_cut_off = false;
        self.decide_how_written();
    }

    /// Decides whether the name or the arguments are written in a repaired form, since servers reject them.
    pub(super) fn decide_how_written(&mut self) {
        self.written_repaired = !is_object(&self.arguments) || !tool_name::is_valid(&self.name);
    }

    /// Whether the call is written with a name or arguments that differ from its fields.
    pub(crate) fn is_written_repaired(&self) -> bool {
        self.written_repaired && self.other_type().is_none()
    }

    /// Whether the arguments are one JSON object, or mean no arguments.
    pub(crate) fn has_an_object(&self) -> bool {
        is_object(&self.arguments) || means_none(&self.arguments)
    }

    /// Whether the arguments are written as one JSON object, which some servers require.
    pub(crate) fn is_written_with_an_object(&self) -> bool {
        self.other_type().is_some() || self.written_repaired || is_object(&self.arguments)
    }

    /// Whether the name is written in a form that servers accept.
    pub(crate) fn is_written_with_a_usable_name(&self) -> bool {
        self.other_type().is_some() || self.written_repaired || tool_name::is_valid(&self.name)
    }
}

/// Whether the text means no arguments: it is empty, white space, or null, which some servers encode twice as `"null"`.
pub(crate) fn means_none(arguments: &str) -> bool {
    matches!(arguments.trim(), "" | "null" | "\"null\"" | "\"\"")
}

pub(crate) fn is_object(arguments: &str) -> bool {
    if !arguments.trim_start().starts_with('{') {
        return false;
    }
    // `IgnoredAny` accepts half of a surrogate pair, which no parser of strings accepts.
    if arguments.contains("\\u") {
        serde_json::from_str::<Value>(arguments).is_ok()
    } else {
        serde_json::from_str::<IgnoredAny>(arguments).is_ok()
    }
}

/// Compares what the model requested, but neither truncation nor how the call is written.
impl PartialEq for ToolCall {
    fn eq(&self, other: &Self) -> bool {
        (&self.id, &self.name, &self.arguments, &self.other)
            == (&other.id, &other.name, &other.arguments, &other.other)
    }
}

#[derive(Serialize)]
struct WrittenFunction<'a> {
    name: Cow<'a, str>,
    arguments: Cow<'a, str>,
}

impl Serialize for ToolCall {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &self.id)?;
        if self.other_type().is_none() {
            map.serialize_entry("type", "function")?;
            let function = WrittenFunction { name: self.written_name(), arguments: self.written_arguments() };
            map.serialize_entry("function", &function)?;
        }
        super::wire::write_other::<S>(&mut map, &self.other)?;
        map.end()
    }
}

#[derive(Deserialize)]
#[serde(expecting = "a tool call")]
struct ReadCall {
    #[serde(default)]
    id: Value,
    #[serde(default)]
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

impl<'de> Deserialize<'de> for ToolCall {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let ReadCall { id, function, mut other } = ReadCall::deserialize(deserializer)?;
        other.remove("index");
        let of_another_type = match (&function, &other.get("type")) {
            (None, Some(Value::String(kind))) if kind != "function" => other.get(kind),
            _ => None,
        };
        let (name, arguments) = if let Some(called) = of_another_type {
            (as_text(called["name"].clone()), as_text(called["input"].clone()))
        } else {
            other.remove("type");
            // Some servers leave out the `function` object around name and arguments.
            let function = function.unwrap_or_else(|| ReadFunction {
                name: as_text(other.remove("name").unwrap_or_default()),
                arguments: other.remove("arguments").unwrap_or_default(),
            });
            (function.name, as_text(function.arguments))
        };
        Ok(ToolCall { id: as_text(id), name, arguments, other, written_repaired: false, is_cut_off: false })
    }
}

/// Strings as they are, null as an empty string, any other value as its JSON.
pub(crate) fn as_text(value: Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text,
        other => other.to_string(),
    }
}
