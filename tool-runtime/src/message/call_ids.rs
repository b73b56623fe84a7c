//! Unique ids for the calls of a reply, since tool messages refer to calls by id.

use super::ToolCall;
use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};

/// Replaces empty and repeated ids by ids made from `number`. The first of several calls with the same id keeps it.
pub(crate) fn replace_unusable_ids(calls: &mut [ToolCall], mut number: impl FnMut() -> u64) {
    let mut taken = HashSet::with_capacity(calls.len());
    let unusable: Vec<usize> = (0..calls.len())
        .filter(|&index| {
            let id = &calls[index].id;
            id.is_empty() || !taken.insert(id.clone())
        })
        .collect();
    for index in unusable {
        let mut id = new_id(number());
        while !taken.insert(id.clone()) {
            id = new_id(number());
        }
        calls[index].id = id;
    }
}

/// A random number: each `RandomState` has random keys.
pub(crate) fn random_number() -> u64 {
    RandomState::new().hash_one(0_u8)
}

/// The ids of the calls so far, in a reply that arrives call by call.
#[derive(Default)]
pub(crate) struct TakenIds {
    taken: HashSet<String>,
}

impl TakenIds {
    /// Replaces the id of the next call if it is empty or taken.
    pub(crate) fn make_usable(&mut self, call: &mut ToolCall) {
        while call.id.is_empty() || !self.taken.insert(call.id.clone()) {
            call.id = new_id(random_number());
        }
    }
}

/// An id of nine letters and digits, which every provider accepts: Mistral accepts no other form
/// (<https://github.com/mistralai/mistral-common>).
fn new_id(mut number: u64) -> String {
    const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut id = String::with_capacity(9);
    for _ in 0..9 {
        id.push(char::from(DIGITS[usize::try_from(number % 36).unwrap_or_default()]));
        number /= 36;
    }
    id
}
