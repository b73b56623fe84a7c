//! Errors of models.

use crate::quoted::Quoted;
use crate::rejection::Rejection;
use std::error::Error;
use std::fmt;
use std::io;
use std::time::Duration;
use tool_runtime::wire::{ErrorKind, WireError};

/// The reason why there is no reply.
#[derive(Debug)]
#[non_exhaustive]
pub enum ModelError {
    /// The server cannot be reached, or the connection was lost.
    #[non_exhaustive]
    Connection {
        /// The URL, without its query.
        url: String,
        /// The error of the HTTP client.
        source: reqwest::Error,
    },
    /// A time limit has passed.
    #[non_exhaustive]
    TimedOut {
        /// The limit.
        limit: Duration,
        /// The setting: [`reply_timeout`](crate::Model::reply_timeout) or [`idle_timeout`](crate::Model::idle_timeout).
        setting: &'static str,
    },
    /// The server rejected the request, or sent an error in place of a reply.
    Rejected(Rejection),
    /// The stream ended before the reply.
    #[non_exhaustive]
    NoReply {
        /// The beginning of the first event that is not a part of a reply; empty if there was none.
        beginning: String,
    },
    /// The stream ended in the middle of an event.
    IncompleteEvent,
    /// The server sent a whole reply in place of a stream, which this wire does not read.
    NotStreamed,
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
    #[non_exhaustive]
    NotAReply {
        /// The URL, without its query.
        url: String,
        /// The error of the wire.
        source: WireError,
    },
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

impl ModelError {
    /// The kind of the error: [`ErrorKind::Other`] if it is not an error of the server. [`retry_after`](ModelError::retry_after)
    /// also has the time of a header, which a kind does not have. For the error of a run, use [`error_kind`](crate::error_kind).
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            ModelError::Rejected(rejection) => rejection.kind,
            _ => ErrorKind::Other,
        }
    }

    /// The time after which the server accepts requests again, if it sent it. A time that is longer than
    /// [`Model::max_retry_delay`](crate::Model::max_retry_delay) ends the attempts.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            ModelError::Rejected(rejection) => rejection.retry_after,
            _ => None,
        }
    }

    /// Whether the client repeats the request: the connection failed, the server is overloaded or limits the rate of requests. A
    /// time-out is not temporary, since the next attempt would take as long.
    #[must_use]
    pub fn is_temporary(&self) -> bool {
        match self {
            ModelError::Connection { source, .. } => {
                !source.is_builder() && !source.is_redirect() && !needs_tls(source) && !is_tls_error(source)
            }
            ModelError::IncompleteEvent => true,
            // Otherwise it is a stream of another API.
            ModelError::NoReply { beginning } => beginning.is_empty(),
            ModelError::Rejected(Rejection { kind, should_retry, .. }) => {
                should_retry.unwrap_or(matches!(kind, ErrorKind::RateLimit { .. } | ErrorKind::Overloaded))
            }
            _ => false,
        }
    }

    /// An error of the connection to this URL.
    pub(crate) fn connection(url: &str, error: reqwest::Error) -> Self {
        // Its URL has the query.
        ModelError::Connection { url: url.to_owned(), source: error.without_url() }
    }

    pub(crate) fn invalid(problem: impl Into<String>) -> Self {
        ModelError::InvalidSetting { problem: problem.into() }
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModelError::Connection { url, source } if !source.is_connect() => {
                write!(f, "the connection to {url} was lost: {}", root(source))
            }
            ModelError::Connection { url, source } if needs_tls(source) => {
                write!(f, "cannot reach {url} without TLS; enable the feature `tls` of tool-runtime-client")
            }
            ModelError::Connection { url, source } if is_tls_error(source) => {
                let cause = root(source);
                write!(
                    f,
                    "cannot establish TLS with {url}: {cause}; check the certificate, and whether the base URL has `http`"
                )
            }
            ModelError::Connection { url, source } => {
                write!(f, "cannot reach {url}: {}; check the base URL and that the server runs", root(source))
            }
            ModelError::TimedOut { limit, setting } => {
                write!(f, "the time limit of {limit:?} has passed; set `{setting}` to wait longer")
            }
            ModelError::Rejected(rejection) => rejection.fmt(f),
            ModelError::NoReply { beginning } if beginning.is_empty() => {
                f.write_str("the stream ended before the reply")
            }
            ModelError::NoReply { beginning } => write!(
                f,
                "the stream has no reply in the format of this model; check the provider and the base URL. It begins with: {}",
                Quoted(beginning)
            ),
            ModelError::IncompleteEvent => f.write_str("the stream ended in the middle of an event"),
            ModelError::NotStreamed => f.write_str(
                "the server sent a whole reply in place of a stream; use `model` in place of `stream_model`",
            ),
            ModelError::TooLong { max_bytes } => {
                write!(f, "the response is longer than {max_bytes} bytes; set `max_reply_bytes` to accept it")
            }
            ModelError::NotEvents { source } => write!(f, "the response is not a stream of events: {source}"),
            ModelError::NotAReply { url, source: WireError::NotJson { beginning, .. } } => write!(
                f,
                "the response of {url} is not a reply; check the provider and the base URL. It begins with: {}",
                Quoted(beginning)
            ),
            ModelError::NotAReply { url, source } => {
                write!(
                    f,
                    "the response of {url} is not a reply; check the provider and the base URL: {source}"
                )
            }
            ModelError::NotWritten(error) => error.fmt(f),
            ModelError::InvalidSetting { problem } => f.write_str(problem),
            ModelError::NoHttpClient { source } => {
                let cause = root(source);
                write!(
                    f,
                    "the HTTP client cannot be created: {cause}; set `http_client` to one of the program"
                )
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

/// Whether the URL begins with `https`, and no feature of `reqwest` has TLS.
fn needs_tls(error: &reqwest::Error) -> bool {
    error.is_connect() && root(error) == "invalid URL, scheme is not http"
}

/// Whether the certificate or the protocol is wrong.
fn is_tls_error(error: &reqwest::Error) -> bool {
    let mut next = error.source().filter(|_| error.is_connect());
    while let Some(error) = next {
        let io = error.downcast_ref::<io::Error>();
        if io.is_some_and(|error| error.kind() == io::ErrorKind::InvalidData) {
            return true;
        }
        // The source of an `io::Error` is that of the error inside it.
        next = match io.and_then(io::Error::get_ref) {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    false
}

impl Error for ModelError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            ModelError::Connection { source, .. } | ModelError::NoHttpClient { source } => Some(source),
            // The display text includes these errors, so the chain continues with their sources.
            ModelError::NotEvents { source } | ModelError::NotSigned { source } => source.source(),
            ModelError::NotAReply { source: error, .. } | ModelError::NotWritten(error) => error.source(),
            ModelError::TimedOut { .. }
            | ModelError::Rejected(_)
            | ModelError::NoReply { .. }
            | ModelError::IncompleteEvent
            | ModelError::NotStreamed
            | ModelError::TooLong { .. }
            | ModelError::InvalidSetting { .. } => None,
        }
    }
}
