//! A limit of the events that a server causes in a second.

use std::sync::{Mutex, PoisonError};
use tokio::time::Instant;

/// The number of events in each second. Further ones are left out.
const MAX_PER_SECOND: u32 = 100;

/// The events of one source.
pub(super) struct EventRate {
    pub(super) created: Instant,
    /// The second, since the creation, and the number of events in it.
    reported: Mutex<(u64, u32)>,
}

impl EventRate {
    pub(super) fn new() -> Self {
        EventRate { created: Instant::now(), reported: Mutex::default() }
    }

    /// Whether the program receives a further event in this second.
    pub(super) fn may_report(&self) -> bool {
        let second = self.created.elapsed().as_secs();
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        *reported = if reported.0 == second { (second, reported.1.saturating_add(1)) } else { (second, 1) };
        reported.1 <= MAX_PER_SECOND
    }
}
