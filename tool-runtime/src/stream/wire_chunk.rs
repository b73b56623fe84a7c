//! The JSON format of chunks, and how it is read.

use crate::message::{Content, is_no_reason};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

#[derive(Deserialize)]
#[serde(expecting = "a chunk")]
pub(super) struct WireChunk {
    #[serde(default)]
    pub(super) choices: Option<Vec<Choice>>,
    // Fields in which servers report errors: see `server_error`.
    #[serde(default)]
    pub(super) object: Value,
    #[serde(default)]
    pub(super) error: Value,
    #[serde(default)]
    pub(super) errors: Value,
    #[serde(default)]
    pub(super) message: Value,
    #[serde(default)]
    pub(super) msg: Value,
    #[serde(default)]
    pub(super) detail: Value,
    #[serde(default)]
    pub(super) error_message: Value,
    /// `MiniMax` sends it in each chunk.
    #[serde(default)]
    pub(super) base_resp: Value,
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "a choice")]
pub(super) struct Choice {
    #[serde(default, deserialize_with = "read_index")]
    pub(super) index: Option<i64>,
    #[serde(default)]
    pub(super) delta: Option<Delta>,
    /// The complete reply instead of a delta, from a server that does not stream.
    #[serde(default)]
    pub(super) message: Option<Delta>,
    #[serde(default, deserialize_with = "read_reason")]
    pub(super) finish_reason: Option<String>,
    #[serde(default)]
    pub(super) error: Value,
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "a delta")]
pub(super) struct Delta {
    #[serde(default, rename = "role")]
    _role: IgnoredAny,
    #[serde(default)]
    pub(super) content: Option<Content>,
    #[serde(default)]
    pub(super) tool_calls: Option<Vec<Option<CallDelta>>>,
    #[serde(flatten)]
    pub(super) other: Map<String, Value>,
}

/// A piece of a call.
#[derive(Debug, Deserialize)]
#[serde(expecting = "a piece of a tool call")]
pub(super) struct CallDelta {
    #[serde(default, deserialize_with = "read_index")]
    pub(super) index: Option<i64>,
    #[serde(default)]
    pub(super) id: Value,
    #[serde(default, rename = "type")]
    _type: IgnoredAny,
    #[serde(default)]
    pub(super) function: Option<FunctionDelta>,
    /// Instead of a function, for OpenAI's custom tools.
    #[serde(default)]
    pub(super) custom: Option<FunctionDelta>,
    // Fields without a `function` object around them.
    #[serde(default)]
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) arguments: Option<Value>,
    #[serde(flatten)]
    pub(super) other: Map<String, Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(expecting = "a piece of the name and the arguments of a function")]
pub(super) struct FunctionDelta {
    #[serde(default)]
    pub(super) name: Option<String>,
    /// A piece of their text, or a complete object.
    #[serde(default)]
    pub(super) arguments: Option<Value>,
    /// The arguments of a custom tool.
    #[serde(default)]
    pub(super) input: Option<Value>,
}

/// A number, which some servers write as a string.
fn read_index<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i64>, D::Error> {
    let index = Value::deserialize(deserializer)?;
    Ok(index.as_i64().or_else(|| index.as_str()?.parse().ok()))
}

/// A string. Placeholders for a missing reason are read as `None`.
fn read_reason<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::String(reason) if !is_no_reason(&reason) => Ok(Some(reason)),
        _ => Ok(None),
    }
}

impl WireChunk {
    pub(super) fn from_text(text: &str) -> serde_json::Result<Self> {
        // Much faster than through a `Value`.
        serde_json::from_str(text).or_else(|error| match serde_json::from_str(text) {
            Ok(mut value) => Self::from_value(&mut value),
            Err(_) => Err(error),
        })
    }

    pub(super) fn from_value(chunk: &mut Value) -> serde_json::Result<Self> {
        WireChunk::deserialize(&*chunk).or_else(|error| {
            tidy(chunk);
            WireChunk::deserialize(&*chunk).map_err(|_| error)
        })
    }
}

/// Removes values of undocumented types without content: for example `[]` instead of an empty object, as PHP writes it.
fn tidy(chunk: &mut Value) {
    let Some(choices) = chunk.get_mut("choices").and_then(Value::as_array_mut) else { return };
    choices.retain(Value::is_object);
    for choice in choices {
        for field in ["delta", "message"] {
            let Some(delta) = choice.get_mut(field) else { continue };
            if !delta.is_object() {
                *delta = Value::Null;
                continue;
            }
            let content = &mut delta["content"];
            if content.is_number() || content.is_boolean() {
                *content = content.to_string().into();
            }
            let calls = &mut delta["tool_calls"];
            *calls = match calls.take() {
                Value::Array(calls) => calls.into_iter().filter(Value::is_object).collect(),
                call @ Value::Object(_) => json!([call]),
                _ => Value::Null,
            };
        }
    }
}
