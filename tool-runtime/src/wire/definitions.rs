//! The definitions of tools as a provider accepts them.

use super::NotStrictTool;
use super::report::{ChangedDefinition, LeftOutTool};
use super::tool_arrays::ToolArray;
use crate::schema::ToolSchema;
use crate::schema::conversion::{SchemaChange, Step, WrittenDefinition};
use serde_json::value::RawValue;
use std::sync::Arc;

/// What a provider accepts of definitions.
pub(crate) struct DefinitionRules {
    /// The name of the wire.
    pub(crate) wire: &'static str,
    /// The changes that the provider needs, in this order. Each has its source where it is listed.
    pub(crate) steps: &'static [Step],
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
            let definition = tool.written(rules.wire, rules.steps);
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
