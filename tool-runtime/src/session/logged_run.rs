//! A run with a log: its calls, and the stop after an error of the log.

use super::run_log::{LogError, LoggedResult, RunLog};
use crate::context::RunContext;
use crate::output::ToolResult;
use crate::registry::{Layer, ReadyCall};
use futures_util::future::{Either, select};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio_util::sync::{CancellationToken, DropGuard};

/// The log of a run. After its first error, no further call begins; calls that run finish, and the others stay pending.
pub(super) struct LoggedRun {
    log: Arc<dyn RunLog>,
    stop: Arc<Stop>,
}

/// Stops the calls of a run after an error of its log.
struct Stop {
    /// Cancelled by the first error.
    failed: CancellationToken,
    state: Mutex<State>,
}

struct State {
    /// Cancels the run when no call has it any more. `None` after an error of the log.
    running: Option<Arc<DropGuard>>,
    /// The first error, until it is taken.
    error: Option<LogError>,
}

impl LoggedRun {
    /// Returns the context of the run as well, whose token an error of the log cancels.
    pub(super) fn start(log: Option<Arc<dyn RunLog>>, context: RunContext) -> (Option<Self>, RunContext) {
        let Some(log) = log else { return (None, context) };
        let token = context.child_token();
        let running = Some(Arc::new(token.clone().drop_guard()));
        let state = Mutex::new(State { running, error: None });
        let stop = Arc::new(Stop { failed: CancellationToken::new(), state });
        (Some(LoggedRun { log, stop }), context.cancellation(token))
    }

    pub(super) fn log(&self) -> &dyn RunLog {
        &*self.log
    }

    /// The outermost middleware of the run.
    pub(super) fn layer(&self) -> Layer {
        let (log, stop) = (Arc::clone(&self.log), Arc::clone(&self.stop));
        Layer::new(move |call| {
            let (log, stop) = (Arc::clone(&log), Arc::clone(&stop));
            async move { stop.run_call(&*log, call).await }
        })
    }

    /// The error that stopped the calls.
    pub(super) fn take_error(&self) -> Option<LogError> {
        self.stop.lock().error.take()
    }
}

impl Drop for LoggedRun {
    fn drop(&mut self) {
        // The end of a run does not cancel its token: a tool may have spawned tasks. No call runs any more.
        let running = self.stop.lock().running.take();
        running.and_then(Arc::into_inner).map(DropGuard::disarm);
        self.log.after_run();
    }
}

impl Stop {
    /// Runs a call. If the log fails before its tool begins, the call stays pending.
    async fn run_call(&self, log: &dyn RunLog, call: ReadyCall) -> ToolResult {
        let running = self.lock().running.clone();
        if let Some(_running) = running {
            match self.until_failed(&call, log.run_call(call.clone())).await {
                Some(Ok(LoggedResult { result, error })) => {
                    if let Some(error) = error {
                        self.fail(error);
                    }
                    return result;
                }
                Some(Err(error)) => self.fail(error),
                None => {}
            }
        }
        call.stay_pending()
    }

    /// Awaits the log; `None` if it fails in another call before the tool of this one begins.
    async fn until_failed<F: Future + Unpin>(&self, call: &ReadyCall, logged: F) -> Option<F::Output> {
        match select(logged, pin!(self.failed.cancelled())).await {
            Either::Left((ended, _)) => Some(ended),
            Either::Right(((), logged)) if call.has_begun() => Some(logged.await),
            Either::Right(_) => None,
        }
    }

    fn fail(&self, error: LogError) {
        let mut state = self.lock();
        let running = state.running.take();
        if running.is_some() {
            state.error = Some(error);
        }
        // Outside of the lock, since this may cancel the run.
        drop(state);
        self.failed.cancel();
        drop(running);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code panics while it has the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
