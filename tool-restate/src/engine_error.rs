//! Errors of requests to the engine.

use crate::protocol::MAX_BYTES;
use serde::Deserialize;
use std::error::Error;
use std::fmt;

/// The error of a request to the engine.
#[derive(Debug)]
#[non_exhaustive]
pub enum EngineError {
    /// The session does not allow the request: for example, another request has decided about the call already.
    Conflict(String),
    /// There is no such session.
    NoSession,
    /// The body of the request has more than 10 MiB. It was not sent.
    #[non_exhaustive]
    TooLarge {
        /// The bytes of the body.
        bytes: usize,
    },
    /// The engine or a handler rejects the request.
    #[non_exhaustive]
    Rejected {
        /// The HTTP status.
        status: u16,
        /// The reason.
        message: String,
    },
    /// An invocation of the session is paused, since its attempts have failed too often. [`Admin::resume`](crate::Admin::resume)
    /// continues it. The request waits in the engine, and is processed afterwards.
    Paused(PausedInvocation),
    /// The engine did not respond in time. The request may have arrived: send it again, with the same key.
    Unreachable(reqwest::Error),
    /// The contents of the request cannot be written as JSON.
    InvalidRequest(serde_json::Error),
    /// The engine sends other data than this version of the package expects.
    InvalidResponse(serde_json::Error),
    /// The address is not an HTTP address, such as `http://restate:8080`.
    InvalidAddress(String),
    /// The id of a session or the name of a service is empty, or `.` or `..`, which have a meaning in paths.
    InvalidId(String),
    /// The key of a request has characters other than visible ones of ASCII and spaces, which a header cannot have.
    InvalidKey(String),
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EngineError::Conflict(message) => f.write_str(message),
            EngineError::NoSession => f.write_str("there is no such session"),
            EngineError::TooLarge { bytes } => {
                write!(
                    f,
                    "the request has {bytes} bytes, and may have at most {MAX_BYTES}: store long contents elsewhere"
                )
            }
            EngineError::Rejected { status, message } => {
                let separator = if message.is_empty() { "" } else { ": " };
                write!(f, "the engine rejects the request with status {status}{separator}{message}")
            }
            EngineError::Paused(invocation) => invocation.fmt(f),
            EngineError::Unreachable(error) => {
                write!(f, "the engine cannot be reached: {error}")?;
                // That of the operating system, for example.
                let causes = std::iter::successors(error.source(), |&cause| cause.source());
                causes.last().map_or(Ok(()), |cause| write!(f, " ({cause})"))
            }
            EngineError::InvalidRequest(error) => write!(f, "the request cannot be written as JSON: {error}"),
            EngineError::InvalidResponse(error) => {
                write!(f, "the response of the engine cannot be read: {error}")
            }
            EngineError::InvalidAddress(address) => {
                write!(f, "{address:?} is not an HTTP address, such as \"http://restate:8080\"")
            }
            EngineError::InvalidId(id) => {
                write!(f, "{id:?} is not an id of a session or a name of a service")
            }
            EngineError::InvalidKey(key) => {
                write!(f, "{key:?} is not a key of a request: use visible characters of ASCII")
            }
        }
    }
}

impl Error for EngineError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            // The display text includes the error and its cause.
            EngineError::Unreachable(error) => error.source(),
            EngineError::InvalidRequest(error) | EngineError::InvalidResponse(error) => Some(error),
            _ => None,
        }
    }
}

/// An invocation that the engine does not repeat any more, until an operator resumes it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct PausedInvocation {
    /// The id of the invocation.
    pub id: String,
    /// The service, the session and the handler, such as `Sessions/s-7/step`.
    pub target: String,
    /// The error of the last attempt.
    #[serde(default)]
    pub last_failure: Option<String>,
}

impl fmt::Display for PausedInvocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PausedInvocation { id, target, last_failure } = self;
        let reason = last_failure.as_deref().unwrap_or("an unknown error");
        write!(
            f,
            "the invocation {id} of {target} is paused after {reason}: correct the cause, and resume it"
        )
    }
}
