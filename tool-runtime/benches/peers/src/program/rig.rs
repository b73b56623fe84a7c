//! A program with tools of rig.

use super::Source;

pub(super) const SOURCE: Source = Source {
    // Tools need no default features, which would add an HTTP client.
    dependencies: "rig-core = { version = \"0.44\", default-features = false, features = [\"derive\"] }\n",
    head: "
use rig_core::rig_tool;
use rig_core::tool::{ErasedTool, ToolContext, ToolExecutionError};
use std::collections::HashMap;
",
    tool: "
/// Tool @.
#[rig_tool]
async fn tool_@(
    /// City.
    city: String,
    /// Days.
    days: Option<u8>,
    /// Detail.
    detail: bool,
) -> Result<String, ToolExecutionError> {
    Ok(format!(\"{city}{days:?}{detail}@\"))
}
",
    before_list: "
fn tools() -> HashMap<String, Box<dyn ErasedTool>> {
    let tools: Vec<Box<dyn ErasedTool>> = vec![
",
    listed: "        Box::new(Tool@),\n",
    after_list: r#"
    ];
    tools.into_iter().map(|tool| (tool.name(), tool)).collect()
}
#[tokio::main(flavor = "current_thread")]
async fn main() {
    let tools = tools();
    let described = tools.values().map(|tool| tool.description().len() + tool.parameters().to_string().len());
    println!("{}", described.sum::<usize>());
    let arguments = "{\"city\":\"x\",\"detail\":true}".to_owned();
    println!("{:?}", tools["tool_0"].execute(arguments, &mut ToolContext::new()).await);
}
"#,
};
