//! Errors of the arguments of a call.

use super::{Truncated, TruncatedPath, bounded};
use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// One error of the arguments of a call. Paths and names have the keys that the model received: other names in place of keys that
/// its provider rejects.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArgumentError {
    /// The value is not valid for its parameter.
    #[non_exhaustive]
    Invalid {
        /// The path of the value, for example `stops[2].city`; empty for the arguments as a whole. A key of more than 80
        /// characters inside a value is truncated.
        path: String,
        /// The expected and the actual value, for example `expected an integer, got string "tomorrow"`.
        problem: String,
        /// The words after ``change `path` `` in the message of the call: `from "2020" to 2020, without quotes` if the value
        /// has one reading or there is a similar value, otherwise for example `to an integer`. `None` if the message only
        /// asks to correct the value.
        change: Option<String>,
    },
    /// A required argument, or a required key inside an argument, is missing.
    #[non_exhaustive]
    Missing {
        /// The path of the missing argument or key, for example `stops[2].city`.
        argument: String,
        /// A similar key that the model sent and that the schema does not declare. In an object that accepts any keys, a
        /// misspelt key is not an error of its own.
        similar: Option<String>,
    },
    /// The tool does not have this argument, or a value inside an argument does not have this key.
    #[non_exhaustive]
    Unknown {
        /// The path of the unknown argument or key, for example `stops[2].town`.
        argument: String,
        /// The most similar known name, without the rest of the path.
        suggestion: Option<String>,
        /// All known names. A clone shares the list.
        available: Arc<[String]>,
    },
    /// The arguments contain the same argument or key more than once.
    #[non_exhaustive]
    Repeated {
        /// The path of the argument or key, for example `stops[2].city`.
        argument: String,
    },
}

/// The problem of an invalid value, and the change that the message asks for.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) text: String,
    pub(crate) change: Option<String>,
}

impl Problem {
    /// The problem of a value in place of an expected one.
    pub(crate) fn mismatch(expected: &str, got: &str) -> Self {
        Problem { text: format!("expected {expected}, got {got}"), change: Some(format!("to {expected}")) }
    }
}

impl From<String> for Problem {
    fn from(text: String) -> Self {
        Problem { text, change: None }
    }
}

/// The message of a decoder. serde's `invalid type: string "tomorrow", expected u8` becomes
/// `expected an integer, got string "tomorrow"`, without the position, which counts from the start of the value.
pub(crate) fn decode_problem(error: &serde_json::Error) -> Problem {
    let text = error.to_string();
    // The position, ` at line 1 column 10`, has five spaces.
    let start_of_position = text.rmatch_indices(' ').nth(4).filter(|_| error.line() > 0);
    let text = start_of_position.map_or(&*text, |(start, _)| &text[..start]);
    let got = text.strip_prefix("invalid type: ").or_else(|| text.strip_prefix("invalid value: "));
    match got.and_then(|got| got.rsplit_once(", expected ")) {
        Some((got, expected)) => Problem::mismatch(&bounded(json_type(expected)), &json_words(got)),
        None => bounded(text).into(),
    }
}

/// The words for a type that serde expects; Rust's names mean nothing to a model.
fn json_type(expected: &str) -> &str {
    match expected {
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" | "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => {
            "an integer"
        }
        "f32" | "f64" => "a number",
        "a sequence" => "a list",
        "a map" => "an object",
        other => other,
    }
}

/// serde's description of a value, with JSON's names of types.
fn json_words(got: &str) -> Cow<'_, str> {
    match got {
        "sequence" => "a list".into(),
        "map" => "an object".into(),
        "unit value" | "Option value" => "null".into(),
        _ => match got.strip_prefix("floating point ") {
            Some(number) => format!("number {}", Truncated(number)).into(),
            None => Truncated(got).to_string().into(),
        },
    }
}

impl ArgumentError {
    /// The error of a value that contains integers such as `1.0`. It is not decoded: a decoder of nested enums would try all
    /// combinations of their variants.
    pub(crate) fn with_integral_floats(path: &str) -> Self {
        let problem = "write each integer without a fraction: `1` instead of `1.0`";
        ArgumentError::invalid(path.to_owned(), problem.to_owned())
    }

    pub(crate) fn invalid(path: String, problem: impl Into<Problem>) -> Self {
        let Problem { text, change } = problem.into();
        ArgumentError::Invalid { path, problem: text, change }
    }

    /// The same error with another path.
    pub(crate) fn map_path(mut self, change: impl FnOnce(String) -> String) -> Self {
        let (ArgumentError::Invalid { path, .. }
        | ArgumentError::Missing { argument: path, .. }
        | ArgumentError::Unknown { argument: path, .. }
        | ArgumentError::Repeated { argument: path }) = &mut self;
        *path = change(std::mem::take(path));
        self
    }

    /// The names to list after the error: those of an unknown name without a similar one.
    pub(super) fn known_names(&self) -> Option<&Arc<[String]>> {
        match self {
            ArgumentError::Unknown { suggestion: None, available, .. } => Some(available),
            _ => None,
        }
    }
}

/// `` `a`, `b` and 3 more ``, or `no arguments`.
pub(super) struct Names<'a>(pub(super) &'a [String]);

impl fmt::Display for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MAX_LISTED: usize = 20;
        for (index, name) in self.0.iter().take(MAX_LISTED).enumerate() {
            let separator = if index + 1 == self.0.len() { " and " } else { ", " };
            write!(f, "{}`{}`", if index == 0 { "" } else { separator }, Truncated(name))?;
        }
        match self.0.len() {
            0 => f.write_str("no arguments"),
            1..=MAX_LISTED => Ok(()),
            length => write!(f, " and {} more", length - MAX_LISTED),
        }
    }
}

impl fmt::Display for ArgumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArgumentError::Invalid { path, problem, .. } if path.is_empty() => f.write_str(problem),
            ArgumentError::Invalid { path, problem, .. } => write!(f, "`{}`: {problem}", TruncatedPath(path)),
            ArgumentError::Missing { argument, .. } => write!(f, "`{}` is missing", TruncatedPath(argument)),
            ArgumentError::Unknown { argument, .. } => {
                write!(f, "`{}` is not an argument", TruncatedPath(argument))
            }
            ArgumentError::Repeated { argument } => {
                write!(f, "`{}` occurs more than once", TruncatedPath(argument))
            }
        }
    }
}

impl Error for ArgumentError {}
