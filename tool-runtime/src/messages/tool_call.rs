//! A call that the model asks for.

use super::wire::null_is_default;
use serde::de::IgnoredAny;
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// One entry of `tool_calls`: which tool the model wants to run, and with what.
///
/// Reads every shape that servers send: `arguments` as text, as an object, as null or not at all; `type` and
/// `index` there or not.
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
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// What the answer's `tool_call_id` must be. Unique within one message at most: several servers count
    /// from `call_0` in each. Empty where the server sent none.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The text of the arguments, as the model wrote it: one JSON object when all is well. Where a server sent
    /// an object instead of a text, it is that object as `serde_json` writes it.
    pub arguments: String,
    /// Fields beside `id`, `type`, `index` and `function`.
    pub(super) other: Map<String, Value>,
    /// Whether arguments that servers refuse are mended as they are written: see [`Echo`](super::Echo).
    pub(super) written_mended: bool,
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
            written_mended: false,
        }
    }

    /// The arguments as they are written.
    fn written_arguments(&self) -> Cow<'_, str> {
        if !self.written_mended || is_object(&self.arguments) {
            Cow::Borrowed(&self.arguments)
        } else if means_none(&self.arguments) {
            Cow::Borrowed("{}")
        } else {
            Cow::Owned(serde_json::json!({ "invalid_json": self.arguments }).to_string())
        }
    }
}

/// Whether these arguments are those of a call that gives none: empty, white space, or a null, which some
/// servers write twice over as `"null"`.
pub(crate) fn means_none(arguments: &str) -> bool {
    matches!(arguments.trim(), "" | "null" | "\"null\"" | "\"\"")
}

pub(super) fn is_object(arguments: &str) -> bool {
    arguments.trim_start().starts_with('{') && serde_json::from_str::<IgnoredAny>(arguments).is_ok()
}

#[derive(Serialize)]
struct WrittenFunction<'a> {
    name: &'a str,
    arguments: Cow<'a, str>,
}

impl Serialize for ToolCall {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &self.id)?;
        map.serialize_entry("type", "function")?;
        let function = WrittenFunction { name: &self.name, arguments: self.written_arguments() };
        map.serialize_entry("function", &function)?;
        super::wire::write_other::<S>(&mut map, &self.other)?;
        map.end()
    }
}

#[derive(Deserialize)]
struct ReadCall {
    #[serde(default)]
    id: Value,
    #[serde(default)]
    function: Option<ReadFunction>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

#[derive(Deserialize)]
struct ReadFunction {
    #[serde(default, deserialize_with = "null_is_default")]
    name: String,
    #[serde(default)]
    arguments: Value,
}

impl<'de> Deserialize<'de> for ToolCall {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let ReadCall { id, function, mut other } = ReadCall::deserialize(deserializer)?;
        other.remove("type");
        other.remove("index");
        // Some servers leave the `function` around name and arguments away.
        let function = function.unwrap_or_else(|| ReadFunction {
            name: text(other.remove("name").unwrap_or_default()),
            arguments: other.remove("arguments").unwrap_or_default(),
        });
        let arguments = text(function.arguments);
        Ok(ToolCall { id: text(id), name: function.name, arguments, other, written_mended: false })
    }
}

/// A string as it is, nothing as nothing, anything else as its JSON.
fn text(value: Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text,
        other => other.to_string(),
    }
}
