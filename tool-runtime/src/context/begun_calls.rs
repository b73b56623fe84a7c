//! Counts of calls, for the `max_calls` of tools.

use std::collections::BTreeMap;
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

    /// Counts a call that a tool makes; `false` if the limit is reached.
    pub(super) fn count_inner(&self, limit: Option<usize>) -> bool {
        self.count(INNER_CALLS, limit.unwrap_or(usize::MAX))
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
