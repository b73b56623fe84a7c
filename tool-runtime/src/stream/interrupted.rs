//! The error of an interrupted reply.

use crate::message::StreamError;
use std::error::Error;
use std::fmt;

/// The error of an interrupted reply, with the partial reply.
///
/// Complete calls are kept. A truncated call is marked and never runs; its tool message reports that.
///
/// Do not run the calls of a partial reply, since the repeated request may call them again: repeat the request, or use
/// [`Registry::dispatch_stream`](crate::Registry::dispatch_stream), which fails the calls that had not started.
///
/// ```
/// use tool_runtime::stream::{ReplyAssembler, StreamError};
///
/// let mut reply = ReplyAssembler::new();
/// reply.push(r#"{"choices":[{"delta":{"content":"Half a sen"}}]}"#);
/// reply.push(r#"{"error":{"message":"The model is overloaded."}}"#);
/// let interrupted = reply.into_reply().expect_err("the server sent an error");
/// assert!(matches!(interrupted.cause, StreamError::Server { .. }));
/// assert_eq!(interrupted.partial.text(), "Half a sen");
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct InterruptedError<T> {
    /// The partial reply. Boxed, since it determines the size of each `Result`.
    pub partial: Box<T>,
    /// The reason for the interruption.
    pub cause: StreamError,
}

impl<T> InterruptedError<T> {
    pub(crate) fn new(partial: T, cause: StreamError) -> Self {
        InterruptedError { partial: Box::new(partial), cause }
    }
}

impl<T> fmt::Display for InterruptedError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the reply was interrupted: {}", self.cause)
    }
}

impl<T: fmt::Debug> Error for InterruptedError<T> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        // The display text includes the cause.
        self.cause.source()
    }
}
