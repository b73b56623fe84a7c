//! Ids of calls that the servers of a wire accept.

use super::IdRules;
use crate::fingerprint::fingerprint;
use crate::message::{ToolCall, short_id};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// The maximum length of a replacement, if the wire has no shorter one.
const MAX_REPLACEMENT: usize = 64;

/// The minimum length of a replacement that has a part of the original id.
const MIN_READABLE: usize = 20;

/// The written ids of a request. An id that breaks a rule of the wire is replaced, in its call and in its result. The
/// replacement depends only on earlier messages, so prompt caches stay valid.
#[derive(Debug)]
pub(super) struct Ids<'a> {
    rules: IdRules,
    taken: HashSet<Cow<'a, str>>,
    /// The newest number of each repeated id.
    numbers: HashMap<&'a str, u32>,
    /// The written ids of the newest reply, where they are not those of the calls.
    replaced: HashMap<&'a str, Cow<'a, str>>,
}

impl<'a> Ids<'a> {
    pub(super) fn new(rules: IdRules) -> Self {
        Ids { rules, taken: HashSet::new(), numbers: HashMap::new(), replaced: HashMap::new() }
    }

    /// Sets the calls of the next reply.
    pub(super) fn start_reply(&mut self, calls: &'a [ToolCall]) {
        self.replaced.clear();
        for call in calls {
            let written = self.next(&call.id);
            if written != call.id {
                self.replaced.insert(&call.id, written);
            }
        }
    }

    /// Keeps the ids of the newest reply as they are.
    pub(super) fn keep_ids(&mut self) {
        self.replaced.clear();
    }

    fn next(&mut self, id: &'a str) -> Cow<'a, str> {
        let mut written = self.rules.replacement(id, 1);
        if !self.rules.unique_across_replies {
            return written;
        }
        let number = self.numbers.entry(id).or_insert(1);
        while !self.taken.insert(written.clone()) {
            *number += 1;
            written = self.rules.replacement(id, *number);
        }
        written
    }

    /// The written id of a call of the newest reply, or of its result.
    pub(super) fn written(&self, id: &'a str) -> Cow<'a, str> {
        self.replaced.get(id).cloned().unwrap_or(Cow::Borrowed(id))
    }
}

impl IdRules {
    /// Whether servers accept the id of a call.
    fn allows_id(&self, id: &str) -> bool {
        let max = self.max_bytes.unwrap_or(usize::MAX);
        (self.min_bytes.max(1)..=max).contains(&id.len()) && id.chars().all(|letter| self.allows(letter))
    }

    fn allows(&self, letter: char) -> bool {
        let is_allowed = |punctuation: &str| letter.is_ascii_alphanumeric() || punctuation.contains(letter);
        self.punctuation.is_none_or(is_allowed)
    }

    /// The id if it is allowed and its number is 1, otherwise another one that differs between ids and numbers.
    fn replacement<'a>(&self, id: &'a str, number: u32) -> Cow<'a, str> {
        let is_allowed = self.allows_id(id);
        if is_allowed && number == 1 {
            return Cow::Borrowed(id);
        }
        let hash = fingerprint(format!("{number} {id}").into_bytes());
        let max = self.max_bytes.unwrap_or(MAX_REPLACEMENT).min(MAX_REPLACEMENT);
        if max < MIN_READABLE || !self.allows('_') {
            return Cow::Owned(short_id(hash));
        }
        let mut tail = format!("_{number}");
        if !is_allowed || id.len() + tail.len() > max {
            tail = format!("_{:08x}", hash & 0xffff_ffff);
        }
        let mut head: String =
            id.chars().map(|letter| if self.allows(letter) { letter } else { '_' }).collect();
        while head.len() + tail.len() > max {
            head.pop();
        }
        Cow::Owned(head + &tail)
    }
}
