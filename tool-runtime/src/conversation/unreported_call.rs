//! Calls that ended outside of a run.

use crate::context::{CallEvent, CallStatus, Cause};
use crate::message::stored::Stored;
use crate::message::{ToolCall, ToolMessage};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A call whose last event no listener has received, since it ended outside of a run. The next run sends it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct UnreportedCall {
    id: String,
    tool: String,
    arguments: String,
    cause: Cause,
    result: Stored<'static, ToolMessage>,
}

impl UnreportedCall {
    /// `call` is the call that would have run: that in the arguments of a call of `call_tool`.
    pub(super) fn new(call: ToolCall, cause: Cause, result: &ToolMessage) -> Self {
        let ToolCall { id, name: tool, arguments, .. } = call;
        let result = Stored(Cow::Owned(result.clone()));
        UnreportedCall { id, tool, arguments, cause, result }
    }

    pub(crate) fn into_event(self) -> CallEvent {
        let UnreportedCall { id, tool, arguments, cause, result } = self;
        let result = result.into_inner();
        let outcome = result.outcome().cloned().unwrap_or_default();
        let (result, run_with) = (result.into(), None);
        CallEvent { id, tool, status: CallStatus::Finished { arguments, run_with, cause, result, outcome } }
    }
}
