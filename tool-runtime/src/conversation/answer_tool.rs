//! The tool for a typed answer.

use crate::registry::Registry;
use crate::schema::ToolSchema;
use crate::wire::ToolArrays;

/// The tool that a model calls to give its typed answer, for wires without a response format for it. It never runs.
#[derive(Debug)]
pub(crate) struct AnswerTool {
    pub(crate) schema: ToolSchema,
    /// The tools of the registry and this one.
    pub(super) tools: Vec<ToolSchema>,
    pub(super) arrays: ToolArrays,
}

impl AnswerTool {
    pub(crate) fn new(schema: ToolSchema, registry: &Registry) -> Self {
        let tools = registry.schemas().iter().chain([&schema]).cloned().collect();
        AnswerTool { schema, tools, arrays: ToolArrays::default() }
    }
}
