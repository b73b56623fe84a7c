//! Chunks of a streamed reply.

use super::{Piece, StreamError};
use crate::json::SplitPairs;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::error::Error;

/// One chunk of a streamed reply, or an error instead of it.
///
/// Converts from the types of clients:
///
/// - the text after `data:` of a server-sent event, including `[DONE]` and empty text;
/// - a [`Value`];
/// - the chunk type of another crate, with [`Chunk::from_serialize`];
/// - a `Result` of any of these: an error is an error of the connection, and interrupts the reply.
///
/// [`ReplyAssembler`](crate::stream::ReplyAssembler) reads the text in the format of its wire, Chat Completions by
/// default. [`Wire::read_event`](crate::wire::Wire::read_event) returns a chunk that is read already.
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
/// assert_eq!(reply.into_reply()?.text(), "Hello!");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Chunk {
    /// Text that a wire has not read yet.
    pub(crate) unread: Option<String>,
    /// The name of the wire that read the pieces.
    pub(crate) wire: Option<&'static str>,
    /// Whether null means an absent argument in the calls.
    pub(crate) null_is_absent: bool,
    pub(crate) pieces: Vec<Piece>,
    /// Halves of surrogate pairs that the texts of other chunks may complete; the pieces have U+FFFD in place of them.
    pub(crate) split_pairs: SplitPairs,
}

impl Chunk {
    /// A chunk from a client's own type, which must serialize in the format of the stream's wire.
    pub fn from_serialize(chunk: &impl Serialize) -> Self {
        match serde_json::to_string(chunk) {
            Ok(text) => text.into(),
            Err(source) => {
                Chunk::failed(StreamError::NotAChunk { format: "JSON", beginning: String::new(), source })
            }
        }
    }

    /// A chunk that the wire of this name has read.
    pub(crate) fn read(wire: &'static str, pieces: Vec<Piece>) -> Self {
        Chunk { wire: Some(wire), pieces, ..Chunk::default() }
    }

    /// Marks the calls of the chunk: see [`ToolCall`](super::ToolCall).
    pub(crate) fn with_null_is_absent(self, null_is_absent: bool) -> Self {
        Chunk { null_is_absent, ..self }
    }

    /// Joins a character whose first half ends a text of this chunk, and whose second half begins a text of the next chunk.
    pub(crate) fn join_split_pair(&mut self, next: &mut Chunk) {
        let (Some(high), Some(low)) = (self.split_pairs.at_end, next.split_pairs.at_beginning) else {
            return;
        };
        let Ok(character) = String::from_utf16(&[high, low]) else { return };
        for piece in &mut self.pieces {
            piece.change_texts(&mut |text| {
                if let Some(before) = text.strip_suffix(char::REPLACEMENT_CHARACTER) {
                    *text = format!("{before}{character}");
                }
            });
        }
        for piece in &mut next.pieces {
            piece.change_texts(&mut |text| {
                if let Some(after) = text.strip_prefix(char::REPLACEMENT_CHARACTER) {
                    *text = after.to_owned();
                }
            });
        }
    }

    /// The error in this chunk: one that the server sent, or that of a text that is not a chunk. `None` if there is none, and before
    /// a [wire](crate::wire::Wire::read_event) has read the chunk.
    ///
    /// ```
    /// use tool_runtime::wire::{ChatCompletions, ErrorKind, Wire};
    ///
    /// let chunk = ChatCompletions::new().read_event(r#"{"error":{"code":"server_error","message":"try again"}}"#);
    /// let kind = chunk.error().and_then(|error| error.error_kind());
    /// assert_eq!((kind, chunk.has_content()), (Some(ErrorKind::Overloaded), false));
    /// ```
    #[must_use]
    pub fn error(&self) -> Option<&StreamError> {
        self.pieces.iter().find_map(|piece| match piece {
            Piece::Error(error) => Some(error),
            _ => None,
        })
    }

    /// Whether the chunk has content of the reply: text, reasoning, a call, an item of the provider, or the reason why the reply
    /// ends. A client can send the request again until then, since no event has reported a part of the reply. True before a
    /// [wire](crate::wire::Wire::read_event) has read the chunk.
    #[must_use]
    pub fn has_content(&self) -> bool {
        self.unread.is_some() || self.pieces.iter().any(Piece::is_content)
    }

    pub(crate) fn failed(error: StreamError) -> Self {
        Chunk { pieces: vec![Piece::Error(error)], ..Chunk::default() }
    }
}

impl<'de> Deserialize<'de> for Chunk {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Chunk::from)
    }
}

impl From<&str> for Chunk {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<String> for Chunk {
    fn from(text: String) -> Self {
        Chunk { unread: Some(text), ..Chunk::default() }
    }
}

impl From<&String> for Chunk {
    fn from(text: &String) -> Self {
        text.as_str().into()
    }
}

impl From<Value> for Chunk {
    fn from(chunk: Value) -> Self {
        match chunk {
            // The text of a server-sent event.
            Value::String(text) => text.into(),
            chunk => chunk.to_string().into(),
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
