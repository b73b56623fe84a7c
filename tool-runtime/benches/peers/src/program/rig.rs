//! A program with tools of rig.

use super::Source;

pub(super) const SOURCE: Source = Source {
    // As a user of the facade gets it: with the agent, whose `ToolSet` runs tools by name, and an HTTP client.
    dependencies: "rig = \"=0.46.0\"\n",
    head: "
use rig::rig_tool;
use rig::tool::{ToolContext, ToolExecutionError, ToolSet};
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
fn tools() -> ToolSet {
    let mut tools = ToolSet::default();
",
    listed: "    tools.add_tool(Tool@);\n",
    after_list: r#"
    tools
}
#[tokio::main(flavor = "current_thread")]
async fn main() {
    let tools = tools();
    let described = tools.tool_definitions();
    let described = described.iter().map(|tool| tool.description.len() + tool.parameters.to_string().len());
    println!("{}", described.sum::<usize>());
    let arguments = "{\"city\":\"x\",\"detail\":true}";
    println!("{:?}", tools.execute("tool_0", arguments, &mut ToolContext::new()).await);
}
"#,
};
