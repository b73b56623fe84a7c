//! `Registry::collect()` finds every tool of the program and its dependencies.

use tool_runtime::{Registry, ToolCall, tool, tools};

/// Adds.
#[tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

mod deep {
    mod inside {
        /// A tool in a private module that no other code uses.
        #[tool_runtime::tool]
        fn hidden() -> &'static str {
            "found"
        }
    }
}

const EVERY: [&str; 9] = ["add", "add_two", "all-kinds", "args", "blocks", "halve", "hello", "hidden", "std"];

#[tokio::test]
async fn every_tool_of_the_program_is_collected_and_runs() {
    let registry = Registry::collect().expect("the names differ");
    assert_eq!(registry.names(), EVERY);
    let calls = [ToolCall::new("1", "hidden", "{}"), ToolCall::new("2", "add", r#"{"a":1,"b":2}"#)];
    let answers = registry.dispatch(&calls).await;
    assert_eq!((answers[0].content.as_str(), answers[1].content.as_str()), ("found", "3"));
}

#[test]
fn a_tool_of_any_crate_that_is_listed_and_collected_is_added_once() {
    let listed = tools![add, hygiene::tools::hello];
    let registry = Registry::builder().tools(listed).collect().build().expect("each is one tool");
    assert_eq!(registry.names(), EVERY);
}

#[test]
fn the_tools_of_one_crate_or_module_can_be_collected_alone() {
    let registry = Registry::builder().collect_from("hygiene").build().expect("they are there");
    assert_eq!(registry.names(), ["add_two", "all-kinds", "args", "blocks", "halve", "hello", "std"]);
    let registry = Registry::builder().collect_from("hygiene::tools::shadowed").build().expect("it is there");
    assert_eq!(registry.names(), ["add_two"]);
    let registry = Registry::builder().collect_from("collect").build().expect("they are there");
    assert_eq!(registry.names(), ["add", "hidden"]);
}
