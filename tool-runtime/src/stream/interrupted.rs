//! Errors of interrupted streams.

use serde_json::Value;
use std::error::Error;
use std::fmt;

/// The reason why a stream was interrupted.
#[derive(Debug)]
#[non_exhaustive]
pub enum StreamError {
    /// The server sent an error instead of a chunk.
    #[non_exhaustive]
    Server {
        /// The error message of the server.
        message: String,
        /// The error as the server sent it. Groq, for example, puts the output of the model into `failed_generation`.
        error: Value,
    },
    /// The client's stream returned an error instead of a chunk.
    #[non_exhaustive]
    Transport {
        /// The client's error.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The chunk is not in the format of Chat Completions.
    #[non_exhaustive]
    NotAChunk {
        /// The beginning of the chunk; empty if the client's type could not be serialized as JSON.
        beginning: String,
        /// The error of the parser.
        source: serde_json::Error,
    },
    /// The stream ended without a reply.
    #[non_exhaustive]
    NoReply {
        /// The beginning of the first chunk without choices; empty if there was none.
        beginning: String,
    },
    /// The program cancelled the batch before the reply was complete.
    Cancelled,
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StreamError::Server { message, .. } => write!(f, "the server sent an error: {message}"),
            StreamError::Transport { source } => write!(f, "the connection failed: {source}"),
            StreamError::NotAChunk { beginning, source } if beginning.is_empty() => {
                write!(f, "the client's chunk is not in the format of Chat Completions ({source})")
            }
            StreamError::NotAChunk { beginning, source } => write!(
                f,
                "a chunk is not in the format of Chat Completions ({source}); pass the text after `data:` of each \
                 server-sent event, not this: {beginning}"
            ),
            StreamError::NoReply { beginning } if beginning.is_empty() => {
                f.write_str("the stream ended without a reply")
            }
            StreamError::NoReply { beginning } => write!(
                f,
                "the stream ended without a reply; it is not in the format of Chat Completions and begins with: {beginning}"
            ),
            StreamError::Cancelled => f.write_str("cancelled before the reply was complete"),
        }
    }
}

impl Error for StreamError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            // The display text includes this error, so the chain continues with its source.
            StreamError::Transport { source } => source.source(),
            StreamError::NotAChunk { source, .. } => source.source(),
            StreamError::Server { .. } | StreamError::NoReply { .. } | StreamError::Cancelled => None,
        }
    }
}

/// The error of an interrupted reply, with the partial reply.
///
/// Complete calls are kept. A truncated call is marked and never runs; its tool message reports that.
///
/// ```
/// use tool_runtime::stream::{ReplyAssembler, StreamError};
///
/// let mut reply = ReplyAssembler::new();
/// reply.push(r#"{"choices":[{"delta":{"content":"Half a sen"}}]}"#);
/// reply.push(r#"{"error":{"message":"The model is overloaded."}}"#);
/// let interrupted = reply.finish().expect_err("the server sent an error");
/// assert!(matches!(interrupted.cause(), StreamError::Server { .. }));
/// assert_eq!(interrupted.into_partial().text(), "Half a sen");
/// ```
#[derive(Debug)]
pub struct InterruptedError<T> {
    // Boxed, since it determines the size of each `Result`.
    parts: Box<(T, StreamError)>,
}

impl<T> InterruptedError<T> {
    pub(crate) fn new(partial: T, cause: StreamError) -> Self {
        InterruptedError { parts: Box::new((partial, cause)) }
    }

    /// The reason for the interruption.
    #[must_use]
    pub fn cause(&self) -> &StreamError {
        &self.parts.1
    }

    /// The partial reply.
    #[must_use]
    pub fn partial(&self) -> &T {
        &self.parts.0
    }

    /// Converts into the partial reply.
    #[must_use]
    pub fn into_partial(self) -> T {
        self.parts.0
    }

    /// Converts into the partial reply and the reason.
    #[must_use]
    pub fn into_parts(self) -> (T, StreamError) {
        *self.parts
    }
}

impl<T> fmt::Display for InterruptedError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the reply was interrupted: {}", self.cause())
    }
}

impl<T: fmt::Debug> Error for InterruptedError<T> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        // The display text includes the cause.
        self.cause().source()
    }
}
