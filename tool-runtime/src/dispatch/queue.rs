//! The queues of `max_concurrency`, of a tool and of the registry.

use crate::context::CallRecord;
use crate::outcome::CallError;
use crate::registry::Registry;
use crate::tool::Call;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::Instant;

/// The permits of a running call: of its tool and of the registry, if these have a limit.
type Permits<'a> = [Option<SemaphorePermit<'a>>; 2];

impl Registry {
    /// Waits until the call may run. It waits for its tool first, so that calls of a busy tool do not keep other tools
    /// from running.
    pub(super) async fn wait_in_queue<'a>(&'a self, call: &Call<'a>) -> Result<Permits<'a>, CallError> {
        let mut wait = Wait { since: None, record: call.incoming.record };
        let permits = [wait.acquire(call.tool.permits.as_deref()).await, wait.acquire(self.permits()).await];
        drop(wait);
        // The token may have been cancelled at the same time.
        call.check_cancellation()?;
        Ok(permits)
    }
}

/// Measures the time until it is dropped, even if the call ends while it waits.
struct Wait<'a> {
    /// `None` if the call has not waited.
    since: Option<Instant>,
    record: &'a CallRecord,
}

impl Wait<'_> {
    async fn acquire<'s>(&mut self, permits: Option<&'s Semaphore>) -> Option<SemaphorePermit<'s>> {
        let permits = permits?;
        if let Ok(permit) = permits.try_acquire() {
            return Some(permit);
        }
        self.since.get_or_insert_with(Instant::now);
        // The semaphores are never closed.
        permits.acquire().await.ok()
    }
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        if let Some(since) = self.since {
            self.record.set_queue_time(since.elapsed());
        }
    }
}
