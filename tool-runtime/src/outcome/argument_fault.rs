//! What is wrong with the arguments of a call.

use super::Shortened;
use std::fmt;

/// One thing that is wrong with the arguments of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArgumentFault {
    /// The value is not what the parameter takes.
    #[non_exhaustive]
    Invalid {
        /// Which value: the argument.
        path: String,
        /// What the decoder says, for example `expected u8, got string "tomorrow"`.
        problem: String,
    },
    /// A required argument was not given.
    #[non_exhaustive]
    Missing {
        /// The argument.
        argument: String,
    },
    /// The tool has no such argument.
    #[non_exhaustive]
    Unknown {
        /// What was given.
        argument: String,
        /// The argument that was probably meant.
        meant: Option<String>,
    },
    /// The argument was given more than once.
    #[non_exhaustive]
    Repeated {
        /// The argument.
        argument: String,
    },
}

impl fmt::Display for ArgumentFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArgumentFault::Invalid { path, problem } => write!(f, "`{path}`: {problem}"),
            ArgumentFault::Missing { argument } => write!(f, "`{argument}` is missing"),
            ArgumentFault::Unknown { argument, meant } => {
                write!(f, "`{}` is not an argument", Shortened(argument))?;
                match meant {
                    Some(meant) => write!(f, ", did you mean `{meant}`?"),
                    None => Ok(()),
                }
            }
            ArgumentFault::Repeated { argument } => write!(f, "`{argument}` is given twice"),
        }
    }
}
