//! Calls with their results, for their last events.

use crate::context::{CallEvent, CallStatus, Cause};
use crate::message::stored::Stored;
use crate::message::{ToolCall, ToolMessage};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A call and its result, for its last event. If it ended outside of a run, the next run sends the event.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FinishedCall {
    id: String,
    tool: String,
    /// The id of the call whose tool has made this call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    outer_call: Option<String>,
    arguments: String,
    cause: Cause,
    result: Stored<'static, ToolMessage>,
}

impl FinishedCall {
    /// `call` is the call that would have run: that in the arguments of a call of `call_tool`.
    pub(super) fn new(call: ToolCall, cause: Cause, result: &ToolMessage) -> Self {
        let ToolCall { id, name: tool, arguments, .. } = call;
        let result = Stored(Cow::Owned(result.clone()));
        FinishedCall { id, tool, outer_call: None, arguments, cause, result }
    }

    /// A call that the tool of another call has made.
    pub(super) fn made_by(mut self, outer_call: &str) -> Self {
        self.outer_call.get_or_insert_with(|| outer_call.to_owned());
        self
    }

    pub(crate) fn into_event(self) -> CallEvent {
        let FinishedCall { id, tool, outer_call, arguments, cause, result } = self;
        let result = result.into_inner();
        let outcome = result.outcome().cloned().unwrap_or_default();
        let (result, run_with) = (result.into(), None);
        let status = CallStatus::Finished { arguments, run_with, cause, result, outcome };
        CallEvent { id, tool, outer_call, status }
    }
}
