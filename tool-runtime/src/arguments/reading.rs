//! The correction of invalid arguments: models repair a call more often if the error ends with the value to send.

use super::ArgumentsError;
use crate::coerce::{Coercion, CoercionOptions, SINGLE_QUOTES, coerce};
use crate::json::{Scanner, TypeSet};
use crate::outcome::{
    ArgumentError, CallError, Changes, Escaped, Truncated, TruncatedPath, call_as_json, change,
};
use crate::validator::{Budget, Validator, Validity};
use serde_json::Value;

/// Longer arguments are not read again.
const MAX_BYTES: usize = 64 << 10;
/// In bytes: a message does not contain longer values.
const MAX_VALUE: usize = 80;

/// The only reading of invalid arguments, by the rules of lenient arguments.
#[derive(Default)]
struct Reading {
    /// The valid arguments.
    arguments: Option<String>,
    coercions: Vec<Coercion>,
}

impl Reading {
    fn new(arguments: &str, validator: &Validator) -> Self {
        let options = CoercionOptions { lenient: true, null_is_absent: false };
        let within_limit = Some(arguments).filter(|arguments| arguments.len() <= MAX_BYTES);
        let Some(read) = within_limit.and_then(|arguments| coerce(arguments, validator, options)) else {
            return Reading::default();
        };
        let value = |json: &str| serde_json::from_str::<Value>(json).ok();
        let is_other = |read: &String| value(read) != value(arguments);
        let is_valid = |read: &String| {
            validator.validity(validator.root, read, &mut Budget::new(read)) != Validity::Invalid
        };
        let arguments = Some(read.arguments).filter(is_other).filter(is_valid);
        Reading { arguments, coercions: read.coercions }
    }

    /// The change of the value at this path, if it is read as another one.
    fn change_at(&self, path: &str) -> Option<String> {
        let path = TruncatedPath(path).to_string();
        self.coercions.iter().find_map(|coercion| match coercion {
            Coercion::Value { path: read, from, to } if *read == path && to.len() <= MAX_VALUE => {
                let has_quotes = TypeSet::STRING.union(TypeSet::ARRAY).intersects(TypeSet::from_json(to));
                let without = if from.starts_with('"') && !has_quotes { ", without quotes" } else { "" };
                Some(change(from, &format!("{}{without}", Escaped(to))))
            }
            _ => None,
        })
    }

    /// The unknown key around the arguments.
    fn wrapper(&self) -> Option<&str> {
        self.coercions.iter().find_map(|coercion| match coercion {
            Coercion::Unwrapped { key } => Some(&**key),
            _ => None,
        })
    }
}

impl ArgumentsError {
    /// The error of a call of this tool. Its message ends with the correction: what to change and, if there is only one
    /// reading, the whole call.
    #[cold]
    pub(crate) fn into_call_error(
        self,
        tool: &str,
        arguments: &str,
        validator: Option<&Validator>,
    ) -> CallError {
        let reading = validator.map_or_else(Reading::default, |validator| Reading::new(arguments, validator));
        let tool = tool.to_owned();
        let call = reading.arguments.as_deref().and_then(|arguments| call_as_json(&tool, arguments));
        let again = |changes: &str| match &call {
            Some(call) => format!("Call it again{changes}: {call}"),
            None => format!("Call it again{changes}."),
        };
        match self {
            ArgumentsError::NotJson { error: source, is_truncated: true } => {
                let (near, correction) = (String::new(), shorten(arguments));
                CallError::NotJson { tool, is_truncated: true, near, correction, source }
            }
            ArgumentsError::NotJson { error: source, is_truncated: false } => {
                let near = text_around(arguments, &source);
                let has_single_quotes = reading.coercions.contains(&Coercion::Repair(SINGLE_QUOTES));
                let correction = again(if has_single_quotes {
                    " with double quotes"
                } else {
                    " with one valid JSON object"
                });
                CallError::NotJson { tool, is_truncated: false, near, correction, source }
            }
            ArgumentsError::NotAnObject(got) => {
                let correction = again(" with one JSON object");
                CallError::NotAnObject { tool, got, correction }
            }
            ArgumentsError::Invalid(mut errors) => {
                for error in &mut errors {
                    if let ArgumentError::Invalid { path, change, .. } = error {
                        *change = reading.change_at(path).or_else(|| change.take());
                    }
                }
                let correction = match reading.wrapper() {
                    Some(key) => {
                        let key = Truncated(key);
                        let problem = format!("they are inside `{key}`");
                        errors = vec![ArgumentError::invalid(String::new(), problem)];
                        again(&format!(" without `{key}`"))
                    }
                    None => again(&format!(", but {}", Changes(&errors))),
                };
                CallError::InvalidArguments { tool, errors, correction }
            }
        }
    }
}

/// The error of a call in a truncated reply.
pub(crate) fn truncated(tool: String, arguments: &str) -> CallError {
    let correction = shorten(arguments);
    CallError::Truncated { tool, correction }
}

/// The correction of a truncated call: it names the longest argument.
fn shorten(arguments: &str) -> String {
    /// In bytes: a shorter argument is not the reason.
    const MIN_LENGTH: usize = 200;
    let arguments = Scanner::entries(arguments).filter(|(_, value)| value.len() >= MIN_LENGTH);
    match arguments.max_by_key(|(_, value)| value.len()) {
        Some((Some(key), _)) => format!("Call it again, but shorten `{}`.", Truncated(&key)),
        _ => "Call it again with less in one reply.".to_owned(),
    }
}

/// The text at an error of the parser.
fn text_around(arguments: &str, error: &serde_json::Error) -> String {
    const BEFORE: usize = 12;
    const AFTER: usize = 20;
    let Some(offset) = offset(arguments, error) else { return String::new() };
    let mut at = offset.saturating_sub(1).min(arguments.len());
    while !arguments.is_char_boundary(at) {
        at -= 1;
    }
    let (before, after) = arguments.split_at(at);
    let start = before.char_indices().rev().nth(BEFORE - 1).map_or(0, |(start, _)| start);
    let end = after.char_indices().nth(AFTER).map_or(arguments.len(), |(end, _)| at + end);
    let mark = |is_left_out: bool| if is_left_out { "…" } else { "" };
    format!("{}{}{}", mark(start > 0), Escaped(&arguments[start..end]), mark(end < arguments.len()))
}

/// The position of an error in the text, in bytes.
fn offset(text: &str, error: &serde_json::Error) -> Option<usize> {
    let before = text.split_inclusive('\n').take(error.line().checked_sub(1)?).map(str::len).sum::<usize>();
    Some(before + error.column())
}
