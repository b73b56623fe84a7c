//! The tool for a typed answer.

use crate::registry::Registry;
use crate::schema::ToolSchema;
use crate::wire::{RequestParts, ToolArrays, ToolCache};

/// The tool that a model calls to give its typed answer, for wires without a response format for it. It never runs.
#[derive(Debug)]
pub(crate) struct AnswerTool {
    pub(crate) schema: ToolSchema,
    /// The tools of the registry and this one.
    tools: Vec<ToolSchema>,
    arrays: ToolArrays,
}

impl AnswerTool {
    pub(crate) fn new(schema: ToolSchema, registry: &Registry) -> Self {
        let tools = registry.schemas().iter().chain([&schema]).cloned().collect();
        AnswerTool { schema, tools, arrays: ToolArrays::default() }
    }

    /// The parts of a request in which the model answers with this tool.
    pub(super) fn add_to<'a>(&'a self, mut parts: RequestParts<'a>) -> RequestParts<'a> {
        parts.tools = &self.tools;
        let RequestParts { tools, deferred_tools, .. } = parts;
        parts.cache = Some(ToolCache { tools, deferred_tools, arrays: &self.arrays });
        parts.allowed.answer = Some(self.schema.name());
        parts.answer_schema = None;
        parts
    }
}
