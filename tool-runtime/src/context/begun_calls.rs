//! Counts of calls, for the `max_calls` of tools.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The number of calls that have begun, for each tool with a limit. A clone counts on its own from then on.
#[derive(Debug, Default)]
pub(crate) struct BegunCalls(Arc<Mutex<Vec<(String, usize)>>>);

impl BegunCalls {
    /// The same counts.
    pub(crate) fn share(&self) -> Self {
        BegunCalls(Arc::clone(&self.0))
    }

    /// Counts a call of this tool that begins; `false` if the limit is reached.
    pub(crate) fn count(&self, tool: &str, limit: usize) -> bool {
        let mut counts = self.lock();
        if let Some(count) = count_of(&mut counts, tool) {
            let has_begun = *count < limit;
            *count += usize::from(has_begun);
            return has_begun;
        }
        counts.push((tool.to_owned(), usize::from(limit > 0)));
        limit > 0
    }

    /// Removes a call of this tool from the count.
    pub(super) fn remove(&self, tool: &str) {
        if let Some(count) = count_of(&mut self.lock(), tool) {
            *count = count.saturating_sub(1);
        }
    }

    /// Whether as many calls of this tool have begun as the limit allows.
    pub(super) fn has_reached(&self, tool: &str, limit: usize) -> bool {
        count_of(&mut self.lock(), tool).is_some_and(|count| *count >= limit)
    }

    pub(crate) fn to_map(&self) -> BTreeMap<String, usize> {
        self.lock().iter().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(String, usize)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn count_of<'a>(counts: &'a mut [(String, usize)], tool: &str) -> Option<&'a mut usize> {
    counts.iter_mut().find(|(name, _)| name == tool).map(|(_, count)| count)
}

impl Clone for BegunCalls {
    fn clone(&self) -> Self {
        BegunCalls(Arc::new(Mutex::new(self.lock().clone())))
    }
}

impl From<BTreeMap<String, usize>> for BegunCalls {
    fn from(counts: BTreeMap<String, usize>) -> Self {
        BegunCalls(Arc::new(Mutex::new(counts.into_iter().collect())))
    }
}
