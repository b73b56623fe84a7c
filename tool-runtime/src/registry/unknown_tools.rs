//! Errors of calls of tools that a registry does not have, or that a run does not allow.

use super::Registry;
use crate::context::AllowedTools;
use crate::json::pairs;
use crate::outcome::{UnknownToolError, call_as_json};
use crate::suggest::{misspells, suggest};
use crate::tool::{IncomingCall, ToolEntry};
use std::borrow::Cow;
use std::sync::Arc;

/// In bytes: longer arguments are not compared with the schemas of all tools.
const MAX_ARGUMENTS: usize = 16 << 10;
/// The arguments are compared with the schemas of at most this many tools.
const MAX_COMPARED: usize = 20;

impl Registry {
    /// The error of a call at this position of its reply, for a run with these allowed tools.
    #[cold]
    pub(super) fn unknown_name_without_search(
        &self,
        position: usize,
        name: &str,
        allowed: Option<&AllowedTools>,
    ) -> UnknownToolError {
        let available = self.allowed_names(allowed);
        let names = available.iter().map(String::as_str);
        let suggestion = may_suggest(position).then(|| suggest(name, names)).flatten().map(str::to_owned);
        UnknownToolError::new(name, suggestion, available)
    }

    /// The error of a call, with the tool to call instead: the one with a similar name, otherwise one with its words that
    /// accepts the arguments.
    #[cold]
    pub(crate) fn unknown_tool_error(&self, incoming: &IncomingCall<'_>) -> UnknownToolError {
        let IncomingCall { batch, position, call, .. } = *incoming;
        let mut error = self.unknown_name(batch, position, &call.name);
        let arguments = incoming.object();
        let is_compared = may_suggest(position) && arguments.len() <= MAX_ARGUMENTS;
        let pairs = is_compared.then(|| pairs(arguments)).flatten();
        let accepts = |tool: &ToolEntry| pairs.as_ref().is_some_and(|pairs| tool.accepts(arguments, pairs));
        if error.suggestion.is_none() && pairs.is_some() {
            let allowed = batch.context().allowed();
            let is_callable =
                |tool: &ToolEntry| self.is_allowed(tool, allowed) && !self.tools.is_search_tool(&tool.name);
            let is_similar = |tool: &&Arc<ToolEntry>| is_callable(tool) && misspells(&call.name, &tool.name);
            let similar = self.tools.entries.iter().filter(is_similar).take(MAX_COMPARED);
            let nearest = similar.filter(|tool| accepts(tool)).min_by_key(|tool| tool.name.len());
            error.suggestion = nearest.map(|tool| tool.name.to_string());
        }
        if let Some(tool) = error.suggestion.as_ref().and_then(|name| self.entry(name)) {
            let needs_care =
                tool.options.annotations.is_destructive() || tool.options.policy.requires_approval;
            let is_likely = tool.options.annotations.is_read_only() || misspells(&call.name, &tool.name);
            error.asks_for_call = is_likely && !needs_care;
            error.call = accepts(tool).then(|| call_as_json(&tool.name, arguments)).flatten();
        }
        error
    }

    /// The names of the tools that calls of a run with these allowed tools may use, for errors.
    #[cold]
    pub(crate) fn allowed_names(&self, allowed: Option<&AllowedTools>) -> Arc<[String]> {
        let tools = || self.tools.entries.iter().filter(|tool| self.is_allowed(tool, allowed));
        self.tools.allowed_names.get(allowed, || tools().map(|tool| &*tool.name))
    }
}

impl ToolEntry {
    /// Whether the tool declares each key of the arguments, and the arguments are valid.
    fn accepts(&self, arguments: &str, pairs: &[(Cow<'_, str>, &str)]) -> bool {
        let validator = &self.validator.validator;
        let root = validator.node(validator.root);
        pairs.iter().all(|(key, _)| root.declared_property(key).is_some()) && validator.accepts(arguments)
    }
}

/// Whether the error of a call at this position of its reply suggests another tool. The search for it compares the names of
/// all tools, so the errors of later calls do not.
pub(super) fn may_suggest(position: usize) -> bool {
    const MAX_CALLS: usize = 20;
    position < MAX_CALLS
}
