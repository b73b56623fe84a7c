//! What servers send as a chunk, and in its place.

use super::StreamError;
use crate::messages::{Content, error_text, is_no_reason};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

#[derive(Deserialize)]
#[serde(expecting = "a chunk")]
pub(super) struct WireChunk {
    #[serde(default)]
    pub(super) choices: Option<Vec<Choice>>,
    // Where servers say that something is wrong, some of them in one of these alone.
    #[serde(default)]
    object: Value,
    #[serde(default)]
    error: Value,
    #[serde(default)]
    errors: Value,
    #[serde(default)]
    message: Value,
    #[serde(default)]
    msg: Value,
    #[serde(default)]
    detail: Value,
    #[serde(default)]
    error_message: Value,
    /// In each chunk of `MiniMax`.
    #[serde(default)]
    base_resp: Value,
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "a choice")]
pub(super) struct Choice {
    #[serde(default, deserialize_with = "read_index")]
    pub(super) index: Option<i64>,
    #[serde(default)]
    pub(super) delta: Option<Delta>,
    /// In the place of a delta: the whole reply, of a server that does not stream.
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
    /// In the place of a function: OpenAI's custom tools.
    #[serde(default)]
    pub(super) custom: Option<FunctionDelta>,
    // Without a `function` around them.
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
    /// A piece of their text; an object, where it comes whole.
    #[serde(default)]
    pub(super) arguments: Option<Value>,
    /// What custom tools have in its place.
    #[serde(default)]
    pub(super) input: Option<Value>,
}

/// A number, which some servers write as a text.
fn read_index<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i64>, D::Error> {
    let index = Value::deserialize(deserializer)?;
    Ok(index.as_i64().or_else(|| index.as_str()?.parse().ok()))
}

/// A text. What servers write while there is no reason is none.
fn read_reason<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::String(reason) if !is_no_reason(&reason) => Ok(Some(reason)),
        _ => Ok(None),
    }
}

impl WireChunk {
    pub(super) fn of_text(text: &str) -> serde_json::Result<Self> {
        // Much faster than by way of a value.
        serde_json::from_str(text).or_else(|error| match serde_json::from_str(text) {
            Ok(mut value) => Self::of_value(&mut value),
            Err(_) => Err(error),
        })
    }

    pub(super) fn of_value(chunk: &mut Value) -> serde_json::Result<Self> {
        WireChunk::deserialize(&*chunk).or_else(|error| {
            tidy(chunk);
            WireChunk::deserialize(&*chunk).map_err(|_| error)
        })
    }

    /// The error that the server sends in the place of a chunk, or beside it.
    pub(super) fn take_error(&mut self) -> Option<StreamError> {
        let error = self.error.take();
        if is_said(&error) {
            // Where it is a number or `true`, its text is beside it.
            let text = error_text(&error).or_else(|| self.beside().find_map(|beside| error_text(&beside)));
            return Some(server_error(text, error));
        }
        if self.object == "error" {
            return self.take_doubt();
        }
        // OpenRouter has it in the choice: <https://openrouter.ai/docs/api/errors>.
        let mut choices = self.choices.iter_mut().flatten();
        let error = choices.find_map(|choice| Some(choice.error.take()).filter(is_said))?;
        Some(server_error(error_text(&error), error))
    }

    /// What is an error if nothing comes behind it, and may be the state of the server otherwise.
    pub(super) fn take_doubt(&mut self) -> Option<StreamError> {
        let status = self.base_resp.get_mut("status_msg").map(Value::take).filter(is_said);
        let error = self.beside().next().or(status)?;
        Some(server_error(error_text(&error), error))
    }

    fn beside(&mut self) -> impl Iterator<Item = Value> {
        let texts = [&mut self.message, &mut self.msg, &mut self.error_message].map(Value::take);
        let texts = texts.into_iter().filter(Value::is_string);
        texts.chain([self.detail.take(), self.errors.take()]).filter(is_said)
    }
}

/// Takes out what is of another kind than documented and brings nothing: `[]` in the place of an empty object, for
/// example, as PHP writes it.
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

/// Whether there is anything in it: some servers write the zero of each field with each chunk.
fn is_said(error: &Value) -> bool {
    match error {
        Value::Null => false,
        Value::Bool(is_error) => *is_error,
        Value::Number(code) => code.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => !list.is_empty(),
        Value::Object(fields) => fields.values().any(is_said),
    }
}

fn server_error(text: Option<String>, error: Value) -> StreamError {
    let text = text.filter(|text| !text.is_empty());
    StreamError::Server { message: text.unwrap_or_else(|| error.to_string()), error }
}
