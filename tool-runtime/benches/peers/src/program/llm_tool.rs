//! A program with tools of llm-tool.

use super::Source;

pub(super) const SOURCE: Source = Source {
    dependencies: "llm-tool = \"0.10\"\nschemars = \"1\"\nserde = \"1\"\n",
    head: "
use llm_tool::{ToolContext, ToolRegistry, llm_tool};
",
    tool: "
/// Tool @.
#[llm_tool]
async fn tool_@(
    /// City.
    city: String,
    /// Days.
    days: Option<u8>,
    /// Detail.
    detail: bool,
) -> String {
    format!(\"{city}{days:?}{detail}@\")
}
",
    before_list: "
fn registry() -> ToolRegistry {
    let mut registry = ToolRegistry::new();
",
    listed: "    registry.register(Tool@);\n",
    after_list: r#"
    registry
}
#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (registry, context) = (registry(), ToolContext::new());
    println!("{}", registry.definitions_slice().iter().map(|tool| tool.parameter_schema_json().len()).sum::<usize>());
    println!("{:?}", registry.dispatch_str("tool_0", "{\"city\":\"x\",\"detail\":true}", &context).await);
}
"#,
};
