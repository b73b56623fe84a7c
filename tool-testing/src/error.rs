//! Errors of scripted models.

use crate::RejectedError;
use std::error::Error;
use std::fmt;
use tool_runtime::AssistantMessage;
use tool_runtime::stream::InterruptedError;
use tool_runtime::wire::WireError;

/// The reason why a [`ScriptedModel`](crate::ScriptedModel) sends no reply.
#[derive(Debug)]
#[non_exhaustive]
pub enum ScriptedModelError {
    /// The request breaks a rule of the providers of the wire.
    Rejected(RejectedError),
    /// The script has no reply for this request.
    #[non_exhaustive]
    ScriptEnded {
        /// The number of replies in the script.
        replies: usize,
    },
    /// The next reply of the script is an error of the server: see
    /// [`ScriptedReply::error`](crate::ScriptedReply::error).
    #[non_exhaustive]
    Server {
        /// The error message of the server.
        message: String,
    },
    /// The wire cannot write the request.
    #[non_exhaustive]
    NotWritten {
        /// The error of the wire.
        source: WireError,
    },
    /// The wire cannot read the response body of the script.
    #[non_exhaustive]
    NotAReply {
        /// The error of the wire.
        source: WireError,
    },
    /// The stream of the script was read to its end, and it interrupts the reply.
    Interrupted(InterruptedError<AssistantMessage>),
}

impl fmt::Display for ScriptedModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScriptedModelError::Rejected(rejected) => rejected.fmt(f),
            ScriptedModelError::ScriptEnded { replies } => {
                write!(f, "the script has ended (replies: {replies}): add a reply for this request")
            }
            ScriptedModelError::Server { message } => write!(f, "the server sent an error: {message}"),
            ScriptedModelError::NotWritten { source } => source.fmt(f),
            ScriptedModelError::NotAReply { source } => {
                write!(f, "the wire cannot read a reply of the script: {source}")
            }
            ScriptedModelError::Interrupted(interrupted) => interrupted.fmt(f),
        }
    }
}

impl Error for ScriptedModelError {
    // The display text includes the error, so the chain continues with its source.
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            ScriptedModelError::NotWritten { source } | ScriptedModelError::NotAReply { source } => {
                source.source()
            }
            ScriptedModelError::Interrupted(interrupted) => interrupted.source(),
            _ => None,
        }
    }
}
