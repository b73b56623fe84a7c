//! What is wrong with the arguments of a call.

use super::{ShortPath, Shortened, bounded};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

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
        /// The key that was given and that the schema does not declare, if it is near to the missing one: in an object that
        /// may have any keys, a misspelt key is no error of its own.
        similar: Option<String>,
    },
    /// The tool has no such argument, or a value inside of one no such key.
    #[non_exhaustive]
    Unknown {
        /// What was given, as in `stops[2].town`.
        argument: String,
        /// The name that was probably meant, without what stands before it.
        meant: Option<String>,
        /// Every name that there is. A copy is cheap.
        available: Arc<[String]>,
    },
    /// The argument was given more than once.
    #[non_exhaustive]
    Repeated {
        /// Which one, as in `stops[2].city`.
        argument: String,
    },
}

/// The message of a decoder. serde's `invalid type: string "tomorrow", expected u8` becomes `expected u8, got string "tomorrow"`,
/// without the position, which counts from the start of the value.
pub(crate) fn decode_problem(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    let text = text.strip_suffix(&position).unwrap_or(&text);
    let got = text.strip_prefix("invalid type: ").or_else(|| text.strip_prefix("invalid value: "));
    match got.and_then(|got| got.rsplit_once(", expected ")) {
        Some((got, expected)) => format!("expected {}, got {}", bounded(expected), json_words(got)),
        None => bounded(text),
    }
}

/// serde's words for a value, with the names that JSON has for its types.
fn json_words(got: &str) -> Cow<'_, str> {
    match got {
        "sequence" => "an array".into(),
        "map" => "an object".into(),
        "unit value" | "Option value" => "null".into(),
        _ => match got.strip_prefix("floating point ") {
            Some(number) => format!("number {}", Shortened(number)).into(),
            None => Shortened(got).to_string().into(),
        },
    }
}

impl ArgumentFault {
    /// Whether the next error lists the names that this one would list.
    pub(super) fn shares_names_with(&self, next: Option<&ArgumentFault>) -> bool {
        match (self, next) {
            (
                ArgumentFault::Unknown { available, .. },
                Some(ArgumentFault::Unknown { available: others, .. }),
            ) => Arc::ptr_eq(available, others),
            _ => false,
        }
    }

    /// The message of an unknown argument without the names that there are.
    pub(super) fn without_names(&self, f: &mut impl fmt::Write) -> fmt::Result {
        let ArgumentFault::Unknown { argument, meant, .. } = self else { return write!(f, "{self}") };
        write!(f, "`{}` is not an argument", ShortPath(argument))?;
        match meant {
            Some(meant) => write!(f, ", did you mean `{}`?", Shortened(meant)),
            None => Ok(()),
        }
    }
}

/// `it takes no arguments`, `` it takes `a`, `b` and 3 more ``
struct Takes<'a>(&'a [String]);

impl fmt::Display for Takes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MAX_LISTED: usize = 20;
        let Some(((first, names), more)) = self
            .0
            .split_at_checked(self.0.len().min(MAX_LISTED))
            .and_then(|(listed, others)| Some((listed.split_first()?, others.len())))
        else {
            return f.write_str("it takes no arguments");
        };
        write!(f, "it takes `{}`", Shortened(first))?;
        let (last, names) = match (names.split_last(), more) {
            (Some((last, names)), 0) => (Some(last), names),
            _ => (None, names),
        };
        for name in names {
            write!(f, ", `{}`", Shortened(name))?;
        }
        match last {
            Some(last) => write!(f, " and `{}`", Shortened(last)),
            None if more > 0 => write!(f, " and {more} more"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for ArgumentFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArgumentFault::Invalid { path, problem } if path.is_empty() => f.write_str(problem),
            ArgumentFault::Invalid { path, problem } => write!(f, "`{}`: {problem}", ShortPath(path)),
            ArgumentFault::Missing { argument, similar: None } => {
                write!(f, "`{}` is missing", ShortPath(argument))
            }
            ArgumentFault::Missing { argument, similar: Some(similar) } => {
                let similar = Shortened(similar);
                write!(f, "`{}` is missing, did you write `{similar}` instead?", ShortPath(argument))
            }
            ArgumentFault::Unknown { available, .. } => {
                self.without_names(f)?;
                write!(f, " ({})", Takes(available))
            }
            ArgumentFault::Repeated { argument } => write!(f, "`{}` is given twice", ShortPath(argument)),
        }
    }
}
