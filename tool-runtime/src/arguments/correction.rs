//! The last sentence of an error: what to send instead. Models correct more calls if they read it.

use super::ArgumentsError;
use crate::coerce::{Coercion, CoercionOptions, QUOTE_REPAIRS, coerce};
use crate::json::Scanner;
use crate::outcome::{
    ArgumentError, CallError, Changes, Escaped, Truncated, TruncatedPath, call_as_json, from_to, text_around,
};
use crate::validator::Validator;
use serde_json::Value;

/// In bytes: a longer value is not in the sentence.
const MAX_VALUE: usize = 80;
/// In bytes: longer arguments are not read again.
const MAX_BYTES: usize = 16 << 10;

/// The changes that lenient arguments would make.
#[derive(Default)]
struct Reading {
    /// The arguments after all changes, if they are valid and another value.
    arguments: Option<String>,
    /// Each is valid by itself.
    coercions: Vec<Coercion>,
}

impl Reading {
    fn new(tool: &str, arguments: &str, validator: &Validator) -> Self {
        let options = CoercionOptions { tool, lenient: true, null_is_absent: false };
        let is_short = arguments.len() <= MAX_BYTES;
        let read = is_short.then(|| coerce(arguments, validator, options)).flatten();
        let Some(read) = read else { return Reading::default() };
        let value = |json: &str| serde_json::from_str::<Value>(json).ok();
        // If only white space differs, the same call would fail again.
        let is_other = |read: &String| value(read) != value(arguments);
        let arguments = Some(read.arguments).filter(is_other).filter(|read| validator.accepts(read));
        Reading { arguments, coercions: read.coercions }
    }

    /// The change of the value at this path.
    fn change_at(&self, path: &str) -> Option<String> {
        let path = TruncatedPath(path).to_string();
        self.coercions.iter().find_map(|coercion| match coercion {
            Coercion::Value { path: read, from, to } if *read == path && to.len() <= MAX_VALUE => {
                let without = match from.starts_with('"') {
                    true if to.starts_with('{') => ", not a string",
                    true if !to.contains('"') => ", without quotes",
                    _ => "",
                };
                Some(from_to(from, &format!("{}{without}", Escaped(to))))
            }
            _ => None,
        })
    }

    /// Whether a change concerns this error, or a value inside the one that it is about.
    fn corrects(&self, error: &ArgumentError) -> bool {
        let ArgumentError::Invalid { path: wrong, .. } = error else { return false };
        let wrong = TruncatedPath(wrong).to_string();
        self.coercions.iter().any(|coercion| match coercion {
            Coercion::Value { path, .. } => path
                .strip_prefix(&*wrong)
                .is_some_and(|rest| wrong.is_empty() || rest.is_empty() || rest.starts_with(['.', '['])),
            _ => false,
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
    /// The error of a call of this tool. Its message ends with the correction: what to change and, if the arguments have
    /// only one reading, the whole call.
    #[cold]
    pub(crate) fn into_call_error(
        self,
        tool: &str,
        arguments: &str,
        validator: Option<&Validator>,
    ) -> CallError {
        let reading =
            validator.map_or_else(Reading::default, |validator| Reading::new(tool, arguments, validator));
        let tool = tool.to_owned();
        let call = reading.arguments.as_deref().and_then(|arguments| call_as_json(&tool, arguments));
        let again = |changes: &str, call: Option<&String>| match call {
            Some(call) => format!("Call it again{changes}: {call}"),
            None => format!("Call it again{changes}."),
        };
        match self {
            ArgumentsError::NotJson { error: source, is_truncated } => {
                let near = text_around(arguments, &source);
                let is_read = |quotes| reading.coercions.contains(&Coercion::Repair(quotes));
                let has_other_quotes = QUOTE_REPAIRS.into_iter().any(is_read);
                let changes =
                    if has_other_quotes { " with double quotes" } else { " with one valid JSON object" };
                let correction = if is_truncated {
                    shorten(arguments, " with one complete JSON object.")
                } else {
                    again(changes, call.as_ref())
                };
                CallError::NotJson { tool, is_truncated, near, correction, source }
            }
            ArgumentsError::NotAnObject(got) => {
                let correction = again(" with one JSON object", call.as_ref());
                CallError::NotAnObject { tool, got, correction }
            }
            ArgumentsError::Invalid(mut errors) => {
                if let Some(key) = reading.wrapper() {
                    let key = Truncated(key);
                    errors = vec![ArgumentError::invalid(String::new(), format!("they are inside `{key}`"))];
                    let correction = again(&format!(" without `{key}`"), call.as_ref());
                    return CallError::InvalidArguments { tool, errors, correction };
                }
                // An error that only the decoder reports stays.
                let call = call.filter(|_| errors.iter().all(|error| reading.corrects(error)));
                for error in &mut errors {
                    if let ArgumentError::Invalid { path, change, .. } = error {
                        *change = reading.change_at(path).or_else(|| change.take());
                    }
                }
                let correction = again(&format!(", but {}", Changes(&errors)), call.as_ref());
                CallError::InvalidArguments { tool, errors, correction }
            }
        }
    }
}

/// The error of a call in a truncated reply.
pub(crate) fn truncated_call_error(tool: String, arguments: &str) -> CallError {
    CallError::Truncated {
        tool,
        correction: shorten(arguments, " with shorter arguments or in a shorter reply."),
    }
}

/// The correction of a truncated call: it names the longest argument, if one is long.
fn shorten(arguments: &str, otherwise: &str) -> String {
    /// In bytes: a shorter argument is not the reason.
    const MIN_LENGTH: usize = 200;
    let arguments = Scanner::entries(arguments).filter(|(_, value)| value.len() >= MIN_LENGTH);
    match arguments.max_by_key(|(_, value)| value.len()) {
        Some((Some(key), _)) => format!("Call it again, but shorten `{}`.", Truncated(&key)),
        _ => format!("Call it again{otherwise}"),
    }
}
