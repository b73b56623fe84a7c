//! Chunks of a streamed reply.

use super::call::to_text;
use super::content::raw_parts;
use super::reply::read_usage;
use super::{FORMAT, NAME};
use crate::message::{Arguments, CallPiece, Content, ContentPiece, Delta, Finish, ReplyPiece, StreamError};
use crate::wire::error::beginning;
use crate::wire::finish_reason::{completeness, is_no_reason};
use crate::wire::reasoning::SHOWN_FIELDS;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

/// Reads the text after `data:` of a server-sent event.
pub(super) fn read(data: &str) -> Delta {
    let delta = match data.trim_start_matches('\u{feff}').trim() {
        "" | "null" => Delta::default(),
        "[DONE]" => Delta { is_done: true, ..Delta::default() },
        // Gemini sends errors in an array.
        list if list.starts_with('[') => match serde_json::from_str::<Vec<Value>>(list) {
            Ok(chunks) => combine(chunks.into_iter().map(read_value)),
            Err(source) => not_a_chunk(data, source),
        },
        chunk => match ReadChunk::from_text(chunk) {
            Ok(chunk) => chunk.into_delta(data),
            Err(source) => not_a_chunk(data, source),
        },
    };
    Delta { wire: Some(NAME), ..delta }
}

fn read_value(mut chunk: Value) -> Delta {
    match ReadChunk::from_value(&mut chunk) {
        Ok(read) => read.into_delta(&chunk.to_string()),
        Err(source) => not_a_chunk(&chunk.to_string(), source),
    }
}

/// The contents of several chunks.
fn combine(deltas: impl Iterator<Item = Delta>) -> Delta {
    deltas.fold(Delta::default(), |mut all, delta| {
        all.replies.extend(delta.replies);
        Delta {
            replies: all.replies,
            wire: None,
            model: all.model.or(delta.model),
            response_id: all.response_id.or(delta.response_id),
            usage: delta.usage.or(all.usage),
            error: all.error.or(delta.error),
            possible_error: all.possible_error.or(delta.possible_error),
            is_done: all.is_done || delta.is_done,
            skipped: all.skipped.or(delta.skipped),
        }
    })
}

fn not_a_chunk(text: &str, source: serde_json::Error) -> Delta {
    let error = StreamError::NotAChunk { format: FORMAT, beginning: beginning(text), source };
    Delta { error: Some(error), ..Delta::default() }
}

#[derive(Deserialize)]
#[serde(expecting = "a chunk")]
pub(super) struct ReadChunk {
    #[serde(default)]
    pub(super) choices: Option<Vec<Choice>>,
    #[serde(default)]
    model: Value,
    #[serde(default)]
    id: Value,
    #[serde(default)]
    usage: Value,
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
    index: Option<i64>,
    #[serde(default)]
    delta: Option<ReadDelta>,
    /// The complete reply instead of a delta, from a server that does not stream.
    #[serde(default)]
    message: Option<ReadDelta>,
    #[serde(default, deserialize_with = "read_reason")]
    finish_reason: Option<String>,
    #[serde(default)]
    pub(super) error: Value,
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "a delta")]
struct ReadDelta {
    #[serde(default, rename = "role")]
    _role: IgnoredAny,
    #[serde(default)]
    content: Option<Content>,
    #[serde(default)]
    tool_calls: Option<Vec<Option<CallDelta>>>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

/// A piece of a call.
#[derive(Debug, Deserialize)]
#[serde(expecting = "a piece of a tool call")]
struct CallDelta {
    #[serde(default, deserialize_with = "read_index")]
    index: Option<i64>,
    #[serde(default)]
    id: Value,
    #[serde(default, rename = "type")]
    _type: IgnoredAny,
    #[serde(default)]
    function: Option<FunctionDelta>,
    /// Instead of a function, for OpenAI's custom tools.
    #[serde(default)]
    custom: Option<FunctionDelta>,
    // Fields without a `function` object around them.
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    arguments: Option<Value>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(expecting = "a piece of the name and the arguments of a function")]
struct FunctionDelta {
    #[serde(default)]
    name: Option<String>,
    /// A piece of their text, or a complete object.
    #[serde(default)]
    arguments: Option<Value>,
    /// The arguments of a custom tool.
    #[serde(default)]
    input: Option<Value>,
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

impl From<Choice> for ReplyPiece {
    fn from(choice: Choice) -> Self {
        let finish = choice.finish_reason;
        ReplyPiece {
            choice: choice.index,
            content: choice.delta.map(ContentPiece::from).unwrap_or_default(),
            whole: choice.message.map(ContentPiece::from),
            finish: finish.map(|reason| Finish {
                completeness: completeness(&reason),
                reason,
                may_truncate_objects: false,
            }),
        }
    }
}

impl From<ReadDelta> for ContentPiece {
    fn from(delta: ReadDelta) -> Self {
        let ReadDelta { content, tool_calls, mut other, .. } = delta;
        let text_of = |field| other.get(field).and_then(Value::as_str).filter(|text| !text.is_empty());
        let reasoning = SHOWN_FIELDS.into_iter().find_map(text_of).map(str::to_owned);
        let refusal = match other.get_mut("refusal").map(Value::take) {
            Some(Value::String(refusal)) => Some(refusal),
            _ => None,
        };
        other.remove("refusal");
        ContentPiece {
            parts: content.as_ref().map(raw_parts).unwrap_or_default(),
            text: content.map(|content| content.as_str().to_owned()),
            reasoning,
            refusal,
            calls: tool_calls.into_iter().flatten().flatten().map(CallPiece::from).collect(),
            extra: other,
            items: Vec::new(),
        }
    }
}

impl From<CallDelta> for CallPiece {
    fn from(delta: CallDelta) -> Self {
        let CallDelta { index, id, function, custom, name, arguments, mut other, .. } = delta;
        let is_custom = function.is_none() && custom.is_some();
        if is_custom {
            other.insert("type".to_owned(), json!("custom"));
        }
        let FunctionDelta { name, arguments, input } =
            function.or(custom).unwrap_or(FunctionDelta { name, arguments, input: None });
        let arguments = match arguments.or(input) {
            None | Some(Value::Null) => Arguments::Piece(String::new()),
            Some(Value::String(piece)) => Arguments::Piece(piece),
            Some(json) => Arguments::Json(json),
        };
        let name = name.unwrap_or_default();
        CallPiece { index, id: to_text(id), name, arguments, takes_text: is_custom, extra: other }
    }
}

impl ReadChunk {
    /// `text` is the text of the chunk.
    fn into_delta(mut self, text: &str) -> Delta {
        let error = self.take_error();
        let possible_error = self.take_possible_error();
        Delta {
            wire: None,
            model: self.model.as_str().map(str::to_owned),
            response_id: self.id.as_str().map(str::to_owned),
            usage: read_usage(&self.usage),
            error,
            possible_error,
            is_done: false,
            skipped: self.choices.is_none().then(|| beginning(text)),
            replies: self.choices.into_iter().flatten().map(ReplyPiece::from).collect(),
        }
    }

    fn from_text(text: &str) -> serde_json::Result<Self> {
        // Much faster than through a `Value`.
        serde_json::from_str(text).or_else(|error| match serde_json::from_str(text) {
            Ok(mut value) => Self::from_value(&mut value),
            Err(_) => Err(error),
        })
    }

    fn from_value(chunk: &mut Value) -> serde_json::Result<Self> {
        ReadChunk::deserialize(&*chunk).or_else(|error| {
            tidy(chunk);
            ReadChunk::deserialize(&*chunk).map_err(|_| error)
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
