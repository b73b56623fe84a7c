//! The streaming example, alone and against a stub of an OpenAI-compatible server.

use crate::process::{self, stderr, stdout};
use crate::stub;
use axum::extract::{Json, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse as _;
use axum::routing::post;
use serde_json::{Value, json};
use std::process::Output;
use std::sync::{Arc, Mutex};
use tool_runtime::wire::ChatCompletions;
use tool_runtime_testing::check_request;

/// The calls that started, and whether they started before the end of their reply.
pub(crate) fn starts(stdout: &str) -> Vec<(&str, bool)> {
    let events = stdout.lines().filter_map(|line| line.split_once(" s  "));
    let (mut starts, mut is_early) = (Vec::new(), true);
    for (_, event) in events {
        is_early &= event != "the reply has ended";
        starts.extend(event.strip_suffix("  started").map(|call| (call, is_early)));
    }
    starts
}

#[test]
fn read_only_tools_start_before_the_end_of_the_reply_and_others_after_it() {
    let output = process::run("streaming", &[], "", &[]);
    assert!(output.status.success(), "{}", stderr(&output));
    let stdout = stdout(&output);
    assert!(stdout.starts_with("Model: a scripted model"), "{stdout}");
    assert_eq!(
        starts(&stdout),
        [("call_beijing", true), ("call_shanghai", true), ("call_reykjavik", true), ("call_reminder", false),]
    );
    let last = stdout.lines().last().expect("there is output");
    assert!(last.contains("sunny in Beijing") && last.contains("reminder set"), "{last}");
    assert!(
        stdout.contains("call_beijing  jing\"}\n"),
        "the arguments are printed while they arrive: {stdout}"
    );
    assert!(stdout.contains("call_reminder  finished: reminder set: "), "results are printed: {stdout}");
}

type Requests = Arc<Mutex<Vec<Value>>>;

/// A server that streams these bodies, one for each request, then the last one again, and rejects invalid requests.
fn streaming(content_type: &'static str, bodies: &'static [&'static str]) -> axum::Router<Requests> {
    let complete = move |State(requests): State<Requests>, Json(request): Json<Value>| async move {
        if let Err(rejection) = check_request(&ChatCompletions::new(), &request) {
            return (StatusCode::BAD_REQUEST, Json(json!({"error": {"message": rejection.message}})))
                .into_response();
        }
        let mut requests = requests.lock().expect("the lock is not poisoned");
        requests.push(request);
        let body = bodies.get(requests.len() - 1).or(bodies.last()).expect("there are bodies");
        ([(header::CONTENT_TYPE, content_type)], *body).into_response()
    };
    axum::Router::new().route("/v1/chat/completions", post(complete))
}

async fn run(content_type: &'static str, bodies: &'static [&'static str]) -> (Output, Vec<Value>) {
    let requests = Requests::default();
    let output =
        stub::run_against("streaming", streaming(content_type, bodies), Arc::clone(&requests), "secret")
            .await;
    let requests = requests.lock().expect("the lock is not poisoned").clone();
    (output, requests)
}

/// Events in the format of servers: with comments, two kinds of line ends, and unused fields.
const CALLS: &str = concat!(
    ": PROCESSING\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":null}}]}\n\n",
    "id: 7\r\nevent: message\r\ndata: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"a\",\"function\":",
    "{\"name\":\"get_weather\",\"arguments\":\"{\\\"city\\\":\\\"Beijing\\\"}\"}}]}}]}\r\n\r\n",
    "data:{\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"b\",\"function\":{\"name\":\"get_weather\",\"arguments\":\"{}\"}}]}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n",
    "data: {\"choices\":[],\"usage\":{}}\n\n",
    "data: [DONE]\n\n",
);
const ANSWER: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"Sunny.\"}}]}\n\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";

#[tokio::test]
async fn the_example_reads_a_stream_and_satisfies_a_strict_server() {
    let (output, requests) = run("text/event-stream", &[CALLS, ANSWER]).await;
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    assert_eq!(requests.len(), 2);
    assert!(requests.iter().all(|request| request["stream"] == true));
    assert!(requests.iter().all(|request| request["stream_options"]["include_usage"] == true));
    let messages = requests[1]["messages"].as_array().expect("the request has messages");
    let roles: Vec<&str> = messages.iter().filter_map(|message| message["role"].as_str()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "tool"]);
    assert_eq!(messages[2]["content"], "sunny in Beijing");
    assert!(stdout(&output).trim_end().ends_with("Sunny."));
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_supported() {
    let (output, requests) = run(
        "application/json",
        &[r#"{"choices":[{"message":{"content":"Sunny."},"finish_reason":"stop"}]}"#],
    )
    .await;
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    assert_eq!(requests.len(), 1);
    assert!(stdout(&output).trim_end().ends_with("Sunny."));
}

/// Checks that the example fails with this message, without a panic.
fn assert_ends_with(output: &Output, message: &str) {
    assert_eq!(output.status.code(), Some(1), "{}", stdout(output));
    let stderr = stderr(output);
    let error = stderr.lines().last().unwrap_or_default();
    assert!(error.starts_with("Error: ") && error.contains(message), "{stderr}");
    assert!(!stderr.contains("panicked") && !stderr.contains("backtrace"), "{stderr}");
}

#[tokio::test]
async fn an_interrupted_stream_is_a_clear_error() {
    for (body, message) in [
        (
            "data: {\"choices\":[{\"delta\":{\"content\":\"Sun\"}}]}\n\nevent: error\ndata: {\"error\":{\"message\":\"overloaded\"}}\n\n",
            "the reply was interrupted: the server sent an error: overloaded",
        ),
        ("<html>hello</html>", "the reply was interrupted: the stream ended without a reply"),
        ("data: {\"choices\":[{\n\n", "the reply was interrupted: a chunk is not in the format"),
    ] {
        let body: &'static [&'static str] = Box::leak(Box::new([body]));
        let (output, requests) = run("text/event-stream", body).await;
        assert_ends_with(&output, message);
        assert_eq!(requests.len(), 3, "the request is repeated twice");
        assert!(requests.iter().all(|request| *request == requests[0]), "the request is the same");
    }
}

const HALF: &str = "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"get_weather\",\"arguments\":\"{\\\"city\\\":\\\"Beijing\\\"}\"}},{\"index\":1,\"id\":\"b\",\"function\":{\"name\":\"remind\",\"arguments\":\"{\"}}]}}]}\n\ndata: {\"error\":\"overloaded\"}\n\n";

#[tokio::test]
async fn after_an_interruption_the_example_continues_with_the_results() {
    let (output, requests) = run("text/event-stream", &[HALF, ANSWER]).await;
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    let warning = "Warning: the reply was interrupted: the server sent an error: overloaded\n";
    assert_eq!((stderr(&output), requests.len()), (warning.to_owned(), 2));
    let messages = requests[1]["messages"].as_array().expect("the request has messages");
    assert_eq!(messages[2]["content"], "sunny in Beijing");
    assert_eq!(
        messages[3]["content"],
        "Error: the tool `remind` was not run: the reply was interrupted. Call it again if it is still needed."
    );
}

#[test]
fn an_unreachable_server_is_a_clear_error() {
    let output = process::run("streaming", &[], "", &[("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")]);
    assert_ends_with(&output, "cannot reach http://127.0.0.1:1/v1/chat/completions");
}
