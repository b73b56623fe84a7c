//! Errors of inner calls.

#[cfg(doc)]
use crate::context::CallContext;
use std::error::Error;
use std::fmt;

/// The reason why an [inner call](CallContext::inner_call) has no result in this run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InnerCallError {
    /// The call needs an approval, a result from elsewhere or the end of an earlier call, the question needs an answer, or the
    /// run has reached a limit or was cancelled. The tool should end: it runs again in a later run.
    #[non_exhaustive]
    Waits {
        /// The id of the call.
        id: String,
    },
    /// The tool has made another call here in an earlier run. This call did not run, and no further call of the tool does.
    #[non_exhaustive]
    Diverged {
        /// The number of the call among those of the tool, from 0.
        number: usize,
        /// The tool of the recorded call. `None` if an earlier call of this run has diverged.
        recorded_tool: Option<String>,
        /// The tool of this call.
        tool: String,
    },
    /// The [question](CallContext::ask) cannot be asked: the tool is not `resumable`, or does not run in a session, and nobody
    /// answers in this process; or the schema or the answer is invalid.
    #[non_exhaustive]
    CannotAsk {
        /// The reason.
        reason: String,
    },
}

impl fmt::Display for InnerCallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InnerCallError::CannotAsk { reason } => write!(f, "the user cannot be asked: {reason}"),
            InnerCallError::Waits { id } => write!(f, "the call `{id}` waits: another run continues it"),
            InnerCallError::Diverged { number, recorded_tool, tool } => {
                write!(f, "call {number} of `{tool}` was not run: ")?;
                match recorded_tool {
                    None => f.write_str("an earlier call differs from that of the earlier run"),
                    Some(recorded) if recorded == tool => {
                        f.write_str("it had other arguments in the earlier run")
                    }
                    Some(recorded) => write!(f, "it was a call of `{recorded}` in the earlier run"),
                }?;
                f.write_str(". Make the same calls in the same order in each run")
            }
        }
    }
}

impl Error for InnerCallError {}
