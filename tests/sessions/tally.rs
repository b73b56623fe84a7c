//! The number of runs and calls of each kind.

use crate::ledger::{End, Records};
use crate::oracle::Decisions;
use crate::run::{Done, Ended};
use std::collections::BTreeMap;
use std::fmt;
use tool_runtime::session::RunEnd;

#[derive(Default)]
pub(crate) struct Tally(BTreeMap<String, u64>);

const ENDS: [RunEnd; 9] = [
    RunEnd::Answered,
    RunEnd::NeedsApproval,
    RunEnd::NeedsResult,
    RunEnd::Refused,
    RunEnd::Truncated,
    RunEnd::ReplyLimit,
    RunEnd::CallLimit,
    RunEnd::TokenLimit,
    RunEnd::Cancelled,
];

/// A long test has all of them.
const KINDS: &[&str] = &[
    "run: ClientFailed",
    "run: StreamBroke",
    "run: Dropped",
    "run: Panicked",
    "continued from a claimed copy",
    "call: returned",
    "call: failed",
    "call: panicked",
    "call: waited",
    "call: interrupted",
    "call: repeated",
    "call: denied by the hook",
    "call: answered by the hook",
    "call: edited",
    "call: decided",
    "call: skipped",
];

impl Tally {
    pub(crate) fn count(&mut self, kind: impl Into<String>) {
        *self.0.entry(kind.into()).or_default() += 1;
    }

    pub(crate) fn count_run(&mut self, done: &Done) {
        self.count(match &done.ended {
            Ended::Ok(end) => format!("run: Ok({end:?})"),
            ended => format!("run: {ended:?}"),
        });
    }

    pub(crate) fn count_calls(&mut self, records: &Records, decisions: &Decisions) {
        for call in records.calls.values() {
            let end = match call.end {
                Some(End::Returned(_)) => "returned",
                Some(End::Failed(_)) => "failed",
                Some(End::Panicked) => "panicked",
                Some(End::Waits(_)) => "waited",
                None if call.begins > 0 => "interrupted",
                None if call.is_denied_by_hook => "denied by the hook",
                None if call.is_answered_by_hook => "answered by the hook",
                None => "without an effect",
            };
            self.count(format!("call: {end}"));
            if call.begins > 1 {
                self.count("call: repeated");
            }
        }
        for (kind, count) in [
            ("edited", decisions.edited.len()),
            ("decided", decisions.texts.len()),
            ("skipped", decisions.skipped.len()),
        ] {
            *self.0.entry(format!("call: {kind}")).or_default() += count as u64;
        }
    }

    pub(crate) fn assert_all_kinds_occurred(&self) {
        let ends = ENDS.map(|end| format!("run: Ok({end:?})"));
        let kinds = KINDS.iter().copied().chain(ends.iter().map(String::as_str));
        let missing: Vec<_> =
            kinds.filter(|&kind| self.0.get(kind).is_none_or(|&count| count == 0)).collect();
        assert!(missing.is_empty(), "never tried: {missing:?}");
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts: Vec<String> = self.0.iter().map(|(kind, times)| format!("{kind} {times}")).collect();
        f.write_str(&counts.join(", "))
    }
}
