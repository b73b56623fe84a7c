//! The calls that run in this process.

use super::inner_runs;
use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tool_runtime::dispatch::CallKey;

/// The calls that run in this process, by the id of their run. The handles of a journal share it with its writer.
#[derive(Debug, Default)]
pub(super) struct RunningCalls(Mutex<BTreeMap<String, HashSet<CallKey>>>);

/// A call that runs unless this guard is dropped.
#[derive(Debug)]
pub(super) struct BeginGuard {
    calls: Arc<RunningCalls>,
    key: Option<CallKey>,
}

impl RunningCalls {
    /// Adds a call; `None` if it runs already.
    pub(super) fn begin(self: &Arc<Self>, key: &CallKey) -> Option<BeginGuard> {
        let added = self.lock().entry(key.run_id.clone()).or_default().insert(key.clone());
        added.then(|| BeginGuard { calls: Arc::clone(self), key: Some(key.clone()) })
    }

    /// Removes a call.
    pub(super) fn release(&self, key: &CallKey) {
        let mut runs = self.lock();
        if let Some(calls) = runs.get_mut(&key.run_id) {
            calls.remove(key);
            if calls.is_empty() {
                runs.remove(&key.run_id);
            }
        }
    }

    /// One of the calls of a run and of its inner runs; `None` if none runs.
    pub(super) fn one_of(&self, run_id: &str) -> Option<CallKey> {
        let runs = self.lock();
        let mut inner = runs.range(inner_runs::range(run_id));
        let inner = || inner.find(|(inner, _)| inner_runs::is_inner(inner, run_id)).map(|(_, calls)| calls);
        runs.get(run_id).or_else(inner)?.iter().next().cloned()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, HashSet<CallKey>>> {
        // No code panics while it has the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BeginGuard {
    /// Lets the call run until [`RunningCalls::release`].
    pub(super) fn keep(mut self) {
        self.key = None;
    }
}

impl Drop for BeginGuard {
    fn drop(&mut self) {
        if let Some(key) = &self.key {
            self.calls.release(key);
        }
    }
}
