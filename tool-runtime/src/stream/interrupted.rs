//! A stream that did not come to its end.

use serde_json::Value;
use std::error::Error;
use std::fmt;

/// Why a stream did not come to its end.
#[derive(Debug)]
#[non_exhaustive]
pub enum StreamError {
    /// The server sent an error in the place of a chunk.
    #[non_exhaustive]
    Server {
        /// Its words.
        message: String,
        /// The error as it came: Groq, for one, puts what the model wrote into its `failed_generation`.
        error: Value,
    },
    /// The client's stream gave an error in the place of a chunk.
    #[non_exhaustive]
    Transport {
        /// The client's error.
        source: Box<dyn Error + Send + Sync>,
    },
    /// What came is no chunk of Chat Completions.
    #[non_exhaustive]
    NotAChunk {
        /// The beginning of what came; empty, where a client's type could not be written as JSON.
        beginning: String,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// The stream ended without a reply.
    #[non_exhaustive]
    NoReply {
        /// The beginning of the first thing that came in its place; empty, where nothing did.
        beginning: String,
    },
    /// The program did not wait any longer: it cancelled the batch.
    Cancelled,
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StreamError::Server { message, .. } => write!(f, "the server sent an error: {message}"),
            StreamError::Transport { source } => write!(f, "the connection failed: {source}"),
            StreamError::NotAChunk { beginning, source } if beginning.is_empty() => {
                write!(f, "the client's chunk cannot be read as one of Chat Completions ({source})")
            }
            StreamError::NotAChunk { beginning, source } => write!(
                f,
                "what came is not a chunk of Chat Completions ({source}); give what stands behind `data:` of each \
                 server-sent event, and not this: {beginning}"
            ),
            StreamError::NoReply { beginning } if beginning.is_empty() => {
                f.write_str("the stream ended, and there was no reply in it")
            }
            StreamError::NoReply { beginning } => write!(
                f,
                "the stream ended without a reply in it; it should be one of Chat Completions, and began with: {beginning}"
            ),
            StreamError::Cancelled => f.write_str("cancelled before the reply was there"),
        }
    }
}

impl Error for StreamError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            // An error whose text is told already is not told twice.
            StreamError::Transport { source } => source.source(),
            StreamError::NotAChunk { source, .. } => source.source(),
            StreamError::Server { .. } | StreamError::NoReply { .. } | StreamError::Cancelled => None,
        }
    }
}

/// A reply that broke off, as far as it came.
///
/// Calls that were complete are kept. The one that was cut off is marked, and never run: its answer says so.
///
/// ```
/// use tool_runtime::stream::{ReplyAssembler, StreamError};
///
/// let mut reply = ReplyAssembler::new();
/// reply.push(r#"{"choices":[{"delta":{"content":"Half a sen"}}]}"#);
/// reply.push(r#"{"error":{"message":"The model is overloaded."}}"#);
/// let interrupted = reply.finish().expect_err("it broke off");
/// assert!(matches!(interrupted.cause(), StreamError::Server { .. }));
/// assert_eq!(interrupted.into_so_far().text(), "Half a sen");
/// ```
#[derive(Debug)]
pub struct InterruptedError<T> {
    // Boxed, since a `Result` is as large as its error.
    parts: Box<(T, StreamError)>,
}

impl<T> InterruptedError<T> {
    pub(crate) fn new(so_far: T, cause: StreamError) -> Self {
        InterruptedError { parts: Box::new((so_far, cause)) }
    }

    /// Why it broke off.
    #[must_use]
    pub fn cause(&self) -> &StreamError {
        &self.parts.1
    }

    /// What came before.
    #[must_use]
    pub fn so_far(&self) -> &T {
        &self.parts.0
    }

    /// What came before, to go on with.
    #[must_use]
    pub fn into_so_far(self) -> T {
        self.parts.0
    }

    /// Both.
    #[must_use]
    pub fn into_parts(self) -> (T, StreamError) {
        *self.parts
    }
}

impl<T> fmt::Display for InterruptedError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the reply broke off: {}", self.cause())
    }
}

impl<T: fmt::Debug> Error for InterruptedError<T> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        // As above.
        self.cause().source()
    }
}
