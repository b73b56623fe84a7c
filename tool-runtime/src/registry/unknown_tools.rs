//! Errors of calls of tools that a registry does not have, or that a run does not allow.

use super::Registry;
use crate::context::AllowedTools;
use crate::outcome::UnknownToolError;
use crate::suggest::suggest;
use std::sync::Arc;

impl Registry {
    #[cold]
    pub(crate) fn unknown_tool(&self, name: &str) -> UnknownToolError {
        self.unknown_tool_at(0, name)
    }

    /// The error of a call at this position of its reply.
    #[cold]
    pub(super) fn unknown_tool_at(&self, position: usize, name: &str) -> UnknownToolError {
        let names = || self.names().into_iter().map(str::to_owned).collect();
        let names = self.tools.names.get_or_init(names);
        let suggestion = may_suggest(position).then(|| suggest(name, names.iter().map(String::as_str)));
        UnknownToolError::new(name, suggestion.flatten(), names)
    }

    /// The names of the tools that calls of a run with these allowed tools may use, for errors.
    #[cold]
    pub(crate) fn allowed_names(&self, allowed: &AllowedTools) -> Arc<[String]> {
        let tools = || self.tools.entries.iter().filter(|tool| tool.is_allowed_by(Some(allowed)));
        self.tools.allowed_names.get(Some(allowed), || tools().map(|tool| &*tool.name))
    }
}

/// Whether the error of a call at this position of its reply suggests another tool. The search for it compares the names of
/// all tools, so the errors of later calls do not.
pub(super) fn may_suggest(position: usize) -> bool {
    const MAX_CALLS: usize = 100;
    position < MAX_CALLS
}
