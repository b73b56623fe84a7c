//! The time limits of a call.
//!
//! The limit of the tool covers each run, with the wait of a `blocking` tool for its thread. With middleware, `call_timeout` covers the
//! whole chain; without it, the shorter of both covers the run. `approval_timeout`, or otherwise the limit of the tool, covers the hook.

use crate::outcome::CallError;
use crate::panics::catch_panic;
use crate::tool::Call;
use futures_util::future::{BoxFuture, Either, select};
use std::pin::pin;
use std::time::Duration;
use tokio::runtime::Handle;

impl Call<'_> {
    /// Runs the future with a time limit, if any, which stands still while the call waits for an answer. The runtime's timer alone
    /// decides when it is late.
    pub(super) async fn with_timeout<F: Future + Send>(
        &self,
        limit: Option<Duration>,
        future: F,
        late: impl FnOnce(Duration) -> CallError,
    ) -> Result<F::Output, CallError> {
        let Some(limit) = limit else { return Ok(future.await) };
        if Handle::try_current().is_err() {
            return Err(self.unavailable("a time-out needs a Tokio runtime"));
        }
        // The timer is created before the future is polled: tokio panics if the runtime has none.
        let Ok(timer) = catch_panic(|| tokio::time::sleep(limit)) else {
            return Err(self.unavailable("a time-out needs a Tokio runtime with `enable_time`"));
        };
        let future: BoxFuture<'_, F::Output> = Box::pin(future);
        let pauses = self.record().pauses();
        // Before the first poll of the future, which may take long.
        let begin = pauses.counted();
        match select(future, pin!(pauses.exceed(limit, timer, begin))).await {
            Either::Left((output, _)) => Ok(output),
            Either::Right(((), future)) => {
                // Before `late` reads whether the tool has begun: see the drop of a `Thread`.
                drop(future);
                Err(late(limit))
            }
        }
    }

    pub(super) fn timed_out(&self, allowed: Duration, has_begun: bool) -> CallError {
        let may_have_taken_effect = has_begun && !self.tool.options.annotations.is_read_only();
        CallError::TimedOut { tool: self.tool.name.to_string(), allowed, may_have_taken_effect }
    }

    pub(super) fn check_runtime(&self) -> Result<(), CallError> {
        if !self.tool.needs_runtime || Handle::try_current().is_ok() {
            return Ok(());
        }
        Err(self.unavailable("a tool that has a time-out or is `blocking` needs a Tokio runtime"))
    }

    fn unavailable(&self, reason: &str) -> CallError {
        CallError::Unavailable { tool: self.tool.name.to_string(), source: reason.into() }
    }
}
