//! Runs of a session with a journal.

use crate::journal::Journal;
use crate::log::JournalLog;
use std::sync::Arc;
use tool_runtime::conversation::Request;
use tool_runtime::session::{Event, Run};

/// Adds a journal to a [`Run`] of a session.
pub trait DurableRun: Sized {
    /// Records the replies and the calls of the run in a journal, and continues an earlier run of this session that a crash
    /// has ended. The [run context](tool_runtime::RunContext) needs a [`run_id`](tool_runtime::RunContext::run_id): one for each
    /// session, and always the same, for example `registry.with(&RunContext::new().run_id("order-7"))`.
    ///
    /// It sets the [log](Run::log) of the run. After an error of the journal, the run returns
    /// [`RunError::Log`](tool_runtime::session::RunError::Log) with a [`JournalError`](crate::JournalError).
    ///
    /// The [crate documentation](crate) has an example.
    #[must_use = "nothing runs before `complete` or `stream`"]
    fn journal<J: Journal + Clone + 'static>(self, journal: &J) -> Self;

    /// Like [`journal`](DurableRun::journal), and records only the replies: for calls that an engine runs once per
    /// [key](tool_runtime::CallContext::key), whose results the run receives from it again after a crash. A call that runs in this
    /// process runs again after a crash.
    ///
    /// An approval that the stored session does not have must be given again.
    #[must_use = "nothing runs before `complete` or `stream`"]
    fn journal_replies<J: Journal + Clone + 'static>(self, journal: &J) -> Self;
}

impl<O: FnMut(&Event), P: FnMut(Request) -> Request, A, K> DurableRun for Run<'_, O, P, A, K> {
    fn journal<J: Journal + Clone + 'static>(self, journal: &J) -> Self {
        self.log(Arc::new(JournalLog::new(Arc::new(journal.clone()))))
    }

    fn journal_replies<J: Journal + Clone + 'static>(self, journal: &J) -> Self {
        self.log(Arc::new(JournalLog::without_calls(Arc::new(journal.clone()))))
    }
}
