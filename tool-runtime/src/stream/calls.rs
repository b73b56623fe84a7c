//! The calls of a reply, and the assignment of pieces to them.

use super::call::{PartialCall, Reported};
use super::event::QueuedEvent;
use crate::message::{Arguments, CallPiece, ToolCall};
use serde_json::Value;
use std::collections::HashMap;
use std::ops::Range;

/// The calls so far, in the order in which they began.
#[derive(Debug, Default)]
pub(super) struct Calls {
    list: Vec<PartialCall>,
    /// The newest call with each index and with each id.
    by_index: HashMap<i64, usize>,
    by_id: HashMap<String, usize>,
    /// The head of a call that exists only if its arguments follow.
    head: Option<CallPiece>,
    /// The calls that changed since [`complete_whole`](Calls::complete_whole).
    changed: Vec<usize>,
}

impl Calls {
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn get(&self, position: usize) -> Option<&ToolCall> {
        self.list.get(position).map(|partial| &partial.call)
    }

    pub(super) fn into_list(self) -> Vec<PartialCall> {
        self.list
    }

    /// Adds a piece to the call that it belongs to.
    pub(super) fn take(&mut self, piece: CallPiece, queued: &mut Vec<QueuedEvent>) {
        if piece.is_new_call() {
            return self.begin_with(piece, queued);
        }
        if let Some(head) = self.head.take_if(|head| head.goes_on_with(&piece)) {
            self.begin_with(head, queued);
        }
        let position = match self.position_of(&piece) {
            Ok(position) => position,
            Err(_) if piece.is_empty() => return,
            Err(Some(before)) if self.list[before].may_be_followed_by(&piece) => {
                self.head = Some(piece);
                return;
            }
            Err(_) => return self.begin_with(piece, queued),
        };
        self.take_at(position, piece, queued);
    }

    /// Takes the complete calls at the end of a reply: the arguments of calls that began without any, and calls that did not
    /// begin.
    ///
    /// A call may have another id there than before, and another index: vLLM changes the id
    /// (<https://github.com/vllm-project/vllm/pull/47916>). So a call with the tool and the arguments of one that began is
    /// that call, since no call may run twice.
    pub(super) fn take_missing(&mut self, calls: Vec<CallPiece>, queued: &mut Vec<QueuedEvent>) {
        let have_indices = self.list.iter().all(|known| known.index.is_some());
        let mut unmatched: HashMap<(String, String), usize> = HashMap::new();
        for ToolCall { name, arguments, .. } in self.list.iter().map(|known| &known.call) {
            *unmatched.entry((name.clone(), normalized(arguments))).or_default() += 1;
        }
        let mut others = Vec::new();
        for call in calls {
            let Arguments::Whole(arguments) = &call.arguments else { continue };
            let Some(position) = self.began_as(&call, arguments) else {
                others.push(call);
                continue;
            };
            let ToolCall { name, arguments, .. } = &self.list[position].call;
            if let Some(count) = unmatched.get_mut(&(name.clone(), normalized(arguments))) {
                *count = count.saturating_sub(1);
            }
            if arguments.is_empty() {
                self.take_at(position, call, queued);
            }
        }
        for call in others {
            let Arguments::Whole(arguments) = &call.arguments else { continue };
            let key = (call.name.clone(), normalized(arguments));
            match unmatched.get_mut(&key).filter(|count| **count > 0) {
                Some(count) => *count -= 1,
                // Without indices, it may be any of the calls.
                None if have_indices && call.index.is_some() => self.begin_with(call, queued),
                None => {}
            }
        }
    }

    /// The call that began with the index or the id of this complete call, and without or with the same arguments.
    fn began_as(&self, call: &CallPiece, arguments: &str) -> Option<usize> {
        let of_index = call.index.and_then(|index| self.by_index.get(&index));
        let of_id = self.by_id.get(&call.id);
        let mut positions = of_index.into_iter().chain(of_id).copied();
        positions.find(|&position| {
            let known = &self.list[position].call;
            known.name == call.name
                && (known.arguments.is_empty() || normalized(&known.arguments) == normalized(arguments))
        })
    }

    fn begin_with(&mut self, piece: CallPiece, queued: &mut Vec<QueuedEvent>) {
        self.list.push(PartialCall::new());
        self.take_at(self.list.len() - 1, piece, queued);
    }

    fn take_at(&mut self, position: usize, mut piece: CallPiece, queued: &mut Vec<QueuedEvent>) {
        if self.changed.last() != Some(&position) {
            self.changed.push(position);
        }
        self.remember(position, &piece);
        if matches!(piece.arguments, Arguments::Whole(_)) && !piece.name.is_empty() {
            self.list[position].confirm();
        }
        self.list[position].take_head(&mut piece);
        self.start(position, queued);
        self.take_arguments(position, piece.arguments, queued);
    }

    /// Completes every call at the end of the stream.
    pub(super) fn complete_all(&mut self, queued: &mut Vec<QueuedEvent>) {
        for position in 0..self.list.len() {
            self.complete(position, queued);
        }
    }

    /// Completes the calls whose arguments are complete.
    pub(super) fn complete_whole(&mut self, queued: &mut Vec<QueuedEvent>) {
        let mut changed = std::mem::take(&mut self.changed);
        changed.sort_unstable();
        for position in changed {
            if self.list[position].is_whole() {
                self.complete(position, queued);
            }
        }
    }

    /// The call that the piece belongs to; otherwise the call that it follows.
    fn position_of(&self, piece: &CallPiece) -> Result<usize, Option<usize>> {
        let of_index = piece.index.and_then(|index| self.by_index.get(&index).copied());
        let of_id = self.by_id.get(&piece.id).copied();
        let newest = self.list.len().checked_sub(1);
        if let Arguments::Whole(arguments) = &piece.arguments {
            let known = if piece.index.is_some() { of_index } else { of_id.or(newest) };
            let is_same = |position: &usize| self.list[*position].is_confirmed_by(&piece.name, arguments);
            if let Some(position) = known.filter(is_same) {
                return Ok(position);
            }
        }
        let index_of = |position: usize| self.list[position].index;
        let position = match (of_index, of_id) {
            (Some(position), Some(_)) if self.list[position].call.id == piece.id => position,
            // A known id with a name, under another index, belongs to another call.
            (_, Some(position))
                if piece.name.is_empty() || index_of(position).is_none() || piece.index.is_none() =>
            {
                position
            }
            (Some(position), _) => position,
            (None, _) if piece.index.is_none() => newest.ok_or(None)?,
            // The newest call may have no index, or a different one.
            (None, _) if piece.has_no_head() => {
                newest.filter(|&position| !self.list[position].is_whole()).ok_or(None)?
            }
            (None, _) => return Err(None),
        };
        if self.list[position].goes_on_with(piece) { Ok(position) } else { Err(Some(position)) }
    }

    fn remember(&mut self, position: usize, piece: &CallPiece) {
        if let Some(index) = piece.index {
            self.list[position].index.get_or_insert(index);
            self.by_index.insert(index, position);
        }
        if !piece.id.is_empty() && self.by_id.get(&piece.id) != Some(&position) {
            self.by_id.insert(piece.id.clone(), position);
        }
    }

    fn take_arguments(&mut self, mut position: usize, arguments: Arguments, queued: &mut Vec<QueuedEvent>) {
        let piece = match arguments {
            Arguments::Piece(piece) | Arguments::OfNewCall(piece) => piece,
            Arguments::Whole(text) => self.list[position].rest_of(&text),
            Arguments::Json(json) => return self.take_json(position, &json, queued),
        };
        let mut rest = &*piece;
        loop {
            let call = &mut self.list[position];
            let (grown, after) = call.take_arguments(rest);
            let (is_whole, takes_no_more) = (call.is_whole(), call.takes_no_more());
            self.grow(position, grown, queued);
            if is_whole && takes_no_more {
                self.complete(position, queued);
            }
            if !is_whole || !after.trim_start().starts_with('{') {
                return;
            }
            rest = after;
            if takes_no_more {
                match self.end_of_repetition(position, rest) {
                    Some(end) => rest = &rest[end..],
                    None => position = self.begin_another(position, queued),
                }
            }
        }
    }

    /// The end of the object at the start of this text, if the object repeats the arguments of the call: some servers
    /// send all arguments again after the pieces (<https://github.com/vllm-project/vllm/issues/51697>).
    fn end_of_repetition(&self, position: usize, text: &str) -> Option<usize> {
        let mut objects = serde_json::Deserializer::from_str(text).into_iter::<Value>();
        let object = objects.next()?.ok()?;
        self.list[position].is_repetition(&object).then(|| objects.byte_offset())
    }

    fn take_json(&mut self, mut position: usize, json: &Value, queued: &mut Vec<QueuedEvent>) {
        let mut grown = self.list[position].take_json(json);
        if grown.is_none() {
            if self.list[position].is_repetition(json) {
                return;
            }
            position = self.begin_another(position, queued);
            grown = self.list[position].take_json(json);
        }
        self.grow(position, grown.unwrap_or_default(), queued);
        if self.list[position].is_whole() && self.list[position].takes_no_more() {
            self.complete(position, queued);
        }
    }

    /// Starts another call of the same tool, whose arguments follow those of this call, as Gemini's gateways send them
    /// (<https://github.com/dyedd/lens/issues/49>).
    fn begin_another(&mut self, position: usize, queued: &mut Vec<QueuedEvent>) -> usize {
        let another = self.list.len();
        self.changed.push(another);
        self.list.push(PartialCall::new());
        let PartialCall { call: ToolCall { id, name, .. }, index, .. } = &self.list[position];
        // Later pieces with the same index or id belong to the new call.
        if let Some(index) = index {
            self.by_index.insert(*index, another);
        }
        if !id.is_empty() {
            self.by_id.insert(id.clone(), another);
        }
        let (name, index) = (name.clone(), *index);
        self.list[another].call.name = name;
        self.list[another].index = index;
        self.start(another, queued);
        another
    }

    /// Queues the start of a call once its tool is known.
    fn start(&mut self, position: usize, queued: &mut Vec<QueuedEvent>) {
        let call = &mut self.list[position];
        if call.reported == Reported::Nothing && !call.call.name.is_empty() {
            call.reported = Reported::Started;
            let grown = 0..call.call.arguments.len();
            queued.push(QueuedEvent::CallStarted(position));
            self.grow(position, grown, queued);
        }
    }

    /// Queues new arguments, if the start of the call was queued. An empty object may be a placeholder and is not
    /// queued.
    fn grow(&self, position: usize, grown: Range<usize>, queued: &mut Vec<QueuedEvent>) {
        let call = &self.list[position];
        if call.reported != Reported::Nothing && !call.is_empty_object() && !grown.is_empty() {
            queued.push(QueuedEvent::Arguments(position, grown));
        }
    }

    fn complete(&mut self, position: usize, queued: &mut Vec<QueuedEvent>) {
        let call = &mut self.list[position];
        // A missing name may still arrive.
        if call.reported == Reported::Started {
            call.complete();
            queued.push(QueuedEvent::CallComplete(position));
        }
    }
}

/// The arguments without differences of white space and of the order of keys.
fn normalized(arguments: &str) -> String {
    serde_json::from_str::<Value>(arguments).map_or_else(|_| arguments.to_owned(), |value| value.to_string())
}
