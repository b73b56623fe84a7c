//! A run with a log: its calls, and the stop after an error of the log.

use super::run_log::{LogError, LoggedCall, RunLog};
use crate::context::RunContext;
use crate::output::ToolResult;
use crate::registry::{Layer, ReadyCall};
use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio_util::sync::CancellationToken;

/// The log of a run. After its first error, no further call begins; calls that run finish, and the others stay pending.
pub(super) struct LoggedRun {
    log: Arc<dyn RunLog>,
    stop: Arc<Stop>,
}

impl LoggedRun {
    /// Returns the context of the run as well, whose token an error of the log cancels.
    pub(super) fn new(log: Arc<dyn RunLog>, context: RunContext) -> (Self, RunContext) {
        let token = context.child_token();
        let stop = Arc::new(Stop { token: token.clone(), state: Mutex::default() });
        (LoggedRun { log, stop }, context.cancellation(token))
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
        self.log.end_run();
    }
}

/// Stops the calls of a run after an error of its log.
struct Stop {
    /// Ends the run.
    token: CancellationToken,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    has_failed: bool,
    /// The first error, until it is taken.
    error: Option<LogError>,
    running: usize,
}

impl Stop {
    /// Runs a call. If it cannot be recorded, it stays pending until the run stops.
    async fn run_call(&self, log: &dyn RunLog, call: ReadyCall) -> ToolResult {
        if let Some(_running) = self.begin_call() {
            match log.run_call(call).await {
                Ok(LoggedCall { result, error }) => {
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

    /// A call that begins; `None` if the log has failed.
    fn begin_call(&self) -> Option<RunningCall<'_>> {
        let mut state = self.lock();
        if state.has_failed {
            return None;
        }
        state.running += 1;
        Some(RunningCall(self))
    }

    fn fail(&self, error: LogError) {
        let mut state = self.lock();
        if !std::mem::replace(&mut state.has_failed, true) {
            state.error = Some(error);
        }
        self.cancel_if_idle(&state);
    }

    fn cancel_if_idle(&self, state: &State) {
        if state.has_failed && state.running == 0 {
            self.token.cancel();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code panics while it has the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that runs.
struct RunningCall<'a>(&'a Stop);

impl Drop for RunningCall<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.running = state.running.saturating_sub(1);
        self.0.cancel_if_idle(&state);
    }
}
