//! The time that a call has.

use crate::outcome::CallError;
use crate::panics::guarded;
use crate::registry::Entry;
use std::future::Future;
use std::time::Duration;
use tokio::runtime::Handle;

impl Entry {
    /// What the future comes to in this time, if there is a limit.
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
        // Made before the future is polled: tokio panics where the runtime has no clock.
        match guarded(|| tokio::time::timeout(allowed, future)) {
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
