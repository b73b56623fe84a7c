//! The calls of a reply: which of them a piece belongs to.

use super::call::{Arguments, CallPiece, CallSoFar, Told};
use super::event::Noted;
use crate::messages::ToolCall;
use std::collections::HashMap;
use std::ops::Range;

/// The calls so far, in the order in which they began.
#[derive(Debug, Default)]
pub(super) struct Calls {
    list: Vec<CallSoFar>,
    /// The newest call with an index, and with an id.
    by_index: HashMap<i64, usize>,
    by_id: HashMap<String, usize>,
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
    pub(super) fn take(&mut self, mut piece: CallPiece, noted: &mut Vec<Noted>) {
        let position = match self.position_of(&piece) {
            Some(position) => position,
            None if piece.is_empty() => return,
            None => self.begin(noted),
        };
        self.remember(position, &piece);
        let call = &mut self.list[position];
        let is_repeated = call.is_repeated_by(&piece);
        call.take_head(&mut piece);
        self.start(position, noted);
        if !is_repeated {
            self.take_arguments(position, piece.arguments, noted);
        }
    }

    /// Whatever has not been told to be complete is, since the reply has ended.
    pub(super) fn complete_all(&mut self, noted: &mut Vec<Noted>) {
        for position in 0..self.list.len() {
            self.complete(position, noted);
        }
    }

    /// The same, for those alone that are whole: the reply was cut short.
    pub(super) fn complete_whole(&mut self, noted: &mut Vec<Noted>) {
        for position in 0..self.list.len() {
            if self.list[position].is_whole() {
                self.complete(position, noted);
            }
        }
    }

    fn position_of(&self, piece: &CallPiece) -> Option<usize> {
        let of_index = piece.index.and_then(|index| self.by_index.get(&index).copied());
        let of_id = self.by_id.get(&piece.id).copied();
        // An id that comes again under another index, with a name, is that of another call.
        let of_id = of_id.filter(|&position| {
            let index = self.list[position].index;
            piece.name.is_empty() || index.is_none() || piece.index.is_none() || index == piece.index
        });
        let newest = || if piece.index.is_none() { self.list.len().checked_sub(1) } else { None };
        let position = of_id.or(of_index).or_else(newest)?;
        self.list[position].goes_on_with(piece).then_some(position)
    }

    /// Begins another call: the one before it is complete, if it is whole.
    fn begin(&mut self, noted: &mut Vec<Noted>) -> usize {
        if let Some(last) = self.list.len().checked_sub(1) {
            if self.list[last].is_whole() {
                self.complete(last, noted);
            }
        }
        self.list.push(CallSoFar::new());
        self.list.len() - 1
    }

    fn remember(&mut self, position: usize, piece: &CallPiece) {
        if let Some(index) = piece.index {
            self.list[position].index = Some(index);
            self.by_index.insert(index, position);
        }
        if !piece.id.is_empty() && self.by_id.get(&piece.id) != Some(&position) {
            self.by_id.insert(piece.id.clone(), position);
        }
    }

    fn take_arguments(&mut self, mut position: usize, arguments: Arguments, noted: &mut Vec<Noted>) {
        let piece = match arguments {
            Arguments::Piece(piece) => piece,
            Arguments::Whole(json) => {
                if self.list[position].has_arguments() {
                    position = self.begin_another(position, noted);
                }
                let grown = self.list[position].take_whole(json);
                self.grow(position, grown, noted);
                if self.list[position].is_whole() {
                    self.complete(position, noted);
                }
                return;
            }
        };
        let mut rest = &*piece;
        loop {
            let call = &mut self.list[position];
            let (grown, behind) = call.take_arguments(rest);
            let is_surely_whole = call.is_surely_whole();
            self.grow(position, grown, noted);
            if is_surely_whole {
                self.complete(position, noted);
            }
            if !self.list[position].is_whole() || !behind.trim_start().starts_with('{') {
                return;
            }
            rest = behind;
            if self.list[position].is_surely_whole() || self.list[position].told == Told::Complete {
                position = self.begin_another(position, noted);
            }
        }
    }

    /// Begins another call of the same tool, whose arguments came behind those of this call.
    fn begin_another(&mut self, position: usize, noted: &mut Vec<Noted>) -> usize {
        let another = self.begin(noted);
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

    /// Tells of arguments, if their call was told of.
    fn grow(&self, position: usize, grown: Range<usize>, noted: &mut Vec<Noted>) {
        if self.list[position].told != Told::Nothing && !grown.is_empty() {
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
