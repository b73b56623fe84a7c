//! Errors of models.

use std::error::Error;
use std::fmt;
use tool_runtime::wire::{ErrorKind, WireError};
use tool_runtime_testing::ScriptedModelError;

/// The reason why there is no reply.
#[derive(Debug)]
#[non_exhaustive]
pub enum ModelError {
    /// The connection failed.
    Unreachable {
        /// The address.
        url: String,
        /// The error of the transport.
        source: ureq::Error,
    },
    /// The server rejected the request.
    Rejected {
        /// The HTTP status.
        status: u16,
        /// The error message of the server.
        message: String,
        /// The kind of the error.
        kind: ErrorKind,
    },
    /// The stream of this wire consists of binary frames.
    BinaryStream {
        /// The name of the wire.
        wire: &'static str,
    },
    /// The wire cannot write the request.
    NotWritten(WireError),
    /// The response is not a reply in the format of the wire.
    NotAReply(WireError),
    /// The scripted model sent no reply.
    Scripted(ScriptedModelError),
}

impl ModelError {
    /// The kind of the error, for [`Run::classify_error`](tool_runtime::session::Run::classify_error).
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            ModelError::Rejected { kind, .. } => *kind,
            _ => ErrorKind::Other,
        }
    }
}

impl From<ScriptedModelError> for ModelError {
    fn from(error: ScriptedModelError) -> Self {
        ModelError::Scripted(error)
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModelError::Unreachable { url, source } => {
                write!(f, "cannot reach {url}: {source}; check the base URL and that the server is running")
            }
            ModelError::Rejected { status, message, .. } => {
                write!(f, "the server responded with status {status}: {message}")
            }
            ModelError::BinaryStream { wire } => write!(
                f,
                "a stream on the wire {wire} consists of binary frames, which the client of the examples does not read: set \
                 TOOL_WIRE to another wire, or run an example that does not stream"
            ),
            ModelError::NotWritten(error) => error.fmt(f),
            ModelError::NotAReply(error) => write!(f, "the response of the server is not a reply: {error}"),
            ModelError::Scripted(error) => error.fmt(f),
        }
    }
}

impl Error for ModelError {
    // The display texts include the errors, so the chain continues with their sources.
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            ModelError::Unreachable { source, .. } => source.source(),
            ModelError::NotWritten(error) | ModelError::NotAReply(error) => error.source(),
            ModelError::Scripted(error) => error.source(),
            ModelError::Rejected { .. } | ModelError::BinaryStream { .. } => None,
        }
    }
}
