//! A reply of the model, independent of a format.

use serde_json::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReplyKind {
    Calls,
    /// The last call, if there is one, is not complete.
    TruncatedCalls,
    Answer,
    Truncated,
    Empty,
    Refusal,
    Filtered,
    /// The provider continues it in the next request.
    Paused,
}

/// A reply of the model.
#[derive(Clone, Debug)]
pub(crate) struct PlannedReply {
    pub(crate) kind: ReplyKind,
    pub(crate) response_id: String,
    pub(crate) text: String,
    pub(crate) calls: Vec<PlannedCall>,
    /// The tokens of the request and of the reply; `None` if the response does not report them.
    pub(crate) usage: Option<(u64, u64)>,
}

#[derive(Clone, Debug)]
pub(crate) struct PlannedCall {
    pub(crate) id: String,
    pub(crate) tool: &'static str,
    /// The value of the arguments, and their text where it is not that of the value.
    pub(crate) arguments: Value,
    pub(crate) text: String,
}
