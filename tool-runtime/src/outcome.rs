//! How a call went: what the program learns beside what the model reads.

mod argument_fault;
mod shortened;
mod unknown_tool;

pub use argument_fault::ArgumentFault;
pub(crate) use argument_fault::unknown_arguments;
pub(crate) use shortened::{ShortPath, Shortened};
pub use unknown_tool::UnknownTool;

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How one call of a dispatch went. Only the program sees it.
///
/// ```
/// # use tool_runtime::{Registry, ToolCall, tool, tools};
/// /// Always fails.
/// #[tool]
/// fn fails() -> Result<(), &'static str> {
///     Err("no luck")
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = Registry::new(tools![fails])?;
/// let answers = registry.dispatch(&[ToolCall::new("call_1", "fails", "{}")]).await;
/// let error = answers[0].outcome().and_then(|outcome| outcome.error());
/// assert_eq!(error.map(ToString::to_string).as_deref(), Some("no luck"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Outcome {
    error: Option<Arc<CallError>>,
    /// Small, since most calls have none.
    repairs: Option<Repairs>,
    elapsed: Duration,
}

/// What was mended in the arguments of a call.
pub(crate) type Repairs = Arc<Vec<String>>;

impl Outcome {
    pub(crate) fn new(error: Option<CallError>, repairs: Option<Repairs>, elapsed: Duration) -> Self {
        Outcome { error: error.map(Arc::new), repairs, elapsed }
    }

    /// Whether the tool ran and returned a result.
    #[must_use]
    pub fn succeeded(&self) -> bool {
        self.error.is_none()
    }

    /// Why there is no result.
    #[must_use]
    pub fn error(&self) -> Option<&CallError> {
        self.error.as_deref()
    }

    /// Whether the arguments had slips that were mended.
    #[must_use]
    pub fn repaired(&self) -> bool {
        !self.repairs().is_empty()
    }

    /// What was mended in the arguments, each slip for a person to read; empty unless the registry has
    /// `lenient_arguments`.
    #[must_use]
    pub fn repairs(&self) -> &[String] {
        self.repairs.as_deref().map_or(&[], Vec::as_slice)
    }

    /// From the start of the dispatch until this call was answered.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }
}

/// Why a call has no result. Its text is what the model reads after `Error: `.
#[derive(Debug)]
#[non_exhaustive]
pub enum CallError {
    /// The registry has no tool of this name.
    UnknownTool(UnknownTool),
    /// The arguments are not JSON; cut off, perhaps.
    #[non_exhaustive]
    NotJson {
        /// The tool.
        tool: String,
        /// What the parser says.
        source: serde_json::Error,
    },
    /// The arguments are JSON, but not one object.
    #[non_exhaustive]
    NotAnObject {
        /// The tool.
        tool: String,
        /// What they are instead, for example `a list`.
        got: &'static str,
    },
    /// The arguments are not those that the schema asks for.
    #[non_exhaustive]
    InvalidArguments {
        /// The tool.
        tool: String,
        /// Everything that is wrong.
        faults: Vec<ArgumentFault>,
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
    /// The tool did not finish in its time. What it has done until then may have taken effect.
    #[non_exhaustive]
    TimedOut {
        /// The tool.
        tool: String,
        /// The time that it had.
        allowed: Duration,
        /// Whether the tool says that it changes nothing.
        read_only: bool,
    },
    /// The tool returned an error.
    #[non_exhaustive]
    Returned {
        /// The tool.
        tool: String,
        /// The error's own text.
        message: String,
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
        /// The panic's message, where it was a text.
        message: Option<String>,
    },
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallError::UnknownTool(unknown) => unknown.fmt(f),
            CallError::NotJson { tool, source } => {
                write!(
                    f,
                    "the arguments of `{tool}` are not valid JSON ({}). Send one JSON object.",
                    Parser(source)
                )
            }
            CallError::NotAnObject { tool, got } => {
                write!(f, "the arguments of `{tool}` must be one JSON object, not {got}.")
            }
            CallError::InvalidArguments { tool, faults } => {
                write!(f, "invalid arguments for `{tool}`: ")?;
                let mut told = 0;
                let mut length = 0;
                for fault in faults.iter().take(MOST_FAULTS).map(ToString::to_string) {
                    if length > MOST_TEXT {
                        break;
                    }
                    write!(f, "{}{fault}", if told == 0 { "" } else { "; " })?;
                    told += 1;
                    length += fault.len();
                }
                match faults.len() - told {
                    0 => Ok(()),
                    more => write!(f, "; and {more} more"),
                }
            }
            CallError::Unavailable { tool, .. } => write!(f, "the tool `{tool}` is not available now."),
            CallError::NeedsApproval { tool } => {
                write!(f, "the tool `{tool}` needs approval, which was not given.")
            }
            CallError::TimedOut { tool, allowed, read_only } => {
                write!(f, "the tool `{tool}` did not finish within {}.", Readable(*allowed))?;
                f.write_str(if *read_only { "" } else { " It may have taken effect." })
            }
            CallError::Returned { message, .. } => f.write_str(message),
            CallError::Unserializable { tool, source } => {
                write!(f, "the result of `{tool}` cannot be sent: {source}.")
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
            _ => None,
        }
    }
}

/// How many faults of one call are told, before the rest is only counted.
pub(crate) const MOST_FAULTS: usize = 50;

/// How many bytes of faults are enough, whatever their number.
const MOST_TEXT: usize = 4_000;

/// `5 s`, `1.5 s`, `200 ms`, `1500 µs`
struct Readable(Duration);

impl fmt::Display for Readable {
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
struct Parser<'a>(&'a serde_json::Error);

impl fmt::Display for Parser<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_string().replace(" at line 1 column ", " at column "))
    }
}
