//! Errors for the program.

use std::error::Error;
use std::fmt;
use tool_runtime::dispatch::CallKey;

/// An error of a [`Journal`](crate::Journal), or a call or a reply that differs from its record. If the error concerns
/// the beginning of a call, the call has not run.
#[derive(Debug)]
#[non_exhaustive]
pub enum JournalError {
    /// The run context has no [`run_id`](tool_runtime::RunContext::run_id).
    NoRunId,
    /// The record with the key of the call is that of another call.
    #[non_exhaustive]
    OtherCall {
        /// The key of both calls.
        key: CallKey,
        /// The recorded tool.
        recorded: String,
        /// The tool of the call that was not run.
        tool: String,
    },
    /// Another run of the session has run the call, and this session has another result of it.
    #[non_exhaustive]
    OtherResult {
        /// The key of the call.
        key: CallKey,
    },
    /// The recorded reply follows a user message with another text.
    #[non_exhaustive]
    OtherMessages {
        /// The id of the run.
        run_id: String,
        /// The number of the reply.
        number: u64,
    },
    /// A run with this run id is in progress, so its records cannot be removed.
    #[non_exhaustive]
    InProgress {
        /// The id of the run.
        run_id: String,
    },
    /// Another run with this run id has recorded this reply, though this run has requested it.
    #[non_exhaustive]
    ReplyRecorded {
        /// The id of the run.
        run_id: String,
        /// The number of the reply.
        number: u64,
    },
    /// The journal cannot be read or written: the disk is full, for example.
    #[non_exhaustive]
    Storage {
        /// The error of the storage.
        source: Box<dyn Error + Send + Sync>,
    },
}

impl JournalError {
    /// An error of the storage.
    pub fn storage(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        JournalError::Storage { source: source.into() }
    }

    /// A run with this run id is in progress.
    pub fn in_progress(run_id: impl Into<String>) -> Self {
        JournalError::InProgress { run_id: run_id.into() }
    }
}

/// Ids and names are escaped, since a line break could forge a line of a log.
impl fmt::Display for JournalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JournalError::NoRunId => f.write_str(
                "the run has no id, so its calls cannot be recorded: bind a context with `RunContext::run_id`",
            ),
            JournalError::OtherCall { key, recorded, tool } => write!(
                f,
                "the journal has a call of `{}` with the key `{}`, and this call of `{}` has another id, tool or arguments: use \
                 another run id for each session",
                recorded.escape_debug(),
                key.to_string().escape_debug(),
                tool.escape_debug()
            ),
            JournalError::OtherResult { key } => write!(
                f,
                "another run of the session has run the call `{}`, which has another result there: load the session again, and run it \
                 before you decide about its calls",
                key.to_string().escape_debug()
            ),
            JournalError::OtherMessages { run_id, number } => write!(
                f,
                "the journal has reply {number} of the run `{}`, which follows another user message: take the newer message out \
                 of the session, run it, and add the message again; use another run id for each session",
                run_id.escape_debug()
            ),
            JournalError::InProgress { run_id } => write!(
                f,
                "a run with the run id `{}` is in progress: remove its records when it has ended",
                run_id.escape_debug()
            ),
            JournalError::ReplyRecorded { run_id, number } => write!(
                f,
                "another run with the run id `{}` has recorded reply {number}: wait until it has ended, and load the session again",
                run_id.escape_debug()
            ),
            JournalError::Storage { source } => write!(f, "the journal cannot be used: {source}"),
        }
    }
}

impl Error for JournalError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            // The `Display` text already contains the text of this error.
            JournalError::Storage { source } => source.source(),
            _ => None,
        }
    }
}
