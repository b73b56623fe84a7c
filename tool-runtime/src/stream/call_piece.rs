//! Pieces of calls.

use super::wire_chunk::{CallDelta, FunctionDelta};
use crate::message::as_text;
use serde_json::{Map, Value};

/// A delta of a call, with the field names of a call.
#[derive(Debug)]
pub(super) struct CallPiece {
    pub(super) index: Option<i64>,
    /// Empty if missing.
    pub(super) id: String,
    /// Empty if missing.
    pub(super) name: String,
    pub(super) arguments: Arguments,
    /// Whether it belongs to one of OpenAI's custom tools, which take any text.
    pub(super) is_custom: bool,
    pub(super) other: Map<String, Value>,
}

#[derive(Debug)]
pub(super) enum Arguments {
    /// The next piece of the text, which may be empty.
    Piece(String),
    /// The complete arguments.
    Json(Value),
}

impl From<CallDelta> for CallPiece {
    fn from(delta: CallDelta) -> Self {
        let CallDelta { index, id, function, custom, name, arguments, other, .. } = delta;
        let is_custom = function.is_none() && custom.is_some();
        let FunctionDelta { name, arguments, input } =
            function.or(custom).unwrap_or(FunctionDelta { name, arguments, input: None });
        let arguments = match arguments.or(input) {
            None | Some(Value::Null) => Arguments::Piece(String::new()),
            Some(Value::String(piece)) => Arguments::Piece(piece),
            Some(json) => Arguments::Json(json),
        };
        let name = name.unwrap_or_default();
        CallPiece { index, id: as_text(id), name, arguments, is_custom, other }
    }
}

impl CallPiece {
    /// Whether another piece continues this head: it has arguments, and its id and name do not differ.
    pub(super) fn goes_on_with(&self, piece: &CallPiece) -> bool {
        let is_same = |own: &str, other: &str| other.is_empty() || own == other;
        let has_same_head = is_same(&self.id, &piece.id) && is_same(&self.name, &piece.name);
        self.index == piece.index && has_same_head && !piece.arguments.is_empty()
    }

    /// Whether both id and name are missing.
    pub(super) fn has_no_head(&self) -> bool {
        self.id.is_empty() && self.name.is_empty()
    }

    /// Whether it has nothing that could start a call.
    pub(super) fn is_empty(&self) -> bool {
        self.has_no_head() && self.arguments.is_empty() && self.other.values().all(Value::is_null)
    }
}

impl Arguments {
    /// Whether it is white space only.
    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Arguments::Piece(text) if text.trim().is_empty())
    }
}
