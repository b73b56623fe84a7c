//! The calls and the tools that run now, and the progress that tools have reported.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tool_runtime::CallContext;
use tool_runtime::dispatch::ReadyCall;

/// The index of a batch.
pub(crate) struct Tenant(pub(crate) usize);

/// The index of a batch, and the position of a call in it.
pub(crate) type Place = (usize, usize);

/// The place of a call. `None` for calls that are not part of the round.
pub(crate) fn place(call: &CallContext) -> Option<Place> {
    let tenant = call.run_context().get::<Tenant>()?.0;
    let key = call.key()?;
    assert_eq!(key.run_id, tenant.to_string(), "one batch has one run id");
    Some((tenant, key.position))
}

/// The state of one round.
#[derive(Default)]
pub(crate) struct Running {
    /// The runs of tools.
    pub(crate) runs: Counts,
    /// The calls in the outermost middleware.
    pub(crate) calls: Counts,
    threads: AtomicUsize,
    /// The number of runs of each call of `flaky`.
    flaky: Mutex<BTreeMap<Place, u32>>,
    progress: Mutex<BTreeMap<Place, Vec<(u64, String)>>>,
    kept: Mutex<Vec<ReadyCall>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Running {
    /// Counts a function on a thread until the guard is dropped.
    pub(crate) fn enter_thread(&self) -> ThreadGuard<'_> {
        self.threads.fetch_add(1, Ordering::SeqCst);
        ThreadGuard(&self.threads)
    }

    /// Waits for blocking functions, which may outlive their calls.
    pub(crate) fn wait_for_threads(&self) {
        for _ in 0..10_000 {
            if self.threads.load(Ordering::SeqCst) == 0 {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        panic!("a blocking function never ends");
    }

    /// Counts a run of `flaky`; the first of a call is 1.
    pub(crate) fn next_run(&self, call: &CallContext) -> u32 {
        let mut runs = lock(&self.flaky);
        let run = place(call).map(|place| runs.entry(place).or_default());
        run.map_or(1, |run| {
            *run += 1;
            *run
        })
    }

    /// Reports progress, and records it.
    pub(crate) fn report(&self, call: &CallContext, done: u64, total: impl Into<Option<u64>>, text: &str) {
        // The lock is held, so that the record has the order of the events, even if a thread reports.
        let mut progress = lock(&self.progress);
        if let Some(place) = place(call) {
            progress.entry(place).or_default().push((done, text.to_owned()));
        }
        call.progress(done, total, text);
    }

    pub(crate) fn progress(&self, place: Place) -> Vec<(u64, String)> {
        lock(&self.progress).get(&place).cloned().unwrap_or_default()
    }

    /// Keeps a call beyond its end.
    pub(crate) fn keep(&self, call: &ReadyCall) {
        lock(&self.kept).push(call.clone());
    }

    pub(crate) fn take_kept(&self) -> Vec<ReadyCall> {
        std::mem::take(&mut *lock(&self.kept))
    }
}

pub(crate) struct ThreadGuard<'a>(&'a AtomicUsize);

impl Drop for ThreadGuard<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The current and the maximum number of each tool, and of all under an empty name.
#[derive(Clone, Default)]
pub(crate) struct Counts(Arc<Mutex<BTreeMap<String, (usize, usize)>>>);

/// The name that counts all tools.
pub(crate) const ALL: &str = "";

impl Counts {
    /// Counts until the guard is dropped.
    pub(crate) fn enter(&self, tool: &str) -> CountGuard {
        let mut counts = lock(&self.0);
        for name in [ALL, tool] {
            let (now, max) = counts.entry(name.to_owned()).or_default();
            *now += 1;
            *max = (*max).max(*now);
        }
        CountGuard { counts: self.clone(), tool: tool.to_owned() }
    }

    pub(crate) fn now(&self) -> usize {
        lock(&self.0).get(ALL).map_or(0, |(now, _)| *now)
    }

    pub(crate) fn max(&self, tool: &str) -> usize {
        lock(&self.0).get(tool).map_or(0, |(_, max)| *max)
    }
}

pub(crate) struct CountGuard {
    counts: Counts,
    tool: String,
}

impl Drop for CountGuard {
    fn drop(&mut self) {
        let mut counts = lock(&self.counts.0);
        for name in [ALL, &self.tool] {
            if let Some((now, _)) = counts.get_mut(name) {
                *now -= 1;
            }
        }
    }
}
