//! The changes that correct invalid arguments.

use super::{ArgumentError, Escaped, Truncated, TruncatedPath};
use serde_json::Value;
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
    // `serde_json` does not read halves of surrogate pairs and numbers that are too large.
    let call = is_short.then(|| format!(r#"{{"name": "{tool}", "arguments": {}}}"#, Escaped(arguments)));
    call.filter(|call| serde_json::from_str::<Value>(call).is_ok())
}

/// The number of changes in a sentence.
const MAX_CHANGES: usize = 10;

/// `` change `days` from "2" to 2, without quotes, and add `city` ``
pub(crate) struct Changes<'a>(pub(crate) &'a [ArgumentError]);

impl fmt::Display for Changes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let changes = self.0.iter().enumerate().filter(|(_, error)| !self.is_renamed(error));
        for (count, (index, error)) in changes.enumerate() {
            match count {
                0 => {}
                MAX_CHANGES => return f.write_str(", and correct the other errors"),
                _ => f.write_str(", and ")?,
            }
            let target = new_name(error);
            let is_taken = target.is_some() && self.0[..index].iter().any(|other| new_name(other) == target);
            write_change(f, error, is_taken)?;
        }
        Ok(())
    }
}

impl Changes<'_> {
    /// Whether another error already asks to rename an unknown argument to this missing one.
    fn is_renamed(&self, error: &ArgumentError) -> bool {
        let ArgumentError::Missing { argument, similar: None } = error else { return false };
        self.0.iter().filter_map(new_name).any(|name| name == *argument)
    }
}

/// The path that an unknown argument should have.
fn new_name(error: &ArgumentError) -> Option<String> {
    let ArgumentError::Unknown { argument, suggestion: Some(name), .. } = error else { return None };
    Some(match argument.rsplit_once('.') {
        Some((object, _)) => format!("{object}.{name}"),
        None => name.clone(),
    })
}

fn write_change(f: &mut fmt::Formatter<'_>, error: &ArgumentError, is_taken: bool) -> fmt::Result {
    match error {
        ArgumentError::Invalid { path, .. } if path.is_empty() => f.write_str("correct this"),
        ArgumentError::Invalid { path, change: None, .. } => write!(f, "correct `{}`", TruncatedPath(path)),
        ArgumentError::Invalid { path, change: Some(change), .. } => {
            write!(f, "change `{}` {change}", TruncatedPath(path))
        }
        ArgumentError::Missing { argument, similar: None } => write!(f, "add `{}`", TruncatedPath(argument)),
        ArgumentError::Missing { argument, similar: Some(similar) } => {
            let name = argument.rsplit('.').next().unwrap_or(argument);
            write!(f, "rename `{}` to `{}`", Truncated(similar), Truncated(name))
        }
        ArgumentError::Unknown { argument, suggestion: Some(name), .. } if !is_taken => {
            write!(f, "rename `{}` to `{}`", TruncatedPath(argument), Truncated(name))
        }
        ArgumentError::Unknown { argument, .. } => write!(f, "leave out `{}`", TruncatedPath(argument)),
        ArgumentError::Repeated { argument } => write!(f, "write `{}` once", TruncatedPath(argument)),
    }
}
