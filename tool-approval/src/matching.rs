//! A call as rules see it, and how its arguments match patterns.

use crate::command::Command;
use crate::pattern::Pattern;
use crate::rules::CommandArgument;
use crate::unique_keys;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Whether a rule concerns a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Match {
    No,
    /// It cannot be decided, for this reason.
    Maybe(&'static str),
    Yes,
}

impl Match {
    pub(crate) fn and(self, other: Match) -> Match {
        match (self, other) {
            (Match::No, _) | (_, Match::No) => Match::No,
            (Match::Maybe(doubt), _) | (_, Match::Maybe(doubt)) => Match::Maybe(doubt),
            (Match::Yes, Match::Yes) => Match::Yes,
        }
    }

    fn or_yes_if(self, condition: bool) -> Match {
        if condition { Match::Yes } else { self }
    }
}

/// A call, with its arguments and the commands among them.
pub(crate) struct ReadCall<'a> {
    pub(crate) tool: &'a str,
    pub(crate) requires_approval: bool,
    /// `None` if the text is no object, or if two readers may read it differently.
    pub(crate) arguments: Option<BTreeMap<String, Value>>,
    commands: Vec<(&'a str, Command)>,
}

impl<'a> ReadCall<'a> {
    pub(crate) fn new(
        tool: &'a str,
        arguments: &str,
        requires_approval: bool,
        declared: &'a [CommandArgument],
    ) -> Self {
        let arguments = unique_keys::object(arguments);
        let command = |declared: &'a CommandArgument| {
            let value = arguments.as_ref()?.get(&declared.argument)?;
            Some((&*declared.argument, Command::read(value)))
        };
        let commands = declared.iter().filter(|declared| declared.tool.matches(tool)).filter_map(command);
        let commands = commands.collect();
        ReadCall { tool, requires_approval, arguments, commands }
    }

    /// Whether an argument matches a pattern of a rule that denies or asks.
    pub(crate) fn concerns(&self, name: &str, pattern: &Pattern) -> Match {
        let Some(arguments) = &self.arguments else {
            return Match::Maybe(
                "the arguments have a repeated key, or a number that cannot be compared exactly",
            );
        };
        let Some(value) = arguments.get(name) else {
            return Match::Maybe("the argument is absent, and its default is unknown");
        };
        let is_match = matches_any(value, pattern);
        match self.command(name) {
            Some(command) => command.concerns(pattern).or_yes_if(is_match),
            None => Match::No.or_yes_if(is_match),
        }
    }

    /// Whether an argument matches a pattern of a rule that allows.
    pub(crate) fn allows(&self, name: &str, pattern: &Pattern) -> bool {
        let value = self.arguments.as_ref().and_then(|arguments| arguments.get(name));
        match (value, self.command(name)) {
            (None, _) => false,
            (Some(_), Some(command)) => command.allows(pattern),
            (Some(value), None) => matches_every(value, pattern),
        }
    }

    /// Why an argument that is a command cannot be compared with patterns.
    pub(crate) fn doubt(&self, name: &str) -> Option<&'static str> {
        self.command(name)?.doubt
    }

    fn command(&self, name: &str) -> Option<&Command> {
        self.commands.iter().find(|(argument, _)| *argument == name).map(|(_, command)| command)
    }
}

/// Whether any leaf of a value matches, or its whole text.
fn matches_any(value: &Value, pattern: &Pattern) -> bool {
    let is_nested = matches!(value, Value::Array(_) | Value::Object(_));
    leaves(value).iter().any(|leaf| pattern.matches(leaf))
        || (is_nested && pattern.matches(&value.to_string()))
}

/// Whether a value has a leaf, and each leaf matches.
fn matches_every(value: &Value, pattern: &Pattern) -> bool {
    let leaves = leaves(value);
    !leaves.is_empty() && leaves.iter().all(|leaf| pattern.matches_line(leaf))
}

/// The texts of the strings, numbers and other values in a value; keys and empty arrays and objects have none.
fn leaves(value: &Value) -> Vec<Cow<'_, str>> {
    let mut leaves = Vec::new();
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(entries) => open.extend(entries.values()),
            Value::String(text) => leaves.push(Cow::Borrowed(&**text)),
            other => leaves.push(Cow::Owned(other.to_string())),
        }
    }
    leaves
}
