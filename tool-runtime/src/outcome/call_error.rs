//! Errors of calls.

use super::unknown_tool::NameList;
use super::{ArgumentError, ErrorList, JsonProblem, Truncated, UnknownToolError};
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
        /// The text around the error.
        near: String,
        /// The last sentence of the message: what to send instead.
        correction: String,
        /// The error of the parser.
        source: serde_json::Error,
    },
    /// The arguments are JSON, but not one object.
    #[non_exhaustive]
    NotAnObject {
        /// The name of the tool.
        tool: String,
        /// The type of the arguments, for example `a list`.
        got: &'static str,
        /// The last sentence of the message: what to send instead.
        correction: String,
    },
    /// The arguments are not valid.
    #[non_exhaustive]
    InvalidArguments {
        /// The name of the tool.
        tool: String,
        /// All errors of the arguments, at most 1,000.
        errors: Vec<ArgumentError>,
        /// The last sentence of the message: what to send instead.
        correction: String,
    },
    /// The reply was truncated before the call was complete: see
    /// [`with_finish_reason`](crate::AssistantMessage::with_finish_reason).
    #[non_exhaustive]
    Truncated {
        /// The name of the tool.
        tool: String,
        /// The last sentence of the message: what to shorten.
        correction: String,
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
        /// The reason: a required state is missing, there is no Tokio runtime for the time limit or the thread, or the run context
        /// of a call that is handed out has no run id.
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
    /// Another call must end first, and waits for a person or for its result: an earlier one of the reply
    /// ([`ordered_effects`](crate::RegistryBuilder::ordered_effects)), or, for middleware, an
    /// [inner call](crate::CallContext::inner_call).
    #[non_exhaustive]
    NeedsCall {
        /// The name of the tool.
        tool: String,
        /// The id of the other call.
        call: String,
    },
    /// The call began in an earlier run that was interrupted, and its tool is neither `read_only`, `idempotent` nor `resumable`, or
    /// the call was denied or skipped before it ran again. It did not run again.
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
    /// The arguments of [`Decision::RunWith`](crate::dispatch::Decision::RunWith) are invalid. The model does not receive them.
    #[non_exhaustive]
    InvalidReplacement {
        /// The name of the tool.
        tool: String,
        /// The errors of the arguments.
        source: Box<CallError>,
    },
    /// The position of the call in its reply exceeds
    /// [`max_calls_per_reply`](crate::RegistryBuilder::max_calls_per_reply).
    #[non_exhaustive]
    ReplyCallLimit {
        /// The limit.
        limit: usize,
    },
    /// The run context does not allow the tool: see
    /// [`RunContext::allowed_tools`](crate::RunContext::allowed_tools).
    #[non_exhaustive]
    NotAllowed {
        /// The name of the tool.
        tool: String,
        /// The names of the allowed tools.
        allowed: Arc<[String]>,
    },
    /// As many calls of the tool have begun as its [`max_calls`](crate::registry::Policy::max_calls) allows.
    #[non_exhaustive]
    ToolCallLimit {
        /// The name of the tool.
        tool: String,
        /// The limit.
        limit: usize,
    },
    /// The token of the run context was cancelled before the call finished.
    /// [`Outcome::has_begun`](crate::dispatch::Outcome::has_begun) reports whether the tool may have taken effect.
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

/// Matches an error with the rows of the table: `pattern => kind, (message), source`.
macro_rules! table {
    ($error:ident, $read:ident; $($pattern:pat $(if $guard:expr)? =>
        $kind:literal, ($($message:tt)+) $(, $source:expr)?;)+) => {
        match $error {
            $($pattern $(if $guard)? => $read($kind, format_args!($($message)+), table!(@ $($source)?)),)+
        }
    };
    (@) => { None };
    (@ $source:expr) => { $source };
}

impl CallError {
    /// A stable identifier of the variant, for logs, metrics and the `error.type` of a span.
    ///
    /// It is one of `unknown_tool`, `not_json`, `not_an_object`, `invalid_arguments`, `truncated`,
    /// `stream_interrupted`, `unavailable`, `needs_approval`, `needs_result`, `needs_call`, `interrupted`, `denied`,
    /// `hook_panic`, `hook_timeout`, `invalid_replacement`, `too_many_calls`, `not_allowed`, `call_limit`, `cancelled`, `timeout`, `returned`,
    /// `unserializable`, `panic`; or that of a [`Recorded`](CallError::Recorded) error.
    #[must_use]
    pub fn kind(&self) -> &str {
        match self {
            CallError::Recorded { kind, .. } => kind,
            error => error.row(|kind, _, _| kind),
        }
    }

    /// The message without the correction, which is for a model.
    pub(crate) fn without_correction(&self) -> String {
        let message = self.to_string();
        let problem = message.strip_suffix(self.correction()).unwrap_or(&message).trim_end();
        problem.strip_suffix('.').unwrap_or(problem).to_owned()
    }

    /// The last sentence of the message, if it has one that asks for another call.
    fn correction(&self) -> &str {
        match self {
            CallError::NotJson { correction, .. }
            | CallError::NotAnObject { correction, .. }
            | CallError::InvalidArguments { correction, .. }
            | CallError::Truncated { correction, .. } => correction,
            _ => "",
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
            error => Cow::Borrowed(error.row(|kind, _, _| kind)),
        }
    }

    /// Reads the row of the variant in the table of errors: its kind, its message for the model, and its source.
    #[rustfmt::skip]
    fn row<'a, T>(
        &'a self,
        read: impl FnOnce(&'static str, fmt::Arguments<'_>, Option<Source<'a>>) -> T,
    ) -> T {
        use CallError as E;
        table! { self, read;
            E::UnknownTool(unknown) => "unknown_tool", ("{unknown}");
            E::NotJson { tool, is_truncated: true, correction, source, .. } => "not_json",
                ("the arguments of `{tool}` are truncated. {correction}"), Some(Source::This(source));
            E::NotJson { tool, near, correction, source, .. } => "not_json",
                ("the arguments of `{tool}` are not valid JSON ({}). {correction}",
                 JsonProblem { error: source, near }), Some(Source::This(source));
            E::NotAnObject { tool, got, correction } => "not_an_object",
                ("the arguments of `{tool}` must be one JSON object, not {got}. {correction}");
            E::InvalidArguments { tool, errors, correction } => "invalid_arguments",
                ("invalid arguments for `{tool}`: {}. {correction}", ErrorList(errors));
            E::Truncated { tool, correction } => "truncated",
                ("the call of `{tool}` was not run: the reply was truncated before the call was complete. {correction}");
            E::StreamInterrupted { tool } => "stream_interrupted",
                ("the tool `{tool}` was not run: the reply was interrupted. Call it again if it is still needed.");
            E::Unavailable { tool, source } => "unavailable",
                ("the tool `{tool}` is not available now."), Some(Source::This(&**source));
            E::NeedsApproval { tool } => "needs_approval",
                ("the tool `{tool}` needs approval, which was not given.");
            E::NeedsResult { tool, .. } => "needs_result",
                ("the result of `{tool}` comes later. Do not call it again to get the result.");
            E::NeedsCall { tool, call } => "needs_call",
                ("`{tool}` was not run: the call {}before it has no result yet. Call `{tool}` again after that result.",
                 QuotedId(call));
            E::Interrupted { tool, reason } => "interrupted",
                ("`{tool}` was interrupted. It may have taken effect: check whether it did.{}{reason}",
                 text_if(!reason.is_empty(), " It did not run again: "));
            E::Denied { tool, reason } if reason.is_empty() => "denied", ("the call of `{tool}` was denied.");
            E::Denied { reason, .. } => "denied", ("{reason}");
            E::HookPanicked { tool, source } => "hook_panic",
                ("the tool `{tool}` was not run: the approval check failed."), panic_source(source.as_ref());
            E::HookTimedOut { tool, allowed } => "hook_timeout",
                ("the tool `{tool}` was not run: the approval check did not finish within {}.",
                 DisplayDuration(*allowed));
            E::InvalidReplacement { tool, source } => "invalid_replacement",
                ("the tool `{tool}` was not run: the application replaced its arguments by invalid ones."),
                Some(Source::This(&**source));
            E::ReplyCallLimit { limit } => "too_many_calls",
                ("not run: a reply may have at most {limit} call{}. Send no more calls in one reply.",
                 text_if(*limit != 1, "s"));
            E::NotAllowed { tool, allowed } => "not_allowed",
                ("the tool `{tool}` may not be called now. {}", NameList(allowed));
            E::ToolCallLimit { tool, limit: 1 } => "call_limit",
                ("not run: `{tool}` may be called only once, and this limit is reached.");
            E::ToolCallLimit { tool, limit } => "call_limit",
                ("not run: `{tool}` may be called only {limit} times, and this limit is reached.");
            E::Cancelled { .. } => "cancelled", ("cancelled before it finished");
            E::TimedOut { tool, allowed, may_have_taken_effect } => "timeout",
                ("the tool `{tool}` did not finish within {}.{}",
                 DisplayDuration(*allowed), text_if(*may_have_taken_effect, " It may have taken effect."));
            E::Returned { tool, message, is_for_model, error } if message.is_empty() => "returned",
                ("the tool `{tool}` failed without an error message."), returned_source(error.as_ref(), *is_for_model);
            E::Returned { message, is_for_model, error, .. } => "returned",
                ("{message}"), returned_source(error.as_ref(), *is_for_model);
            E::Unserializable { tool, source } => "unserializable",
                ("the result of `{tool}` cannot be written as JSON: {source}."), Some(Source::This(source));
            E::Panicked { tool, source } => "panic", ("the tool `{tool}` failed unexpectedly."), panic_source(source.as_ref());
            // `kind` returns the recorded kind.
            E::Recorded { message, .. } => "recorded", ("{message}");
        }
    }
}

type OwnedError = Box<dyn Error + Send + Sync>;

fn text_if(condition: bool, text: &'static str) -> &'static str {
    if condition { text } else { "" }
}

/// The source of an error. Reading the source of another error runs code of the program, so it is read on demand.
enum Source<'a> {
    This(&'a (dyn Error + 'static)),
    /// The message of the error already has the text of this one.
    SourceOf(&'a (dyn Error + 'static)),
}

fn panic_source(source: Option<&OwnedError>) -> Option<Source<'_>> {
    source.map(|source| Source::This(&**source))
}

fn returned_source(error: Option<&OwnedError>, is_for_model: bool) -> Option<Source<'_>> {
    let error = &**error?;
    Some(if is_for_model { Source::This(error) } else { Source::SourceOf(error) })
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.row(|_, message, _| f.write_fmt(message))
    }
}

impl Error for CallError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self.row(|_, _, source| source)? {
            Source::This(source) => Some(source),
            Source::SourceOf(error) => error.source(),
        }
    }
}

/// The id of a call and a space, if it has one.
struct QuotedId<'a>(&'a str);

impl fmt::Display for QuotedId<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, "`{}` ", Truncated(self.0)) }
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
