//! The replies of the stub server, for `formats`, which the tests of sessions share.
#![allow(dead_code, reason = "the tests of sessions plan further replies")]

use serde_json::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReplyKind {
    Calls,
    TruncatedCalls,
    Answer,
    Truncated,
    Empty,
    Refusal,
    Filtered,
    Paused,
}

#[derive(Clone, Debug)]
pub(crate) struct PlannedReply {
    pub(crate) kind: ReplyKind,
    pub(crate) response_id: String,
    pub(crate) text: String,
    pub(crate) calls: Vec<PlannedCall>,
    pub(crate) usage: Option<(u64, u64)>,
}

#[derive(Clone, Debug)]
pub(crate) struct PlannedCall {
    pub(crate) id: String,
    pub(crate) tool: &'static str,
    pub(crate) arguments: Value,
    pub(crate) text: String,
}
