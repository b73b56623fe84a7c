//! The changes that correct invalid arguments.

use super::{ArgumentError, Escaped, Truncated, TruncatedPath};
use std::fmt;

/// In bytes: a sentence contains no longer value of a model, and no longer words.
pub(crate) const MAX_QUOTED: usize = 60;

/// `from "2020" to 2020`, or `to 2020` if the first value is long.
pub(crate) fn from_to(from: &str, to: &str) -> String {
    let from = from.trim();
    if from.len() > MAX_QUOTED { format!("to {to}") } else { format!("from {} to {to}", Escaped(from)) }
}

/// A call as JSON; `None` if it is long. Models succeed more often if they can copy the whole call.
pub(crate) fn call_as_json(tool: &str, arguments: &str) -> Option<String> {
    const MAX_LENGTH: usize = 400;
    let is_short = arguments.len() <= MAX_LENGTH && !arguments.contains(char::is_control);
    is_short.then(|| format!(r#"{{"name": "{tool}", "arguments": {}}}"#, Escaped(arguments)))
}

/// The number of changes in a sentence.
const MAX_CHANGES: usize = 10;

/// `` change `days` from "2" to 2, without quotes, and add `city` ``
pub(crate) struct Changes<'a>(pub(crate) &'a [ArgumentError]);

impl fmt::Display for Changes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let changes = self.0.iter().filter(|error| !self.is_renamed(error));
        for (index, error) in changes.enumerate() {
            match index {
                0 => {}
                MAX_CHANGES => return f.write_str(", and correct the other errors"),
                _ => f.write_str(", and ")?,
            }
            write_change(f, error)?;
        }
        Ok(())
    }
}

impl Changes<'_> {
    /// Whether another error already asks to rename an unknown argument to this missing one.
    fn is_renamed(&self, error: &ArgumentError) -> bool {
        let ArgumentError::Missing { argument: missing, similar: None } = error else { return false };
        self.0.iter().any(|error| match error {
            ArgumentError::Unknown { argument, suggestion: Some(name), .. } => {
                let object = argument.rsplit_once('.').map_or("", |(object, _)| object);
                missing.strip_suffix(&**name).is_some_and(|start| start.trim_end_matches('.') == object)
            }
            _ => false,
        })
    }
}

fn write_change(f: &mut fmt::Formatter<'_>, error: &ArgumentError) -> fmt::Result {
    match error {
        ArgumentError::Invalid { path, .. } if path.is_empty() => f.write_str("correct this"),
        ArgumentError::Invalid { path, change: None, .. } => write!(f, "correct `{}`", TruncatedPath(path)),
        ArgumentError::Invalid { path, change: Some(change), .. } => {
            write!(f, "change `{}` {change}", TruncatedPath(path))
        }
        ArgumentError::Missing { argument, similar: None } => write!(f, "add `{}`", TruncatedPath(argument)),
        ArgumentError::Missing { argument, similar: Some(similar) } => {
            write!(f, "rename `{}` to `{}`", Truncated(similar), TruncatedPath(argument))
        }
        ArgumentError::Unknown { argument, suggestion: None, .. } => {
            write!(f, "leave out `{}`", TruncatedPath(argument))
        }
        ArgumentError::Unknown { argument, suggestion: Some(name), .. } => {
            write!(f, "rename `{}` to `{}`", TruncatedPath(argument), Truncated(name))
        }
        ArgumentError::Repeated { argument } => write!(f, "write `{}` once", TruncatedPath(argument)),
    }
}
