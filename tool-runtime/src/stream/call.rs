//! One call, as far as it came.

use super::call_piece::{Arguments, CallPiece};
use super::fields;
use super::object_end::ObjectEnd;
use crate::message::{ToolCall, is_object};
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

    /// Whether a piece that has the same index, or the same id, or neither, belongs to this call.
    ///
    /// Calls share an index at Gemini and its gateways (<https://github.com/NousResearch/hermes-agent/issues/62940>)
    /// and at sglang (<https://github.com/InternLM/lmdeploy/issues/3412>). vLLM has said the name again with each piece
    /// (<https://github.com/vllm-project/vllm/issues/18412>); it and others have given each piece an id of its own
    /// (<https://github.com/cubist38/mlx-openai-server/pull/216>).
    pub(super) fn goes_on_with(&self, piece: &CallPiece) -> bool {
        let ToolCall { id, name, arguments, .. } = &self.call;
        let has_same_name = *name == piece.name;
        let has_id = !id.is_empty() && *id == piece.id;
        if !has_id && !id.is_empty() && !piece.id.is_empty() {
            let is_nothing_new = piece.name.is_empty() && piece.arguments.is_empty();
            let may_go_on = piece.name.is_empty() || has_same_name && piece.index.is_some();
            return is_nothing_new || may_go_on && self.has_room_for(&piece.arguments);
        }
        if piece.name.is_empty() || name.is_empty() {
            return true;
        }
        if arguments.is_empty() {
            // Another name may be the next piece of this one, if anything says that the two are of one call.
            return has_same_name || (has_id || piece.index.is_some()) && piece.arguments.is_empty();
        }
        let is_said_again = has_id || piece.index.is_some() && piece.arguments.is_empty();
        has_same_name && (!self.is_whole() || is_said_again)
    }

    /// Whether these arguments can be some of those of this call. Nothing behind nothing is another call without any.
    fn has_room_for(&self, arguments: &Arguments) -> bool {
        let have_begun = !self.call.arguments.is_empty() || !arguments.is_empty();
        have_begun && !self.is_whole()
    }

    /// Whether a piece has a head as of another call of this tool, and nothing behind it: such a call is there only if
    /// its arguments come. vLLM ends a call so, with an id of its own for nothing.
    pub(super) fn may_be_followed_by(&self, piece: &CallPiece) -> bool {
        let has_own_id = !piece.id.is_empty() && piece.id != self.call.id;
        let is_same_tool = piece.name == self.call.name && piece.index.is_some();
        self.is_whole() && has_own_id && is_same_tool && piece.arguments.is_empty()
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

    /// Whether these are the arguments that are there, with other white space perhaps, or none of those.
    pub(super) fn says_again(&self, arguments: &Value) -> bool {
        let is_none = arguments.as_object().is_some_and(Map::is_empty);
        let is_known =
            || serde_json::from_str::<Value>(&self.call.arguments).is_ok_and(|known| known == *arguments);
        self.is_whole() && !self.is_empty_object() && (is_none || is_known())
    }

    /// Takes a piece of the arguments; gives back where they have grown, and what does not belong to them.
    pub(super) fn take_arguments<'a>(&mut self, piece: &'a str) -> (Range<usize>, &'a str) {
        if self.takes_no_more() {
            return (0..0, piece);
        }
        if self.is_empty_object() {
            if !piece.trim_start().starts_with('{') {
                return (0..0, piece);
            }
            self.make_room();
        }
        let from = self.call.arguments.len();
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

    /// Takes arguments that came as JSON, if there are none.
    pub(super) fn take_json(&mut self, arguments: &Value) -> Option<Range<usize>> {
        if self.is_empty_object() && !self.takes_no_more() {
            self.make_room();
        }
        if self.takes_no_more() || !self.call.arguments.is_empty() {
            return None;
        }
        self.end = match arguments.as_object() {
            Some(object) => ObjectEnd::Found { is_empty: object.is_empty() },
            None => ObjectEnd::NoObject,
        };
        self.call.arguments = arguments.to_string();
        Some(0..self.call.arguments.len())
    }

    /// An empty object in front of the arguments stood for them, as Claude's does behind some gateways
    /// (<https://github.com/BerriAI/litellm/issues/4537>, <https://github.com/openai/openai-agents-js/pull/712>).
    fn make_room(&mut self) {
        self.call.arguments.clear();
        self.end = ObjectEnd::NotBegun;
    }

    /// Whether the arguments are one whole object: what comes behind does not belong to them.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self.end, ObjectEnd::Found { .. })
    }

    /// Whether they are an empty object, behind which they may still come.
    pub(super) fn is_empty_object(&self) -> bool {
        matches!(self.end, ObjectEnd::Found { is_empty: true })
    }

    /// Whether the arguments cannot change any more.
    pub(super) fn takes_no_more(&self) -> bool {
        self.told == Told::Complete || self.is_whole() && !self.is_empty_object()
    }

    /// Nothing more comes: where no arguments came, it has none.
    pub(super) fn complete(&mut self) {
        self.told = Told::Complete;
        if self.call.arguments.is_empty() && !self.is_custom {
            self.call.arguments.push_str("{}");
        }
    }

    /// The call as the reply has it.
    pub(super) fn into_call(self) -> ToolCall {
        let is_cut_off = self.told != Told::Complete && !self.is_whole();
        let mut call = self.call;
        call.is_cut_off = is_cut_off;
        if self.is_custom {
            let called = json!({ "name": call.name, "input": call.arguments });
            call.other.extend([("type".to_owned(), json!("custom")), ("custom".to_owned(), called)]);
        }
        call
    }
}
