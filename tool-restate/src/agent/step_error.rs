//! The errors of steps.

use super::BoxError;
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::error::Error as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tool_runtime::session::RunError;

/// An error of the client that no further attempt can change: a wrong key, or a request that the provider rejects. The step ends
/// with [`SessionEnd::Failed`](crate::SessionEnd::Failed), and is not repeated. Return it from the closure of
/// [`Agent::new`](super::Agent::new).
///
/// ```
/// use tool_runtime_restate::PermanentError;
///
/// let error = PermanentError::new(std::io::Error::other("the key is wrong"));
/// assert_eq!(error.to_string(), "the key is wrong");
/// ```
#[derive(Debug)]
pub struct PermanentError(BoxError);

impl PermanentError {
    /// Wraps the error of a client.
    pub fn new(error: impl Into<BoxError>) -> Self {
        PermanentError(error.into())
    }
}

impl std::fmt::Display for PermanentError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for PermanentError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

/// The error of an attempt to run a step, as the engine records it.
#[derive(Serialize, Deserialize)]
pub(super) struct StepError {
    pub(super) message: String,
    /// The time since 1970, in milliseconds.
    pub(super) at: u64,
    /// For how long errors are repeated, in milliseconds: 0 if no further attempt can change this one.
    pub(super) retry_for: u64,
}

/// An error that is not recorded yet.
pub(super) struct Failure {
    message: String,
    is_permanent: bool,
}

impl Failure {
    pub(super) fn temporary(message: impl Into<String>) -> Self {
        Failure { message: message.into(), is_permanent: false }
    }

    pub(super) fn permanent(message: impl Into<String>) -> Self {
        Failure { message: message.into(), is_permanent: true }
    }

    pub(super) fn from_panic(panic: &(dyn Any + Send)) -> Self {
        let text = panic.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        Failure::temporary(format!("the worker panicked: {text}"))
    }

    /// The error now.
    pub(super) fn into_step_error(self, retry_for: Duration) -> StepError {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let retry_for = if self.is_permanent { 0 } else { millis(retry_for) };
        StepError { message: self.message, at: millis(now), retry_for }
    }
}

impl From<RunError<BoxError>> for Failure {
    fn from(error: RunError<BoxError>) -> Self {
        let is_permanent = matches!(&error, RunError::Client(error) if error.is::<PermanentError>());
        let source = match &error {
            // Its text is that of the client's error.
            RunError::Client(error) => error.source(),
            error => error.source(),
        };
        // That of the operating system, for example.
        let cause = std::iter::successors(source, |&cause| cause.source()).last();
        let message = cause.map_or_else(|| error.to_string(), |cause| format!("{error} ({cause})"));
        Failure { message, is_permanent }
    }
}
