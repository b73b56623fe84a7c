//! The stop of a run after an error of the journal.

use crate::error::JournalError;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tool_runtime::dispatch::CancellationToken;

/// Stops a run after an error of the journal: no further call begins, calls that run finish, and the others stay pending.
#[derive(Debug)]
pub(crate) struct Stop {
    /// Ends the run.
    token: CancellationToken,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The first error.
    error: Option<JournalError>,
    running: usize,
}

impl Stop {
    pub(crate) fn new(token: CancellationToken) -> Self {
        Stop { token, state: Mutex::default() }
    }

    /// A call that begins; `None` if the run stops.
    pub(crate) fn begin_call(&self) -> Option<RunningCall<'_>> {
        let mut state = self.lock();
        if state.error.is_some() {
            return None;
        }
        state.running += 1;
        Some(RunningCall(self))
    }

    /// Stops the run as soon as no call is running.
    pub(crate) fn fail(&self, error: JournalError) {
        let mut state = self.lock();
        state.error.get_or_insert(error);
        self.cancel_if_idle(&state);
    }

    /// The error that stopped the run, after its end.
    pub(crate) fn take_error(&self) -> Option<JournalError> {
        self.lock().error.take()
    }

    fn cancel_if_idle(&self, state: &State) {
        if state.error.is_some() && state.running == 0 {
            self.token.cancel();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that runs.
pub(crate) struct RunningCall<'a>(&'a Stop);

impl Drop for RunningCall<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.running = state.running.saturating_sub(1);
        self.0.cancel_if_idle(&state);
    }
}
