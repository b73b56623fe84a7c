//! The planner example, alone and against a stub of an OpenAI-compatible server.

use crate::process::{self, appended_messages, stderr, stdout};
use crate::stub::{self, Received};
use serde_json::{Value, json};

#[test]
fn the_scripted_example_goes_from_the_plan_to_the_answer() {
    let output = process::run("planner", &[], "", &[]);
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    let messages = appended_messages(&stdout(&output));
    let roles: Vec<&str> = messages.iter().filter_map(|message| message["role"].as_str()).collect();
    assert_eq!(
        roles,
        ["system", "user", "assistant", "tool", "assistant", "tool", "tool", "tool", "assistant"],
    );
    assert_eq!(messages[2]["tool_calls"][0]["function"]["name"], "plan");
    assert_eq!(messages[4]["tool_calls"].as_array().map(Vec::len), Some(3));
    let conclusion = messages[8]["content"].as_str().expect("there is an answer");
    assert!(stdout(&output).trim_end().ends_with(conclusion));
}

/// A plan, then two calls, then an answer.
fn reply(request: &Value) -> Value {
    let results = request["messages"]
        .as_array()
        .map_or(0, |messages| messages.iter().filter(|message| message["role"] == "tool").count());
    let call = |id: &str, name: &str, arguments: Value| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments.to_string()}});
    match results {
        0 => json!({"role": "assistant", "tool_calls": [call("a", "plan", json!({"steps": ["look"]}))]}),
        1 => json!({"role": "assistant", "tool_calls": [
            call("b", "get_forecast", json!({"city": "Kyoto"})),
            call("c", "find_hotels", json!({"city": "Kyoto", "nights": 0})),
        ]}),
        _ => json!({"role": "assistant", "content": "Go."}),
    }
}

#[tokio::test]
async fn the_first_request_forces_a_plan_and_the_last_one_allows_no_calls() {
    let received = Received::default();
    let output = stub::run_against("planner", stub::completing(reply), received.clone(), "secret").await;
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    let choices: Vec<Value> =
        received.requests().iter().map(|request| request["tool_choice"].clone()).collect();
    let plan = json!({"type": "function", "function": {"name": "plan"}});
    assert_eq!(choices, [plan, Value::Null, json!("none")]);
    assert!(received.requests().iter().all(|request| request["tools"].as_array().map(Vec::len) == Some(4)));
    let messages = appended_messages(&stdout(&output));
    assert_eq!(messages[6]["content"], "Error: a stay is one night at least");
}
