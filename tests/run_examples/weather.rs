//! The weather example as a process, alone and against a stub of an OpenAI-compatible server.

use crate::process::{self, appended_messages, stderr, stdout};
use crate::stub::{self, Received};
use axum::extract::Json;
use axum::http::StatusCode;
use axum::routing::post;
use serde_json::{Value, json};
use std::process::Output;

/// The array that is printed at the end.
fn printed_messages(stdout: &str) -> Vec<Value> {
    let (_, array) = stdout.split_once("The conversation as JSON:\n").expect("there is a heading");
    serde_json::from_str(array).expect("the array is JSON")
}

/// Three calls, then an answer.
fn reply(request: &Value) -> Value {
    let messages = request["messages"].as_array().expect("the request is valid");
    let results = messages.iter().filter(|message| message["role"] == "tool").count();
    if results > 0 {
        return json!({"role": "assistant", "content": format!("{results} results, thank you."), "annotations": []});
    }
    let calls: Vec<Value> = ["Beijing", "Shanghai", "Atlantis"]
        .iter()
        .enumerate()
        .map(|(index, city)| {
            let id = format!("call_{:024x}", fastrand::u64(..));
            let arguments = format!("{{\"city\": \"{city}\"}}");
            json!({"index": index, "id": id, "type": "function", "function": {"name": "get_weather", "arguments": arguments}})
        })
        .collect();
    json!({"role": "assistant", "content": null, "tool_calls": calls, "reasoning_content": "Three calls.", "refusal": null})
}

#[tokio::test]
async fn the_example_satisfies_a_strict_server_and_prints_the_messages() {
    let received = Received::default();
    let output = stub::run_against("weather", stub::completing(reply), received.clone(), "secret").await;
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));

    let requests = received.requests();
    assert_eq!(requests.len(), 2);
    for (headers, request) in received.headers().iter().zip(&requests) {
        assert_eq!(headers["authorization"], "Bearer secret");
        assert_eq!(request["model"], "stub-1");
        assert_eq!(request["tools"][0]["function"]["name"], "get_weather");
    }
    let last = requests[1]["messages"].as_array().expect("the request has messages");
    let roles: Vec<&str> = last.iter().filter_map(|message| message["role"].as_str()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "tool", "tool"]);
    assert!(
        last[5]["content"].as_str().is_some_and(|content| content.starts_with("Error: no weather station"))
    );

    let printed = printed_messages(&stdout(&output));
    assert_eq!(&printed[..6], &last[..], "the example prints the messages of the request");
    assert_eq!(printed[6], json!({"role": "assistant", "content": "3 results, thank you."}));
    assert_eq!(appended_messages(&stdout(&output)), printed);
}

#[test]
fn the_example_runs_with_a_script_by_default() {
    let output = process::run("weather", &[], "", &[]);
    assert!(output.status.success(), "{}", stderr(&output));
    let stdout = stdout(&output);
    assert!(stdout.lines().next().is_some_and(|line| line.contains("scripted model")), "{stdout}");
    let printed = printed_messages(&stdout);
    let roles: Vec<&str> = printed.iter().filter_map(|message| message["role"].as_str()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "tool", "tool", "assistant"]);
    assert_eq!(printed[2]["content"], Value::Null);
    for (position, call) in
        printed[2]["tool_calls"].as_array().expect("the reply has calls").iter().enumerate()
    {
        assert_eq!(printed[3 + position]["tool_call_id"], call["id"]);
    }
    assert_eq!(appended_messages(&stdout), printed);
}

/// Checks that the example fails with this message, without a panic.
fn assert_ends_with(output: &Output, message: &str) {
    assert_eq!(output.status.code(), Some(1), "{}", stdout(output));
    let stderr = stderr(output);
    assert!(stderr.starts_with("Error: ") && stderr.contains(message), "{stderr}");
    assert!(!stderr.contains("panicked") && !stderr.contains("backtrace"), "{stderr}");
}

#[test]
fn an_unreachable_server_is_a_clear_error() {
    let output = process::run("weather", &[], "", &[("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")]);
    assert_ends_with(&output, "cannot reach http://127.0.0.1:1/v1/chat/completions");
    let output = process::run("weather", &[], "", &[("OPENAI_BASE_URL", "not a url")]);
    assert_ends_with(&output, "cannot reach not a url/chat/completions");
}

#[tokio::test]
async fn an_error_of_the_server_is_printed() {
    async fn unauthorized() -> (StatusCode, Json<Value>) {
        (StatusCode::UNAUTHORIZED, Json(json!({"error": {"message": "Incorrect API key provided: sk-x."}})))
    }
    let app = axum::Router::new().route("/v1/chat/completions", post(unauthorized));
    assert_ends_with(
        &stub::run_against("weather", app, (), "sk-x").await,
        "the server responded with status 401: Incorrect API key provided: sk-x.",
    );
}

#[tokio::test]
async fn an_invalid_response_is_a_clear_error() {
    for body in [
        "<html>hello</html>",
        r#"{"choices":[]}"#,
        r#"{"choices":[{"message":{"role":"assistant","content":7}}]}"#,
    ] {
        let app = axum::Router::new().route("/v1/chat/completions", post(move || async move { body }));
        assert_ends_with(
            &stub::run_against("weather", app, (), "x").await,
            "the response of the server is not a reply",
        );
    }
}
