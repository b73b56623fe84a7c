//! The record of one call.

use super::{InnerRecord, LoggedInnerCall, Pauses};
use crate::outcome::{Outcome, OutcomeDetails};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The state of one call: whether it has begun and finished, its coerced arguments, and its cancellation token. The token is
/// created on first use, and cancelled if this value is dropped before the tool has finished, so that work that outlives the
/// call can stop.
#[derive(Debug, Default)]
pub(crate) struct CallRecord {
    token: OnceLock<CancellationToken>,
    /// One of `NOT_BEGUN`, `BEGUN` and `CLOSED`.
    state: AtomicU8,
    has_finished: AtomicBool,
    is_counted: AtomicBool,
    is_response_of_hook: AtomicBool,
    /// Whether the call keeps its result if its run is cancelled while middleware handles it.
    keeps_result: AtomicBool,
    /// Whether the tool was not run for a reason of the program, such as a log that fails: the call stays pending, and can run
    /// later.
    stays_pending: AtomicBool,
    /// Boxed, since few calls have details, and a reply has a record for each call.
    details: OnceLock<Box<Details>>,
}

/// The data that only some calls have.
#[derive(Debug, Default)]
struct Details {
    queue_time: OnceLock<Duration>,
    /// The arguments without the nulls that mean absent arguments.
    without_nulls: OnceLock<String>,
    coerced: OnceLock<String>,
    /// The arguments of the hook.
    run_with: OnceLock<String>,
    coercions: OnceLock<Vec<String>>,
    inner_calls: OnceLock<Arc<InnerRecord>>,
    pauses: OnceLock<Arc<Pauses>>,
}

/// The tool has not begun.
const NOT_BEGUN: u8 = 0;
/// The tool has begun.
const BEGUN: u8 = 1;
/// The call has ended before the tool began. The tool must not begin.
const CLOSED: u8 = 2;

impl CallRecord {
    /// The record of a function on a blocking thread. It counts as finished, so that its drop does not cancel the token: the
    /// record of the call does.
    pub(crate) fn with_token(token: CancellationToken) -> Self {
        let mut record = CallRecord::default();
        record.token = token.into();
        *record.has_finished.get_mut() = true;
        record
    }

    /// The record of all runs of the call that has this one.
    pub(crate) fn for_all_runs(&self) -> Self {
        let record = CallRecord::default();
        self.inner_calls().into_iter().for_each(|calls| record.set_inner_calls(Arc::clone(calls)));
        // No other value is set before.
        let _ = record.details().pauses.set(Arc::clone(self.pauses()));
        record
    }

    /// The token, which is created on first use.
    pub(crate) fn token(&self, create: impl FnOnce() -> CancellationToken) -> CancellationToken {
        self.token.get_or_init(create).clone()
    }

    pub(crate) fn set_begun(&self) {
        self.state.store(BEGUN, Ordering::Relaxed);
    }

    /// Begins, unless the record is closed. A record can begin several times.
    pub(crate) fn begin(&self) -> bool {
        let before = self.state.compare_exchange(NOT_BEGUN, BEGUN, Ordering::AcqRel, Ordering::Acquire);
        before.is_ok() || self.has_begun()
    }

    /// Closes the record: if nothing has begun before, nothing begins any more.
    pub(crate) fn close(&self) {
        // An error means that something has begun, or that it is closed already.
        let _ = self.state.compare_exchange(NOT_BEGUN, CLOSED, Ordering::AcqRel, Ordering::Acquire);
    }

    pub(crate) fn set_finished(&self) {
        self.has_finished.store(true, Ordering::Relaxed);
    }

    /// Whether the call counts towards the `max_calls` of its tool.
    pub(crate) fn is_counted(&self) -> bool {
        self.is_counted.load(Ordering::Relaxed)
    }

    pub(crate) fn set_counted(&self, is_counted: bool) {
        self.is_counted.store(is_counted, Ordering::Relaxed);
    }

    pub(crate) fn set_response_of_hook(&self) {
        self.is_response_of_hook.store(true, Ordering::Relaxed);
    }

    pub(crate) fn keeps_result(&self) -> bool {
        self.keeps_result.load(Ordering::Relaxed)
    }

    pub(crate) fn set_keeps_result(&self) {
        self.keeps_result.store(true, Ordering::Relaxed);
    }

    pub(crate) fn stays_pending(&self) -> bool {
        self.stays_pending.load(Ordering::Relaxed)
    }

    pub(crate) fn set_stays_pending(&self) {
        self.stays_pending.store(true, Ordering::Relaxed);
    }

    pub(crate) fn set_queue_time(&self, time: Duration) {
        // A call waits once.
        let _ = self.details().queue_time.set(time);
    }

    /// The arguments that replace those of the model, if there are any.
    pub(crate) fn arguments(&self) -> Option<&str> {
        self.run_with().or_else(|| self.coerced_arguments())
    }

    /// The arguments of the model as they were coerced.
    pub(crate) fn coerced_arguments(&self) -> Option<&str> {
        let details = self.details.get()?;
        details.coerced.get().or_else(|| details.without_nulls.get()).map(String::as_str)
    }

    /// The arguments of the hook.
    pub(crate) fn run_with(&self) -> Option<&str> {
        self.details.get()?.run_with.get().map(String::as_str)
    }

    pub(crate) fn set_run_with(&self, arguments: String) {
        // The hook decides once.
        let _ = self.details().run_with.set(arguments);
    }

    pub(crate) fn set_without_nulls(&self, arguments: String) {
        // Nulls are removed once.
        let _ = self.details().without_nulls.set(arguments);
    }

    pub(crate) fn set_coerced(&self, arguments: String) {
        // The arguments are coerced once.
        let _ = self.details().coerced.set(arguments);
    }

    /// Sets the coercions of arguments that are valid.
    pub(crate) fn set_coercions(&self, coercions: Vec<String>) {
        let _ = self.details().coercions.set(coercions);
    }

    /// The inner calls of the call, if they continue in a later run, or continue an earlier one.
    pub(crate) fn inner_calls(&self) -> Option<&Arc<InnerRecord>> {
        self.details.get()?.inner_calls.get()
    }

    pub(crate) fn set_inner_calls(&self, calls: Arc<InnerRecord>) {
        // They are set before the first run.
        let _ = self.details().inner_calls.set(calls);
    }

    /// The pauses of all runs of the call.
    pub(crate) fn pauses(&self) -> &Arc<Pauses> {
        self.details().pauses.get_or_init(Arc::default)
    }

    /// The inner calls that a log has recorded.
    pub(crate) fn set_logged_inner_calls(&self, calls: BTreeMap<usize, LoggedInnerCall>) {
        self.details().inner_calls.get_or_init(Arc::default).set_logged(calls);
    }

    /// The id of the inner call for which the call waits.
    pub(crate) fn waits_for_inner_call(&self) -> Option<&str> {
        self.inner_calls()?.waits_for()
    }

    /// Whether the tool has begun and may have taken effect.
    pub(crate) fn has_begun(&self) -> bool {
        self.state.load(Ordering::Relaxed) == BEGUN
    }

    fn details(&self) -> &Details {
        self.details.get_or_init(Box::default)
    }

    /// The outcome of a call that ends now, without its error.
    pub(crate) fn outcome(&self, duration: Duration) -> Outcome {
        let details = self.details.get();
        let has_details = details.is_some() || !duration.is_zero();
        let outcome_details = || OutcomeDetails {
            coercions: details.and_then(|details| details.coercions.get()).cloned().unwrap_or_default(),
            queue_time: details.and_then(|details| details.queue_time.get()).copied().unwrap_or_default(),
            duration,
        };
        Outcome {
            error: None,
            details: has_details.then(|| Arc::new(outcome_details())),
            responded_by_hook: self.is_response_of_hook.load(Ordering::Relaxed),
            has_begun: self.has_begun(),
        }
    }

    pub(crate) fn has_finished(&self) -> bool {
        self.has_finished.load(Ordering::Relaxed)
    }

    /// Cancels the token, unless the tool has finished.
    pub(crate) fn cancel_unfinished(&self) {
        if let (Some(token), false) = (self.token.get(), self.has_finished()) {
            token.cancel();
        }
    }
}

impl Drop for CallRecord {
    fn drop(&mut self) {
        self.cancel_unfinished();
    }
}
