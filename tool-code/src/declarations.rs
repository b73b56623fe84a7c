//! The declarations of tools, from their schemas.

use crate::engine::{Declaration, Engine, ProgramTool};
use crate::shortened::one_line;
use serde_json::{Map, Value, json};
use tool_runtime::search::documented_signature;
use tool_runtime::{Registry, ToolSchema};

/// The documentation of a tool, in characters.
const MAX_DOCUMENTATION: usize = 400;

/// The declaration of each tool of a registry, in the order of its schemas.
pub(crate) fn declarations(engine: &dyn Engine, registry: &Registry) -> Vec<String> {
    let declare = |tool: &ToolSchema| {
        let output = registry.tool(tool.name()).and_then(|tool| tool.output_schema);
        let result = output.and_then(result_type);
        engine.declaration(&Declaration {
            name: tool.name(),
            documentation: &one_line(tool.description(), MAX_DOCUMENTATION),
            arguments: &argument_types(tool),
            result: result.as_deref(),
        })
    };
    registry.schemas().iter().map(declare).collect()
}

/// The tools of a registry for a program.
pub(crate) fn program_tools(registry: &Registry) -> Vec<ProgramTool> {
    let parameters = |tool: &ToolSchema| {
        let schema: Value = serde_json::from_str(tool.parameters().get()).unwrap_or_default();
        let properties = schema["properties"].as_object().into_iter().flatten();
        properties.map(|(name, _)| name.clone()).collect()
    };
    registry.schemas().iter().map(|tool| ProgramTool::new(tool.name(), parameters(tool))).collect()
}

/// The type of the arguments of a tool; empty if it has none.
fn argument_types(tool: &ToolSchema) -> String {
    let signature = documented_signature(tool);
    let arguments =
        signature.strip_prefix(tool.name()).and_then(|rest| rest.strip_prefix('(')?.strip_suffix(')'));
    match arguments.unwrap_or("object") {
        "" => String::new(),
        // A union or a map is a type, and anything else lists properties.
        arguments
            if arguments.starts_with(['{', '('])
                || arguments.starts_with("Record<")
                || arguments == "object" =>
        {
            arguments.to_owned()
        }
        arguments => format!("{{{arguments}}}"),
    }
}

/// The type of a result, in the notation of signatures.
fn result_type(output: &Value) -> Option<String> {
    // The notation has a function for the parameters of a tool: a tool with one parameter has the type in it.
    let definitions = ["$defs", "definitions"]
        .into_iter()
        .filter_map(|key| Some((key.to_owned(), output.get(key)?.clone())));
    let mut parameters: Map<String, Value> = definitions.collect();
    parameters.insert("properties".to_owned(), json!({ "_": output }));
    parameters.insert("required".to_owned(), json!(["_"]));
    let function = json!({ "name": "_", "parameters": parameters });
    let tool: ToolSchema =
        serde_json::from_value(json!({ "type": "function", "function": function })).ok()?;
    let signature = documented_signature(&tool);
    let written = signature.strip_prefix("_(_: ")?.strip_suffix(')')?;
    (written != "any").then(|| written.to_owned())
}
