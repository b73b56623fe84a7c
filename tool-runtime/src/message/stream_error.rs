//! The reasons why a streamed reply is interrupted.

use crate::outcome::LogWriter;
use serde_json::Value;
use std::error::Error;
use std::fmt::{self, Write as _};

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
    /// The chunk is not in the format of the wire that reads the stream.
    #[non_exhaustive]
    NotAChunk {
        /// The expected format: for example `Chat Completions`.
        format: &'static str,
        /// The beginning of the chunk; empty if the client's type could not be serialized as JSON.
        beginning: String,
        /// The error of the parser.
        source: serde_json::Error,
    },
    /// The stream ended without a reply.
    #[non_exhaustive]
    NoReply {
        /// The beginning of the first chunk without a piece of a reply; empty if there was none.
        beginning: String,
    },
    /// Another reply began before the end of this one.
    AnotherReply,
    /// The token of the run context was cancelled before the reply was complete.
    Cancelled,
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let f = &mut LogWriter(f);
        match self {
            StreamError::Server { message, .. } => write!(f, "the server sent an error: {message}"),
            StreamError::Transport { source } => write!(f, "the connection failed: {source}"),
            StreamError::NotAChunk { beginning, source, .. } if beginning.is_empty() => {
                write!(f, "the client's chunk cannot be written as JSON ({source})")
            }
            StreamError::NotAChunk { format, beginning, source } => write!(
                f,
                "a chunk is not in the format of {format} ({source}); pass the text after `data:` of each \
                 server-sent event, not this: {beginning}"
            ),
            StreamError::NoReply { beginning } if beginning.is_empty() => {
                f.write_str("the stream ended without a reply")
            }
            StreamError::NoReply { beginning } => {
                write!(
                    f,
                    "the stream ended without a reply; if it is of another wire, set it with `Run::wire` or \
                     `ReplyAssembler::wire`. It begins with: {beginning}"
                )
            }
            StreamError::AnotherReply => f.write_str(
                "another reply began before the end of this one; read each response with a `ReplyAssembler` of its own",
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
            StreamError::Server { .. }
            | StreamError::NoReply { .. }
            | StreamError::AnotherReply
            | StreamError::Cancelled => None,
        }
    }
}
