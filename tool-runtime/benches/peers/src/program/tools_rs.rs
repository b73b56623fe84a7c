//! A program with tools of tools-rs.

use super::Source;

pub(super) const SOURCE: Source = Source {
    // The generated code uses four other crates; `serde_json` also creates the value that a call takes.
    dependencies: "tools-rs = \"0.3\"\ntools_core = \"0.3\"\ntools_macros = \"0.3\"\ninventory = \"0.3\"\n\
                   serde = \"1\"\nserde_json = \"1\"\n",
    head: "
use tools_rs::{FunctionCall, collect_tools, tool};
",
    // The macro does not support descriptions of parameters.
    tool: "
/// Tool @.
#[tool]
async fn tool_@(city: String, days: Option<u8>, detail: bool) -> String {
    format!(\"{city}{days:?}{detail}@\")
}
",
    before_list: "",
    listed: "",
    after_list: r#"
#[tokio::main(flavor = "current_thread")]
async fn main() {
    let tools = collect_tools();
    println!("{}", tools.json().unwrap().to_string().len());
    let arguments = serde_json::from_str("{\"city\":\"x\",\"detail\":true}").unwrap();
    println!("{:?}", tools.call(FunctionCall { id: None, name: "tool_0".to_owned(), arguments }).await);
}
"#,
};
