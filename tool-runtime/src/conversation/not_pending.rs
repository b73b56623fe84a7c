//! Why nothing can be said of a call.

use std::error::Error;
use std::fmt;

/// Why nothing can be said of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotPendingError {
    /// No call of the reply has this id.
    #[non_exhaustive]
    UnknownId {
        /// The id.
        id: String,
    },
    /// The call has its answer.
    #[non_exhaustive]
    Answered {
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
            NotPendingError::Answered { id } => write!(f, "the call `{id}` has its answer already"),
        }
    }
}

impl Error for NotPendingError {}
