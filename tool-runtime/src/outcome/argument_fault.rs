//! What is wrong with the arguments of a call.

use super::{MOST_FAULTS, ShortPath, Shortened};
use crate::nearest::nearest;
use std::fmt;

/// One thing that is wrong with the arguments of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArgumentFault {
    /// The value is not what the parameter takes.
    #[non_exhaustive]
    Invalid {
        /// Which value, as in `stops[2].city`; empty for the arguments as a whole. Within a value, a key of more than 80
        /// characters is shortened.
        path: String,
        /// What was expected and what came, for example `expected u8, got string "tomorrow"`.
        problem: String,
    },
    /// A required argument, or a required key inside of one, was not given.
    #[non_exhaustive]
    Missing {
        /// Which one, as in `stops[2].city`.
        argument: String,
    },
    /// The tool has no such argument, or a value inside of one no such key.
    #[non_exhaustive]
    Unknown {
        /// What was given, as in `stops[2].town`.
        argument: String,
        /// The name that was probably meant, without what stands before it.
        meant: Option<String>,
    },
    /// The argument was given more than once.
    #[non_exhaustive]
    Repeated {
        /// Which one, as in `stops[2].city`.
        argument: String,
    },
}

impl ArgumentFault {
    pub(crate) fn invalid(path: String, error: &serde_json::Error) -> Self {
        ArgumentFault::Invalid { path, problem: problem(error) }
    }
}

/// What was probably meant by each key that is unknown: the known one that is nearest to it.
pub(crate) fn unknown_arguments<'u, 'k, K, I>(
    unknown: &'u [K],
    missing: &[&str],
    known: impl Fn() -> I,
) -> impl Iterator<Item = (&'u str, Option<String>)>
where
    K: AsRef<str>,
    I: Iterator<Item = &'k str>,
{
    // One wrong name and one that is missing: that is the one that was meant.
    let only = match (unknown, missing) {
        ([_], &[name]) => Some(name.to_owned()),
        _ => None,
    };
    unknown.iter().enumerate().map(move |(index, key)| {
        // Faults beyond those are only counted.
        let near = (index < MOST_FAULTS).then(|| nearest(key.as_ref(), known())).flatten();
        (key.as_ref(), near.map(str::to_owned).or_else(|| only.clone()))
    })
}

/// serde's `invalid type: string "tomorrow", expected u8` in the order that the model needs, less the
/// position, which counts from the start of the value.
fn problem(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    let text = text.strip_suffix(&position).unwrap_or(&text);
    let got = text.strip_prefix("invalid type: ").or_else(|| text.strip_prefix("invalid value: "));
    match got.and_then(|got| got.rsplit_once(", expected ")) {
        Some((got, expected)) => format!("expected {expected}, got {}", Shortened(got)),
        None => text.to_owned(),
    }
}

impl fmt::Display for ArgumentFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArgumentFault::Invalid { path, problem } if path.is_empty() => f.write_str(problem),
            ArgumentFault::Invalid { path, problem } => write!(f, "`{}`: {problem}", ShortPath(path)),
            ArgumentFault::Missing { argument } => write!(f, "`{}` is missing", ShortPath(argument)),
            ArgumentFault::Unknown { argument, meant } => {
                write!(f, "`{}` is not an argument", ShortPath(argument))?;
                match meant {
                    Some(meant) => write!(f, ", did you mean `{meant}`?"),
                    None => Ok(()),
                }
            }
            ArgumentFault::Repeated { argument } => write!(f, "`{}` is given twice", ShortPath(argument)),
        }
    }
}
