//! How a call went: what the program learns beside what the model reads.

use crate::arguments::ArgumentFault;
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
    elapsed: Duration,
}

impl Outcome {
    pub(crate) fn new(error: Option<CallError>, elapsed: Duration) -> Self {
        Outcome { error: error.map(Arc::new), elapsed }
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
    UnknownTool {
        /// The name that the model called.
        name: String,
        /// The tool that was probably meant.
        meant: Option<String>,
        /// Every tool there is, by name.
        available: Vec<String>,
    },
    /// The arguments are not JSON; cut off, perhaps.
    NotJson {
        /// The tool.
        tool: &'static str,
        /// What the parser says.
        source: serde_json::Error,
    },
    /// The arguments are JSON, but not one object.
    NotAnObject {
        /// The tool.
        tool: &'static str,
        /// What they are instead, for example `a list`.
        got: &'static str,
    },
    /// The arguments are not those that the schema asks for.
    InvalidArguments {
        /// The tool.
        tool: &'static str,
        /// Everything that is wrong.
        faults: Vec<ArgumentFault>,
    },
    /// The tool returned an error.
    Returned {
        /// The tool.
        tool: &'static str,
        /// The error's own text.
        message: String,
    },
    /// The result cannot be written as JSON.
    Unserializable {
        /// The tool.
        tool: &'static str,
        /// What the writer says.
        source: serde_json::Error,
    },
    /// The tool panicked. The model is not told with what.
    Panicked {
        /// The tool.
        tool: &'static str,
        /// The panic's message; empty where it was no text.
        message: String,
    },
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallError::UnknownTool { name, meant, available } => {
                unknown_tool(f, name, meant.as_deref(), available)
            }
            CallError::NotJson { tool, source } => {
                write!(
                    f,
                    "the arguments of `{tool}` are not valid JSON ({}). Send one JSON object.",
                    Place(source)
                )
            }
            CallError::NotAnObject { tool, got } => {
                write!(f, "the arguments of `{tool}` must be one JSON object, not {got}.")
            }
            CallError::InvalidArguments { tool, faults } => {
                write!(f, "invalid arguments for `{tool}`: ")?;
                joined(f, faults, "; ")
            }
            CallError::Returned { message, .. } => f.write_str(message),
            CallError::Unserializable { tool, source } => {
                write!(f, "the result of `{tool}` cannot be sent: {source}.")
            }
            CallError::Panicked { tool, .. } => write!(f, "the tool `{tool}` failed unexpectedly."),
        }
    }
}

impl std::error::Error for CallError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            CallError::NotJson { source, .. } | CallError::Unserializable { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// How many names an unknown tool is answered with, before the rest is only counted.
const MOST_NAMES: usize = 20;

fn unknown_tool(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    meant: Option<&str>,
    available: &[String],
) -> fmt::Result {
    write!(f, "there is no tool `{name}`")?;
    match meant {
        Some(meant) => write!(f, "; did you mean `{meant}`? ")?,
        None => f.write_str(". ")?,
    }
    if available.is_empty() {
        return f.write_str("No tool is available.");
    }
    f.write_str("Available: ")?;
    let shown = &available[..available.len().min(MOST_NAMES)];
    joined(f, shown.iter().map(|name| format!("`{name}`")), ", ")?;
    match available.len() - shown.len() {
        0 => f.write_str("."),
        more => write!(f, " and {more} more."),
    }
}

fn joined<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    items: impl IntoIterator<Item = T>,
    separator: &str,
) -> fmt::Result {
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            f.write_str(separator)?;
        }
        item.fmt(f)?;
    }
    Ok(())
}

/// A parser's message; the line is left out where there is only one.
struct Place<'a>(&'a serde_json::Error);

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_string().replace(" at line 1 column ", " at column "))
    }
}
