//! The look-up of the tool of a call.

use crate::arguments::truncated_call_error;
use crate::outcome::CallError;
use crate::output::ToolFailure;
use crate::registry::Registry;
use crate::tool::{IncomingCall, ToolEntry};
use crate::tool_name::HOSTED_APPROVAL;
use std::sync::Arc;

impl Registry {
    /// The tool of a call, or the reason why the call does not run.
    pub(super) fn look_up(&self, incoming: &IncomingCall<'_>) -> Result<&Arc<ToolEntry>, ToolFailure> {
        let IncomingCall { batch, position, call, .. } = *incoming;
        if let Some(limit) = self.limits().max_calls_per_reply.filter(|&limit| position >= limit) {
            return Err(CallError::ReplyCallLimit { limit }.into());
        }
        // A model that calls a function of this name asks for no approval of its provider.
        let is_function = call.name == HOSTED_APPROVAL && !call.asks_approval();
        let Some(tool) = self.entry(&call.name).filter(|_| !is_function) else {
            return Err(CallError::UnknownTool(self.unknown_tool_error(incoming)).into());
        };
        if let Some(rejection) = batch.rejection {
            return Err(rejection(tool.name.to_string()).into());
        }
        if call.is_truncated {
            return Err(truncated_call_error(tool.name.to_string(), &call.arguments).into());
        }
        match batch.context.and_then(|context| context.allowed()) {
            Some(allowed) if !self.is_allowed(tool, Some(allowed)) => {
                let tool = tool.name.to_string();
                Err(CallError::NotAllowed { tool, allowed: self.allowed_names(Some(allowed)) }.into())
            }
            _ => Ok(tool),
        }
    }
}
