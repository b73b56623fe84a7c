//! The pieces of a streamed reply, in the order in which they arrive, independent of a provider's format.

use super::{Arguments, CallPiece, Completeness, ReadItem, StreamError, Usage};
use serde_json::{Map, Value};

/// A piece of a streamed reply. Each event of a provider becomes a list of them.
#[derive(Debug)]
pub(crate) enum Piece {
    Model(String),
    ResponseId(String),
    Usage(Usage),
    /// The beginning of the reply, with its id if the provider sends one.
    Beginning(Option<String>),
    /// The pieces after it in the chunk belong to the reply with this number. A provider that can send several replies
    /// numbers them.
    Reply(Option<i64>),
    /// Pieces of further fields.
    Extra(Map<String, Value>),
    /// Text of the reasoning to show.
    Reasoning(String),
    Refusal(String),
    Text(String),
    /// Parts of the content in the format of Chat Completions, and their text.
    Parts(Vec<Value>, String),
    Call(CallPiece),
    /// The item with this index starts. If it is a call, `call` is its start. `arguments` are those of the call, unless
    /// pieces of them follow.
    ItemStart {
        index: i64,
        item: Value,
        kind: ItemKind,
        call: Option<CallPiece>,
        arguments: Option<Value>,
        /// The provider sends no start of such an item: it has started already if an item of its kind grows at this index.
        is_implied: bool,
        wrap: WrapItem,
    },
    /// A field of the item with this index grows.
    ItemGrowth {
        index: i64,
        field: &'static str,
        growth: Growth,
    },
    /// The item with this index has ended, complete or not.
    ItemEnd(i64),
    /// A complete item. `index` is its position; `None` if it is the next one. If it is a call, `call` is all of it.
    Item {
        index: Option<i64>,
        item: ReadItem,
        call: Option<CallPiece>,
    },
    /// An item with a field `text`. It continues the newest item if that one has the same further fields.
    JoinableItem {
        item: Value,
        kind: ItemKind,
        wrap: WrapItem,
    },
    /// The complete reply, of which pieces may have arrived.
    Whole(Vec<Piece>),
    Finish(Finish),
    /// The beginning of a chunk that has no piece of a reply.
    Skipped(String),
    /// An error unless a reply follows it.
    PossibleError(StreamError),
    Error(StreamError),
    /// The end of the stream.
    Done,
}

impl Piece {
    /// Whether it is content of the reply, or the reason why it ends.
    pub(crate) fn is_content(&self) -> bool {
        match self {
            Piece::Text(text) | Piece::Reasoning(text) | Piece::Refusal(text) => !text.is_empty(),
            Piece::Model(_)
            | Piece::ResponseId(_)
            | Piece::Usage(_)
            | Piece::Beginning(_)
            | Piece::Reply(_)
            | Piece::Extra(_)
            | Piece::Skipped(_)
            | Piece::PossibleError(_)
            | Piece::Error(_)
            | Piece::Done => false,
            Piece::Parts(..)
            | Piece::Call(_)
            | Piece::ItemStart { .. }
            | Piece::ItemGrowth { .. }
            | Piece::ItemEnd(_)
            | Piece::Item { .. }
            | Piece::JoinableItem { .. }
            | Piece::Whole(_)
            | Piece::Finish(_) => true,
        }
    }

    /// Changes each text that the text of another chunk may continue.
    pub(crate) fn change_texts(&mut self, change: &mut dyn FnMut(&mut String)) {
        match self {
            Piece::Reasoning(text)
            | Piece::Refusal(text)
            | Piece::Text(text)
            | Piece::Call(CallPiece { arguments: Arguments::Piece(text), .. })
            | Piece::ItemGrowth { growth: Growth::Text(text) | Growth::Json(text), .. } => change(text),
            Piece::JoinableItem { item: Value::Object(fields), .. } | Piece::Extra(fields) => {
                for value in fields.values_mut() {
                    if let Value::String(text) = value {
                        change(text);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Returns the JSON of an item that contains this object, whose fields grow. The object is the item itself on most wires.
pub(crate) type WrapItem = fn(String) -> String;

/// The growth of a field.
#[derive(Debug)]
pub(crate) enum Growth {
    /// The whole value.
    Whole(Value),
    /// More text.
    Text(String),
    /// The next element of an array.
    Element(Value),
    /// More text of a JSON value. If the item is a call, these are its arguments.
    Json(String),
}

/// The end of a reply.
#[derive(Debug)]
pub(crate) struct Finish {
    pub(crate) reason: String,
    pub(crate) completeness: Completeness,
}

/// The neutral field that an item represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemKind {
    Native,
    Reasoning,
    Text,
    Call,
}
