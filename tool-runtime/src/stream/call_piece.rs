//! Comparison of pieces of calls.

use crate::message::{Arguments, CallPiece};
use serde_json::Value;

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

    /// Whether it is a complete call that no other piece belongs to.
    pub(super) fn is_new_call(&self) -> bool {
        matches!(self.arguments, Arguments::OfNewCall(_))
    }

    /// Whether it has nothing that could start a call.
    pub(super) fn is_empty(&self) -> bool {
        self.has_no_head() && self.arguments.is_empty() && self.extra.values().all(Value::is_null)
    }
}

impl Arguments {
    /// Whether it is white space only.
    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Arguments::Piece(text) | Arguments::Whole(text) | Arguments::OfNewCall(text) if text.trim().is_empty())
    }
}
