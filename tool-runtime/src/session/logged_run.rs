//! A run with a log: its calls, and the stop after an error of the log.

use super::run_log::{LogError, LoggedResult, RunLog};
use crate::context::RunContext;
use crate::output::ToolResult;
use crate::registry::{Layer, ReadyCall};
use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio_util::sync::DropGuard;

/// The log of a run. After its first error, no further call begins; calls that run finish, and the others stay pending.
pub(super) struct LoggedRun {
    log: Arc<dyn RunLog>,
    stop: Arc<Stop>,
}

/// Stops the calls of a run after an error of its log.
struct Stop(Mutex<State>);

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
        let stop = Arc::new(Stop(Mutex::new(State { running, error: None })));
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
    /// Runs a call. If it cannot be recorded, it stays pending until the run stops.
    async fn run_call(&self, log: &dyn RunLog, call: ReadyCall) -> ToolResult {
        let running = self.lock().running.clone();
        if let Some(_running) = running {
            match log.run_call(call).await {
                Ok(LoggedResult { result, error }) => {
                    if let Some(error) = error {
                        self.fail(error);
                    }
                    return result;
                }
                Err(error) => self.fail(error),
            }
        }
        pending().await
    }

    fn fail(&self, error: LogError) {
        let mut state = self.lock();
        let running = state.running.take();
        if running.is_some() {
            state.error = Some(error);
        }
        // Outside of the lock, since this may cancel the run.
        drop(state);
        drop(running);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code panics while it has the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
