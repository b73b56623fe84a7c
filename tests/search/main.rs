//! The ranking of tools and their signatures.

mod found;
mod hostile;
mod names;
mod prompt_cache;
mod signatures;

use serde_json::{Value, json};
use tool_runtime::ToolSchema;
use tool_runtime::search::KeywordIndex;

fn tool(name: &str, description: &str, parameters: &Value) -> ToolSchema {
    let function = json!({"name": name, "description": description, "parameters": parameters});
    serde_json::from_value(json!({"type": "function", "function": function})).expect("a definition")
}

/// Tools without parameters, by name and description.
fn tools(tools: &[(&str, &str)]) -> Vec<ToolSchema> {
    tools.iter().map(|(name, description)| tool(name, description, &json!({"type": "object"}))).collect()
}

/// The names of the tools that a query finds, the best first.
fn found<'t>(tools: &'t [ToolSchema], query: &str) -> Vec<&'t str> {
    let index = KeywordIndex::new(tools);
    index.rank(query, tools.len()).into_iter().map(|position| tools[position].name()).collect()
}
