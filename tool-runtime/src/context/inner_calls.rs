//! The calls that a tool makes with [`CallContext::inner_call`](super::CallContext::inner_call).

mod note;

pub(crate) use note::{MAY_HAVE_EFFECT, inner_call_line, note_of_inner_calls};

use super::Order;
use crate::state::Shared;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The calls that one run of a tool makes. Clones are the same calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct InnerCalls {
    order: Arc<Order>,
    /// Locked while a call gets its position and is added, since other tasks may make calls as well.
    adding: Arc<Mutex<()>>,
    /// `None` if the call of the tool does not continue in a later run, and does not continue an earlier one.
    record: Option<Arc<InnerRecord>>,
}

impl InnerCalls {
    pub(crate) fn new(record: Option<Arc<InnerRecord>>) -> Self {
        InnerCalls { record, ..InnerCalls::default() }
    }

    /// Adds a call, and returns its position.
    pub(crate) fn push(&self, is_barrier: bool, id: impl FnOnce(usize) -> String) -> usize {
        self.order.push(is_barrier, id)
    }

    pub(crate) fn lock_adding(&self) -> MutexGuard<'_, ()> {
        self.adding.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn order(&self) -> &Order {
        &self.order
    }

    pub(crate) fn record(&self) -> Option<&InnerRecord> {
        self.record.as_deref()
    }
}

/// The inner calls of one call, over all runs of its tool.
#[derive(Default)]
pub(crate) struct InnerRecord {
    /// The calls that continue in a later run, whose type is in `conversation`. `None` if they do not wait.
    kept: Option<Shared>,
    /// Whether an earlier run has made calls.
    continues: bool,
    /// The lines of the calls of earlier runs that have begun, by position.
    earlier_lines: BTreeMap<usize, String>,
    /// The calls that a log has recorded, by position.
    logged: OnceLock<BTreeMap<usize, LoggedInnerCall>>,
    /// The number of calls that this run has made, up to the first one that differs from that of an earlier run.
    made: AtomicUsize,
    /// The id of the first call that waits.
    waits_for: OnceLock<String>,
    has_diverged: AtomicBool,
}

impl InnerRecord {
    pub(crate) fn keeping(kept: Shared, continues: bool, earlier_lines: BTreeMap<usize, String>) -> Self {
        InnerRecord { kept: Some(kept), continues, earlier_lines, ..InnerRecord::default() }
    }

    /// Whether an earlier run has made calls that are kept.
    pub(crate) fn continues(&self) -> bool {
        self.continues
    }

    pub(crate) fn kept<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        Arc::downcast(Arc::clone(self.kept.as_ref()?)).ok()
    }

    /// The id of the first call that waits for a person, for a result or for another call.
    pub(crate) fn waits_for(&self) -> Option<&str> {
        self.waits_for.get().map(String::as_str)
    }

    pub(crate) fn set_waits_for(&self, id: &str) {
        self.waits_for.get_or_init(|| id.to_owned());
    }

    pub(crate) fn set_logged(&self, calls: BTreeMap<usize, LoggedInnerCall>) {
        // A call is looked up in its log once.
        let _ = self.logged.set(calls);
    }

    /// The call that the log has recorded at this position.
    pub(crate) fn logged(&self, position: usize) -> Option<&LoggedInnerCall> {
        self.logged.get()?.get(&position)
    }

    /// Counts the call at this position.
    pub(crate) fn count_made(&self, position: usize) {
        self.made.fetch_max(position + 1, Ordering::Relaxed);
    }

    pub(crate) fn has_diverged(&self) -> bool {
        self.has_diverged.load(Ordering::Relaxed)
    }

    pub(crate) fn set_diverged(&self) {
        self.has_diverged.store(true, Ordering::Relaxed);
    }
}

impl fmt::Debug for InnerRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InnerRecord").field("waits_for", &self.waits_for).finish_non_exhaustive()
    }
}

/// An inner call as a log has recorded it.
#[derive(Clone, Debug)]
pub(crate) struct LoggedInnerCall {
    pub(crate) tool: String,
    /// After coercion.
    pub(crate) arguments: String,
}

impl LoggedInnerCall {
    /// Whether it has these arguments.
    pub(crate) fn has_arguments(&self, arguments: &str) -> bool {
        let value = |text: &str| serde_json::from_str::<Value>(text).ok();
        self.arguments == arguments
            || value(&self.arguments).is_some_and(|known| Some(known) == value(arguments))
    }
}
