//! The error of text that is not JSON, with the text around the error.

use super::Escaped;
use std::fmt;

/// The message of a parser, with the text around the error in place of the position if it is known.
pub(crate) struct JsonProblem<'a> {
    pub(crate) error: &'a serde_json::Error,
    pub(crate) near: &'a str,
}

impl fmt::Display for JsonProblem<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let JsonProblem { error, near } = self;
        let message = error.to_string();
        match message.rsplit_once(" at line ") {
            Some((problem, _)) if !near.is_empty() => write!(f, "{problem} at `{near}`"),
            _ => f.write_str(&message),
        }
    }
}

/// The text at an error of the parser.
pub(crate) fn text_around(arguments: &str, error: &serde_json::Error) -> String {
    const LENGTH: usize = 16;
    let Some(offset) = offset(arguments, error) else { return String::new() };
    let mut at = offset.saturating_sub(1).min(arguments.len());
    while !arguments.is_char_boundary(at) {
        at -= 1;
    }
    let (before, after) = arguments.split_at(at);
    let start = before.char_indices().rev().nth(LENGTH - 1).map_or(0, |(start, _)| start);
    let end = after.char_indices().nth(LENGTH).map_or(arguments.len(), |(end, _)| at + end);
    let mark = |is_left_out: bool| if is_left_out { "…" } else { "" };
    format!("{}{}{}", mark(start > 0), Escaped(&arguments[start..end]), mark(end < arguments.len()))
}

/// The position of an error in the text, in bytes.
fn offset(text: &str, error: &serde_json::Error) -> Option<usize> {
    let before = text.split_inclusive('\n').take(error.line().checked_sub(1)?).map(str::len).sum::<usize>();
    Some(before + error.column())
}
