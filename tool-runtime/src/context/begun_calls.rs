//! Counts of calls, for the `max_calls` of tools and of runs.

use super::RunContext;
use crate::message::Usage;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The key of the calls that tools make, in place of the name of a tool.
const INNER_CALLS: &str = "inner calls";

/// The number of calls that have begun, by tool. A clone counts on its own from then on.
#[derive(Debug, Default)]
pub(crate) struct BegunCalls(Arc<Mutex<BTreeMap<String, usize>>>);

impl BegunCalls {
    /// The same counts.
    pub(crate) fn share(&self) -> Self {
        BegunCalls(Arc::clone(&self.0))
    }

    /// Counts a call of this tool that begins; `false` if the limit is reached.
    pub(crate) fn count(&self, tool: &str, limit: usize) -> bool {
        let mut counts = self.lock();
        let count = counts.entry(tool.to_owned()).or_default();
        let has_begun = *count < limit;
        *count += usize::from(has_begun);
        has_begun
    }

    /// The number of calls that tools have made.
    pub(crate) fn inner(&self) -> usize {
        self.lock().get(INNER_CALLS).copied().unwrap_or_default()
    }

    /// Removes a call of this tool from the count.
    pub(super) fn remove(&self, tool: &str) {
        if let Some(count) = self.lock().get_mut(tool) {
            *count = count.saturating_sub(1);
        }
    }

    /// Whether as many calls of this tool have begun as the limit allows.
    pub(super) fn has_reached(&self, tool: &str, limit: usize) -> bool {
        self.lock().get(tool).is_some_and(|&count| count >= limit)
    }

    pub(crate) fn to_map(&self) -> BTreeMap<String, usize> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clone for BegunCalls {
    fn clone(&self) -> Self {
        self.to_map().into()
    }
}

impl From<BTreeMap<String, usize>> for BegunCalls {
    fn from(counts: BTreeMap<String, usize>) -> Self {
        BegunCalls(Arc::new(Mutex::new(counts)))
    }
}

impl RunContext {
    /// Sets the number of inner calls that may begin in the run, with those that have begun.
    pub(crate) fn with_max_inner_calls(mut self, calls: Option<usize>) -> Self {
        self.data().max_inner_calls = calls.map(|calls| Arc::new(AtomicUsize::new(calls)));
        self
    }

    /// Leaves one inner call less, for a call that starts before the run counts the calls of its reply; `false` if none is left.
    pub(crate) fn count_early_call(&self) -> bool {
        let Some(max_calls) = &self.0.max_inner_calls else { return true };
        let inner = self.0.begun_calls.inner();
        let take = |calls: usize| (inner < calls).then(|| calls - 1);
        max_calls.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok()
    }

    /// Counts an inner call that begins, in the run and its budgets; `false` if the limit of the run is reached.
    pub(crate) fn count_inner_call(&self) -> bool {
        let limit = self.0.max_inner_calls.as_ref().map(|calls| calls.load(Ordering::Relaxed));
        let has_begun = self.0.begun_calls.count(INNER_CALLS, limit.unwrap_or(usize::MAX));
        if has_begun {
            self.budgets().iter().for_each(|budget| budget.add(&Usage::default(), 1));
        }
        has_begun
    }

    /// Counts the calls together with these.
    pub(crate) fn counting_in(mut self, begun_calls: &BegunCalls) -> Self {
        self.data().begun_calls = begun_calls.share();
        self
    }

    /// Counts a call of this tool that begins; `false` if the limit is reached.
    pub(crate) fn count_call(&self, tool: &str, limit: usize) -> bool {
        self.0.begun_calls.count(tool, limit)
    }

    /// Removes a call of this tool from the count.
    pub(crate) fn remove_call(&self, tool: &str) {
        self.0.begun_calls.remove(tool);
    }

    /// Whether as many calls of this tool have begun as the limit allows.
    pub(crate) fn has_reached(&self, tool: &str, limit: usize) -> bool {
        self.0.begun_calls.has_reached(tool, limit)
    }
}
