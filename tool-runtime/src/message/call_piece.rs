//! Pieces of calls in a streamed reply.

use super::ToolCall;
use serde_json::{Map, Value};

/// A piece of a call.
#[derive(Debug, Default)]
pub(crate) struct CallPiece {
    /// The index that the server sent, by which the provider decides, with the id and the name.
    pub(crate) index: Option<i64>,
    /// Whether it is a whole call, which no other piece belongs to.
    pub(crate) is_whole_call: bool,
    /// The id of the item that the call is, which some providers send in addition to the id of the call. Empty if missing.
    pub(crate) item_id: String,
    /// Empty if missing.
    pub(crate) id: String,
    /// Empty if missing.
    pub(crate) name: String,
    pub(crate) arguments: Arguments,
    /// Whether the arguments are any text, and not an object.
    pub(crate) takes_text: bool,
    pub(crate) truncation: Truncation,
    pub(crate) extra: Map<String, Value>,
}

/// Whether the arguments of a call are truncated, as its own fields show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Truncation {
    #[default]
    None,
    /// They are if the reply is truncated, although they are an object.
    Possible,
    Certain,
}

#[derive(Debug)]
pub(crate) enum Arguments {
    /// The next piece of the text, which may be empty.
    Piece(String),
    /// The complete arguments.
    Json(Value),
    /// The complete text, of which pieces may have arrived.
    Whole(String),
}

impl CallPiece {
    /// The next piece of the arguments of the call with this index.
    pub(crate) fn from_arguments(index: i64, piece: String) -> Self {
        CallPiece { index: Some(index), arguments: Arguments::Piece(piece), ..CallPiece::default() }
    }

    /// The whole call, which no other piece belongs to. `wire` is the wire that read it.
    pub(crate) fn from_call(call: &ToolCall, wire: &str) -> Self {
        CallPiece {
            is_whole_call: true,
            id: call.id.clone(),
            name: call.name.clone(),
            arguments: Arguments::Whole(call.arguments.clone()),
            truncation: if call.is_truncated { Truncation::Certain } else { Truncation::None },
            extra: call.extra.to_map(wire),
            ..CallPiece::default()
        }
    }

    /// Whether both id and name are missing.
    pub(crate) fn has_no_head(&self) -> bool {
        self.id.is_empty() && self.name.is_empty()
    }

    /// Whether it has nothing that could start a call.
    pub(crate) fn is_empty(&self) -> bool {
        self.has_no_head() && self.arguments.is_empty() && self.extra.values().all(Value::is_null)
    }

    /// Whether it continues this head of a call: it has arguments, and its id and name do not differ.
    pub(crate) fn continues(&self, head: &CallPiece) -> bool {
        let is_same = |own: &str, other: &str| own.is_empty() || own == other;
        let has_same_head = is_same(&self.id, &head.id) && is_same(&self.name, &head.name);
        self.index == head.index && has_same_head && !self.is_whole_call && !self.arguments.is_empty()
    }
}

impl Default for Arguments {
    fn default() -> Self {
        Arguments::Piece(String::new())
    }
}

impl Arguments {
    /// Whether it is white space only.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Arguments::Piece(text) | Arguments::Whole(text) if text.trim().is_empty())
    }
}
