//! A stub of a strict OpenAI-compatible server.

use crate::process;
use axum::extract::{Json, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use examples::provider_rules;
use serde_json::{Value, json};
use std::process::Output;
use std::sync::{Arc, Mutex};

/// The requests to the stub, in order.
#[derive(Clone, Default)]
pub(crate) struct Received(Arc<Mutex<Vec<(HeaderMap, Value)>>>);

impl Received {
    pub(crate) fn requests(&self) -> Vec<Value> {
        self.0.lock().expect("the lock is not poisoned").iter().map(|(_, request)| request.clone()).collect()
    }

    pub(crate) fn headers(&self) -> Vec<HeaderMap> {
        self.0.lock().expect("the lock is not poisoned").iter().map(|(headers, _)| headers.clone()).collect()
    }
}

/// A server that sends the result of `reply` for each valid request.
pub(crate) fn completing(reply: fn(&Value) -> Value) -> axum::Router<Received> {
    let complete = move |State(received): State<Received>, headers: HeaderMap, Json(request): Json<Value>| async move {
        received.0.lock().expect("the lock is not poisoned").push((headers, request.clone()));
        if let Err(rejection) = provider_rules::check(&request) {
            let error = json!({"error": {"message": rejection.message, "type": "invalid_request_error", "param": rejection.param}});
            return (StatusCode::BAD_REQUEST, Json(error));
        }
        let choice = json!({"index": 0, "message": reply(&request), "finish_reason": "stop"});
        (StatusCode::OK, Json(json!({"id": "1", "object": "chat.completion", "choices": [choice]})))
    };
    axum::Router::new().route("/v1/chat/completions", post(complete))
}

/// Runs an example against a server in this process.
pub(crate) async fn run_against<S: Clone + Send + Sync + 'static>(
    example: &'static str,
    app: axum::Router<S>,
    state: S,
    key: &'static str,
) -> Output {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}/v1", listener.local_addr().expect("the listener has an address"));
    let server = tokio::spawn(async move { axum::serve(listener, app.with_state(state)).await });
    let output = tokio::task::spawn_blocking(move || {
        process::run(
            example,
            &[],
            "",
            &[("OPENAI_BASE_URL", &url), ("OPENAI_API_KEY", key), ("OPENAI_MODEL", "stub-1")],
        )
    })
    .await
    .expect("the example ends");
    server.abort();
    output
}
