//! The tools of a registry in the format of the protocol.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;
use std::sync::Arc;
use tool_runtime::Registry;
use tool_runtime::registry::RegisteredTool;

pub(super) fn definitions(registry: &Registry) -> Vec<Tool> {
    registry.schemas().iter().filter_map(|schema| registry.tool(schema.name())).map(definition).collect()
}

fn definition(
    RegisteredTool { schema, title, annotations: declared, output_schema, .. }: RegisteredTool<'_>,
) -> Tool {
    // The schema of a registered tool is an object.
    let parameters: JsonObject = serde_json::from_str(schema.parameters().get()).unwrap_or_default();
    let description = Some(schema.description()).filter(|text| !text.is_empty());
    let mut tool = Tool::new_with_raw(
        schema.name().to_owned(),
        description.map(|text| text.to_owned().into()),
        Arc::new(parameters),
    );
    tool.title = title.map(str::to_owned);
    if let Some(Value::Object(output)) = output_schema {
        tool.output_schema = Some(Arc::new(output.clone()));
    }
    let annotations = ToolAnnotations::from_raw(
        None,
        declared.read_only,
        declared.destructive,
        declared.idempotent,
        declared.open_world,
    );
    tool.annotations = Some(annotations).filter(|annotations| *annotations != ToolAnnotations::default());
    tool
}
