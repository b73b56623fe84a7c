//! The weather example as a process, alone and against a stub of an OpenAI-compatible server.

use crate::process::{self, appended_messages, stderr, stdout};
use axum::extract::{Json, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use examples::provider_rules;
use serde_json::{Value, json};
use std::process::Output;
use std::sync::{Arc, Mutex};

/// The array that is printed at the end.
fn printed_messages(stdout: &str) -> Vec<Value> {
    let (_, array) =
        stdout.split_once("The messages of the next request:\n").expect("the array is announced");
    serde_json::from_str(array).expect("the array is JSON")
}

/// What the stub was sent, in order.
#[derive(Clone, Default)]
struct Received(Arc<Mutex<Vec<(HeaderMap, Value)>>>);

async fn complete(
    State(received): State<Received>,
    headers: HeaderMap,
    Json(request): Json<Value>,
) -> (StatusCode, Json<Value>) {
    received.0.lock().expect("no test panics with it").push((headers, request.clone()));
    if let Err(refusal) = provider_rules::check(&request) {
        let error = json!({"error": {"message": refusal.message, "type": "invalid_request_error", "param": refusal.param}});
        return (StatusCode::BAD_REQUEST, Json(error));
    }
    let messages = request["messages"].as_array().expect("checked above");
    let answers = messages.iter().filter(|message| message["role"] == "tool").count();
    let message = if answers == 0 {
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
    } else {
        json!({"role": "assistant", "content": format!("{answers} answers, thank you."), "annotations": []})
    };
    (
        StatusCode::OK,
        Json(json!({"id": "1", "object": "chat.completion", "choices": [{"index": 0, "message": message}]})),
    )
}

/// Runs the example against a server in this process.
async fn run_against<S: Clone + Send + Sync + 'static>(
    app: axum::Router<S>,
    state: S,
    key: &'static str,
) -> Output {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}/v1", listener.local_addr().expect("it has an address"));
    let server = tokio::spawn(async move { axum::serve(listener, app.with_state(state)).await });
    let output = tokio::task::spawn_blocking(move || {
        process::run(
            "weather",
            "",
            &[("OPENAI_BASE_URL", &url), ("OPENAI_API_KEY", key), ("OPENAI_MODEL", "stub-1")],
        )
    })
    .await
    .expect("the example ends");
    server.abort();
    output
}

#[tokio::test]
async fn the_example_satisfies_a_strict_server_and_prints_what_it_sent() {
    let received = Received::default();
    let app = axum::Router::new().route("/v1/chat/completions", post(complete));
    let output = run_against(app, received.clone(), "secret").await;
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));

    let received = received.0.lock().expect("the server is gone");
    assert_eq!(received.len(), 2);
    for (headers, request) in received.iter() {
        assert_eq!(headers["authorization"], "Bearer secret");
        assert_eq!(request["model"], "stub-1");
        assert_eq!(request["tools"][0]["function"]["name"], "get_weather");
    }
    let last = received[1].1["messages"].as_array().expect("it has messages");
    let roles: Vec<&str> = last.iter().filter_map(|message| message["role"].as_str()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "tool", "tool"]);
    assert!(
        last[5]["content"].as_str().is_some_and(|content| content.starts_with("Error: no weather station"))
    );

    let printed = printed_messages(&stdout(&output));
    assert_eq!(&printed[..6], &last[..], "what is printed is what was sent");
    assert_eq!(printed[6], json!({"role": "assistant", "content": "3 answers, thank you."}));
    assert_eq!(appended_messages(&stdout(&output)), printed);
}

#[test]
fn the_example_runs_on_its_script_and_says_so() {
    let output = process::run("weather", "", &[]);
    assert!(output.status.success(), "{}", stderr(&output));
    let stdout = stdout(&output);
    assert!(stdout.lines().next().is_some_and(|line| line.contains("scripted model")), "{stdout}");
    let printed = printed_messages(&stdout);
    let roles: Vec<&str> = printed.iter().filter_map(|message| message["role"].as_str()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "tool", "tool", "assistant"]);
    assert_eq!(printed[2]["content"], Value::Null);
    for (position, call) in printed[2]["tool_calls"].as_array().expect("it has calls").iter().enumerate() {
        assert_eq!(printed[3 + position]["tool_call_id"], call["id"]);
    }
    assert_eq!(appended_messages(&stdout), printed);
}

/// A clear message, a failure, and no panic.
fn assert_ends_with(output: &Output, message: &str) {
    assert_eq!(output.status.code(), Some(1), "{}", stdout(output));
    let stderr = stderr(output);
    assert!(stderr.starts_with("Error: ") && stderr.contains(message), "{stderr}");
    assert!(!stderr.contains("panicked") && !stderr.contains("backtrace"), "{stderr}");
}

#[test]
fn a_server_that_is_not_there_ends_in_a_clear_message() {
    let output = process::run("weather", "", &[("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")]);
    assert_ends_with(&output, "cannot reach http://127.0.0.1:1/v1/chat/completions");
    let output = process::run("weather", "", &[("OPENAI_BASE_URL", "not a url")]);
    assert_ends_with(&output, "cannot reach not a url/chat/completions");
}

#[tokio::test]
async fn a_server_that_answers_with_an_error_ends_in_its_words() {
    async fn unauthorized() -> (StatusCode, Json<Value>) {
        (StatusCode::UNAUTHORIZED, Json(json!({"error": {"message": "Incorrect API key provided: sk-x."}})))
    }
    let app = axum::Router::new().route("/v1/chat/completions", post(unauthorized));
    assert_ends_with(
        &run_against(app, (), "sk-x").await,
        "the server answered 401: Incorrect API key provided: sk-x.",
    );
}

#[tokio::test]
async fn a_server_that_answers_with_something_else_ends_in_a_clear_message() {
    for body in [
        "<html>hello</html>",
        r#"{"choices":[]}"#,
        r#"{"choices":[{"message":{"role":"assistant","content":7}}]}"#,
    ] {
        let app = axum::Router::new().route("/v1/chat/completions", post(move || async move { body }));
        assert_ends_with(
            &run_against(app, (), "x").await,
            "the server did not answer with a chat completion",
        );
    }
}
