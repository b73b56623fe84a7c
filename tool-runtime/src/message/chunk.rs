//! Chunks of a streamed reply.

use super::{Completeness, StreamError, ToolCall, Usage};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
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
/// assert_eq!(reply.finish()?.text(), "Hello!");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Chunk(pub(crate) ChunkContent);

#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "a chunk is read at once, and a box would be an allocation per chunk"
)]
pub(crate) enum ChunkContent {
    /// Text that a wire has not read yet.
    Text(String),
    Delta(Delta),
}

/// The content of one chunk.
#[derive(Debug, Default)]
pub(crate) struct Delta {
    /// Pieces of replies. A provider that can send several replies numbers them.
    pub(crate) replies: Vec<ReplyPiece>,
    pub(crate) wire: Option<&'static str>,
    pub(crate) model: Option<String>,
    pub(crate) response_id: Option<String>,
    pub(crate) usage: Option<Usage>,
    pub(crate) error: Option<StreamError>,
    /// An error unless a reply follows it.
    pub(crate) possible_error: Option<StreamError>,
    /// Whether the stream ends with this chunk.
    pub(crate) is_done: bool,
    /// The beginning of a chunk that has no piece of a reply.
    pub(crate) skipped: Option<String>,
}

#[derive(Debug, Default)]
pub(crate) struct ReplyPiece {
    /// The number of the reply.
    pub(crate) choice: Option<i64>,
    pub(crate) content: ContentPiece,
    /// The complete reply, from a server that does not stream.
    pub(crate) whole: Option<ContentPiece>,
    pub(crate) finish: Option<Finish>,
}

#[derive(Debug)]
pub(crate) struct Finish {
    pub(crate) reason: String,
    pub(crate) completeness: Completeness,
    /// Whether the last call of a truncated reply counts as truncated even if its arguments are an object.
    pub(crate) may_truncate_objects: bool,
}

#[derive(Debug, Default)]
pub(crate) struct ContentPiece {
    /// A piece of the text.
    pub(crate) text: Option<String>,
    /// Pieces of the parts of the content, in the format of Chat Completions, if it arrives in parts. `text` is their
    /// text.
    pub(crate) parts: Vec<Value>,
    /// A piece of the reasoning to show.
    pub(crate) reasoning: Option<String>,
    pub(crate) refusal: Option<String>,
    pub(crate) calls: Vec<CallPiece>,
    /// Pieces of further fields.
    pub(crate) extra: Map<String, Value>,
    /// Pieces of the provider's items.
    pub(crate) items: Vec<ItemPiece>,
}

/// A piece of a call.
#[derive(Debug)]
pub(crate) struct CallPiece {
    pub(crate) index: Option<i64>,
    /// Empty if missing.
    pub(crate) id: String,
    /// Empty if missing.
    pub(crate) name: String,
    pub(crate) arguments: Arguments,
    /// Whether the arguments are any text, and not an object.
    pub(crate) takes_text: bool,
    pub(crate) extra: Map<String, Value>,
}

#[derive(Debug)]
pub(crate) enum Arguments {
    /// The next piece of the text, which may be empty.
    Piece(String),
    /// The complete arguments.
    Json(Value),
    /// The complete text, of which pieces may have arrived.
    Whole(String),
    /// The complete text of a call that no other piece belongs to.
    OfNewCall(String),
}

impl CallPiece {
    /// The next piece of the arguments of the call with this index.
    pub(crate) fn arguments(index: i64, piece: String) -> Self {
        CallPiece {
            index: Some(index),
            id: String::new(),
            name: String::new(),
            arguments: Arguments::Piece(piece),
            takes_text: false,
            extra: Map::new(),
        }
    }
}

/// A provider's item, or a piece of one.
#[derive(Debug)]
pub(crate) enum ItemPiece {
    /// The item with this index starts. `arguments` are those of a call, unless pieces of them follow.
    Start { index: i64, item: Value, kind: ItemKind, arguments: Option<Value> },
    /// A field with text grows.
    Text { index: i64, field: &'static str, piece: String },
    /// A field with an array grows.
    Element { index: i64, field: &'static str, element: Value },
    /// The text of a JSON field grows.
    Json { index: i64, field: &'static str, piece: String },
    /// A complete item.
    Whole(WholeItem),
    /// A complete item with a field `text`. It continues the newest item if that one has the same further fields.
    Joinable { item: Value, kind: ItemKind },
}

/// A complete item of a provider.
#[derive(Debug)]
pub(crate) struct WholeItem {
    /// The position of the item; `None` if it is the next one.
    pub(crate) index: Option<i64>,
    /// The text of its JSON.
    pub(crate) json: String,
    pub(crate) content: ItemContent,
    /// Whether the provider accepts a call in this form when it goes back.
    pub(crate) is_valid: bool,
}

/// The neutral content of an item.
#[derive(Debug)]
pub(crate) enum ItemContent {
    Native,
    Reasoning,
    Text(String),
    Call(ToolCall),
}

impl ItemContent {
    pub(crate) fn kind(&self) -> ItemKind {
        match self {
            ItemContent::Native => ItemKind::Native,
            ItemContent::Reasoning => ItemKind::Reasoning,
            ItemContent::Text(_) => ItemKind::Text,
            ItemContent::Call(_) => ItemKind::Call,
        }
    }
}

/// The neutral field that an item represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemKind {
    Native,
    Reasoning,
    Text,
    /// The next call.
    Call,
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

    pub(crate) fn failed(error: StreamError) -> Self {
        Delta { error: Some(error), ..Delta::default() }.into()
    }
}

impl From<Delta> for Chunk {
    fn from(delta: Delta) -> Self {
        Chunk(ChunkContent::Delta(delta))
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
        Chunk(ChunkContent::Text(text))
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
