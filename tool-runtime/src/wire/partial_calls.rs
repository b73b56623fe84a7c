//! The calls of a streamed reply so far, by which a provider decides to which call a piece belongs.

use super::call_rules::CallRules;
use super::partial_call::PartialCall;
use crate::message::CallPiece;
use std::collections::HashMap;

/// The calls so far, in the order in which they began.
#[derive(Debug, Default)]
pub(crate) struct PartialCalls {
    list: Vec<PartialCall>,
    /// The newest call with each index, with each id, and with each id of an item.
    by_index: HashMap<i64, usize>,
    by_id: HashMap<String, usize>,
    /// The newest call with each id and name, if the name arrives at once.
    by_id_and_name: HashMap<(String, String), usize>,
    by_item_id: HashMap<String, usize>,
}

/// The call to which a piece belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WhichCall {
    /// The call at this position.
    Known(usize),
    /// A call that begins with the piece.
    New,
    /// A call that begins with the piece if its arguments follow.
    NewIfContinued,
    /// The piece is ignored.
    NoCall,
}

impl PartialCalls {
    pub(crate) fn as_slice(&self) -> &[PartialCall] {
        &self.list
    }

    pub(crate) fn get_mut(&mut self, position: usize) -> &mut PartialCall {
        &mut self.list[position]
    }

    pub(crate) fn into_list(self) -> Vec<PartialCall> {
        self.list
    }

    /// The position of the newest call with this index.
    pub(super) fn with_index(&self, index: i64) -> Option<usize> {
        self.by_index.get(&index).copied()
    }

    /// The position of the newest call with this id.
    pub(super) fn with_id(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).map(|&position| self.continuation(position))
    }

    /// The position of the call to which pieces of this call belong now.
    fn continuation(&self, position: usize) -> usize {
        self.list[position].continued_by.unwrap_or(position)
    }

    /// The position of the newest call with this id and this name. Either name may be missing. An id that is the name of the
    /// tool is no identity.
    pub(super) fn with_id_and_name(&self, id: &str, name: &str) -> Option<usize> {
        let newest = self.with_id(id).filter(|_| id != name)?;
        if name.is_empty() || self.list[newest].call.name.is_empty() {
            return Some(newest);
        }
        let known = self.by_id_and_name.get(&(id.to_owned(), name.to_owned()));
        known.map(|&position| self.continuation(position))
    }

    /// The position of the newest call that is the item with this id.
    pub(super) fn with_item_id(&self, item_id: &str) -> Option<usize> {
        self.by_item_id.get(item_id).copied()
    }

    /// The position of the newest call.
    pub(crate) fn newest(&self) -> Option<usize> {
        self.list.len().checked_sub(1)
    }

    /// Adds a call without any piece, and returns its position.
    pub(crate) fn begin(&mut self, rules: CallRules) -> usize {
        self.list.push(PartialCall::new(rules));
        self.list.len() - 1
    }

    /// Adds a call of the same tool, to which later pieces with the same index or id belong. No tool has a longer name than
    /// `MAX_NAME`, so a call with one gets no others: each of them would have a copy of the name.
    pub(crate) fn begin_another(&mut self, position: usize) -> Option<usize> {
        const MAX_NAME: usize = 256;
        let known = &self.list[position];
        let (index, first) = (known.index, known.continues.unwrap_or(position));
        let rules = CallRules { may_truncate_objects: known.rules.may_truncate_objects, ..CallRules::NONE };
        let name = Some(&known.call.name).filter(|name| name.len() <= MAX_NAME)?.clone();
        let another = self.begin(rules);
        self.add_key(another, index, "");
        self.list[another].call.name = name;
        self.list[another].continues = Some(first);
        self.list[first].continued_by = Some(another);
        Some(another)
    }

    /// Assigns later pieces with the index or the id of this piece to the call.
    pub(crate) fn add_keys_of(&mut self, piece: &CallPiece, position: usize) {
        self.add_key(position, piece.index, &piece.id);
        let has_whole_name = self.list[position].rules.has_unique_ids || piece.is_whole_call;
        if has_whole_name && !piece.id.is_empty() && !piece.name.is_empty() {
            self.by_id_and_name.insert((piece.id.clone(), piece.name.clone()), position);
        }
        if !piece.item_id.is_empty() && !piece.has_no_head() {
            self.by_item_id.insert(piece.item_id.clone(), position);
        }
    }

    fn add_key(&mut self, position: usize, index: Option<i64>, id: &str) {
        if let Some(index) = index {
            self.list[position].index.get_or_insert(index);
            self.by_index.insert(index, position);
        }
        if !id.is_empty() && self.with_id(id) != Some(position) {
            self.by_id.insert(id.to_owned(), position);
        }
    }
}
