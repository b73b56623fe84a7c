//! The threads of programs in this process.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The threads that run.
static THREADS: AtomicUsize = AtomicUsize::new(0);
/// The calls that wait for the end of their thread.
static CALLERS: AtomicUsize = AtomicUsize::new(0);

/// The threads whose callers have gone.
pub(super) fn stray() -> usize {
    THREADS.load(Ordering::Relaxed).saturating_sub(CALLERS.load(Ordering::Relaxed))
}

/// A thread, until it is dropped.
pub(super) struct Thread(());

impl Thread {
    pub(super) fn new() -> Self {
        THREADS.fetch_add(1, Ordering::Relaxed);
        Thread(())
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        THREADS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A call that waits for its thread, until it is dropped.
pub(super) struct Caller(());

impl Caller {
    pub(super) fn new() -> Self {
        CALLERS.fetch_add(1, Ordering::Relaxed);
        Caller(())
    }
}

impl Drop for Caller {
    fn drop(&mut self) {
        CALLERS.fetch_sub(1, Ordering::Relaxed);
    }
}
