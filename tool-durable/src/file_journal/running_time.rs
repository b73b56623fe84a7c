//! The time by which records age.

use std::time::{Duration, Instant};

/// The time during which processes had a journal open. It does not depend on the clock of the system, and stands still
/// while no process runs, so that neither a wrong clock nor a long pause removes a record.
#[derive(Debug)]
pub(super) struct RunningTime {
    earlier: Duration,
    opened: Instant,
}

impl RunningTime {
    /// Continues from the time that earlier processes have stored.
    pub(super) fn since(earlier: Duration) -> Self {
        RunningTime { earlier, opened: Instant::now() }
    }

    pub(super) fn now(&self) -> Duration {
        self.earlier.saturating_add(self.opened.elapsed())
    }
}
