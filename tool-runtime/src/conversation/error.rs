//! Errors of decisions about calls.

use crate::outcome::LogWriter;
use std::error::Error;
use std::fmt::{self, Write as _};

/// The maximum number of ids in a message.
const LISTED_IDS: usize = 5;

/// An error for a call that cannot be approved, denied or given a result.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotPendingError {
    /// No pending call has this id.
    #[non_exhaustive]
    UnknownId {
        /// The id.
        id: String,
        /// The ids of the calls without a result.
        pending: Vec<String>,
    },
    /// The call already has a result.
    #[non_exhaustive]
    HasResult {
        /// The id.
        id: String,
    },
    /// The call waits for its result, and needs no approval: see
    /// [`PendingCalls::provide_result`](super::PendingCalls::provide_result).
    #[non_exhaustive]
    NeedsResult {
        /// The id.
        id: String,
    },
    /// The arguments cannot be written as JSON.
    #[non_exhaustive]
    NotSerializable {
        /// The id.
        id: String,
        /// The text of the error.
        error: String,
    },
    /// The provider runs the call itself, with the arguments of the model: approve or deny it.
    #[non_exhaustive]
    FixedArguments {
        /// The id.
        id: String,
    },
    /// The call began in a run that was interrupted, or that has not ended: a second approval must not run it twice. If no run
    /// is in progress, start another run.
    #[non_exhaustive]
    HasBegun {
        /// The id.
        id: String,
    },
    /// The call has not begun.
    #[non_exhaustive]
    HasNotBegun {
        /// The id.
        id: String,
    },
    /// The id is that of a question of a tool, which needs an [`answer`](super::PendingCalls::answer).
    #[non_exhaustive]
    NeedsAnswer {
        /// The id.
        id: String,
    },
    /// The id is that of a call, and no question waits.
    #[non_exhaustive]
    NotAsked {
        /// The id.
        id: String,
    },
    /// The answer is not valid under the schema of the question, which still waits.
    #[non_exhaustive]
    InvalidAnswer {
        /// The id.
        id: String,
        /// The errors of the answer.
        reason: String,
    },
    /// The call was not handed out: see [`PendingCalls::hand_out`](super::PendingCalls::hand_out).
    #[non_exhaustive]
    NotHandedOut {
        /// The id.
        id: String,
    },
}

impl fmt::Display for NotPendingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let f = &mut LogWriter(f);
        match self {
            NotPendingError::UnknownId { id, pending } => {
                write!(f, "no pending call has the id `{id}`: ")?;
                let (listed, others) = pending.split_at(pending.len().min(LISTED_IDS));
                match (listed, others.len()) {
                    ([], _) => f.write_str("no call is pending"),
                    (_, 0) => write!(f, "the pending calls are `{}`", listed.join("`, `")),
                    (_, others) => {
                        write!(f, "the pending calls are `{}` and {others} more", listed.join("`, `"))
                    }
                }
            }
            NotPendingError::HasResult { id } => {
                write!(f, "the call `{id}` already has a result, which cannot be replaced")
            }
            NotPendingError::NeedsResult { id } => {
                write!(f, "the call `{id}` waits for its result: provide the result or deny the call")
            }
            NotPendingError::FixedArguments { id } => {
                write!(
                    f,
                    "the provider runs the call `{id}` with the arguments of the model: approve or deny it"
                )
            }
            NotPendingError::NotSerializable { id, error } => {
                write!(f, "the arguments for the call `{id}` cannot be written as JSON: {error}")
            }
            NotPendingError::HasBegun { id } => {
                write!(f, "the call `{id}` has begun in a run that has not stored its result")
            }
            NotPendingError::HasNotBegun { id } => {
                write!(f, "the call `{id}` has not begun in an interrupted run, so the next run starts it")
            }
            NotPendingError::NeedsAnswer { id } => {
                write!(f, "`{id}` is a question of a tool: answer it with `answer`")
            }
            NotPendingError::NotAsked { id } => {
                write!(f, "`{id}` is not a question that waits for its answer: see `awaiting_input`")
            }
            NotPendingError::InvalidAnswer { id, reason } => {
                write!(f, "the question `{id}` still waits: {reason}")
            }
            NotPendingError::NotHandedOut { id } => {
                write!(f, "the call `{id}` was not handed out: set its result with `provide_result`")
            }
        }
    }
}

impl Error for NotPendingError {}
