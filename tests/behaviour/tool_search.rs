//! Tools that a model finds with a search.

mod calls;
mod results;
mod sessions;
mod tools_of_requests;

use serde_json::{Value, json};
use tool_runtime::search::Search;
use tool_runtime::{DynamicTool, Registry, RegistryBuilder, ToolCall, tool, tools};

/// The time of day.
#[tool(read_only)]
fn now() -> &'static str {
    "12:00"
}

/// Looks up the weather of a city.
#[tool(read_only)]
fn get_weather(
    /// The name of the city.
    city: &str,
    #[arg(default = 0)] days: u8,
) -> String {
    format!("{city} in {days} days: sunny")
}

/// Deletes a file.
#[tool(destructive, requires_approval)]
fn delete_file(path: &str) -> String {
    format!("{path} is deleted")
}

/// Sends an invoice to a customer.
#[tool(max_calls = 1)]
fn send_invoice(customer: u32) -> String {
    format!("sent to {customer}")
}

fn builder() -> RegistryBuilder {
    let search = Search::new().pin(["now"]);
    Registry::builder().tools(tools![now, get_weather, delete_file, send_invoice]).search(search)
}

fn registry() -> Registry {
    builder().build().expect("the tools are valid")
}

/// A tool without parameters.
fn named(name: &str, description: &str) -> DynamicTool {
    let name_of_result = name.to_owned();
    DynamicTool::new(name, description, json!({"type": "object"}), move |_| {
        let name = name_of_result.clone();
        async move { Ok::<_, String>(name) }
    })
}

/// A call of `call_tool`.
fn call(id: &str, tool: &str, arguments: Value) -> ToolCall {
    ToolCall::new(id, "call_tool", json!({"name": tool, "arguments": arguments}).to_string())
}

async fn content(registry: &Registry, call: ToolCall) -> String {
    let messages = registry.dispatch(&[call]).await;
    assert_eq!(messages.len(), 1);
    messages[0].text().to_owned()
}
