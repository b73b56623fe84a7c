//! The calls of a reply: each piece is added to the call that its provider names.

use super::event::QueuedEvent;
use crate::json::ObjectEnd;
use crate::message::{Arguments, CallPiece, ToolCall};
use crate::wire::{PartialCall, PartialCalls, Provider, Reported, WhichCall, add_fields};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::ops::Range;

/// The calls so far.
#[derive(Debug, Default)]
pub(super) struct Calls {
    list: PartialCalls,
    /// By index, the heads of calls that exist only if their arguments follow.
    heads: HashMap<Option<i64>, CallPiece>,
    /// The calls that changed since [`complete_whole`](Calls::complete_whole).
    changed: Vec<usize>,
    /// The call with the newest piece, which the end of the reply may truncate; `None` if other content followed.
    pub(super) last: Option<usize>,
    /// The events of the newest chunk, which are those of the whole reply.
    pub(super) queued: Vec<QueuedEvent>,
}

impl Calls {
    pub(super) fn is_empty(&self) -> bool {
        self.list.as_slice().is_empty()
    }

    pub(super) fn get(&self, position: usize) -> Option<&ToolCall> {
        self.list.as_slice().get(position).map(|partial| &partial.call)
    }

    /// The call that is truncated if the reply is, although its arguments are an object.
    pub(super) fn truncatable(&self) -> Option<usize> {
        self.last.filter(|&position| {
            let call = &self.list.as_slice()[position];
            call.rules.may_truncate_objects && call.reported != Reported::Complete
        })
    }

    pub(super) fn into_list(self) -> Vec<PartialCall> {
        self.list.into_list()
    }

    /// Adds a piece to the call that it belongs to. Returns the position of the call.
    pub(super) fn take(&mut self, mut piece: CallPiece, provider: &Provider) -> Option<usize> {
        if self.heads.get(&piece.index).is_some_and(|head| piece.continues(head)) {
            if let Some(mut head) = self.heads.remove(&piece.index) {
                add_fields(&mut head.extra, piece.extra);
                piece = CallPiece { arguments: piece.arguments, ..head };
            }
        }
        match (provider.which_call)(&piece, &self.list) {
            WhichCall::Known(position) => Some(self.take_at(position, piece)),
            WhichCall::New => Some(self.begin_with(piece, provider)),
            WhichCall::NewIfContinued => {
                self.heads.insert(piece.index, piece);
                None
            }
            WhichCall::NoCall => None,
        }
    }

    /// Takes the complete calls at the end of a reply: the arguments of calls that began without any, and calls that did not
    /// begin. Returns the position of each.
    pub(super) fn take_missing(
        &mut self,
        complete: Vec<CallPiece>,
        provider: &Provider,
    ) -> Vec<Option<usize>> {
        let which_calls = (provider.which_complete_calls)(&complete, &self.list);
        let positions = complete.into_iter().zip(which_calls).map(|(call, which)| match which {
            WhichCall::Known(position) => {
                self.list.get_mut(position).take_truncation(call.truncation);
                if self.get(position).is_some_and(|known| known.arguments.is_empty()) {
                    self.take_at(position, call);
                } else {
                    self.take_arguments(position, call.arguments);
                }
                Some(position)
            }
            WhichCall::New => Some(self.begin_with(call, provider)),
            WhichCall::NewIfContinued | WhichCall::NoCall => None,
        });
        positions.collect()
    }

    fn begin_with(&mut self, piece: CallPiece, provider: &Provider) -> usize {
        let position = self.list.begin(provider.call_rules);
        self.take_at(position, piece)
    }

    fn take_at(&mut self, position: usize, mut piece: CallPiece) -> usize {
        if self.changed.last() != Some(&position) {
            self.changed.push(position);
        }
        if self.last != Some(position) {
            self.complete_last();
            self.last = Some(position);
        }
        self.list.add_keys_of(&piece, position);
        let call = self.list.get_mut(position);
        call.take_head(&mut piece);
        self.start(position);
        self.take_arguments(position, piece.arguments);
        position
    }

    /// The arguments of calls whose pieces each repeat all arguments so far are the newest piece.
    pub(super) fn use_newest_snapshots(&mut self) {
        for position in 0..self.list.as_slice().len() {
            let call = self.list.get_mut(position);
            if call.use_newest_snapshot() {
                let arguments = 0..call.call.arguments.len();
                self.grow(position, arguments);
            }
        }
    }

    /// Completes every call at the end of the stream.
    pub(super) fn complete_all(&mut self) {
        for position in 0..self.list.as_slice().len() {
            self.complete(position);
        }
    }

    /// Completes the calls whose arguments are complete. The last one of a truncated reply may be truncated.
    pub(super) fn complete_whole(&mut self, is_truncated: bool) {
        let mut changed = std::mem::take(&mut self.changed);
        changed.sort_unstable();
        for position in changed {
            let call = &self.list.as_slice()[position];
            let may_be_truncated = self.truncatable() == Some(position) || call.is_partly_stated();
            if call.is_whole() && !(is_truncated && may_be_truncated) {
                self.complete(position);
            }
        }
    }

    /// Completes the last call if its arguments are complete, since another call follows, or the reply ends without truncation.
    pub(super) fn complete_last(&mut self) {
        let last = self.last.filter(|&position| self.list.get_mut(position).can_be_complete(true));
        if let Some(position) = last {
            self.complete(position);
        }
    }

    /// Records that other content follows the last call, and completes the call if its arguments are complete.
    pub(super) fn follow_last(&mut self) {
        self.complete_last();
        self.last = None;
    }

    /// Takes the arguments from the start of an item.
    pub(super) fn take_whole(&mut self, position: usize, arguments: Value) {
        self.changed.push(position);
        self.take_arguments(position, Arguments::Json(arguments));
    }

    /// Takes the arguments from the start of an item that has ended. Other items may have stated the call too.
    pub(super) fn take_ended(&mut self, position: usize, arguments: Value) {
        let call = &self.list.as_slice()[position];
        let is_stated_again = call.is_whole() && arguments != json!({});
        if (call.call.arguments.is_empty() || is_stated_again) && !call.is_partly_stated() {
            self.take_whole(position, arguments);
        }
    }

    fn take_arguments(&mut self, mut position: usize, arguments: Arguments) {
        let piece = match arguments {
            Arguments::Piece(piece) => piece,
            Arguments::Whole(text) => self.list.get_mut(position).rest_of(&text).to_owned(),
            Arguments::Json(json) => {
                let call = self.list.get_mut(position);
                if !call.call.arguments.is_empty() && !call.is_whole() {
                    // Complete arguments do not continue a piece of others.
                    let Some(another) = self.begin_another(position) else { return };
                    position = another;
                }
                json.to_string()
            }
        };
        let mut rest = &*piece;
        loop {
            let call = self.list.get_mut(position);
            let (grown, after) = call.take_arguments(rest);
            let (is_whole, takes_no_more) = (call.is_whole(), call.takes_no_more());
            let can_be_complete = call.can_be_complete(false);
            self.grow(position, grown);
            if can_be_complete {
                self.complete(position);
            }
            if !is_whole || !after.trim_start().starts_with('{') {
                return;
            }
            rest = after;
            if takes_no_more {
                match self.end_of_repetition(position, rest) {
                    Some(end) => rest = &rest[end..],
                    None if self.list.get_mut(position).take_other_arguments(rest) => return,
                    None => match self.begin_another(position) {
                        Some(another) => position = another,
                        None => return,
                    },
                }
            }
        }
    }

    /// The end of the object at the start of this text, if the object repeats the arguments of the call.
    fn end_of_repetition(&self, position: usize, text: &str) -> Option<usize> {
        let end = ObjectEnd::default().find(text)?;
        self.list.as_slice()[position].is_repeated_by(&text[..end]).then_some(end)
    }

    /// Starts another call of the same tool, whose arguments follow those of this call.
    fn begin_another(&mut self, position: usize) -> Option<usize> {
        let another = self.list.begin_another(position)?;
        self.changed.push(another);
        if self.last == Some(position) {
            self.last = Some(another);
        }
        self.start(another);
        Some(another)
    }

    /// Queues the start of a call once its tool is known.
    fn start(&mut self, position: usize) {
        let call = self.list.get_mut(position);
        if call.reported == Reported::Nothing && !call.call.name.is_empty() {
            call.reported = Reported::Started;
            let grown = 0..call.call.arguments.len();
            self.queued.push(QueuedEvent::CallAnnounced(position));
            self.grow(position, grown);
        }
    }

    /// Queues new arguments, if the start of the call was queued. An empty object may be a placeholder and is not
    /// queued before the call is complete.
    fn grow(&mut self, position: usize, grown: Range<usize>) {
        let call = self.list.get_mut(position);
        let may_be_placeholder = call.reported != Reported::Complete && call.is_empty_object();
        if call.reported != Reported::Nothing && !may_be_placeholder && !grown.is_empty() {
            if call.reported == Reported::Started {
                call.reported = Reported::Arguments;
            }
            self.queued.push(QueuedEvent::CallArguments(position, grown));
        }
    }

    fn complete(&mut self, position: usize) {
        let call = self.list.get_mut(position);
        // A missing name may still arrive.
        if matches!(call.reported, Reported::Started | Reported::Arguments) && !call.is_truncated {
            let grown = call.complete();
            self.grow(position, grown);
            self.queued.push(QueuedEvent::CallComplete(position));
        }
    }
}
