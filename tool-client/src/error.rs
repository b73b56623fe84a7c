//! Errors of models.

use std::error::Error;
use std::fmt;
use std::time::Duration;
use tool_runtime::stream::StreamError;
use tool_runtime::wire::{ErrorKind, WireError};

/// The reason why there is no reply.
#[derive(Debug)]
#[non_exhaustive]
pub enum ModelError {
    /// The server cannot be reached, or the connection was lost.
    #[non_exhaustive]
    Connection {
        /// The address, without its query.
        url: String,
        /// The error of the HTTP client.
        source: reqwest::Error,
    },
    /// The server sent nothing for this time: see [`Model::reply_timeout`](crate::Model::reply_timeout) and
    /// [`Model::idle_timeout`](crate::Model::idle_timeout).
    #[non_exhaustive]
    TimedOut {
        /// The time.
        limit: Duration,
    },
    /// The server rejected the request, or sent an error in place of a reply.
    Rejected(Rejection),
    /// The stream ended before the reply.
    NoReply,
    /// The response is longer than [`Model::max_reply_bytes`](crate::Model::max_reply_bytes).
    #[non_exhaustive]
    TooLong {
        /// The limit.
        max_bytes: usize,
    },
    /// The response is not a stream of events.
    #[non_exhaustive]
    NotEvents {
        /// The error of the parser.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The response is not a reply in the format of the wire.
    NotAReply(WireError),
    /// The wire cannot write the request.
    NotWritten(WireError),
    /// A setting of the model is invalid or missing.
    #[non_exhaustive]
    InvalidSetting {
        /// The problem, and what to do.
        problem: String,
    },
    /// The HTTP client cannot be created.
    #[non_exhaustive]
    NoHttpClient {
        /// The error of the HTTP client.
        source: reqwest::Error,
    },
    /// There are no credentials of AWS, or they cannot sign the request.
    #[non_exhaustive]
    NotSigned {
        /// The error of the credentials or the signature.
        source: Box<dyn Error + Send + Sync>,
    },
}

/// The error of a server.
#[derive(Debug)]
#[non_exhaustive]
pub struct Rejection {
    /// The address, without its query.
    pub url: String,
    /// The HTTP status, which may be 200.
    pub status: u16,
    /// The message of the server.
    pub message: String,
    /// The kind of the error.
    pub kind: ErrorKind,
    /// The time after which the server accepts requests again, if it sent it.
    pub retry_after: Option<Duration>,
    /// Whether the server asks to repeat the request, if it sent it: the header `x-should-retry` of Anthropic and OpenAI.
    pub should_retry: Option<bool>,
}

impl ModelError {
    /// The kind of the error, for [`Run::classify_error`](tool_runtime::session::Run::classify_error).
    /// [`RunModel`](crate::RunModel) sets it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            ModelError::Rejected(rejection) => rejection.kind,
            _ => ErrorKind::Other,
        }
    }

    /// The time after which the server accepts requests again, if it sent it. The run ends with this error if the time is longer than
    /// [`Model::max_retry_time`](crate::Model::max_retry_time).
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            ModelError::Rejected(rejection) => rejection.retry_after,
            _ => None,
        }
    }

    /// Whether the same request may succeed later: the connection failed, the server is overloaded or limits the rate of requests.
    #[must_use]
    pub fn is_temporary(&self) -> bool {
        match self {
            ModelError::Connection { source, .. } => !source.is_builder() && !source.is_redirect(),
            ModelError::TimedOut { .. } | ModelError::NoReply => true,
            ModelError::Rejected(Rejection { kind, should_retry, .. }) => {
                should_retry.unwrap_or(matches!(kind, ErrorKind::RateLimit { .. } | ErrorKind::Overloaded))
            }
            _ => false,
        }
    }

    pub(crate) fn invalid(problem: impl Into<String>) -> Self {
        ModelError::InvalidSetting { problem: problem.into() }
    }
}

impl Rejection {
    /// The error of the server at the beginning of a stream; `None` for any other error.
    pub(crate) fn from_stream(error: &StreamError, url: String) -> Option<Self> {
        let (StreamError::Server { message, .. }, Some(kind)) = (error, error.error_kind()) else {
            return None;
        };
        let (message, retry_after) = (message.clone(), wait_of(kind));
        Some(Rejection { url, status: 200, message, kind, retry_after, should_retry: None })
    }
}

/// The time to wait in the text of an error.
pub(crate) fn wait_of(kind: ErrorKind) -> Option<Duration> {
    match kind {
        ErrorKind::RateLimit { retry_after, .. } => retry_after,
        _ => None,
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModelError::Connection { url, source } if source.is_body() || source.is_decode() => {
                write!(f, "the connection to {url} was lost: {}", root(source))
            }
            ModelError::Connection { url, source } => {
                write!(f, "cannot reach {url}: {}; check the base URL and that the server runs", root(source))
            }
            ModelError::TimedOut { limit } => {
                write!(
                    f,
                    "the server sent nothing for {limit:?}; set `reply_timeout` or `idle_timeout` to wait longer"
                )
            }
            ModelError::Rejected(Rejection { url, status, message, .. }) => {
                write!(f, "{url} responded with status {status}: {message}")
            }
            ModelError::NoReply => f.write_str("the stream ended before the reply"),
            ModelError::TooLong { max_bytes } => {
                write!(f, "the response is longer than {max_bytes} bytes; set `max_reply_bytes` to accept it")
            }
            ModelError::NotEvents { source } => write!(f, "the response is not a stream of events: {source}"),
            ModelError::NotAReply(error) => write!(f, "the response is not a reply: {error}"),
            ModelError::NotWritten(error) => error.fmt(f),
            ModelError::InvalidSetting { problem } => f.write_str(problem),
            ModelError::NoHttpClient { source } => {
                write!(f, "the HTTP client cannot be created: {}", root(source))
            }
            ModelError::NotSigned { source } => write!(f, "the request cannot be signed: {source}"),
        }
    }
}

/// The text of the last source: errors of HTTP clients name the cause only there.
fn root(error: &reqwest::Error) -> String {
    let mut error: &dyn Error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}

impl Error for ModelError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            ModelError::Connection { source, .. } | ModelError::NoHttpClient { source } => Some(source),
            // The display text includes these errors, so the chain continues with their sources.
            ModelError::NotEvents { source } | ModelError::NotSigned { source } => source.source(),
            ModelError::NotAReply(error) | ModelError::NotWritten(error) => error.source(),
            ModelError::TimedOut { .. }
            | ModelError::Rejected(_)
            | ModelError::NoReply
            | ModelError::TooLong { .. }
            | ModelError::InvalidSetting { .. } => None,
        }
    }
}
