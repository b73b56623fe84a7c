//! The tools that the model may call in a reply.

use crate::tool_name::{CALL_TOOL, SEARCH_TOOLS, is_reserved};

/// A list of names, and the tools that are allowed because of it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AllowedTools<'a> {
    /// `None` for all tools.
    pub(crate) names: Option<&'a [String]>,
    /// Whether a search can find any of the named tools: then its own tools are allowed, after the others.
    pub(crate) has_search: bool,
    /// The name of the tool for a typed answer, which is allowed in any case.
    pub(crate) answer: Option<&'a str>,
}

impl<'a> AllowedTools<'a> {
    /// The names of the tools; `None` if all are allowed.
    pub(super) fn names(self) -> Option<impl Iterator<Item = &'a str> + use<'a>> {
        let names = self.names?;
        let listed = names.iter().map(String::as_str);
        let listed = listed.filter(move |name| !(self.has_search && is_reserved(name)));
        let search_tools = [SEARCH_TOOLS, CALL_TOOL].into_iter().filter(move |_| self.has_search);
        let answer = self.answer.filter(|answer| names.iter().all(|name| name != answer));
        Some(listed.chain(search_tools).chain(answer))
    }

    pub(super) fn allows(self, name: &str) -> bool {
        self.names().is_none_or(|mut names| names.any(|allowed| allowed == name))
    }
}
