//! One chunk of a streamed reply, read as servers really send it.

use super::StreamError;
use super::wire_chunk::{Choice, WireChunk};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
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
/// A client that is generic over what it reads can read it directly, since it is `Deserialize`. Of
/// `eventsource-stream`, for example, it is `bytes.eventsource().map(|event| event.map(|event| event.data))` that is
/// wanted, and of a client with types of its own `stream.map(|chunk| chunk.map(|chunk| Chunk::of(&chunk)))`.
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
/// assert_eq!(reply.finish()?.text(), "Hello!");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Chunk {
    pub(super) choices: Vec<Choice>,
    pub(super) error: Option<StreamError>,
    /// What may be an error, if no reply comes behind it.
    pub(super) doubt: Option<StreamError>,
    /// Whether it is the `[DONE]` behind the last.
    pub(super) is_done: bool,
    /// The beginning of what has no choices.
    pub(super) passed_over: Option<String>,
}

impl Chunk {
    /// The chunk that a client's own type stands for, if it is written as one of Chat Completions.
    pub fn of(chunk: &impl Serialize) -> Self {
        match serde_json::to_value(chunk) {
            Ok(value) => value.into(),
            Err(source) => Chunk::failed(StreamError::NotAChunk { beginning: String::new(), source }),
        }
    }

    fn read(chunk: serde_json::Result<WireChunk>, text: impl FnOnce() -> String) -> Self {
        match chunk {
            Ok(chunk) if chunk.choices.is_none() => {
                Chunk { passed_over: Some(beginning(&text())), ..chunk.into() }
            }
            Ok(chunk) => chunk.into(),
            Err(source) => Chunk::failed(StreamError::NotAChunk { beginning: beginning(&text()), source }),
        }
    }

    pub(crate) fn failed(error: StreamError) -> Self {
        Chunk { error: Some(error), ..Chunk::default() }
    }
}

impl<'de> Deserialize<'de> for Chunk {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // By way of a value, which can be read in more than one way.
        Value::deserialize(deserializer).map(Chunk::from)
    }
}

impl From<WireChunk> for Chunk {
    fn from(mut chunk: WireChunk) -> Self {
        let error = chunk.take_error();
        let doubt = chunk.take_doubt();
        Chunk { choices: chunk.choices.unwrap_or_default(), error, doubt, ..Chunk::default() }
    }
}

impl From<&str> for Chunk {
    fn from(data: &str) -> Self {
        match data.trim_start_matches('\u{feff}').trim() {
            "" | "null" => Chunk::default(),
            "[DONE]" => Chunk { is_done: true, ..Chunk::default() },
            // Gemini sends errors in a list.
            list if list.starts_with('[') => match serde_json::from_str::<Vec<Value>>(list) {
                Ok(list) => list.into(),
                Err(source) => Chunk::failed(StreamError::NotAChunk { beginning: beginning(data), source }),
            },
            chunk => Chunk::read(WireChunk::of_text(chunk), || data.to_owned()),
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
    fn from(chunk: Value) -> Self {
        match chunk {
            Value::Null => Chunk::default(),
            Value::String(data) => data.into(),
            Value::Array(list) => list.into(),
            mut chunk => Chunk::read(WireChunk::of_value(&mut chunk), || chunk.to_string()),
        }
    }
}

/// All that is in them, as one.
impl From<Vec<Value>> for Chunk {
    fn from(chunks: Vec<Value>) -> Self {
        let mut all = Chunk::default();
        for Chunk { choices, error, doubt, is_done, passed_over } in chunks.into_iter().map(Chunk::from) {
            all.choices.extend(choices);
            all.error = all.error.or(error);
            all.doubt = all.doubt.or(doubt);
            all.is_done |= is_done;
            all.passed_over = all.passed_over.or(passed_over);
        }
        all
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

fn beginning(text: &str) -> String {
    text.chars().take(200).collect()
}
