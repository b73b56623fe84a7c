//! Unique ids for the calls of a reply, since tool messages refer to calls by id.

use super::ToolCall;
use crate::fingerprint::fingerprint;
use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};

/// The bytes of the id of a response from which the ids of its calls are made: its last ones. Each id of a call reads them.
const MAX_RESPONSE_ID: usize = 512;

/// Replaces empty and repeated ids by ids made from `number`, which gets the position of the call. The first of several
/// calls with the same id keeps it.
pub(crate) fn replace_unusable_ids(calls: &mut [ToolCall], mut number: impl FnMut(usize) -> u64) {
    let mut taken = HashSet::with_capacity(calls.len());
    let unusable: Vec<usize> = (0..calls.len())
        .filter(|&index| {
            let id = &calls[index].id;
            id.is_empty() || !taken.insert(id.clone())
        })
        .collect();
    for index in unusable {
        let mut id = short_id(number(index));
        while !taken.insert(id.clone()) {
            id = short_id(number(index));
        }
        calls[index].id = id;
    }
}

/// The numbers for the ids of a response. They depend on its id, so that a response that is read again gets the same ids;
/// without an id, they are random.
pub(crate) fn id_numbers(response_id: Option<&str>) -> impl FnMut(usize) -> u64 + use<'_> {
    let response_id = response_id.filter(|id| !id.is_empty());
    let mut newest = (0, 0_usize);
    move |position| {
        let attempt = if newest.0 == position { newest.1 + 1 } else { 1 };
        newest = (position, attempt);
        match response_id {
            Some(id) => {
                let end = id.bytes().skip(id.len().saturating_sub(MAX_RESPONSE_ID));
                fingerprint(end.chain(format!(" {position} {attempt}").into_bytes()))
            }
            // Each `RandomState` has random keys.
            None => RandomState::new().hash_one(0_u8),
        }
    }
}

/// The ids of the calls so far, in a reply that arrives call by call, or in all replies of a session.
#[derive(Clone, Debug, Default)]
pub(crate) struct TakenIds {
    taken: HashSet<String>,
}

impl TakenIds {
    /// Takes an id, and returns whether it was free.
    pub(crate) fn take(&mut self, id: &str) -> bool {
        self.taken.insert(id.to_owned())
    }

    pub(crate) fn release(&mut self, id: &str) {
        self.taken.remove(id);
    }

    /// Takes the id of the call at this position, or another id if it is empty or taken.
    pub(crate) fn usable_id(&mut self, id: &str, position: usize, response_id: Option<&str>) -> String {
        let mut id = id.to_owned();
        let mut number = id_numbers(response_id);
        while id.is_empty() || !self.take(&id) {
            id = short_id(number(position));
        }
        id
    }
}

/// An id of nine letters and digits, which every provider accepts: Mistral accepts no other form
/// (<https://github.com/mistralai/mistral-common>).
pub(crate) fn short_id(mut number: u64) -> String {
    const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut id = String::with_capacity(9);
    for _ in 0..9 {
        id.push(char::from(DIGITS[usize::try_from(number % 36).unwrap_or_default()]));
        number /= 36;
    }
    id
}
