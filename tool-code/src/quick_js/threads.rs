//! The threads of programs that were stopped.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

/// The time in which a thread usually notices that its program was stopped.
const USUAL: Duration = Duration::from_secs(1);

/// The threads that were stopped and have not ended, with the time of their stop.
static STOPPED: Mutex<Vec<(Instant, Weak<Thread>)>> = Mutex::new(Vec::new());

/// A thread, until it is dropped.
#[derive(Debug, Default)]
pub(crate) struct Thread {
    is_stopped: AtomicBool,
}

/// Stops the program of a thread, if it has not ended.
pub(super) fn stop(thread: &Weak<Thread>) {
    if let Some(thread) = thread.upgrade() {
        thread.is_stopped.store(true, Ordering::Relaxed);
    }
    let mut stopped = STOPPED.lock().unwrap_or_else(PoisonError::into_inner);
    stopped.retain(|(_, thread)| thread.strong_count() > 0);
    if thread.strong_count() > 0 {
        stopped.push((Instant::now(), Weak::clone(thread)));
    }
}

/// The number of threads that do not notice that their program was stopped.
pub(super) fn count_stray() -> usize {
    let mut stopped = STOPPED.lock().unwrap_or_else(PoisonError::into_inner);
    stopped.retain(|(_, thread)| thread.strong_count() > 0);
    stopped.iter().filter(|(at, _)| at.elapsed() > USUAL).count()
}

impl Thread {
    pub(super) fn new() -> (Arc<Self>, Weak<Self>) {
        let thread = Arc::new(Thread::default());
        let weak = Arc::downgrade(&thread);
        (thread, weak)
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }
}
