//! One call that is still arriving.

use super::object_end::ObjectEnd;
use crate::message::{Arguments, CallPiece, Extra, ToolCall, is_object};
use crate::wire::add_fields;
use serde_json::{Map, Value};
use std::ops::Range;

/// A call that arrives in pieces.
#[derive(Debug)]
pub(super) struct PartialCall {
    pub(super) call: ToolCall,
    pub(super) index: Option<i64>,
    /// Further fields.
    extra: Map<String, Value>,
    pub(super) reported: Reported,
    /// The end of the arguments.
    end: ObjectEnd,
    /// Whether the arguments are any text.
    takes_text: bool,
    /// Whether the complete call arrived after its pieces.
    is_confirmed: bool,
}

/// The events that were queued for a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reported {
    /// None, since the name of the tool is not known yet.
    Nothing,
    Started,
    /// Complete: the call does not change any more.
    Complete,
}

impl PartialCall {
    pub(super) fn new() -> Self {
        PartialCall {
            call: ToolCall::new("", "", ""),
            index: None,
            extra: Map::new(),
            reported: Reported::Nothing,
            end: ObjectEnd::NotBegun,
            takes_text: false,
            is_confirmed: false,
        }
    }

    /// Whether a piece that has the same index, or the same id, or neither, belongs to this call.
    ///
    /// Calls share an index with Gemini and its gateways (<https://github.com/NousResearch/hermes-agent/issues/62940>)
    /// and with sglang (<https://github.com/InternLM/lmdeploy/issues/3412>). vLLM repeated the name in each piece
    /// (<https://github.com/vllm-project/vllm/issues/18412>); vLLM and others gave each piece a different id
    /// (<https://github.com/cubist38/mlx-openai-server/pull/216>).
    pub(super) fn goes_on_with(&self, piece: &CallPiece) -> bool {
        let ToolCall { id, name, arguments, .. } = &self.call;
        let has_same_name = *name == piece.name;
        let has_id = !id.is_empty() && *id == piece.id;
        if !has_id && !id.is_empty() && !piece.id.is_empty() {
            let is_nothing_new = piece.name.is_empty() && piece.arguments.is_empty();
            let may_go_on = piece.name.is_empty() || has_same_name && piece.index.is_some();
            return is_nothing_new || may_go_on && self.can_take(&piece.arguments);
        }
        if piece.name.is_empty() || name.is_empty() {
            return true;
        }
        if arguments.is_empty() {
            // A different name may be the next piece of the name, if the id or an index shows that both belong to one
            // call.
            return has_same_name || (has_id || piece.index.is_some()) && piece.arguments.is_empty();
        }
        let is_repeated = has_id || piece.index.is_some() && piece.arguments.is_empty();
        has_same_name && (!self.is_whole() || is_repeated)
    }

    /// Whether these arguments can continue those of this call. Empty arguments after empty arguments belong to another
    /// call.
    fn can_take(&self, arguments: &Arguments) -> bool {
        let have_begun = !self.call.arguments.is_empty() || !arguments.is_empty();
        have_begun && !self.is_whole()
    }

    /// Whether a piece is the head of another call of this tool, without arguments. Such a call exists only if its
    /// arguments follow: vLLM ends a call with such a piece, which has an unrelated id.
    pub(super) fn may_be_followed_by(&self, piece: &CallPiece) -> bool {
        let has_own_id = !piece.id.is_empty() && piece.id != self.call.id;
        let is_same_tool = piece.name == self.call.name && piece.index.is_some();
        self.is_whole() && has_own_id && is_same_tool && piece.arguments.is_empty()
    }

    /// Takes all fields of a piece except the arguments.
    pub(super) fn take_head(&mut self, piece: &mut CallPiece) {
        if piece.takes_text {
            self.takes_text = true;
            self.end = ObjectEnd::NoObject;
        }
        add_fields(&mut self.extra, std::mem::take(&mut piece.extra));
        if self.reported == Reported::Complete {
            return;
        }
        if self.call.id.is_empty() {
            self.call.id = std::mem::take(&mut piece.id);
        }
        let name = &mut self.call.name;
        if piece.name.starts_with(&**name) {
            // The first name, or a repetition of the complete name.
            *name = std::mem::take(&mut piece.name);
        } else if self.call.arguments.is_empty() {
            name.push_str(&piece.name);
        }
    }

    /// Whether these arguments are empty, or equal to those of the call except for white space.
    pub(super) fn is_repetition(&self, arguments: &Value) -> bool {
        let is_none = arguments.as_object().is_some_and(Map::is_empty);
        let is_known =
            || serde_json::from_str::<Value>(&self.call.arguments).is_ok_and(|known| known == *arguments);
        self.is_whole() && !self.is_empty_object() && (is_none || is_known())
    }

    /// Appends a piece of the arguments. Returns the range that was added, and the rest of the piece, which does not
    /// belong to this call.
    pub(super) fn take_arguments<'a>(&mut self, piece: &'a str) -> (Range<usize>, &'a str) {
        if self.takes_no_more() {
            return (0..0, piece);
        }
        if self.is_empty_object() {
            if !piece.trim_start().starts_with('{') {
                return (0..0, piece);
            }
            self.clear_placeholder();
        }
        let from = self.call.arguments.len();
        let end = self.end.find(piece);
        let (piece, after) = piece.split_at(end.unwrap_or(piece.len()));
        self.call.arguments.push_str(piece);
        if end.is_some() && !is_object(&self.call.arguments) {
            // The text in the braces is not JSON, so the end of the object is unknown.
            self.end = ObjectEnd::NoObject;
            self.call.arguments.push_str(after);
            return (from..self.call.arguments.len(), "");
        }
        (from..self.call.arguments.len(), after)
    }

    /// Whether a complete call with this name and these arguments, at the index of this call, is this call. Some servers
    /// change the id.
    pub(super) fn is_confirmed_by(&self, name: &str, arguments: &str) -> bool {
        let has_same_name = name.is_empty() || self.call.name.is_empty() || self.call.name == name;
        !self.is_confirmed && has_same_name && arguments.starts_with(&*self.call.arguments)
    }

    pub(super) fn confirm(&mut self) {
        self.is_confirmed = true;
    }

    /// The rest of the arguments after the pieces so far, of which this is the complete text.
    pub(super) fn rest_of(&self, whole: &str) -> String {
        whole.strip_prefix(&*self.call.arguments).unwrap_or_default().to_owned()
    }

    /// Takes arguments that arrive as a JSON value, if there are none yet.
    pub(super) fn take_json(&mut self, arguments: &Value) -> Option<Range<usize>> {
        if self.is_empty_object() && !self.takes_no_more() {
            self.clear_placeholder();
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

    /// Clears an empty object before the arguments, which is a placeholder: some gateways of Claude send it
    /// (<https://github.com/BerriAI/litellm/issues/4537>, <https://github.com/openai/openai-agents-js/pull/712>).
    fn clear_placeholder(&mut self) {
        self.call.arguments.clear();
        self.end = ObjectEnd::NotBegun;
    }

    /// Whether the arguments are one complete object. Text after it does not belong to them.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self.end, ObjectEnd::Found { .. })
    }

    /// Whether the arguments are an empty object, which may be a placeholder for arguments that follow.
    pub(super) fn is_empty_object(&self) -> bool {
        matches!(self.end, ObjectEnd::Found { is_empty: true })
    }

    /// Whether the arguments cannot change any more.
    pub(super) fn takes_no_more(&self) -> bool {
        self.reported == Reported::Complete || self.is_whole() && !self.is_empty_object()
    }

    /// Marks the call as complete. Missing arguments become an empty object.
    pub(super) fn complete(&mut self) {
        self.reported = Reported::Complete;
        if self.call.arguments.is_empty() && !self.takes_text {
            self.call.arguments.push_str("{}");
        }
    }

    /// The call in a reply of this wire.
    pub(super) fn into_call(self, wire: &'static str) -> ToolCall {
        let is_truncated = self.reported != Reported::Complete && !self.is_whole();
        let PartialCall { mut call, extra, .. } = self;
        call.is_truncated = is_truncated;
        call.extra = Extra::new(wire, extra);
        call
    }
}
