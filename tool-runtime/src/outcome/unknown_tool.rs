//! The error of an unknown tool.

use super::Truncated;
use super::argument_error::Names;
use crate::suggest::suggest;
use std::fmt;
use std::sync::Arc;

/// The error of a name that no tool of the registry has. Its text suggests another tool; if there is none, it lists
/// the tools or mentions the search for them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownToolError {
    /// The unknown name.
    pub name: String,
    /// The name of the most similar tool, or of one with the same words that accepts the arguments. Only the errors of the
    /// first 20 calls of a reply have one.
    pub suggestion: Option<String>,
    /// The sorted names of the tools that the run allows. With a search (`RegistryBuilder::search`), only of those that the
    /// request contains. A clone shares the list.
    pub available: Arc<[String]>,
    /// Whether `search_tools` finds other tools.
    pub can_search: bool,
    /// Whether the message asks the model to call the suggested tool. It does not if the tool is destructive or needs
    /// approval, or if it may do something else: it is not `read_only`, and the name is not only misspelt.
    pub asks_for_call: bool,
    /// The call of the suggested tool with the same arguments, as JSON, if the tool accepts them and they are short. The
    /// message contains it if it asks for the call.
    pub call: Option<String>,
}

impl UnknownToolError {
    /// The error of a name among these.
    pub(crate) fn among<'a>(name: &str, available: impl Iterator<Item = &'a str> + Clone) -> Self {
        let suggestion = suggest(name, available.clone()).map(str::to_owned);
        UnknownToolError::new(name, suggestion, available.map(str::to_owned).collect())
    }

    pub(crate) fn new(name: &str, suggestion: Option<String>, available: Arc<[String]>) -> Self {
        UnknownToolError {
            name: name.to_owned(),
            suggestion,
            available,
            can_search: false,
            asks_for_call: false,
            call: None,
        }
    }
}

impl fmt::Display for UnknownToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no tool `{}`", Truncated(&self.name))?;
        match &self.suggestion {
            Some(suggestion) if self.asks_for_call => match &self.call {
                Some(call) => write!(f, ". Call `{suggestion}` instead: {call}"),
                None => write!(f, ". Call `{suggestion}` instead."),
            },
            Some(suggestion) => write!(f, "; did you mean `{suggestion}`?"),
            None if self.can_search => f.write_str(". Find other tools with `search_tools`."),
            None => write!(f, ". {}", NameList(&self.available)),
        }
    }
}

/// `` Available: `a`, `b` and 3 more. ``
pub(super) struct NameList<'a>(pub(super) &'a [String]);

impl fmt::Display for NameList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [] => f.write_str("No tool is available."),
            names => write!(f, "Available: {}.", Names(names)),
        }
    }
}

impl std::error::Error for UnknownToolError {}
