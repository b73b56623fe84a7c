//! One call, as far as it came.

use super::chunk::{CallDelta, FunctionDelta};
use super::fields;
use super::object_end::ObjectEnd;
use crate::messages::{ToolCall, is_object, text};
use serde_json::{Map, Value, json};
use std::ops::Range;

/// A call that comes piece by piece.
#[derive(Debug)]
pub(super) struct CallSoFar {
    pub(super) call: ToolCall,
    pub(super) index: Option<i64>,
    pub(super) told: Told,
    /// Of the arguments.
    end: ObjectEnd,
    /// Whether it is one of OpenAI's custom tools, which take any text.
    is_custom: bool,
}

/// What was told of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// Nothing, since its tool is not known.
    Nothing,
    Started,
    /// From then on it does not change.
    Complete,
}

/// A delta of a call, in the words of a call.
#[derive(Debug)]
pub(super) struct CallPiece {
    pub(super) index: Option<i64>,
    /// Empty where there is none.
    pub(super) id: String,
    /// Empty where there is none.
    pub(super) name: String,
    pub(super) arguments: Arguments,
    is_custom: bool,
    other: Map<String, Value>,
}

#[derive(Debug)]
pub(super) enum Arguments {
    /// The next piece of their text, which may be empty.
    Piece(String),
    /// All of them: they came as JSON.
    Whole(String),
}

impl From<CallDelta> for CallPiece {
    fn from(delta: CallDelta) -> Self {
        let CallDelta { index, id, function, custom, other, .. } = delta;
        let is_custom = function.is_none() && custom.is_some();
        let FunctionDelta { name, arguments } = function.or(custom).unwrap_or_default();
        let arguments = match arguments {
            None | Some(Value::Null) => Arguments::Piece(String::new()),
            Some(Value::String(piece)) => Arguments::Piece(piece),
            Some(whole) => Arguments::Whole(whole.to_string()),
        };
        let name = name.unwrap_or_default();
        CallPiece { index, id: text(id), name, arguments, is_custom, other }
    }
}

impl CallPiece {
    /// Whether there is nothing in it that could begin a call.
    pub(super) fn is_empty(&self) -> bool {
        self.id.is_empty()
            && self.name.is_empty()
            && self.arguments.text().is_empty()
            && self.other.values().all(Value::is_null)
    }
}

impl Arguments {
    pub(super) fn text(&self) -> &str {
        match self {
            Arguments::Piece(text) | Arguments::Whole(text) => text,
        }
    }
}

impl CallSoFar {
    pub(super) fn new() -> Self {
        CallSoFar {
            call: ToolCall::new("", "", ""),
            index: None,
            told: Told::Nothing,
            end: ObjectEnd::NotBegun,
            is_custom: false,
        }
    }

    /// Whether a piece that has the same index, or the same id, or neither, belongs to this call. Several servers give all
    /// calls of a reply the index 0, others say id and name again with each piece, or give each piece an id of its own.
    pub(super) fn goes_on_with(&self, piece: &CallPiece) -> bool {
        let ToolCall { id, name, arguments, .. } = &self.call;
        let has_begun = !arguments.is_empty();
        let has_id = !id.is_empty() && *id == piece.id;
        if !has_id && !id.is_empty() && !piece.id.is_empty() {
            // Another call has a name, or at least arguments where these have ended.
            return piece.name.is_empty()
                && (piece.arguments.text().is_empty() || has_begun && !self.is_whole());
        }
        if piece.name.is_empty() || name.is_empty() {
            return true;
        }
        if !has_begun {
            // A name may come in pieces, which are known by something.
            return *name == piece.name || has_id || piece.index.is_some();
        }
        *name == piece.name && (!self.is_whole() || has_id || piece.arguments.text().is_empty())
    }

    /// Takes what a piece says beside the arguments.
    pub(super) fn take_head(&mut self, piece: &mut CallPiece) {
        if piece.is_custom {
            self.is_custom = true;
            // Its input is any text.
            self.end = ObjectEnd::NoObject;
        }
        fields::add(&mut self.call.other, std::mem::take(&mut piece.other));
        if self.told == Told::Complete {
            return;
        }
        if self.call.id.is_empty() {
            self.call.id = std::mem::take(&mut piece.id);
        }
        let name = &mut self.call.name;
        if piece.name.starts_with(&**name) {
            // The first time, or all of it again.
            *name = std::mem::take(&mut piece.name);
        } else if self.call.arguments.is_empty() {
            name.push_str(&piece.name);
        }
    }

    /// Whether a piece only says again what is there.
    pub(super) fn is_repeated_by(&self, piece: &CallPiece) -> bool {
        let arguments = self.call.arguments.trim();
        self.is_whole()
            && !piece.id.is_empty()
            && piece.id == self.call.id
            && piece.arguments.text().trim() == arguments
    }

    pub(super) fn has_arguments(&self) -> bool {
        !self.call.arguments.is_empty()
    }

    /// Takes a piece of the arguments; gives back where they have grown, and what does not belong to them.
    pub(super) fn take_arguments<'a>(&mut self, piece: &'a str) -> (Range<usize>, &'a str) {
        let is_complete = self.told == Told::Complete;
        if self.is_whole() && !self.is_surely_whole() && !is_complete && piece.trim_start().starts_with('{') {
            // An empty object in front of the arguments stood for them.
            self.call.arguments.clear();
            self.end = ObjectEnd::NotBegun;
        }
        let from = self.call.arguments.len();
        if self.is_whole() || is_complete {
            return (from..from, piece);
        }
        let end = self.end.find(piece);
        let (piece, behind) = piece.split_at(end.unwrap_or(piece.len()));
        self.call.arguments.push_str(piece);
        if end.is_some() && !is_object(&self.call.arguments) {
            // Braces that do not hold JSON: where they end is not known.
            self.end = ObjectEnd::NoObject;
            self.call.arguments.push_str(behind);
            return (from..self.call.arguments.len(), "");
        }
        (from..self.call.arguments.len(), behind)
    }

    /// Takes arguments that came as JSON.
    pub(super) fn take_whole(&mut self, arguments: String) -> Range<usize> {
        self.end = if is_object(&arguments) { ObjectEnd::Found } else { ObjectEnd::NoObject };
        self.call.arguments = arguments;
        0..self.call.arguments.len()
    }

    /// Whether the arguments are one whole object: what comes behind does not belong to them.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self.end, ObjectEnd::Found)
    }

    /// Whether they are one whole object that is not empty: some servers begin with an empty one, and send the arguments
    /// behind it.
    pub(super) fn is_surely_whole(&self) -> bool {
        let inside = self.call.arguments.trim().trim_start_matches('{').trim_end_matches('}');
        self.is_whole() && !inside.trim().is_empty()
    }

    /// Nothing more comes. Without arguments, it has none.
    pub(super) fn complete(&mut self) {
        self.told = Told::Complete;
        if self.call.arguments.is_empty() && !self.is_custom {
            self.call.arguments.push_str("{}");
        }
    }

    /// The call as the reply has it.
    pub(super) fn into_call(self, may_be_cut_off: bool) -> ToolCall {
        let is_cut_off = may_be_cut_off && self.told != Told::Complete && !self.is_whole();
        let mut call = self.call;
        call.is_cut_off = is_cut_off;
        if self.is_custom {
            let called = json!({ "name": call.name, "input": call.arguments });
            call.other.extend([("type".to_owned(), json!("custom")), ("custom".to_owned(), called)]);
        }
        call
    }
}
