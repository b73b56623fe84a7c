//! Dispatches calls for `measure.py`. Reads one call per line from standard input, and writes its result as one line to
//! standard output.

use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{self, Write as _};
use tool_runtime::{DynamicTool, Registry, RegistryBuilder, ToolCall};

/// A call, and the definitions of the tools in the form of Chat Completions.
#[derive(Deserialize)]
struct Line {
    definitions: Vec<Value>,
    name: String,
    arguments: String,
}

/// A registry of tools that return their arguments.
fn registry(definitions: &[Value]) -> Result<Registry, Box<dyn std::error::Error>> {
    let tools = definitions.iter().map(|definition| {
        let function = &definition["function"];
        let text = |key: &str| function[key].as_str().unwrap_or_default();
        let echo = |arguments| async move { Ok::<_, String>(Value::Object(arguments)) };
        let tool = DynamicTool::new(text("name"), text("description"), function["parameters"].clone(), echo);
        tool.deny_unknown_arguments(true)
    });
    Ok(tools.fold(Registry::builder(), RegistryBuilder::dynamic).build()?)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    for line in io::stdin().lines() {
        let Line { definitions, name, arguments } = serde_json::from_str(&line?)?;
        let call = ToolCall::new("call_1", name, arguments);
        let result = registry(&definitions)?.dispatch(&[call]).await.remove(0);
        let is_error = result.outcome().is_none_or(|outcome| outcome.error().is_some());
        let mut out = io::stdout().lock();
        writeln!(out, "{}", json!({ "text": result.text(), "is_error": is_error }))?;
        out.flush()?;
    }
    Ok(())
}
