//! The tools of a registry in the format of the protocol.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;
use std::sync::Arc;
use tool_runtime::{Registry, ToolSchema};

pub(super) fn definitions(registry: &Registry) -> Vec<Tool> {
    registry.schemas().iter().map(|schema| definition(registry, schema)).collect()
}

fn definition(registry: &Registry, schema: &ToolSchema) -> Tool {
    let name = schema.name();
    // The schema of a registered tool is an object.
    let parameters: JsonObject = serde_json::from_str(schema.parameters().get()).unwrap_or_default();
    let description = Some(schema.description()).filter(|text| !text.is_empty());
    let mut tool = Tool::new_with_raw(
        name.to_owned(),
        description.map(|text| text.to_owned().into()),
        Arc::new(parameters),
    );
    tool.title = registry.title(name).map(str::to_owned);
    if let Some(Value::Object(output)) = registry.output_schema(name) {
        tool.output_schema = Some(Arc::new(output.clone()));
    }
    let declared = registry.annotations(name).unwrap_or_default();
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
