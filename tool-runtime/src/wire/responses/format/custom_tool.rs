//! Custom tools: the model writes free text instead of JSON.

use crate::json::remove_entry;
use crate::schema::ToolSchema;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The parameters of the custom tools, by the names of the tools.
#[derive(Clone, Debug, Default)]
pub(super) struct CustomTools(pub(super) BTreeMap<String, String>);

impl CustomTools {
    /// Whether the tool is sent as a custom tool: its parameter is a string, and its only one.
    pub(super) fn contains(&self, tool: &ToolSchema) -> bool {
        let Some(parameter) = self.0.get(tool.name()) else { return false };
        let schema: Value = serde_json::from_str(tool.parameters().get()).unwrap_or_default();
        let properties = schema["properties"].as_object();
        properties.is_some_and(|all| all.len() == 1 && all.get(parameter).is_some_and(is_string))
    }

    /// The arguments with this text; `None` if there is no such custom tool.
    pub(super) fn arguments(&self, tool: &str, text: &str) -> Option<String> {
        let parameter = self.0.get(tool)?;
        Some(json!({ parameter: text }).to_string())
    }

    /// The text in these arguments; `None` if there is no such custom tool, or if the arguments are not one text.
    pub(super) fn text(&self, tool: &str, arguments: &str) -> Option<String> {
        let parameter = self.0.get(tool)?;
        let mut arguments: Map<String, Value> = serde_json::from_str(arguments).ok()?;
        match remove_entry(&mut arguments, parameter)? {
            Value::String(text) if arguments.is_empty() => Some(text),
            _ => None,
        }
    }
}

fn is_string(schema: &Value) -> bool {
    schema["type"] == "string"
}
