//! The queues of `max_concurrency`, of a tool and of the registry.

use super::Ended;
use crate::context::CallRecord;
use crate::outcome::CallError;
use crate::registry::Registry;
use crate::tool::Call;
use futures_util::future::{Either, select};
use std::pin::pin;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::Instant;

/// The permits of a running call: of its tool and of the registry, if these have a limit.
type Permits<'a> = [Option<SemaphorePermit<'a>>; 2];

impl Registry {
    /// Runs the call with its permits, which it does not have while it waits for an answer.
    pub(super) async fn run_in_queue<T>(
        &self,
        call: &Call<'_>,
        running: impl Future<Output = Result<T, Ended>> + Send,
    ) -> Result<T, Ended> {
        let mut permits = Some(self.wait_in_queue(call).await?);
        let pauses = call.record().pauses();
        let hold = async {
            loop {
                pauses.wait(permits.is_some()).await;
                permits = match permits.take() {
                    Some(_) => None,
                    None => Some(self.wait_in_queue(call).await?),
                };
                pauses.set_has_permits(permits.is_some());
            }
        };
        match select(pin!(running), pin!(hold)).await {
            Either::Left((result, _)) | Either::Right((result, _)) => result,
        }
    }

    /// Waits until the call may run. It waits for its tool first, so that calls of a busy tool do not keep other tools
    /// from running.
    async fn wait_in_queue<'a>(&'a self, call: &Call<'a>) -> Result<Permits<'a>, CallError> {
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
