//! The queues of `max_concurrency`, of a tool and of the registry.

use super::{Ended, unless_cancelled};
use crate::context::{CallRecord, Pauses};
use crate::outcome::CallError;
use crate::registry::Registry;
use crate::tool::Call;
use futures_util::future::{Either, select};
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::yield_now;
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
        let mut permits = self.wait_in_queue(call).await?;
        let pauses = call.record().pauses();
        // A task of the tool may wait for permits when the call has ended.
        let _released = Released(pauses);
        let mut running = pin!(running);
        let running =
            poll_fn(|context| if pauses.may_run() { running.as_mut().poll(context) } else { Poll::Pending });
        let hold = async {
            loop {
                pauses.until_asking(true).await;
                permits = Permits::default();
                pauses.set_has_permits(false);
                pauses.until_asking(false).await;
                // A cancelled call needs none: it ends, or finishes its effects.
                let token = call.incoming.batch.context().token();
                let waited = unless_cancelled(token, self.wait_in_queue(call)).await;
                permits = waited.and_then(Result::ok).unwrap_or_default();
                pauses.set_has_permits(true);
                // The call was not polled without permits.
                yield_now().await;
            }
        };
        match select(running, pin!(hold)).await {
            Either::Left((result, _)) => result,
            Either::Right((never, _)) => never,
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

/// The end of a call, after which nothing waits for its permits.
struct Released<'a>(&'a Pauses);

impl Drop for Released<'_> {
    fn drop(&mut self) {
        self.0.set_has_permits(true);
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
