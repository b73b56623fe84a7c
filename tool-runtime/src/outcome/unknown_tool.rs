//! The error of an unknown tool.

use super::Truncated;
use std::fmt;
use std::sync::Arc;

/// The error of a name that no tool of the registry has. Its text suggests a similar name, and lists the tools or mentions
/// the search for them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownToolError {
    /// The unknown name.
    pub name: String,
    /// The name of the most similar tool. Only the errors of the first 100 calls of a reply have one.
    pub suggestion: Option<String>,
    /// The sorted names of all tools, or with a search (`RegistryBuilder::search`) those of the tools that the request
    /// contains. A clone shares the list.
    pub available: Arc<[String]>,
    /// Whether `search_tools` finds other tools.
    pub can_search: bool,
}

/// The number of names in the message; the rest is only counted.
const MAX_LISTED_NAMES: usize = 20;

impl UnknownToolError {
    pub(crate) fn new(name: &str, suggestion: Option<&str>, available: &Arc<[String]>) -> Self {
        UnknownToolError {
            name: name.to_owned(),
            suggestion: suggestion.map(str::to_owned),
            available: Arc::clone(available),
            can_search: false,
        }
    }

    /// The error in a registry with a search.
    #[cfg(feature = "search")]
    pub(crate) fn with_search(
        name: &str,
        suggestion: Option<&str>,
        available: Arc<[String]>,
        can_search: bool,
    ) -> Self {
        UnknownToolError {
            name: name.to_owned(),
            suggestion: suggestion.map(str::to_owned),
            available,
            can_search,
        }
    }
}

impl fmt::Display for UnknownToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no tool `{}`", Truncated(&self.name))?;
        match &self.suggestion {
            Some(suggestion) => write!(f, "; did you mean `{suggestion}`? ")?,
            None => f.write_str(". ")?,
        }
        if self.can_search {
            return f.write_str("Find other tools with `search_tools`.");
        }
        NameList(&self.available).fmt(f)
    }
}

/// The first names, and the number of the others.
pub(super) struct NameList<'a>(pub(super) &'a [String]);

impl fmt::Display for NameList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (shown, others) = self.0.split_at(self.0.len().min(MAX_LISTED_NAMES));
        let Some((first, shown)) = shown.split_first() else {
            return f.write_str("No tool is available.");
        };
        write!(f, "Available: `{first}`")?;
        for name in shown {
            write!(f, ", `{name}`")?;
        }
        match others.len() {
            0 => f.write_str("."),
            others => write!(f, " and {others} more."),
        }
    }
}

impl std::error::Error for UnknownToolError {}
