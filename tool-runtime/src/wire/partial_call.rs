//! One call of a streamed reply that is still arriving.

use super::add_fields;
use super::call_rules::CallRules;
use super::other_arguments::OtherArguments;
use super::snapshots::Snapshots;
use crate::json::ObjectEnd;
use crate::message::{
    Arguments, CallPiece, Extra, ToolCall, Truncation, is_empty_object, is_object, is_same_value,
};
use serde_json::{Map, Value};
use std::ops::Range;

/// A call that arrives in pieces.
#[derive(Debug)]
pub(crate) struct PartialCall {
    pub(crate) call: ToolCall,
    pub(crate) index: Option<i64>,
    /// The position of the newest call whose arguments followed those of this call.
    pub(super) continued_by: Option<usize>,
    /// The position of the call whose arguments these follow.
    pub(super) continues: Option<usize>,
    pub(crate) rules: CallRules,
    /// Further fields.
    extra: Map<String, Value>,
    pub(crate) reported: Reported,
    /// The end of the arguments.
    end: ObjectEnd,
    snapshots: Snapshots,
    other_arguments: OtherArguments,
    /// Whether the arguments are any text.
    takes_text: bool,
    /// Whether the complete call arrived, after its pieces if there were any.
    pub(crate) is_confirmed: bool,
    /// Whether the provider has marked the call as truncated, whatever its arguments are.
    pub(crate) is_truncated: bool,
}

/// The events that were queued for a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reported {
    /// None, since the name of the tool is not known yet.
    Nothing,
    Started,
    /// The start, and arguments.
    Arguments,
    /// Complete: the call does not change any more.
    Complete,
}

impl PartialCall {
    pub(crate) fn new(rules: CallRules) -> Self {
        PartialCall {
            call: ToolCall::new("", "", ""),
            index: None,
            continued_by: None,
            continues: None,
            rules,
            extra: Map::new(),
            reported: Reported::Nothing,
            end: ObjectEnd::NotBegun,
            snapshots: Snapshots::default(),
            other_arguments: OtherArguments::default(),
            takes_text: false,
            is_confirmed: false,
            is_truncated: false,
        }
    }

    /// Takes all fields of a piece except the arguments.
    pub(crate) fn take_head(&mut self, piece: &mut CallPiece) {
        if piece.takes_text {
            self.takes_text = true;
            self.end = ObjectEnd::NoObject;
        }
        let is_complete_call = matches!(piece.arguments, Arguments::Whole(_)) && !piece.name.is_empty();
        if is_complete_call {
            self.is_confirmed = true;
            self.extra = std::mem::take(&mut piece.extra);
        } else {
            add_fields(&mut self.extra, std::mem::take(&mut piece.extra));
            if self.rules.has_unique_ids && !piece.name.is_empty() && !self.call.name.is_empty() {
                self.begin_again();
            }
        }
        self.take_truncation(piece.truncation);
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
        } else {
            name.push_str(&piece.name);
        }
    }

    /// Takes whether the arguments are truncated.
    pub(crate) fn take_truncation(&mut self, truncation: Truncation) {
        self.rules.may_truncate_objects |= truncation == Truncation::Possible;
        self.is_truncated |= truncation == Truncation::Certain;
    }

    /// Begins to take the arguments anew, since a later item states the call again. An item without arguments states nothing.
    fn begin_again(&mut self) {
        self.is_confirmed = false;
        if self.reported == Reported::Complete || self.takes_text {
            return self.other_arguments.keep_contradiction(&self.call);
        }
        let is_complete = self.is_whole() && !self.is_empty_object();
        if !self.stated_arguments().is_empty() {
            self.other_arguments.take_item(std::mem::take(&mut self.call.arguments), is_complete);
        }
        self.clear_arguments();
    }

    /// Appends a piece of the arguments. Returns the range that was added, and the rest of the piece, which does not
    /// belong to this call.
    pub(crate) fn take_arguments<'a>(&mut self, piece: &'a str) -> (Range<usize>, &'a str) {
        if self.takes_no_more() {
            if self.rules.has_unique_ids {
                self.other_arguments.add_piece(piece);
                return (0..0, "");
            }
            return (0..0, piece);
        }
        if self.is_empty_object() {
            if !piece.trim_start().starts_with('{') {
                return (0..0, piece);
            }
            // The empty object is a placeholder before the arguments: some gateways of Claude send it
            // (<https://github.com/BerriAI/litellm/issues/4537>, <https://github.com/openai/openai-agents-js/pull/712>).
            self.clear_arguments();
        }
        self.snapshots.compare(&self.call.arguments, piece);
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

    /// Takes text after the complete arguments, if the complete call follows and decides. Returns whether it does.
    pub(crate) fn take_other_arguments(&mut self, text: &str) -> bool {
        if self.rules.sends_complete_calls {
            self.other_arguments.add_piece(text);
        }
        self.rules.sends_complete_calls
    }

    /// The part of these complete arguments that did not arrive in pieces. The complete arguments replace pieces that
    /// differ from them, unless the call is complete already, or waits only for the next call or the end of the reply.
    pub(crate) fn rest_of<'a>(&mut self, whole: &'a str) -> &'a str {
        let waits = self.rules.may_truncate_objects && self.can_be_complete(true);
        if self.reported == Reported::Complete || waits {
            self.other_arguments.add(whole);
            return "";
        }
        let is_missing = whole.trim().is_empty() && !self.call.arguments.is_empty();
        if is_missing || self.is_whole() && !is_object(whole) {
            return "";
        }
        self.other_arguments = OtherArguments::default();
        whole.strip_prefix(&*self.call.arguments).unwrap_or_else(|| {
            self.clear_arguments();
            whole
        })
    }

    /// Whether arguments after the complete ones of this call repeat them (<https://github.com/vllm-project/vllm/issues/51697>)
    /// or are empty. Others are those of another call of the same tool, as Gemini's gateways send them
    /// (<https://github.com/dyedd/lens/issues/49>).
    pub(crate) fn is_repeated_by(&self, arguments: &str) -> bool {
        let repeats = || is_empty_object(arguments) || is_same_value(&self.call.arguments, arguments);
        self.is_whole() && !self.is_empty_object() && repeats()
    }

    fn clear_arguments(&mut self) {
        self.call.arguments.clear();
        self.snapshots = Snapshots::default();
        if !self.takes_text {
            self.end = ObjectEnd::NotBegun;
        }
    }

    /// Whether an earlier item stated incomplete arguments, and later ones state none.
    pub(crate) fn is_partly_stated(&self) -> bool {
        self.stated_arguments().is_empty() && self.other_arguments.are_incomplete()
    }

    /// Whether the arguments are one complete object. Text after it does not belong to them.
    pub(crate) fn is_whole(&self) -> bool {
        matches!(self.end, ObjectEnd::Found { .. })
    }

    /// Whether the arguments are an empty object, which may be a placeholder for arguments that follow.
    pub(crate) fn is_empty_object(&self) -> bool {
        matches!(self.end, ObjectEnd::Found { is_empty: true })
    }

    /// Whether the arguments cannot change any more, unless the complete call replaces them.
    pub(crate) fn takes_no_more(&self) -> bool {
        self.reported == Reported::Complete || self.is_whole() && !self.is_empty_object()
    }

    /// Whether the call can be complete before the end of the stream. `is_followed` is whether another call has begun, or the
    /// reply has ended without truncation.
    pub(crate) fn can_be_complete(&self, is_followed: bool) -> bool {
        let is_confirmed = self.is_confirmed || !self.rules.sends_complete_calls;
        let is_untruncated = is_followed || !self.rules.may_truncate_objects;
        self.is_whole() && self.takes_no_more() && is_confirmed && is_untruncated && !self.is_truncated
    }

    /// The arguments so far. If each piece repeats those so far, the newest piece.
    pub(super) fn stated_arguments(&self) -> &str {
        if self.is_empty_object() { "" } else { self.snapshots.newest(&self.call.arguments) }
    }

    /// If each piece of the arguments repeats those so far, the newest piece becomes the arguments. Returns whether it does.
    pub(crate) fn use_newest_snapshot(&mut self) -> bool {
        if self.reported == Reported::Complete || self.is_whole() || self.takes_text {
            return false;
        }
        let newest = self.snapshots.newest(&self.call.arguments);
        let is_object = is_object(newest);
        if is_object {
            self.call.arguments = newest.to_owned();
            self.end = ObjectEnd::Found { is_empty: false };
        }
        is_object
    }

    /// Marks the call as complete, and returns the range of the arguments that this adds. Missing arguments become an empty
    /// object, which is added only after pieces of other arguments.
    pub(crate) fn complete(&mut self) -> Range<usize> {
        let before = self.call.arguments.len();
        let is_replaced = self.resolve_other_arguments();
        let reported = std::mem::replace(&mut self.reported, Reported::Complete);
        if self.call.arguments.is_empty() && !self.takes_text {
            self.call.arguments.push_str("{}");
        }
        let len = self.call.arguments.len();
        if is_empty_object(&self.call.arguments) {
            return if reported == Reported::Arguments { 0..len } else { 0..0 };
        }
        if is_replaced { 0..len } else { before..len }
    }

    /// Decides between the arguments and others that the provider stated for the same call, and returns whether the others
    /// replace missing ones. A complete call without arguments does not change.
    fn resolve_other_arguments(&mut self) -> bool {
        let other = std::mem::take(&mut self.other_arguments).into_text();
        let stays_empty = self.reported == Reported::Complete && is_empty_object(&self.call.arguments);
        !other.is_empty() && !stays_empty && self.call.state_arguments_again(&other)
    }

    /// The call in a reply of this wire.
    pub(crate) fn into_call(mut self, wire: &'static str) -> ToolCall {
        let is_whole = self.is_whole() && !self.is_partly_stated();
        let is_truncated = self.reported != Reported::Complete && (self.is_truncated || !is_whole);
        self.resolve_other_arguments();
        let PartialCall { mut call, extra, .. } = self;
        call.is_truncated = is_truncated;
        call.extra = Extra::new(wire, extra);
        call
    }
}
