//! Unique ids for the calls of a reply, since tool messages refer to calls by id.

use super::stored::is_default;
use super::{Message, ToolCall};
use crate::fingerprint::{Fingerprint, fingerprint};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashSet};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;

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
    /// One more than the highest number in an id that a session made.
    next_number: u64,
    /// `None` outside of a session.
    reply: Option<SessionReply>,
}

/// The next reply of a session.
#[derive(Clone, Debug)]
struct SessionReply {
    /// The number in the ids that its calls get.
    number: u64,
    removed: Arc<RemovedIds>,
}

impl TakenIds {
    /// Takes an id, and returns whether it was free.
    pub(crate) fn take(&mut self, id: &str) -> bool {
        if let Some((number, _)) = parts_of_session_id(id) {
            self.next_number = self.next_number.max(number + 1);
        }
        self.taken.insert(id.to_owned())
    }

    /// Makes an id of the current reply free, which is dropped. The next reply has its number.
    pub(crate) fn release(&mut self, id: &str) {
        self.taken.remove(id);
        if let Some(reply) = &self.reply {
            self.next_number = self.next_number.min(reply.number);
        }
    }

    /// Chooses ids for the reply with this number in a session from now on.
    pub(crate) fn start_reply(&mut self, number: u64, removed: &Arc<RemovedIds>) {
        let number = number.max(self.next_number).max(removed.next_number);
        self.reply = Some(SessionReply { number, removed: Arc::clone(removed) });
    }

    /// Takes the id of the call at this position, or another id if it is empty or taken.
    pub(crate) fn usable_id(&mut self, id: &str, position: usize, response_id: Option<&str>) -> String {
        let is_new = self.reply.as_ref().is_none_or(|reply| reply.is_new(id, position));
        if !id.is_empty() && is_new && self.take(id) {
            return id.to_owned();
        }
        let session_id = self.reply.as_ref().and_then(|reply| session_id(reply.number, position));
        // A session has several responses, which may have one id.
        let mut number = id_numbers(response_id.filter(|_| self.reply.is_none()));
        let mut id = session_id.unwrap_or_else(|| short_id(number(position)));
        while self.is_removed(&id) || !self.take(&id) {
            id = short_id(number(position));
        }
        id
    }

    fn is_removed(&self, id: &str) -> bool {
        self.reply.as_ref().is_some_and(|reply| reply.removed.contains(id))
    }
}

impl SessionReply {
    /// Whether no removed call of the session had this id, and no later call will get it.
    fn is_new(&self, id: &str, position: usize) -> bool {
        match parts_of_session_id(id) {
            // The log of a run returns a reply with the ids that it has in the session.
            Some(parts) => parts == (self.number, position),
            None => !is_inner_id(id) && !self.removed.may_contain(id),
        }
    }
}

/// The ids of calls that were removed from a conversation. A person may still decide about such a call with an old page: no
/// other call of a session gets its id.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RemovedIds {
    /// One more than the highest number in a removed id that a session made.
    #[serde(default, skip_serializing_if = "is_default")]
    next_number: u64,
    /// The ids that servers have sent. When their number reaches the limit, each later id counts as one of them.
    #[serde(default, skip_serializing_if = "is_default")]
    sent: BTreeSet<Fingerprint>,
}

impl RemovedIds {
    /// They take 80 kB in a stored session.
    const MAX_SENT: usize = 4096;

    /// Adds the ids of the earlier messages that these messages do not have any more.
    pub(crate) fn update(self: &mut Arc<Self>, earlier: &[Message], messages: &[Message]) {
        let left: HashSet<&str> = ids_of_calls(messages).collect();
        for id in ids_of_calls(earlier).filter(|id| !left.contains(id)) {
            Arc::make_mut(self).add(id);
        }
    }

    fn add(&mut self, id: &str) {
        match parts_of_session_id(id) {
            Some((number, _)) => self.next_number = self.next_number.max(number + 1),
            None if self.sent.len() < Self::MAX_SENT => drop(self.sent.insert(Fingerprint::new(&[id]))),
            None => {}
        }
    }

    fn may_contain(&self, id: &str) -> bool {
        self.sent.len() >= Self::MAX_SENT || self.contains(id)
    }

    fn contains(&self, id: &str) -> bool {
        self.sent.contains(&Fingerprint::new(&[id]))
    }

    pub(crate) fn is_empty(&self) -> bool {
        *self == RemovedIds::default()
    }
}

/// The ids of the calls in these messages.
pub(crate) fn ids_of_calls(messages: &[Message]) -> impl Iterator<Item = &str> {
    let calls = messages.iter().flat_map(|message| match message {
        Message::Assistant(reply) => &reply.tool_calls[..],
        _ => &[],
    });
    calls.map(|call| &*call.id)
}

/// The id of a call that has no usable one: unique in its session, since it has the number of the reply and the position in it.
/// Mistral accepts only nine letters and digits (<https://github.com/mistralai/mistral-common>). `None` for a number that no
/// session reaches: a server or a file has invented it, and there may be no higher one.
fn session_id(number: u64, position: usize) -> Option<String> {
    (number < u64::from(u32::MAX)).then(|| format!("R{number:04x}C{position:03x}"))
}

/// The id of a call that a tool makes, from that of the call of the tool.
pub(crate) fn inner_id(outer: &str, position: usize) -> String {
    format!("{outer}/{position}")
}

/// Whether an id has the form of `inner_id`. No call of a model has such an id in a session, so that a decision about one of them
/// never reaches another call.
fn is_inner_id(id: &str) -> bool {
    let position = id.rsplit_once('/').map_or("", |(_, position)| position);
    !position.is_empty() && position.bytes().all(|byte| byte.is_ascii_digit())
}

/// The number and the position in an id made by `session_id`.
fn parts_of_session_id(id: &str) -> Option<(u64, usize)> {
    let (number, position) = id.strip_prefix('R')?.split_once('C')?;
    let parts = (u64::from_str_radix(number, 16).ok()?, usize::from_str_radix(position, 16).ok()?);
    (session_id(parts.0, parts.1)? == id).then_some(parts)
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
