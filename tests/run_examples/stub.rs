//! Stubs of strict servers, for Chat Completions and for Anthropic's Messages API.

use crate::process;
use axum::extract::{Json, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use serde_json::{Value, json};
use std::process::Output;
use std::sync::{Arc, Mutex};
use tool_runtime::testing::check_request;
use tool_runtime::wire::{Anthropic, ChatCompletions};

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

    fn push(&self, headers: HeaderMap, request: Value) {
        self.0.lock().expect("the lock is not poisoned").push((headers, request));
    }
}

/// A server that sends the result of `reply` for each valid request.
pub(crate) fn completing(reply: fn(&Value) -> Value) -> axum::Router<Received> {
    let complete = move |State(received): State<Received>, headers: HeaderMap, Json(request): Json<Value>| async move {
        received.push(headers, request.clone());
        if let Err(rejected) = check_request(&ChatCompletions::new(), &request) {
            let error = json!({"error": {"message": rejected.message, "type": "invalid_request_error", "param": rejected.param}});
            return (StatusCode::BAD_REQUEST, Json(error));
        }
        let choice = json!({"index": 0, "message": reply(&request), "finish_reason": "stop"});
        (StatusCode::OK, Json(json!({"id": "1", "object": "chat.completion", "choices": [choice]})))
    };
    axum::Router::new().route("/v1/chat/completions", post(complete))
}

/// A server with the API of Anthropic, which sends a reply with these blocks for each valid request.
pub(crate) fn messages(blocks: fn(&Value) -> Value) -> axum::Router<Received> {
    let complete = move |State(received): State<Received>, headers: HeaderMap, Json(request): Json<Value>| async move {
        let rejected = |message: &str| {
            let error = json!({"type": "invalid_request_error", "message": message});
            (StatusCode::BAD_REQUEST, Json(json!({"type": "error", "error": error})))
        };
        received.push(headers.clone(), request.clone());
        if !headers.contains_key("anthropic-version") {
            return rejected("anthropic-version: header is required");
        }
        if !request["max_tokens"].is_u64() {
            return rejected("max_tokens: Field required");
        }
        if let Err(error) = check_request(&Anthropic::new(), &request) {
            return rejected(&error.message);
        }
        let reply =
            json!({"type": "message", "role": "assistant", "model": "stub-1", "content": blocks(&request)});
        (StatusCode::OK, Json(reply))
    };
    axum::Router::new().route("/v1/messages", post(complete))
}

/// Runs an example against a server in this process.
pub(crate) async fn run_against<S: Clone + Send + Sync + 'static>(
    example: &'static str,
    app: axum::Router<S>,
    state: S,
    key: &'static str,
) -> Output {
    let settings = |url: &str| {
        [
            ("OPENAI_BASE_URL", format!("{url}/v1")),
            ("OPENAI_API_KEY", key.into()),
            ("OPENAI_MODEL", "stub-1".into()),
        ]
    };
    serve(example, app, state, settings).await
}

/// Runs an example on Anthropic's wire, against a server in this process.
pub(crate) async fn run_against_messages(
    example: &'static str,
    app: axum::Router<Received>,
    state: Received,
) -> Output {
    let settings = |url: &str| {
        [
            ("TOOL_WIRE", "anthropic".to_owned()),
            ("ANTHROPIC_BASE_URL", url.to_owned()),
            ("ANTHROPIC_API_KEY", "secret".to_owned()),
        ]
    };
    serve(example, app, state, settings).await
}

async fn serve<S: Clone + Send + Sync + 'static, const N: usize>(
    example: &'static str,
    app: axum::Router<S>,
    state: S,
    settings: impl FnOnce(&str) -> [(&'static str, String); N],
) -> Output {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("the listener has an address"));
    let settings = settings(&url);
    let server = tokio::spawn(async move { axum::serve(listener, app.with_state(state)).await });
    let output = tokio::task::spawn_blocking(move || {
        let settings = settings.each_ref().map(|(name, value)| (*name, &**value));
        process::run(example, &[], "", &settings)
    })
    .await
    .expect("the example ends");
    server.abort();
    output
}
