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

/// Runs the example, which succeeds, and returns its requests, the roles of its messages, and its warnings.
async fn run(reply: fn(&Value) -> Value) -> (Vec<Value>, Vec<String>, String) {
    let received = Received::default();
    let output = stub::run_against("planner", stub::completing(reply), received.clone(), "secret").await;
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    let messages = appended_messages(&stdout(&output));
    let roles = messages.iter().filter_map(|message| message["role"].as_str()).map(str::to_owned).collect();
    (received.requests(), roles, stderr(&output))
}

const NO_PLAN: &str = "Warning: the reply does not call the tool `plan`, which the request required\n";

#[tokio::test]
async fn an_early_answer_ends_the_run_with_a_warning() {
    let answer = |_: &Value| json!({"role": "assistant", "content": "Go to Osaka."});
    let (requests, roles, warnings) = run(answer).await;
    assert_eq!(requests.len(), 1, "no request follows an answer");
    assert_eq!(roles, ["system", "user", "assistant"]);
    assert_eq!(warnings, NO_PLAN);
}

#[tokio::test]
async fn a_model_that_never_plans_continues_with_a_warning() {
    let reply = |request: &Value| {
        let function = json!({"name": "get_forecast", "arguments": r#"{"city":"Kyoto"}"#});
        match request["messages"].as_array().map(Vec::len) {
            Some(2) => {
                json!({"role": "assistant", "tool_calls": [{"id": "a", "type": "function", "function": function}]})
            }
            _ => json!({"role": "assistant", "content": "Go."}),
        }
    };
    let (requests, roles, warnings) = run(reply).await;
    assert_eq!(requests.len(), 2);
    assert_eq!(roles, ["system", "user", "assistant", "tool", "assistant"]);
    assert_eq!(warnings, NO_PLAN);
}

#[tokio::test]
async fn a_model_that_never_concludes_is_a_clear_error() {
    let reply = |_: &Value| {
        let function = json!({"name": "plan", "arguments": r#"{"steps":["look"]}"#});
        json!({"role": "assistant", "tool_calls": [{"id": "a", "type": "function", "function": function}]})
    };
    let received = Received::default();
    let output = stub::run_against("planner", stub::completing(reply), received.clone(), "secret").await;
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        stderr(&output),
        "Error: there is no conclusion: the limit of replies is reached; ask a simpler question\n"
    );
    let choices: Vec<Value> =
        received.requests().iter().skip(2).map(|request| request["tool_choice"].clone()).collect();
    assert_eq!(choices, vec![json!("none"); 8]);
}
