//! Why a call has no result.

use super::{ArgumentError, UnknownToolError};
use std::error::Error;
use std::fmt::{self, Write as _};
use std::time::Duration;

/// Why a call has no result. Its text is what the model reads after `Error: `.
#[derive(Debug)]
#[non_exhaustive]
pub enum CallError {
    /// The registry has no tool of this name.
    UnknownTool(UnknownToolError),
    /// The arguments are not JSON.
    #[non_exhaustive]
    NotJson {
        /// The tool.
        tool: String,
        /// Whether the text just ends.
        is_truncated: bool,
        /// What the parser says.
        source: serde_json::Error,
    },
    /// The arguments are JSON, but not one object.
    #[non_exhaustive]
    NotAnObject {
        /// The tool.
        tool: String,
        /// What they are instead, for example `an array`.
        got: &'static str,
    },
    /// The arguments are not those that the schema asks for.
    #[non_exhaustive]
    InvalidArguments {
        /// The tool.
        tool: String,
        /// Everything that is wrong.
        errors: Vec<ArgumentError>,
    },
    /// The reply was cut short before the arguments ended: see
    /// [`with_finish_reason`](crate::AssistantMessage::with_finish_reason).
    #[non_exhaustive]
    Truncated {
        /// The tool.
        tool: String,
    },
    /// The reply broke off, and this call was not run: one that is asked for again must not do a thing twice. Only of
    /// streamed replies.
    #[non_exhaustive]
    StreamInterrupted {
        /// The tool.
        tool: String,
    },
    /// The tool cannot run here. The model is not told why: it is the program's own concern.
    #[non_exhaustive]
    Unavailable {
        /// The tool.
        tool: String,
        /// Why: neither the registry nor the batch has a state that it needs, or there is no Tokio runtime for
        /// its time-out or its thread.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The tool has `requires_approval`, and nobody gave it.
    #[non_exhaustive]
    NeedsApproval {
        /// The tool.
        tool: String,
    },
    /// The program denied the call: the hook of [`before_call`](crate::RegistryBuilder::before_call), or
    /// [`PendingCalls`](crate::conversation::PendingCalls), where it was denied or skipped.
    #[non_exhaustive]
    Denied {
        /// The tool.
        tool: String,
        /// Why, for the model.
        reason: String,
    },
    /// The hook of [`before_call`](crate::RegistryBuilder::before_call) panicked, which denies the call. The model is
    /// not told with what.
    #[non_exhaustive]
    HookPanicked {
        /// The tool.
        tool: String,
        /// What the panic said, where it was a text.
        source: Option<Box<dyn Error + Send + Sync>>,
    },
    /// The hook of [`before_call`](crate::RegistryBuilder::before_call) did not decide in the time that the tool has,
    /// which denies the call.
    #[non_exhaustive]
    HookTimedOut {
        /// The tool.
        tool: String,
        /// The time that it had.
        allowed: Duration,
    },
    /// The batch had more calls than [`max_calls_per_batch`](crate::RegistryBuilder::max_calls_per_batch) allows, and
    /// this is one of those over it.
    #[non_exhaustive]
    TooManyCalls {
        /// The limit.
        limit: usize,
    },
    /// The batch was cancelled before the call was answered. [`Outcome::has_begun`](crate::dispatch::Outcome::has_begun) says
    /// whether its tool may have taken effect.
    #[non_exhaustive]
    Cancelled {
        /// The tool.
        tool: String,
    },
    /// The tool did not finish in its time.
    #[non_exhaustive]
    TimedOut {
        /// The tool.
        tool: String,
        /// The time that it had.
        allowed: Duration,
        /// Whether it has begun, and does not say that it changes nothing.
        may_have_taken_effect: bool,
    },
    /// The tool returned an error.
    #[non_exhaustive]
    Returned {
        /// The tool.
        tool: String,
        /// What the model reads: the error's own text, or what a [`ToolError`](crate::ToolError) says.
        message: String,
        /// Whether the message is what a [`ToolError`](crate::ToolError) says, and not the error's own text.
        is_for_model: bool,
        /// The error itself, to be downcast, but for an `anyhow::Error`, which keeps its texts and sources alone. Of a
        /// `Box<dyn Error>`, which cannot be shared between threads, it is the texts of the error and its sources;
        /// `None` for a type that does not become a `Box<dyn Error + Send + Sync>`, or that borrows from the arguments,
        /// and of a [`DynamicTool::new`](crate::DynamicTool::new).
        error: Option<Box<dyn Error + Send + Sync>>,
    },
    /// The result cannot be written as JSON.
    #[non_exhaustive]
    Unserializable {
        /// The tool.
        tool: String,
        /// What the writer says.
        source: serde_json::Error,
    },
    /// The tool panicked. The model is not told with what.
    #[non_exhaustive]
    Panicked {
        /// The tool.
        tool: String,
        /// What the panic said, where it was a text.
        source: Option<Box<dyn Error + Send + Sync>>,
    },
}

impl CallError {
    /// Which kind it is, in one word that does not change: for logs and metrics, and `error.type` of a span.
    ///
    /// `unknown_tool`, `not_json`, `not_an_object`, `invalid_arguments`, `truncated`, `stream_interrupted`, `unavailable`,
    /// `needs_approval`, `denied`, `hook_panic`, `hook_timeout`, `too_many_calls`, `cancelled`, `timeout`, `returned`,
    /// `unserializable`, `panic`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            CallError::UnknownTool(_) => "unknown_tool",
            CallError::NotJson { .. } => "not_json",
            CallError::NotAnObject { .. } => "not_an_object",
            CallError::InvalidArguments { .. } => "invalid_arguments",
            CallError::Truncated { .. } => "truncated",
            CallError::StreamInterrupted { .. } => "stream_interrupted",
            CallError::Unavailable { .. } => "unavailable",
            CallError::NeedsApproval { .. } => "needs_approval",
            CallError::Denied { .. } => "denied",
            CallError::HookPanicked { .. } => "hook_panic",
            CallError::HookTimedOut { .. } => "hook_timeout",
            CallError::TooManyCalls { .. } => "too_many_calls",
            CallError::Cancelled { .. } => "cancelled",
            CallError::TimedOut { .. } => "timeout",
            CallError::Returned { .. } => "returned",
            CallError::Unserializable { .. } => "unserializable",
            CallError::Panicked { .. } => "panic",
        }
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallError::UnknownTool(unknown) => unknown.fmt(f),
            CallError::NotJson { tool, is_truncated, source } => {
                write!(
                    f,
                    "the arguments of `{tool}` are not valid JSON ({}){}. Send one JSON object.",
                    DisplayJsonError(source),
                    if *is_truncated { ": they are truncated" } else { "" }
                )
            }
            CallError::NotAnObject { tool, got } => {
                write!(f, "the arguments of `{tool}` must be one JSON object, not {got}.")?;
                let is_encoded = *got == ENCODED_OBJECT;
                f.write_str(if is_encoded { " Send the object itself." } else { "" })
            }
            CallError::InvalidArguments { tool, errors } => {
                write!(f, "invalid arguments for `{tool}`: ")?;
                let mut shown = 0;
                let mut length = 0;
                for (index, error) in errors.iter().enumerate().take(MAX_SHOWN_ERRORS) {
                    if length > MAX_MESSAGE_LENGTH {
                        break;
                    }
                    let mut message = String::new();
                    let next = errors.get(index + 1).filter(|_| index + 1 < MAX_SHOWN_ERRORS);
                    if error.shares_names_with(next) {
                        error.without_names(&mut message)?;
                    } else {
                        write!(message, "{error}")?;
                    }
                    write!(f, "{}{message}", if shown == 0 { "" } else { "; " })?;
                    shown += 1;
                    length += message.len();
                }
                match errors.len() - shown {
                    0 => Ok(()),
                    more if errors.len() == MAX_ERRORS => write!(f, "; and at least {more} more"),
                    more => write!(f, "; and {more} more"),
                }
            }
            CallError::Truncated { tool } => write!(
                f,
                "the call of `{tool}` was not run: the reply was truncated before the call was complete. Call it again with less in one reply."
            ),
            CallError::StreamInterrupted { tool } => write!(
                f,
                "the tool `{tool}` was not run: the reply was interrupted. Call it again if it is still needed."
            ),
            CallError::Unavailable { tool, .. } => write!(f, "the tool `{tool}` is not available now."),
            CallError::NeedsApproval { tool } => {
                write!(f, "the tool `{tool}` needs approval, which was not given.")
            }
            CallError::Denied { tool, reason } if reason.is_empty() => {
                write!(f, "the call of `{tool}` was denied.")
            }
            CallError::Denied { reason, .. } => f.write_str(reason),
            CallError::HookPanicked { tool, .. } => {
                write!(f, "the tool `{tool}` was not run: the approval check failed.")
            }
            CallError::HookTimedOut { tool, allowed } => write!(
                f,
                "the tool `{tool}` was not run: the approval check did not finish within {}.",
                DisplayDuration(*allowed)
            ),
            CallError::TooManyCalls { limit } => write!(
                f,
                "not run: a reply may have at most {limit} calls. Call it again in another reply if it is still needed."
            ),
            CallError::Cancelled { .. } => f.write_str("cancelled before it finished"),
            CallError::TimedOut { tool, allowed, may_have_taken_effect } => {
                write!(f, "the tool `{tool}` did not finish within {}.", DisplayDuration(*allowed))?;
                f.write_str(if *may_have_taken_effect { " It may have taken effect." } else { "" })
            }
            CallError::Returned { tool, message, .. } if message.is_empty() => {
                write!(f, "the tool `{tool}` failed without an error message.")
            }
            CallError::Returned { message, .. } => f.write_str(message),
            CallError::Unserializable { tool, source } => {
                write!(f, "the result of `{tool}` cannot be written as JSON: {source}.")
            }
            CallError::Panicked { tool, .. } => write!(f, "the tool `{tool}` failed unexpectedly."),
        }
    }
}

impl Error for CallError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            CallError::Unavailable { source, .. } => Some(&**source),
            CallError::NotJson { source, .. } | CallError::Unserializable { source, .. } => Some(source),
            // An error whose text is told already is not told twice.
            CallError::Returned { is_for_model: false, error: Some(error), .. } => error.source(),
            CallError::Returned { error: Some(error), .. } => Some(&**error),
            CallError::Panicked { source, .. } | CallError::HookPanicked { source, .. } => {
                source.as_deref().map(|source| source as _)
            }
            _ => None,
        }
    }
}

/// A string that contains the object.
pub(crate) const ENCODED_OBJECT: &str = "a string that contains one";

/// How many errors of one call are told, before the rest is only counted.
pub(crate) const MAX_SHOWN_ERRORS: usize = 50;

/// How many errors of one call are collected.
pub(crate) const MAX_ERRORS: usize = 1_000;

/// How many bytes of errors are enough, whatever their number.
const MAX_MESSAGE_LENGTH: usize = 4_000;

/// `5 s`, `1.5 s`, `200 ms`, `1500 µs`
struct DisplayDuration(Duration);

impl fmt::Display for DisplayDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let microseconds = self.0.as_micros();
        if microseconds >= 1_000_000 {
            write!(f, "{} s", self.0.as_secs_f64())
        } else if microseconds % 1_000 == 0 {
            write!(f, "{} ms", microseconds / 1_000)
        } else {
            write!(f, "{microseconds} µs")
        }
    }
}

/// A parser's message; the line is left out where there is only one.
struct DisplayJsonError<'a>(&'a serde_json::Error);

impl fmt::Display for DisplayJsonError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_string().replace(" at line 1 column ", " at column "))
    }
}
