//! Errors of changes to calls that are not pending.

use std::error::Error;
use std::fmt;

/// An error for an id that is not the id of a pending call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotPendingError {
    /// No call of the reply has this id.
    #[non_exhaustive]
    UnknownId {
        /// The id.
        id: String,
    },
    /// The call already has a result.
    #[non_exhaustive]
    HasResult {
        /// The id.
        id: String,
    },
}

impl fmt::Display for NotPendingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotPendingError::UnknownId { id } => {
                write!(f, "no call of this reply has the id `{id}`: use one of `calls()`")
            }
            NotPendingError::HasResult { id } => write!(f, "the call `{id}` already has a result"),
        }
    }
}

impl Error for NotPendingError {}
