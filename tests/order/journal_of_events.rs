//! The beginnings and the last events of the calls of a round, in their order.

use std::sync::{Arc, Mutex, PoisonError};
use tool_runtime::dispatch::{CallEvent, CallStatus, Cause};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// The function of the tool begins.
    Begins { id: String },
    /// A run did not end.
    Stuck,
    /// The listener receives the last event.
    Finished { id: String, cause: Cause, text: String },
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Entries(Arc<Mutex<Vec<Entry>>>);

impl Entries {
    pub(crate) fn add(&self, entry: Entry) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
    }

    pub(crate) fn add_event(&self, event: &CallEvent) {
        if let CallStatus::Finished { cause, result, .. } = &event.status {
            let (id, text) = (event.id.clone(), result.text().into_owned());
            self.add(Entry::Finished { id, cause: *cause, text });
        }
    }

    pub(crate) fn all(&self) -> Vec<Entry> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
