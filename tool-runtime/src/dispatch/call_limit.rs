//! The `max_calls` of a tool.

use super::run::CallResult;
use crate::outcome::CallError;
use crate::tool::Call;

/// A call that counts towards the `max_calls` of its tool. If it is dropped and may run again, it does not count, since its
/// next run does.
pub(super) struct CountedCall<'a> {
    call: &'a Call<'a>,
    has_ended: bool,
}

impl<'a> Call<'a> {
    /// Counts the call in its batch, unless the limit of its tool is reached. `None` for a tool without a limit. A call that
    /// has begun before and continues is counted already.
    pub(super) fn count(&'a self) -> Result<Option<CountedCall<'a>>, CallError> {
        let Some(limit) = self.tool.options.policy.max_calls else { return Ok(None) };
        if self.record.is_counted() || self.batch.context().count_call(&self.tool.name, limit) {
            self.record.set_counted(true);
            Ok(Some(CountedCall { call: self, has_ended: false }))
        } else {
            Err(CallError::CallLimitReached { tool: self.tool.name.to_string(), limit })
        }
    }
}

/// Runs a counted call to its end.
pub(super) async fn keep_count(
    mut counted: Option<CountedCall<'_>>,
    running: impl Future<Output = CallResult>,
) -> CallResult {
    let result = running.await;
    if let Some(counted) = &mut counted {
        counted.has_ended = true;
    }
    result
}

impl Drop for CountedCall<'_> {
    fn drop(&mut self) {
        let Call { tool, batch, record, .. } = self.call;
        if !self.has_ended && (!record.has_begun() || tool.options.annotations.may_repeat()) {
            batch.context().remove_call(&tool.name);
            record.set_counted(false);
        }
    }
}
