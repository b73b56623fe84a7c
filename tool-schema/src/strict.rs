//! Strict forms of a tool's parameters: a server that gets one makes the model follow it.
//!
//! Each provider has its own rules for such a schema. [`Parameters::convert`] applies those that they share; `tool-runtime` has
//! the rest of the rules of a provider in its folder of `wire`.

mod convert;
mod infer_type;
mod subschemas;

pub use convert::{Parameters, PushKey, Rules, is_rejected};
pub use infer_type::infer_type;
pub use subschemas::subschemas;

use std::fmt;

/// A reason why a tool has no strict form. [`Display`](fmt::Display) writes the path and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotStrict {
    /// The path in the parameters, for example `stops[].notes`, or the name of a definition; empty for the parameters as
    /// a whole.
    pub path: String,
    /// The reason, for example `takes any value`. It reads as the end of a sentence about the path.
    pub reason: String,
}

impl NotStrict {
    /// Hidden, since `tool-runtime` exports the type and creates its values.
    #[doc(hidden)]
    #[must_use]
    pub fn new(path: &str, reason: impl Into<String>) -> Self {
        NotStrict { path: path.to_owned(), reason: reason.into() }
    }

    /// The reason, if a schema has more than the maximum of something.
    #[doc(hidden)]
    #[must_use]
    pub fn too_many(count: usize, max: usize, what: &str) -> Option<Self> {
        let reason = || format!("has {count} {what}, and strict schemas may have at most {max}");
        (count > max).then(|| NotStrict::new("", reason()))
    }
}

impl fmt::Display for NotStrict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => f.write_str(&self.reason),
            path => write!(f, "`{path}` {}", self.reason),
        }
    }
}
