//! The definitions of tools as a provider accepts them.

#[cfg(feature = "bedrock")]
use super::bedrock;
#[cfg(feature = "gemini")]
use super::gemini;
#[cfg(feature = "gemini_interactions")]
use super::gemini_interactions;
#[cfg(feature = "ollama")]
use super::ollama;
use super::report::{ChangedDefinition, LeftOutTool};
use super::tool_arrays::ToolArray;
use super::{NotStrictTool, anthropic, chat_completions};
use crate::schema::{NotStrict, ToolSchema, WrittenDefinition};
use serde_json::value::RawValue;
use std::sync::Arc;
use tool_runtime_schema::conversion::{Rule, SchemaChange};
#[cfg(feature = "testing")]
use {crate::schema::broken_rule, serde_json::Value};

/// The rules of a provider for definitions of functions, or for foreign ones.
pub(crate) struct DefinitionRules {
    /// The name of the wire.
    pub(crate) wire: &'static str,
    /// The rules, in the order in which they are applied.
    pub(crate) rules: &'static [Rule],
}

/// The rules of each provider for foreign definitions. They are not part of [`Provider`](super::provider::Provider), so that a
/// program without foreign definitions does not contain them.
static FOREIGN: &[&DefinitionRules] = &[
    &chat_completions::FOREIGN,
    &anthropic::FOREIGN,
    #[cfg(feature = "bedrock")]
    &bedrock::FOREIGN,
    #[cfg(feature = "gemini")]
    &gemini::FOREIGN,
    #[cfg(feature = "gemini_interactions")]
    &gemini_interactions::FOREIGN,
    #[cfg(feature = "ollama")]
    &ollama::FOREIGN,
];

/// Converts a foreign definition for the wire of this name.
pub(crate) fn convert_foreign(tool: &ToolSchema, wire: &str) -> WrittenDefinition {
    let rules = FOREIGN.iter().find(|rules| rules.wire == wire).unwrap_or(&&chat_completions::FOREIGN);
    WrittenDefinition::from_foreign(tool, rules.rules)
}

/// The place in the parameters, and the error message, of the first rule of the provider that a definition breaks.
#[cfg(feature = "testing")]
pub(crate) fn broken_definition(wire: &str, parameters: &Value) -> Option<(String, &'static str)> {
    let rules = FOREIGN.iter().find(|rules| rules.wire == wire)?;
    broken_rule(parameters, rules.rules)
}

impl ToolSchema {
    /// Converts the parameters, as a wire writes them, to a strict form.
    pub(super) fn strict_form<T>(
        &self,
        rules: &DefinitionRules,
        convert: fn(&RawValue) -> Result<T, Vec<NotStrict>>,
    ) -> Result<T, Vec<NotStrict>> {
        let written = self.written(rules.wire, rules.rules);
        if !written.not_strict.is_empty() {
            return Err(written.not_strict.clone());
        }
        convert(self.forms().strict_parameters(written.parameters(self)))
    }
}

/// The tools of a request in the form of a wire, and what is reported about them.
#[derive(Default)]
pub(super) struct WrittenTools<'a> {
    pub(super) tools: Vec<(&'a ToolSchema, Arc<WrittenDefinition>)>,
    pub(super) not_strict: Vec<NotStrictTool>,
    changed: Vec<ChangedDefinition>,
    left_out: Vec<LeftOutTool>,
}

impl<'a> WrittenTools<'a> {
    /// Adds tools, without those that the provider rejects and without those after the maximum number.
    pub(super) fn add(
        &mut self,
        tools: impl IntoIterator<Item = &'a ToolSchema>,
        rules: &DefinitionRules,
        max_tools: Option<usize>,
    ) {
        for tool in tools {
            let name = || tool.name().to_owned();
            let definition = tool.written(rules.wire, rules.rules);
            let exceeded = max_tools.filter(|&max| self.tools.len() >= max);
            let too_many = || exceeded.map(|max| format!("a request may have at most {max} tools"));
            if let Some(reason) = definition.rejected.clone().or_else(too_many) {
                self.left_out.push(LeftOutTool { tool: name(), reason });
                continue;
            }
            let changes = definition.changes.iter().cloned();
            self.changed.extend(changes.map(|SchemaChange { place, change }| ChangedDefinition {
                tool: name(),
                place,
                change,
            }));
            self.tools.push((tool, definition));
        }
    }

    /// The `tools` array of these tools.
    pub(super) fn into_array(self, json: Box<RawValue>) -> ToolArray {
        ToolArray {
            json: json.into(),
            has_tools: !self.tools.is_empty(),
            not_strict: self.not_strict,
            changed: self.changed.into(),
            left_out: self.left_out.into(),
        }
    }
}
