//! The time limit of a call.

use crate::outcome::CallError;
use crate::panics::catch_panic;
use crate::registry::Entry;
use std::future::Future;
use std::time::Duration;
use tokio::runtime::Handle;

impl Entry {
    /// Runs the future with a time limit, if any. The runtime's timer alone decides when it is late.
    pub(super) async fn in_time<F: Future>(
        &self,
        allowed: Option<Duration>,
        future: F,
        late: impl FnOnce(Duration) -> CallError,
    ) -> Result<F::Output, CallError> {
        let Some(allowed) = allowed else { return Ok(future.await) };
        if Handle::try_current().is_err() {
            return Err(self.unavailable("a time-out needs a Tokio runtime"));
        }
        // The timeout is created before the future is polled: tokio panics if the runtime has no timer.
        match catch_panic(|| tokio::time::timeout(allowed, future)) {
            Ok(timeout) => timeout.await.map_err(|_| late(allowed)),
            Err(_) => Err(self.unavailable("a time-out needs a Tokio runtime with `enable_time`")),
        }
    }

    pub(super) fn refuse_without_runtime(&self) -> Result<(), CallError> {
        if (self.options.blocking || self.options.policy.timeout.is_some()) && Handle::try_current().is_err()
        {
            return Err(self.unavailable("a tool that has a time-out or is `blocking` needs a Tokio runtime"));
        }
        Ok(())
    }

    fn unavailable(&self, why: &str) -> CallError {
        CallError::Unavailable { tool: self.name.to_string(), source: why.into() }
    }
}
