//! The queues of `max_concurrency`, of a tool and of the registry.

use crate::context::CallRecord;
use crate::registry::Registry;
use crate::tool::Call;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::Instant;

/// The permits of a running call.
pub(super) struct Permits<'a> {
    _of_tool: Option<SemaphorePermit<'a>>,
    _of_registry: Option<SemaphorePermit<'a>>,
}

impl Registry {
    /// Waits until the call may run. It waits for its tool first, so that calls of a busy tool do not keep other tools
    /// from running.
    pub(super) async fn wait_in_queue<'a>(&'a self, call: &Call<'a>) -> Permits<'a> {
        let [tool, registry] = [call.tool.permits.as_deref(), self.permits()];
        let take = |permits: Option<&'a Semaphore>| match permits {
            Some(permits) => permits.try_acquire().map(Some),
            None => Ok(None),
        };
        let of_tool = take(tool);
        if let Ok(of_tool) = of_tool {
            if let Ok(of_registry) = take(registry) {
                return Permits { _of_tool: of_tool, _of_registry: of_registry };
            }
            let _wait = Wait { since: Instant::now(), record: call.record };
            return Permits { _of_tool: of_tool, _of_registry: acquire(registry).await };
        }
        let _wait = Wait { since: Instant::now(), record: call.record };
        Permits { _of_tool: acquire(tool).await, _of_registry: acquire(registry).await }
    }
}

async fn acquire(permits: Option<&Semaphore>) -> Option<SemaphorePermit<'_>> {
    // The semaphores are never closed.
    permits?.acquire().await.ok()
}

/// Measures the time until it is dropped, even if the call ends while it waits.
struct Wait<'a> {
    since: Instant,
    record: &'a CallRecord,
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        self.record.set_queue_time(self.since.elapsed());
    }
}
