//! The names of tools that the provider defines and the program runs.

use crate::wire::tool_settings::ToolSettings;

/// The name in the provider's definition of a tool of the registry; the name of the tool if it has no such definition.
pub(super) fn provider_name<'n>(settings: &'n ToolSettings, tool: &'n str) -> &'n str {
    let definition = settings.client_definition(tool);
    definition.and_then(|definition| definition["name"].as_str()).unwrap_or(tool)
}

/// The tool of the registry that runs the calls of this name.
pub(super) fn registry_name<'n>(settings: &'n ToolSettings, called: &'n str) -> &'n str {
    settings.client_tool(|definition| definition["name"] == called).unwrap_or(called)
}
