//! Strict forms of a tool's parameters: a server that gets one makes the model follow it.
//!
//! Each provider has its own rules for such a schema. [`convert`] has the rules that they share; the rest of the rules
//! of a provider is in its folder of [`wire`](crate::wire).

mod convert;
mod infer_type;
mod subschemas;

pub(crate) use convert::{Parameters, Rules, is_rejected};
pub(crate) use infer_type::infer_type;
pub(crate) use subschemas::subschemas;

use serde_json::value::RawValue;
use std::fmt;

/// A tool's parameters in Anthropic's strict form, and how much of the limits of a request they take.
///
/// The server accepts a request if its strict tools together have at most 24 optional properties and 16 unions, and
/// there are at most 20 of them. Other tools do not count.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AnthropicStrict {
    /// The JSON Schema of the arguments.
    pub parameters: Box<RawValue>,
    /// The number of properties that are not required.
    pub optional: usize,
    /// The number of schemas with alternatives (`anyOf`).
    pub unions: usize,
}

/// A reason why a tool has no strict form. [`Display`](fmt::Display) writes the path and the reason.
///
/// ```
/// use tool_runtime::{Registry, tool, tools};
///
/// /// Tags a page.
/// #[tool]
/// fn tag(page: &str, tags: std::collections::BTreeMap<String, String>) {}
///
/// let registry = Registry::new(tools![tag])?;
/// let reasons = registry.schemas()[0].openai_strict().expect_err("it has a map");
/// assert_eq!(reasons[0].path, "tags");
/// assert_eq!(reasons[0].to_string(), "`tags` is a map, whose keys are not fixed");
/// # Ok::<(), tool_runtime::BuildError>(())
/// ```
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
    pub(crate) fn new(path: &str, reason: impl Into<String>) -> Self {
        NotStrict { path: path.to_owned(), reason: reason.into() }
    }

    /// The reason, if a schema has more than the maximum of something.
    pub(crate) fn too_many(count: usize, max: usize, what: &str) -> Option<Self> {
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
