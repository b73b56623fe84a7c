//! The first program of the README, against a stub of a Chat Completions server.

use crate::process::{stderr, stdout};
use crate::stub::{self, Received};
use serde_json::{Value, json};

/// A call, then an answer.
fn reply(request: &Value) -> Value {
    let messages = request["messages"].as_array().expect("checked before");
    if let Some(result) = messages.iter().find(|message| message["role"] == "tool") {
        return json!({ "role": "assistant", "content": result["content"] });
    }
    let function = json!({ "name": "get_weather", "arguments": "{\"city\":\"Beijing\"}" });
    json!({ "role": "assistant", "tool_calls": [{ "id": "call_1", "type": "function", "function": function }] })
}

#[tokio::test]
async fn it_prints_the_answer_of_a_strict_server() {
    let received = Received::default();
    let output = stub::run_against("quick_start", stub::completing(reply), received.clone(), "secret").await;
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stdout(&output), "Beijing in 0 days: sunny\n");
    assert_eq!(received.requests().len(), 2);
    assert_eq!(received.headers()[0]["authorization"], "Bearer secret");
}

#[test]
fn it_is_the_program_of_the_readme() {
    let readme = include_str!("../../README.md").replace("\r\n", "\n");
    let source = include_str!("../../examples/quick_start.rs").replace("\r\n", "\n");
    let (_, block) = readme.split_once("```rust,ignore\n").expect("the README has a first program");
    let (program, _) = block.split_once("```\n").expect("the program ends");
    let (_, source) = source.split_once("\n\n").expect("a header before the program");
    assert_eq!(source, program);
}
