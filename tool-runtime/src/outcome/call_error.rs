//! Errors of calls.

use super::unknown_tool::write_names;
use super::{ArgumentError, ErrorList, UnknownToolError};
use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The reason why a call has no result. The model receives its `Display` text after `Error: `.
#[derive(Debug)]
#[non_exhaustive]
pub enum CallError {
    /// The registry has no tool of this name.
    UnknownTool(UnknownToolError),
    /// The arguments are not JSON.
    #[non_exhaustive]
    NotJson {
        /// The name of the tool.
        tool: String,
        /// Whether the arguments end before the JSON is complete.
        is_truncated: bool,
        /// The error of the parser.
        source: serde_json::Error,
    },
    /// The arguments are JSON, but not one object.
    #[non_exhaustive]
    NotAnObject {
        /// The name of the tool.
        tool: String,
        /// The type of the arguments, for example `an array`.
        got: &'static str,
    },
    /// The arguments are not valid.
    #[non_exhaustive]
    InvalidArguments {
        /// The name of the tool.
        tool: String,
        /// All errors of the arguments, at most 1,000.
        errors: Vec<ArgumentError>,
    },
    /// The reply was truncated before the call was complete: see
    /// [`with_finish_reason`](crate::AssistantMessage::with_finish_reason).
    #[non_exhaustive]
    Truncated {
        /// The name of the tool.
        tool: String,
    },
    /// A streamed reply was interrupted, and this call was not run, so that a repeated request does not run it twice.
    #[non_exhaustive]
    StreamInterrupted {
        /// The name of the tool.
        tool: String,
    },
    /// The tool cannot run in this program. The model does not receive the reason.
    #[non_exhaustive]
    Unavailable {
        /// The name of the tool.
        tool: String,
        /// The reason: a required state is missing, or there is no Tokio runtime for the time limit or the thread.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The tool has `requires_approval`, and the call was not approved.
    #[non_exhaustive]
    NeedsApproval {
        /// The name of the tool.
        tool: String,
    },
    /// The result comes later: see [`ToolOutput::pending`](crate::ToolOutput::pending) and
    /// [`DynamicTool::external`](crate::DynamicTool::external).
    #[non_exhaustive]
    NeedsResult {
        /// The name of the tool.
        tool: String,
        /// The ticket of the tool; `None` if the tool runs elsewhere.
        ticket: Option<String>,
    },
    /// The call began in an earlier run that was interrupted, and its tool is neither `read_only` nor `idempotent`, or the
    /// call was denied or skipped before it ran again. It did not run again.
    #[non_exhaustive]
    Interrupted {
        /// The name of the tool.
        tool: String,
        /// The reason why it was denied or skipped, for the model; empty if it was not.
        reason: String,
    },
    /// The program denied the call, with the [`before_call`](crate::RegistryBuilder::before_call) hook, or denied or
    /// skipped it in a [`Session`](crate::Session) or with [`PendingCalls`](crate::conversation::PendingCalls).
    #[non_exhaustive]
    Denied {
        /// The name of the tool.
        tool: String,
        /// The reason, for the model.
        reason: String,
    },
    /// The [`before_call`](crate::RegistryBuilder::before_call) hook panicked, which denies the call. The model does not
    /// receive the panic message.
    #[non_exhaustive]
    HookPanicked {
        /// The name of the tool.
        tool: String,
        /// The panic message, if the payload is a string.
        source: Option<Box<dyn Error + Send + Sync>>,
    },
    /// The [`before_call`](crate::RegistryBuilder::before_call) hook did not decide within its time limit, which denies
    /// the call: see [`approval_timeout`](crate::RegistryBuilder::approval_timeout).
    #[non_exhaustive]
    HookTimedOut {
        /// The name of the tool.
        tool: String,
        /// The time limit.
        allowed: Duration,
    },
    /// The position of the call in its batch exceeds
    /// [`max_calls_per_batch`](crate::RegistryBuilder::max_calls_per_batch).
    #[non_exhaustive]
    TooManyCalls {
        /// The limit.
        limit: usize,
    },
    /// The batch does not allow the tool: see
    /// [`BatchContext::allowed_tools`](crate::BatchContext::allowed_tools).
    #[non_exhaustive]
    NotAllowed {
        /// The name of the tool.
        tool: String,
        /// The names of the allowed tools.
        allowed: Arc<[String]>,
    },
    /// The tool has already been called as often in its batch as its [`max_calls`](crate::registry::Policy::max_calls)
    /// allows.
    #[non_exhaustive]
    CallLimitReached {
        /// The name of the tool.
        tool: String,
        /// The limit.
        limit: usize,
    },
    /// The batch was cancelled before the call finished. [`Outcome::has_begun`](crate::dispatch::Outcome::has_begun)
    /// reports whether the tool may have taken effect.
    #[non_exhaustive]
    Cancelled {
        /// The name of the tool.
        tool: String,
    },
    /// The tool did not finish within its time limit.
    #[non_exhaustive]
    TimedOut {
        /// The name of the tool.
        tool: String,
        /// The time limit.
        allowed: Duration,
        /// Whether the tool has begun and is not `read_only`.
        may_have_taken_effect: bool,
    },
    /// The tool returned an error, or middleware did.
    #[non_exhaustive]
    Returned {
        /// The name of the tool.
        tool: String,
        /// The message for the model: the `Display` text of the error, or
        /// [`ToolError::for_model`](crate::ToolError::for_model).
        message: String,
        /// Whether the message is from [`ToolError::for_model`](crate::ToolError::for_model).
        is_for_model: bool,
        /// The error, for `downcast_ref`. An `anyhow::Error` cannot be downcast, but has its text and sources. For a
        /// `Box<dyn Error>` that is not `Send + Sync`, this is a copy of the texts of the error and its sources. `None`
        /// for a type without a conversion to `Box<dyn Error + Send + Sync>`, for a type that borrows from the
        /// arguments, and for [`DynamicTool::new`](crate::DynamicTool::new).
        error: Option<Box<dyn Error + Send + Sync>>,
    },
    /// The result cannot be written as JSON.
    #[non_exhaustive]
    Unserializable {
        /// The name of the tool.
        tool: String,
        /// The error of the serializer.
        source: serde_json::Error,
    },
    /// The tool, or the middleware around its call, panicked. The model does not receive the panic message.
    #[non_exhaustive]
    Panicked {
        /// The name of the tool.
        tool: String,
        /// The panic message, if the payload is a string.
        source: Option<Box<dyn Error + Send + Sync>>,
    },
    /// Middleware returned a failure without a [`CallError`]: one that was recorded, one with a
    /// [kind](crate::dispatch::ToolFailure::with_kind) of its own, or an output that cannot be written as JSON. A recorded
    /// error of a tool is [`Returned`](CallError::Returned).
    #[non_exhaustive]
    Recorded {
        /// The name of the tool.
        tool: String,
        /// The [`kind`](CallError::kind) of the recorded error.
        kind: String,
        /// The message for the model.
        message: String,
    },
}

impl CallError {
    /// A stable identifier of the variant, for logs, metrics and the `error.type` of a span.
    ///
    /// It is one of `unknown_tool`, `not_json`, `not_an_object`, `invalid_arguments`, `truncated`,
    /// `stream_interrupted`, `unavailable`, `needs_approval`, `needs_result`, `interrupted`, `denied`, `hook_panic`,
    /// `hook_timeout`, `too_many_calls`, `not_allowed`, `call_limit`, `cancelled`, `timeout`, `returned`,
    /// `unserializable`, `panic`; or that of a [`Recorded`](CallError::Recorded) error.
    #[must_use]
    pub fn kind(&self) -> &str {
        match self {
            CallError::Recorded { kind, .. } => kind,
            error => error.own_kind(),
        }
    }

    /// Whether the arguments are invalid, so that coercion may help.
    pub(crate) fn is_about_arguments(&self) -> bool {
        matches!(
            self,
            CallError::NotJson { .. } | CallError::NotAnObject { .. } | CallError::InvalidArguments { .. }
        )
    }

    /// The [`kind`](CallError::kind), for a message that outlives the error.
    pub(crate) fn static_kind(&self) -> Cow<'static, str> {
        match self {
            CallError::Recorded { kind, .. } => Cow::Owned(kind.clone()),
            error => Cow::Borrowed(error.own_kind()),
        }
    }

    fn own_kind(&self) -> &'static str {
        match self {
            CallError::UnknownTool(_) => "unknown_tool",
            CallError::NotJson { .. } => "not_json",
            CallError::NotAnObject { .. } => "not_an_object",
            CallError::InvalidArguments { .. } => "invalid_arguments",
            CallError::Truncated { .. } => "truncated",
            CallError::StreamInterrupted { .. } => "stream_interrupted",
            CallError::Unavailable { .. } => "unavailable",
            CallError::NeedsApproval { .. } => "needs_approval",
            CallError::NeedsResult { .. } => "needs_result",
            CallError::Interrupted { .. } => "interrupted",
            CallError::Denied { .. } => "denied",
            CallError::HookPanicked { .. } => "hook_panic",
            CallError::HookTimedOut { .. } => "hook_timeout",
            CallError::TooManyCalls { .. } => "too_many_calls",
            CallError::NotAllowed { .. } => "not_allowed",
            CallError::CallLimitReached { .. } => "call_limit",
            // The public method has its kind.
            CallError::Recorded { .. } => "recorded",
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
                write!(f, "invalid arguments for `{tool}`: {}", ErrorList(errors))
            }
            CallError::Truncated { tool } => write!(
                f,
                "the call of `{tool}` was not run: the reply was truncated before the call was complete. \
                 Call it again with less in one reply."
            ),
            CallError::StreamInterrupted { tool } => write!(
                f,
                "the tool `{tool}` was not run: the reply was interrupted. Call it again if it is still needed."
            ),
            CallError::Unavailable { tool, .. } => write!(f, "the tool `{tool}` is not available now."),
            CallError::NeedsApproval { tool } => {
                write!(f, "the tool `{tool}` needs approval, which was not given.")
            }
            CallError::NeedsResult { tool, .. } => {
                write!(f, "the result of `{tool}` comes later. Do not call it again to get the result.")
            }
            CallError::Interrupted { tool, reason } => {
                write!(f, "`{tool}` was interrupted. It may have taken effect; check before you try again.")?;
                if reason.is_empty() { Ok(()) } else { write!(f, " It did not run again: {reason}") }
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
                "not run: a reply may have at most {limit} call{}. Call it again in another reply if it is still needed.",
                if *limit == 1 { "" } else { "s" }
            ),
            CallError::NotAllowed { tool, allowed } => {
                write!(f, "the tool `{tool}` may not be called now. ")?;
                write_names(f, allowed)
            }
            CallError::CallLimitReached { tool, limit } => {
                let times = if *limit == 1 { "once".to_owned() } else { format!("{limit} times") };
                write!(f, "not run: `{tool}` may be called only {times}, and this limit is reached.")
            }
            CallError::Cancelled { .. } => f.write_str("cancelled before it finished"),
            CallError::TimedOut { tool, allowed, may_have_taken_effect } => {
                write!(f, "the tool `{tool}` did not finish within {}.", DisplayDuration(*allowed))?;
                f.write_str(if *may_have_taken_effect { " It may have taken effect." } else { "" })
            }
            CallError::Returned { tool, message, .. } if message.is_empty() => {
                write!(f, "the tool `{tool}` failed without an error message.")
            }
            CallError::Returned { message, .. } | CallError::Recorded { message, .. } => f.write_str(message),
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
            // The `Display` text already contains the text of this error.
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

/// The message of a parser, without the line if there is only one.
pub(crate) struct DisplayJsonError<'a>(pub(crate) &'a serde_json::Error);

impl fmt::Display for DisplayJsonError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_string().replace(" at line 1 column ", " at column "))
    }
}
