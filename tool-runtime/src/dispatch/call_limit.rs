//! The `max_calls` of a tool.

use crate::outcome::CallError;
use crate::tool::{Call, IncomingCall};

/// A call that counts towards the `max_calls` of its tool. If it is dropped and may run again, it does not count, since its
/// next run does.
pub(super) struct CountedCall<'a> {
    /// `None` if the tool has no limit, or if the call has ended.
    call: Option<&'a Call<'a>>,
}

impl<'a> Call<'a> {
    /// Counts the call in its run, unless the limit of its tool is reached. A call that has begun before and continues is
    /// counted already.
    pub(super) fn count(&'a self) -> Result<CountedCall<'a>, CallError> {
        let Some(limit) = self.tool.options.policy.max_calls else { return Ok(CountedCall { call: None }) };
        let IncomingCall { batch, record, .. } = self.incoming;
        if record.is_counted() || batch.context().count_call(&self.tool.name, limit) {
            record.set_counted(true);
            Ok(CountedCall { call: Some(self) })
        } else {
            Err(self.limit_reached(limit))
        }
    }

    /// An error if `count` would fail now.
    pub(super) fn check_limit(&self) -> Result<(), CallError> {
        let IncomingCall { batch, record, .. } = self.incoming;
        match self.tool.options.policy.max_calls {
            Some(limit) if !record.is_counted() && batch.context().has_reached(&self.tool.name, limit) => {
                Err(self.limit_reached(limit))
            }
            _ => Ok(()),
        }
    }

    fn limit_reached(&self, limit: usize) -> CallError {
        CallError::ToolCallLimit { tool: self.tool.name.to_string(), limit }
    }
}

impl CountedCall<'_> {
    /// Keeps the count of a call that has ended.
    pub(super) fn keep(mut self) {
        self.call = None;
    }
}

impl Drop for CountedCall<'_> {
    fn drop(&mut self) {
        let Some(Call { tool, incoming, .. }) = self.call else { return };
        let IncomingCall { batch, record, .. } = incoming;
        if !record.has_begun() || tool.options.annotations.may_repeat() {
            batch.context().remove_call(&tool.name);
            record.set_counted(false);
        }
    }
}
