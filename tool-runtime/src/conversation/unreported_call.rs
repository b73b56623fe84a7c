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
    /// `tool` is the tool that ran or would have run: that of a call of `call_tool` is in its arguments.
    pub(super) fn new(call: &ToolCall, tool: String, cause: Cause, result: &ToolMessage) -> Self {
        let (id, arguments) = (call.id.clone(), call.arguments.clone());
        UnreportedCall { id, tool, arguments, cause, result: Stored(Cow::Owned(result.clone())) }
    }

    pub(crate) fn into_event(self) -> CallEvent {
        let UnreportedCall { id, tool, arguments, cause, result } = self;
        let result = result.into_inner();
        let outcome = result.outcome().cloned().unwrap_or_default();
        let (result, run_with) = (result.into(), None);
        CallEvent { id, tool, status: CallStatus::Finished { arguments, run_with, cause, result, outcome } }
    }
}
