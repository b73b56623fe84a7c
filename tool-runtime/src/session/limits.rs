//! The limits of a run, and the replies, calls and tokens of a session.

use super::Session;
use super::state::State;
use crate::context::RunContext;
use crate::message::{AssistantMessage, Usage};
use serde::{Deserialize, Serialize};

/// The limits of a run. They count since the last user message, except for `requests`, which counts in the run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) replies: usize,
    pub(super) calls: Option<usize>,
    pub(super) tokens: Option<u64>,
    pub(super) requests: Option<usize>,
    pub(super) identical_calls: Option<usize>,
}

/// The replies, calls and tokens since the last user message. A stored session may have any numbers.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Used {
    pub(super) replies: usize,
    calls: usize,
    pub(super) tokens: u64,
}

impl Used {
    /// The number of calls that tools may make in total, and of further calls of replies if tools make none.
    fn max_inner_calls(&self, limits: Limits) -> Option<usize> {
        limits.calls.map(|calls| calls.saturating_sub(self.calls))
    }

    pub(super) fn add_calls(&mut self, calls: usize) {
        self.calls = self.calls.saturating_add(calls);
    }
}

impl Session {
    pub(super) fn count_change(&mut self) {
        self.revision = self.revision.saturating_add(1);
    }

    pub(super) fn count_reply(&mut self, reply: &AssistantMessage) {
        self.replies = self.replies.saturating_add(1);
        self.used.replies = self.used.replies.saturating_add(1);
        self.count_tokens(reply.usage());
    }

    pub(super) fn count_tokens(&mut self, usage: Option<Usage>) {
        let Some(usage) = usage else { return };
        self.usage = self.usage.plus(usage);
        self.used.tokens = self.used.tokens.saturating_add(usage.total_tokens());
    }

    /// The number of further calls of replies that may run.
    pub(super) fn remaining_calls(&self, limits: Limits) -> usize {
        let remaining = self.used.max_inner_calls(limits);
        remaining.map_or(usize::MAX, |calls| calls.saturating_sub(self.begun_calls.inner()))
    }

    /// The context with the counts of the session, and with the limit of the calls that tools make.
    pub(super) fn counted(&self, context: RunContext, limits: Limits) -> RunContext {
        // The counts come last, since a changed context is a copy with counts of its own.
        context.with_max_inner_calls(self.used.max_inner_calls(limits)).counting_in(&self.begun_calls)
    }

    /// Counts the pending calls that may run. A call that has its result already, such as a rejected answer, does not count.
    pub(super) fn count_calls(&mut self, limits: Limits) {
        let remaining = self.remaining_calls(limits);
        let State::Pending(pending) = &mut self.state else { return };
        let mut counted = 0;
        while let Some(has_result) = pending.calls.has_result(pending.within_limit) {
            if !has_result {
                if counted == remaining {
                    break;
                }
                counted += 1;
            }
            pending.within_limit += 1;
        }
        self.used.add_calls(counted);
        self.process_calls = self.process_calls.saturating_add(counted as u64);
    }
}
