//! Errors of calls of tools that a registry does not have, or that a run does not allow.

use super::Registry;
use crate::context::AllowedTools;
use crate::json::pairs;
use crate::outcome::{UnknownToolError, call_text};
use crate::suggest::{most_similar, suggest};
use crate::tool::{IncomingCall, ToolEntry};
use crate::validator::{Budget, Validity};
use std::borrow::Cow;
use std::sync::Arc;

impl Registry {
    #[cold]
    pub(crate) fn unknown_tool(&self, name: &str) -> UnknownToolError {
        self.unknown_tool_at(0, name, None)
    }

    /// The error of a call at this position of its reply, for a run with these allowed tools.
    #[cold]
    pub(super) fn unknown_tool_at(
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

    /// The error of a call, with the tool to call instead: the one with a similar name, otherwise one that accepts the
    /// arguments.
    #[cold]
    pub(crate) fn unknown_tool_error(&self, incoming: &IncomingCall<'_>) -> UnknownToolError {
        let IncomingCall { batch, position, call, .. } = *incoming;
        let mut error = self.unknown_tool_of_call(batch, position, &call.name);
        if !may_suggest(position) {
            return error;
        }
        let arguments = Arguments::new(incoming.object());
        if let (None, Some(arguments)) = (&error.suggestion, &arguments) {
            let allowed = batch.context().allowed();
            let tools = self
                .tools
                .entries
                .iter()
                .filter(|tool| self.is_allowed(tool, allowed) && !self.tools.is_search_tool(&tool.name));
            let accepting: Vec<&str> =
                tools.filter(|tool| arguments.are_accepted_by(tool)).map(|tool| &*tool.name).collect();
            error.suggestion = match accepting[..] {
                // Without arguments, this may be a coincidence.
                [only] if !arguments.pairs.is_empty() || error.available.len() == 1 => Some(only.to_owned()),
                _ => most_similar(&call.name, &accepting).map(str::to_owned),
            };
        }
        if let Some(tool) = error.suggestion.as_ref().and_then(|name| self.entry(name)) {
            let needs_care =
                tool.options.annotations.is_destructive() || tool.options.policy.requires_approval;
            error.may_be_called = !needs_care;
            let arguments = arguments.filter(|arguments| arguments.are_accepted_by(tool));
            error.call = arguments.and_then(|arguments| call_text(&tool.name, arguments.json));
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

/// The arguments of a call, which are compared with the schemas of tools.
struct Arguments<'a> {
    json: &'a str,
    pairs: Vec<(Cow<'a, str>, &'a str)>,
}

impl<'a> Arguments<'a> {
    /// `None` if they are not an object, or too long to be compared.
    fn new(json: &'a str) -> Option<Self> {
        const MAX_BYTES: usize = 16 << 10;
        let pairs = pairs(json).filter(|_| json.len() <= MAX_BYTES)?;
        Some(Arguments { json, pairs })
    }

    /// Whether the tool declares each argument, and they are valid.
    fn are_accepted_by(&self, tool: &ToolEntry) -> bool {
        let validator = &tool.validator.validator;
        let root = validator.node(validator.root);
        self.pairs.iter().all(|(key, _)| root.declared_property(key).is_some())
            && validator.validity(validator.root, self.json, &mut Budget::new(self.json)) != Validity::Invalid
    }
}

/// Whether the error of a call at this position of its reply suggests another tool. The search for it compares the names of
/// all tools, so the errors of later calls do not.
pub(super) fn may_suggest(position: usize) -> bool {
    const MAX_CALLS: usize = 100;
    position < MAX_CALLS
}
