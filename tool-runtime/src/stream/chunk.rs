//! One chunk of a streamed reply, read as servers really send it.

use super::StreamError;
use crate::messages::{Content, error_text};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use std::error::Error;

/// One chunk of a streamed Chat Completion, or what came in its place.
///
/// It is made of whatever a client gives:
///
/// - the text behind `data:` of a server-sent event, `[DONE]` and empty ones included;
/// - a [`Value`];
/// - the chunk of another crate, by [`Chunk::of`];
/// - a `Result` of any of these: an error is one of the connection, and breaks the reply off.
///
/// A client that is generic over what it reads can read it directly, since it is `Deserialize`.
///
/// ```
/// use tool_runtime::stream::{Chunk, ReplyAssembler};
///
/// // The type of some client.
/// #[derive(serde::Serialize)]
/// struct TheirChunk {
///     choices: Vec<serde_json::Value>,
/// }
///
/// let theirs = TheirChunk { choices: vec![serde_json::json!({"delta": {"content": "Hel"}})] };
/// let read: Chunk = serde_json::from_str(r#"{"choices":[{"delta":{"content":"lo"}}]}"#)?;
///
/// let mut reply = ReplyAssembler::new();
/// reply.push(Chunk::of(&theirs));
/// reply.push(read);
/// reply.push(r#"{"choices":[{"delta":{"content":"!"},"finish_reason":"stop"}]}"#);
/// reply.push(Ok::<_, std::io::Error>("[DONE]"));
/// assert_eq!(reply.finish()?.content.as_deref(), Some("Hello!"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Chunk {
    pub(super) choices: Vec<Choice>,
    pub(super) error: Option<StreamError>,
    /// Whether it is the `[DONE]` behind the last.
    pub(super) is_done: bool,
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
    error: Value,
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
    /// Name and arguments without a `function` around them.
    #[serde(flatten)]
    pub(super) bare: FunctionDelta,
    #[serde(flatten)]
    pub(super) other: Map<String, Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(expecting = "a piece of the name and the arguments of a function")]
pub(super) struct FunctionDelta {
    #[serde(default)]
    pub(super) name: Option<String>,
    /// A piece of their text; an object, where it comes whole.
    #[serde(default, alias = "input")]
    pub(super) arguments: Option<Value>,
}

#[derive(Deserialize)]
#[serde(expecting = "a chunk")]
struct WireChunk {
    #[serde(default)]
    choices: Option<Vec<Choice>>,
    #[serde(default)]
    error: Value,
    #[serde(default)]
    message: Value,
    #[serde(default)]
    detail: Value,
}

/// A number, which some servers write as a text.
fn read_index<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i64>, D::Error> {
    let index = Value::deserialize(deserializer)?;
    Ok(index.as_i64().or_else(|| index.as_str()?.parse().ok()))
}

/// A text, which some servers leave empty while there is no reason.
fn read_reason<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::String(reason) if !reason.is_empty() => Ok(Some(reason)),
        _ => Ok(None),
    }
}

/// The error that stands here, if it is one.
fn server_error(error: Value) -> Option<StreamError> {
    let message = match &error {
        Value::Null | Value::Bool(false) => return None,
        Value::String(text) if text.is_empty() => return None,
        error => error_text(error).unwrap_or_else(|| error.to_string()),
    };
    Some(StreamError::Server { message, error })
}

impl Chunk {
    /// The chunk that a client's own type stands for, if it is written as one of Chat Completions.
    pub fn of(chunk: &impl Serialize) -> Self {
        match serde_json::to_value(chunk) {
            Ok(value) => value.into(),
            Err(source) => Chunk::failed(StreamError::NotAChunk { beginning: String::new(), source }),
        }
    }

    pub(crate) fn failed(error: StreamError) -> Self {
        Chunk { error: Some(error), ..Chunk::default() }
    }
}

impl<'de> Deserialize<'de> for Chunk {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let WireChunk { choices, error, message, detail } = WireChunk::deserialize(deserializer)?;
        let mut error = server_error(error);
        if choices.is_none() {
            // A server that refuses may say why in one of these alone.
            let message = if message.is_string() { message } else { Value::Null };
            error = error.or_else(|| server_error(message)).or_else(|| server_error(detail));
        }
        let mut choices = choices.unwrap_or_default();
        // OpenRouter has it in the choice: <https://openrouter.ai/docs/api/errors>.
        let mut of_choices = choices.iter_mut().map(|choice| choice.error.take());
        let error = error.or_else(|| of_choices.find_map(server_error));
        Ok(Chunk { choices, error, is_done: false })
    }
}

impl From<&str> for Chunk {
    fn from(data: &str) -> Self {
        match data.trim() {
            "" => Chunk::default(),
            "[DONE]" => Chunk { is_done: true, ..Chunk::default() },
            // Gemini sends errors in a list.
            list if list.starts_with('[') => match serde_json::from_str::<Value>(list) {
                Ok(list) => list.into(),
                Err(source) => Chunk::failed(StreamError::not_a_chunk(data, source)),
            },
            chunk => match serde_json::from_str(chunk) {
                Ok(chunk) => chunk,
                Err(source) => Chunk::failed(StreamError::not_a_chunk(data, source)),
            },
        }
    }
}

impl From<String> for Chunk {
    fn from(data: String) -> Self {
        data.as_str().into()
    }
}

impl From<&String> for Chunk {
    fn from(data: &String) -> Self {
        data.as_str().into()
    }
}

impl From<Value> for Chunk {
    fn from(mut chunk: Value) -> Self {
        if let Value::String(data) = &chunk {
            return data.into();
        }
        if let Some(first) = chunk.get_mut(0) {
            chunk = first.take();
        }
        match Chunk::deserialize(&chunk) {
            Ok(read) => read,
            Err(source) => Chunk::failed(StreamError::not_a_chunk(&chunk.to_string(), source)),
        }
    }
}

impl<C: Into<Chunk>, E: Into<Box<dyn Error + Send + Sync>>> From<Result<C, E>> for Chunk {
    fn from(chunk: Result<C, E>) -> Self {
        match chunk {
            Ok(chunk) => chunk.into(),
            Err(error) => Chunk::failed(StreamError::Transport { source: error.into() }),
        }
    }
}
