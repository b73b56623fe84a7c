//! The calls of a reply: which of them a piece belongs to.

use super::call::{CallSoFar, Told};
use super::call_piece::{Arguments, CallPiece};
use super::event::Noted;
use crate::message::ToolCall;
use serde_json::Value;
use std::collections::HashMap;
use std::ops::Range;

/// The calls so far, in the order in which they began.
#[derive(Debug, Default)]
pub(super) struct Calls {
    list: Vec<CallSoFar>,
    /// The newest call with an index, and with an id.
    by_index: HashMap<i64, usize>,
    by_id: HashMap<String, usize>,
    /// That of a call which is there only if its arguments come.
    head: Option<CallPiece>,
    /// The calls with pieces that came since [`complete_whole`](Calls::complete_whole).
    changed: Vec<usize>,
}

impl Calls {
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn get(&self, position: usize) -> Option<&ToolCall> {
        self.list.get(position).map(|so_far| &so_far.call)
    }

    pub(super) fn into_list(self) -> Vec<CallSoFar> {
        self.list
    }

    /// Takes the next piece of whichever call it belongs to.
    pub(super) fn take(&mut self, piece: CallPiece, noted: &mut Vec<Noted>) {
        if let Some(head) = self.head.take_if(|head| head.goes_on_with(&piece)) {
            self.begin_with(head, noted);
        }
        let position = match self.position_of(&piece) {
            Ok(position) => position,
            Err(_) if piece.is_empty() => return,
            Err(Some(before)) if self.list[before].may_be_followed_by(&piece) => {
                self.head = Some(piece);
                return;
            }
            Err(_) => return self.begin_with(piece, noted),
        };
        self.take_at(position, piece, noted);
    }

    fn begin_with(&mut self, piece: CallPiece, noted: &mut Vec<Noted>) {
        self.list.push(CallSoFar::new());
        self.take_at(self.list.len() - 1, piece, noted);
    }

    fn take_at(&mut self, position: usize, mut piece: CallPiece, noted: &mut Vec<Noted>) {
        if self.changed.last() != Some(&position) {
            self.changed.push(position);
        }
        self.remember(position, &piece);
        self.list[position].take_head(&mut piece);
        self.start(position, noted);
        self.take_arguments(position, piece.arguments, noted);
    }

    /// Nothing more comes: every call is complete.
    pub(super) fn complete_all(&mut self, noted: &mut Vec<Noted>) {
        for position in 0..self.list.len() {
            self.complete(position, noted);
        }
    }

    /// Those that are whole are complete.
    pub(super) fn complete_whole(&mut self, noted: &mut Vec<Noted>) {
        let mut changed = std::mem::take(&mut self.changed);
        changed.sort_unstable();
        for position in changed {
            if self.list[position].is_whole() {
                self.complete(position, noted);
            }
        }
    }

    /// The call that the piece belongs to, or else the one that it comes behind.
    fn position_of(&self, piece: &CallPiece) -> Result<usize, Option<usize>> {
        let of_index = piece.index.and_then(|index| self.by_index.get(&index).copied());
        let of_id = self.by_id.get(&piece.id).copied();
        let newest = self.list.len().checked_sub(1);
        let index_of = |position: usize| self.list[position].index;
        let position = match (of_index, of_id) {
            (Some(position), Some(_)) if self.list[position].call.id == piece.id => position,
            // With a name, an id that comes again under another index is that of another call.
            (_, Some(position))
                if piece.name.is_empty() || index_of(position).is_none() || piece.index.is_none() =>
            {
                position
            }
            (Some(position), _) => position,
            (None, _) if piece.index.is_none() => newest.ok_or(None)?,
            // The newest call may have come without its index, or with another.
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

    fn take_arguments(&mut self, mut position: usize, arguments: Arguments, noted: &mut Vec<Noted>) {
        let piece = match arguments {
            Arguments::Piece(piece) => piece,
            Arguments::Json(json) => return self.take_json(position, &json, noted),
        };
        let mut rest = &*piece;
        loop {
            let call = &mut self.list[position];
            let (grown, behind) = call.take_arguments(rest);
            let (is_whole, takes_no_more) = (call.is_whole(), call.takes_no_more());
            self.grow(position, grown, noted);
            if is_whole && takes_no_more {
                self.complete(position, noted);
            }
            if !is_whole || !behind.trim_start().starts_with('{') {
                return;
            }
            rest = behind;
            if takes_no_more {
                match self.said_again(position, rest) {
                    Some(end) => rest = &rest[end..],
                    None => position = self.begin_another(position, noted),
                }
            }
        }
    }

    /// Where the object ends that this text begins with, if the call has it already: some servers send the arguments
    /// once more behind their pieces (<https://github.com/vllm-project/vllm/issues/51697>).
    fn said_again(&self, position: usize, text: &str) -> Option<usize> {
        let mut objects = serde_json::Deserializer::from_str(text).into_iter::<Value>();
        let object = objects.next()?.ok()?;
        self.list[position].says_again(&object).then(|| objects.byte_offset())
    }

    fn take_json(&mut self, mut position: usize, json: &Value, noted: &mut Vec<Noted>) {
        let mut grown = self.list[position].take_json(json);
        if grown.is_none() {
            if self.list[position].says_again(json) {
                return;
            }
            position = self.begin_another(position, noted);
            grown = self.list[position].take_json(json);
        }
        self.grow(position, grown.unwrap_or_default(), noted);
        if self.list[position].is_whole() && self.list[position].takes_no_more() {
            self.complete(position, noted);
        }
    }

    /// Begins another call of the same tool, whose arguments came behind those of this call: Gemini's gateways put
    /// calls so (<https://github.com/dyedd/lens/issues/49>).
    fn begin_another(&mut self, position: usize, noted: &mut Vec<Noted>) -> usize {
        let another = self.list.len();
        self.changed.push(another);
        self.list.push(CallSoFar::new());
        let CallSoFar { call: ToolCall { id, name, .. }, index, .. } = &self.list[position];
        // What comes for the same index or id is for the new call.
        if let Some(index) = index {
            self.by_index.insert(*index, another);
        }
        if !id.is_empty() {
            self.by_id.insert(id.clone(), another);
        }
        let (name, index) = (name.clone(), *index);
        self.list[another].call.name = name;
        self.list[another].index = index;
        self.start(another, noted);
        another
    }

    /// Tells of a call when its tool is known.
    fn start(&mut self, position: usize, noted: &mut Vec<Noted>) {
        let call = &mut self.list[position];
        if call.told == Told::Nothing && !call.call.name.is_empty() {
            call.told = Told::Started;
            let grown = 0..call.call.arguments.len();
            noted.push(Noted::CallStarted(position));
            self.grow(position, grown, noted);
        }
    }

    /// Tells of arguments, if their call was told of. Not of an empty object, which may stand for them.
    fn grow(&self, position: usize, grown: Range<usize>, noted: &mut Vec<Noted>) {
        let call = &self.list[position];
        if call.told != Told::Nothing && !call.is_empty_object() && !grown.is_empty() {
            noted.push(Noted::Arguments(position, grown));
        }
    }

    fn complete(&mut self, position: usize, noted: &mut Vec<Noted>) {
        let call = &mut self.list[position];
        // Without a name, it may still come.
        if call.told == Told::Started {
            call.complete();
            noted.push(Noted::CallComplete(position));
        }
    }
}
