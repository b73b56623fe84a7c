//! The time in which a program computes.

use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// The time in which a program computes.
pub(crate) struct ComputeClock {
    left: Duration,
    started: Instant,
}

impl ComputeClock {
    pub(crate) fn new(limit: Duration) -> Self {
        ComputeClock { left: limit, started: Instant::now() }
    }

    pub(crate) fn start(&mut self) {
        self.started = Instant::now();
    }

    pub(crate) fn stop(&mut self) {
        self.left = self.left.saturating_sub(self.started.elapsed());
    }

    pub(crate) async fn is_late(&self) {
        sleep_until(self.started + self.left).await;
    }
}
