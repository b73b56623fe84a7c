//! The number of calls of each kind.

use crate::middleware::Behaviour;
use std::collections::BTreeMap;
use std::fmt;

/// The number of calls with each result, event and behaviour of middleware.
#[derive(Default)]
pub(crate) struct Tally {
    calls: u64,
    counts: BTreeMap<String, u64>,
}

const KINDS: &[&str] = &[
    "succeeded",
    "answered by the hook",
    "unknown_tool",
    "not_json",
    "invalid_arguments",
    "needs_approval",
    "denied",
    "hook_panic",
    "hook_timeout",
    "too_many_calls",
    "not_allowed",
    "call_limit",
    "cancelled",
    "timeout",
    "returned",
    "unserializable",
    "panic",
    "quota",
    "called by call_tool",
    "waited for its tool",
    "ended by call_timeout",
    "event: started",
    "event: progress",
    "event: needs approval",
    "event: finished",
    "event: finished before another call",
    "no event after the last",
    "dropped before its last event",
    "dropped after its last event",
];

impl Tally {
    pub(crate) fn count_call(&mut self, result: &str) {
        self.calls += 1;
        self.count(result);
    }

    pub(crate) fn count(&mut self, kind: &str) {
        *self.counts.entry(kind.to_owned()).or_default() += 1;
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.calls += other.calls;
        for (kind, times) in other.counts {
            *self.counts.entry(kind).or_default() += times;
        }
    }

    /// A long run must contain every kind.
    pub(crate) fn assert_all_kinds_occurred(&self) {
        if self.calls > 10_000 {
            let all = KINDS.iter().chain(&Behaviour::NAMES);
            let missing: Vec<_> = all.filter(|kind| !self.counts.contains_key(**kind)).collect();
            assert!(missing.is_empty(), "never tried: {missing:?}");
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts: Vec<String> = self.counts.iter().map(|(kind, times)| format!("{kind} {times}")).collect();
        write!(f, "{} calls: {}", self.calls, counts.join(", "))
    }
}
