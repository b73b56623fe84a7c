//! An id of its own for each call of a reply, since answers are told apart by it.

use super::ToolCall;
use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};

/// Gives every call an id of its own, made of the next of these numbers; the first of several keeps the one they share.
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

/// Each `RandomState` has keys of its own; its hash of anything is a random number.
pub(super) fn random_number() -> u64 {
    RandomState::new().hash_one(0_u8)
}

/// The ids of the calls so far, of a reply that comes call by call.
#[cfg(feature = "stream")]
#[derive(Default)]
pub(crate) struct TakenIds {
    taken: HashSet<String>,
}

#[cfg(feature = "stream")]
impl TakenIds {
    /// Gives the next call an id of its own, if it has none or one that is taken.
    pub(crate) fn make_usable(&mut self, call: &mut ToolCall) {
        while call.id.is_empty() || !self.taken.insert(call.id.clone()) {
            call.id = new_id(random_number());
        }
    }
}

/// Nine letters and digits, the only form that every provider takes: Mistral asks for just that
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
