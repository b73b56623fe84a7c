//! The limits of a run, and how much of them a session has used.

use crate::message::Usage;
use serde::{Deserialize, Serialize};

/// The limits of a run. They count since the last user message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) replies: usize,
    pub(super) calls: Option<usize>,
    pub(super) tokens: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { replies: 30, calls: None, tokens: None }
    }
}

/// The replies, calls and tokens since the last user message.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Used {
    pub(super) replies: usize,
    pub(super) calls: usize,
    pub(super) tokens: u64,
}

impl Used {
    /// The number of calls of the next reply that may run.
    pub(super) fn remaining_calls(&self, limits: Limits) -> usize {
        limits.calls.map_or(usize::MAX, |calls| calls.saturating_sub(self.calls))
    }
}

pub(super) fn add(sum: &mut Usage, usage: Usage) {
    sum.input_tokens = sum.input_tokens.saturating_add(usage.input_tokens);
    sum.cached_input_tokens = sum.cached_input_tokens.saturating_add(usage.cached_input_tokens);
    sum.output_tokens = sum.output_tokens.saturating_add(usage.output_tokens);
}
