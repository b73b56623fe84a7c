//! One chunk of a streamed reply, including the variations that servers send.

use super::StreamError;
use super::wire_chunk::{Choice, WireChunk};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::error::Error;

/// One chunk of a streamed Chat Completion, or an error instead of it.
///
/// Converts from the types of clients:
///
/// - the text after `data:` of a server-sent event, including `[DONE]` and empty text;
/// - a [`Value`];
/// - the chunk type of another crate, with [`Chunk::from_serialize`];
/// - a `Result` of any of these: an error is an error of the connection, and interrupts the reply.
///
/// A client that is generic over its chunk type can deserialize into `Chunk`. With `eventsource-stream`, the stream of
/// chunks is `bytes.eventsource().map(|event| event.map(|event| event.data))`; with a client that has its own types, it
/// is `stream.map(|chunk| chunk.map(|chunk| Chunk::from_serialize(&chunk)))`.
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
/// reply.push(Chunk::from_serialize(&theirs));
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
    /// An error unless a reply follows it.
    pub(super) possible_error: Option<StreamError>,
    /// Whether it is `[DONE]`.
    pub(super) is_done: bool,
    /// The beginning of a chunk without choices.
    pub(super) skipped: Option<String>,
}

impl Chunk {
    /// A chunk from a client's own type, which must serialize in the format of Chat Completions.
    pub fn from_serialize(chunk: &impl Serialize) -> Self {
        match serde_json::to_value(chunk) {
            Ok(value) => value.into(),
            Err(source) => Chunk::failed(StreamError::NotAChunk { beginning: String::new(), source }),
        }
    }

    fn read(chunk: serde_json::Result<WireChunk>, text: impl FnOnce() -> String) -> Self {
        match chunk {
            Ok(chunk) if chunk.choices.is_none() => {
                Chunk { skipped: Some(beginning(&text())), ..chunk.into() }
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
        // A `Value` can be read in more than one way.
        Value::deserialize(deserializer).map(Chunk::from)
    }
}

impl From<WireChunk> for Chunk {
    fn from(mut chunk: WireChunk) -> Self {
        let error = chunk.take_error();
        let possible_error = chunk.take_possible_error();
        Chunk { choices: chunk.choices.unwrap_or_default(), error, possible_error, ..Chunk::default() }
    }
}

impl From<&str> for Chunk {
    fn from(data: &str) -> Self {
        match data.trim_start_matches('\u{feff}').trim() {
            "" | "null" => Chunk::default(),
            "[DONE]" => Chunk { is_done: true, ..Chunk::default() },
            // Gemini sends errors in an array.
            list if list.starts_with('[') => match serde_json::from_str::<Vec<Value>>(list) {
                Ok(list) => list.into(),
                Err(source) => Chunk::failed(StreamError::NotAChunk { beginning: beginning(data), source }),
            },
            chunk => Chunk::read(WireChunk::from_text(chunk), || data.to_owned()),
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
            mut chunk => Chunk::read(WireChunk::from_value(&mut chunk), || chunk.to_string()),
        }
    }
}

/// Combines the contents of several chunks.
impl From<Vec<Value>> for Chunk {
    fn from(chunks: Vec<Value>) -> Self {
        let mut all = Chunk::default();
        for Chunk { choices, error, possible_error, is_done, skipped } in chunks.into_iter().map(Chunk::from)
        {
            all.choices.extend(choices);
            all.error = all.error.or(error);
            all.possible_error = all.possible_error.or(possible_error);
            all.is_done |= is_done;
            all.skipped = all.skipped.or(skipped);
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
