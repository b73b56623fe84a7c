//! A program with tools of this library.

use super::Source;

pub(super) const SOURCE: Source = Source {
    dependencies: "tool-runtime = { path = \"@\" }\n",
    head: "
use tool_runtime::{Registry, ToolCall, serde_json, tool};
",
    tool: "
/// Tool @.
#[tool]
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
    listed: "",
    before_list: "",
    after_list: r#"
#[tokio::main(flavor = "current_thread")]
async fn main() {
    let registry = Registry::collect().unwrap();
    println!("{}", registry.schemas().iter().map(|tool| serde_json::to_string(tool).unwrap().len()).sum::<usize>());
    println!("{:?}", registry.dispatch(&[ToolCall::new("c", "tool_0", "{\"city\":\"x\",\"detail\":true}")]).await);
}
"#,
};
