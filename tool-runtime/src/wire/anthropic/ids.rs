//! Ids of calls that the API accepts.

use crate::fingerprint::fingerprint;
use crate::message::ToolCall;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// The ids of a request. The API requires ids of letters, digits, `_` and `-`, and each only once in the request
/// ("`tool_use` ids must be unique"); other servers number the calls of each reply from `call_0`.
#[derive(Debug, Default)]
pub(super) struct Ids<'a> {
    taken: HashSet<Cow<'a, str>>,
    /// The newest number of each repeated id.
    numbers: HashMap<&'a str, u32>,
    /// The written ids of the calls of the newest reply.
    of_reply: HashMap<&'a str, Cow<'a, str>>,
}

impl<'a> Ids<'a> {
    /// Sets the calls of the next reply.
    pub(super) fn start_reply(&mut self, calls: &'a [ToolCall]) {
        self.of_reply.clear();
        for call in calls {
            let mut written = usable(&call.id);
            let number = self.numbers.entry(&call.id).or_insert(1);
            while !self.taken.insert(written.clone()) {
                *number += 1;
                written = Cow::Owned(format!("{}_{number}", usable(&call.id)));
            }
            self.of_reply.insert(&call.id, written);
        }
    }

    /// The written id of a call of the newest reply, or of its result.
    pub(super) fn written(&self, id: &'a str) -> Cow<'a, str> {
        self.of_reply.get(id).cloned().unwrap_or_else(|| usable(id))
    }
}

/// The id with characters that the API accepts. A changed id gets a fingerprint, so that different ids stay different.
fn usable(id: &str) -> Cow<'_, str> {
    let is_allowed = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    if !id.is_empty() && id.chars().all(is_allowed) {
        return Cow::Borrowed(id);
    }
    let allowed: String =
        id.chars().take(40).map(|letter| if is_allowed(letter) { letter } else { '_' }).collect();
    Cow::Owned(format!("{allowed}_{:08x}", fingerprint(id.bytes()) & 0xffff_ffff))
}
