//! The inner calls of a call that continues in a later run.

use crate::context::{CallRecord, InnerRecord, MAY_HAVE_EFFECT, inner_call_line, note_of_inner_calls};
use crate::conversation::pending::CallState;
use crate::conversation::{FinishedCall, PendingCalls, is_question};
use crate::fingerprint::Fingerprint;
use crate::tool::Unfinished;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The inner calls of a pending call, which continue in a later run.
#[derive(Clone, Debug)]
pub(in crate::conversation) struct InnerPending {
    /// The calls as the tool made them: a person may have edited their arguments.
    pub(in crate::conversation) made: Vec<Fingerprint>,
    pub(in crate::conversation) calls: PendingCalls,
}

/// The inner calls of a call that runs.
#[derive(Debug)]
pub(super) struct KeptCalls {
    /// `None` once the run of the call has ended.
    pending: Mutex<Option<InnerPending>>,
    /// Whether a call that needs a decision waits for it.
    pub(super) unfinished: Unfinished,
}

impl KeptCalls {
    pub(super) fn lock(&self) -> MutexGuard<'_, Option<InnerPending>> {
        // No code panics while it has the lock.
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CallState {
    /// The record of the inner calls for a run of the call.
    pub(in crate::conversation) fn start_inner_calls(&mut self, unfinished: Unfinished) -> Arc<InnerRecord> {
        let inner = self.inner.take().map_or_else(InnerPending::default, |inner| *inner);
        let (continues, earlier_lines) = (inner.has_begun(), inner.lines());
        let kept = KeptCalls { pending: Mutex::new(Some(inner)), unfinished };
        Arc::new(InnerRecord::keeping(Arc::new(kept), continues, earlier_lines))
    }

    /// Whether the tool has made calls in an earlier run, and this run does not know them.
    pub(in crate::conversation) fn lacks_record(&self, record: &CallRecord) -> bool {
        record.inner_calls().is_none() && self.inner.as_ref().is_some_and(|inner| inner.has_begun())
    }

    /// Keeps the inner calls after a run of the call; whether they continue in a later run.
    pub(in crate::conversation) fn end_inner_calls(&mut self, record: &CallRecord) -> bool {
        let Some(kept) = record.inner_calls().and_then(|calls| calls.kept::<KeptCalls>()) else {
            return false;
        };
        let has_calls = |inner: &InnerPending| inner.has_begun() || record.waits_for_inner_call().is_some();
        self.inner = kept.lock().take().filter(has_calls).map(Box::new);
        true
    }

    /// A note for the model about the calls that the tool has made.
    pub(in crate::conversation) fn note_of_inner_calls(&self) -> String {
        note_of_inner_calls(self.inner.iter().flat_map(|inner| inner.lines().into_values()))
    }

    /// The last events of the calls of the tool, which do not run any more.
    pub(in crate::conversation) fn skip_inner_calls(&self, id: &str, reason: &str) -> Vec<FinishedCall> {
        let Some(inner) = self.inner.as_deref() else { return Vec::new() };
        let mut skipped = inner.calls.clone().skip_calls(reason);
        std::iter::from_fn(|| Some(skipped.pop_unreported()?.made_by(id))).collect()
    }
}

impl InnerPending {
    /// The lines of the calls that have begun, by position, with those that their tools have made.
    fn lines(&self) -> BTreeMap<usize, String> {
        let calls = self.calls.calls().iter().zip(&self.calls.states).enumerate();
        let begun =
            calls.filter(|(_, (call, _))| !is_question(call)).filter_map(|(position, (call, state))| {
                let end = match state.result() {
                    Some(result) if result.is_error() => result.text(),
                    Some(_) => "ok",
                    None if state.waits_for_result() => "it has no result yet",
                    None if state.may_have_taken_effect() => MAY_HAVE_EFFECT,
                    None => return None,
                };
                let inner = state.inner.iter().flat_map(|inner| inner.lines().into_values());
                let lines = [inner_call_line(&call.name, &call.arguments, end)].into_iter().chain(inner);
                Some((position, lines.collect()))
            });
        begun.collect()
    }

    /// Whether a call of the tool may have had an effect.
    pub(in crate::conversation) fn may_have_taken_effect(&self) -> bool {
        self.calls.calls().iter().any(|call| !is_question(call))
    }

    /// Whether the tool has made a call or asked a question. It has not if the run reached its limit before the first.
    pub(in crate::conversation) fn has_begun(&self) -> bool {
        !self.made.is_empty()
    }
}

impl Default for InnerPending {
    fn default() -> Self {
        InnerPending { made: Vec::new(), calls: PendingCalls::empty() }
    }
}
