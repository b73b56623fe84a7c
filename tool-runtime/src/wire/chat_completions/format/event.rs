//! Chunks of a streamed reply.

use super::call::to_text;
use super::content::raw_parts;
use super::reply::read_usage;
use super::{FORMAT, NAME};
use crate::json::remove_entry;
use crate::message::{Arguments, CallPiece, Chunk, Content, Finish, Piece, StreamError};
use crate::wire::error::beginning;
use crate::wire::event_data::whole_characters;
use crate::wire::finish_reason::is_no_reason;
use crate::wire::reasoning::SHOWN_FIELDS;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

/// Reads the text after `data:` of a server-sent event.
pub(super) fn read(data: &str) -> Chunk {
    let (data, split_pairs) = whole_characters(data);
    let data = &*data;
    let pieces = match data.trim_start_matches('\u{feff}').trim() {
        "" | "null" => Vec::new(),
        "[DONE]" => vec![Piece::Done],
        // Gemini sends errors in an array.
        list if list.starts_with('[') => match serde_json::from_str::<Vec<Value>>(list) {
            Ok(chunks) => chunks.into_iter().flat_map(read_value).collect(),
            Err(source) => vec![not_a_chunk(data, source)],
        },
        chunk => match ReadChunk::from_text(chunk) {
            Ok(chunk) => chunk.into_pieces(data),
            Err(source) => vec![not_a_chunk(data, source)],
        },
    };
    Chunk { split_pairs, ..Chunk::read(NAME, with_error_last(pieces)) }
}

/// The pieces in another order if there is an error. A finish reason does not end a reply with an error.
fn with_error_last(mut pieces: Vec<Piece>) -> Vec<Piece> {
    let is_error = |piece: &Piece| matches!(piece, Piece::Error(_));
    if pieces.iter().any(is_error) {
        pieces.retain(|piece| !matches!(piece, Piece::Finish(_)));
        pieces.sort_by_key(is_error);
    }
    pieces
}

fn read_value(mut chunk: Value) -> Vec<Piece> {
    match ReadChunk::from_value(&mut chunk) {
        Ok(read) => read.into_pieces(&chunk.to_string()),
        Err(source) => vec![not_a_chunk(&chunk.to_string(), source)],
    }
}

fn not_a_chunk(text: &str, source: serde_json::Error) -> Piece {
    Piece::Error(StreamError::NotAChunk { format: FORMAT, beginning: beginning(text), source })
}

#[derive(Default, Deserialize)]
#[serde(default, expecting = "a chunk")]
pub(super) struct ReadChunk {
    pub(super) choices: Option<Vec<Choice>>,
    model: Value,
    id: Value,
    usage: Value,
    // Fields in which servers report errors: see `server_error`.
    pub(super) object: Value,
    pub(super) error: Value,
    pub(super) errors: Value,
    pub(super) message: Value,
    pub(super) msg: Value,
    pub(super) detail: Value,
    pub(super) error_message: Value,
    /// `MiniMax` sends it in each chunk.
    pub(super) base_resp: Value,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, expecting = "a choice")]
pub(super) struct Choice {
    #[serde(deserialize_with = "read_index")]
    index: Option<i64>,
    delta: Option<ReadDelta>,
    /// The complete reply instead of a delta, from a server that does not stream.
    message: Option<ReadDelta>,
    #[serde(deserialize_with = "read_reason")]
    finish_reason: Option<String>,
    pub(super) error: Value,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, expecting = "a delta")]
struct ReadDelta {
    #[serde(rename = "role")]
    _role: IgnoredAny,
    content: Option<Content>,
    tool_calls: Option<Vec<Option<CallDelta>>>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

/// A piece of a call.
#[derive(Debug, Default, Deserialize)]
#[serde(default, expecting = "a piece of a tool call")]
struct CallDelta {
    #[serde(deserialize_with = "read_index")]
    index: Option<i64>,
    id: Value,
    #[serde(rename = "type")]
    _type: IgnoredAny,
    function: Option<FunctionDelta>,
    /// Instead of a function, for OpenAI's custom tools.
    custom: Option<FunctionDelta>,
    // Fields without a `function` object around them.
    name: Option<String>,
    arguments: Option<Value>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, expecting = "a piece of the name and the arguments of a function")]
struct FunctionDelta {
    name: Option<String>,
    /// A piece of their text, or a complete object.
    arguments: Option<Value>,
    /// The arguments of a custom tool.
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

impl Choice {
    fn add_pieces(self, pieces: &mut Vec<Piece>) {
        pieces.push(Piece::Reply(self.index));
        if let Some(delta) = self.delta {
            delta.add_pieces(pieces);
        }
        if let Some(message) = self.message {
            let mut whole = Vec::new();
            message.add_pieces(&mut whole);
            pieces.push(Piece::Whole(whole));
        }
        pieces.extend(self.finish_reason.map(|reason| Piece::Finish(Finish::new(reason))));
    }
}

impl ReadDelta {
    fn add_pieces(self, pieces: &mut Vec<Piece>) {
        let ReadDelta { content, tool_calls, mut other, .. } = self;
        let refusal = remove_entry(&mut other, "refusal");
        let text_of = |field| other.get(field).and_then(Value::as_str).filter(|text| !text.is_empty());
        let reasoning = SHOWN_FIELDS.into_iter().find_map(text_of).map(str::to_owned);
        if !other.is_empty() {
            pieces.push(Piece::Extra(other));
        }
        pieces.extend(reasoning.map(Piece::Reasoning));
        if let Some(Value::String(refusal)) = refusal {
            pieces.push(Piece::Refusal(refusal));
        }
        if let Some(content) = content {
            let (parts, text) = (raw_parts(&content), content.as_str().to_owned());
            pieces.push(if parts.is_empty() { Piece::Text(text) } else { Piece::Parts(parts, text) });
        }
        let calls = tool_calls.into_iter().flatten().flatten();
        pieces.extend(calls.map(|call| Piece::Call(call.into())));
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
        CallPiece {
            index,
            id: to_text(id),
            name: name.unwrap_or_default(),
            arguments,
            takes_text: is_custom,
            extra: other,
            ..CallPiece::default()
        }
    }
}

impl ReadChunk {
    /// `text` is the text of the chunk.
    fn into_pieces(mut self, text: &str) -> Vec<Piece> {
        let error = self.take_error();
        let mut pieces = Vec::new();
        pieces.extend(self.model.as_str().map(|model| Piece::Model(model.to_owned())));
        pieces.extend(self.id.as_str().map(|id| Piece::ResponseId(id.to_owned())));
        pieces.extend(read_usage(&self.usage).map(Piece::Usage));
        pieces.extend(self.take_possible_error().map(Piece::PossibleError));
        pieces.extend(error.map(Piece::Error));
        match self.choices {
            Some(choices) => choices.into_iter().for_each(|choice| choice.add_pieces(&mut pieces)),
            None => pieces.push(Piece::Skipped(beginning(text))),
        }
        pieces
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
