//! The search among the tools of a public collection of questions, in the folder that the variable `TOOL_CORPORA` names: how
//! often it finds the right tool, and the tokens that it saves. Fails if a result is worse than its limit.

mod recall;
mod tokens;

use serde_json::{Value, json};
use tool_runtime::ToolSchema;

fn tool(name: &str, description: &str, parameters: &Value) -> ToolSchema {
    let function = json!({"name": name, "description": description, "parameters": parameters});
    serde_json::from_value(json!({"type": "function", "function": function})).expect("a definition")
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let Some(collection) = recall::collection() else { return };
    recall::measure(&collection);
    tokens::measure(&collection).await;
}
