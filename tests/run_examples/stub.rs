//! Stubs of strict servers, for each wire.

use crate::process;
use axum::extract::{Json, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use serde_json::{Value, json};
use std::process::Output;
use std::sync::{Arc, Mutex};
use tool_runtime::wire::{self, ChatCompletions};
use tool_runtime_testing::check_request;

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

    pub(crate) fn push(&self, headers: HeaderMap, request: Value) {
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

/// The API of a provider other than Chat Completions.
#[derive(Clone, Copy)]
pub(crate) struct Api {
    pub(crate) wire: &'static str,
    /// The prefix of the environment variables.
    pub(crate) variables: &'static str,
    /// The path of the base URL.
    pub(crate) base: &'static str,
    pub(crate) path: &'static str,
    /// The headers and fields that requests must have.
    pub(crate) headers: &'static [&'static str],
    pub(crate) fields: &'static [&'static str],
}

/// A server that sends the result of `reply` for each valid request.
pub(crate) fn replying(api: Api, reply: fn(&Value) -> Value) -> axum::Router<Received> {
    let complete = move |State(received): State<Received>, headers: HeaderMap, Json(request): Json<Value>| async move {
        let rejected = |message: &str| {
            let error = json!({"type": "invalid_request_error", "message": message});
            (StatusCode::BAD_REQUEST, Json(json!({"type": "error", "error": error})))
        };
        received.push(headers.clone(), request.clone());
        if let Some(header) = api.headers.iter().find(|header| !headers.contains_key(**header)) {
            return rejected(&format!("{header}: header is required"));
        }
        if let Some(field) = api.fields.iter().find(|field| request[**field].is_null()) {
            return rejected(&format!("{field}: Field required"));
        }
        let wire = wire::by_name(api.wire).expect("the wire is enabled");
        if let Err(error) = check_request(&wire, &request) {
            return rejected(&error.message);
        }
        (StatusCode::OK, Json(reply(&request)))
    };
    axum::Router::new().route(api.path, post(complete))
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
            ("OPENAI_BASE_URL".to_owned(), format!("{url}/v1")),
            ("OPENAI_API_KEY".to_owned(), key.to_owned()),
            ("OPENAI_MODEL".to_owned(), "stub-1".to_owned()),
        ]
    };
    serve(example, app, state, settings).await
}

/// Runs an example on the wire of this API, against a server in this process.
pub(crate) async fn run_on(
    api: Api,
    example: &'static str,
    app: axum::Router<Received>,
    state: Received,
) -> Output {
    let settings = |url: &str| {
        [
            ("TOOL_WIRE".to_owned(), api.wire.to_owned()),
            (format!("{}_BASE_URL", api.variables), [url, api.base].concat()),
            (format!("{}_API_KEY", api.variables), "secret".to_owned()),
            (format!("{}_MODEL", api.variables), "stub-1".to_owned()),
        ]
    };
    serve(example, app, state, settings).await
}

async fn serve<S: Clone + Send + Sync + 'static, const N: usize>(
    example: &'static str,
    app: axum::Router<S>,
    state: S,
    settings: impl FnOnce(&str) -> [(String, String); N],
) -> Output {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("the listener has an address"));
    let settings = settings(&url);
    let server = tokio::spawn(async move { axum::serve(listener, app.with_state(state)).await });
    let output = tokio::task::spawn_blocking(move || {
        let settings = settings.each_ref().map(|(name, value)| (&**name, &**value));
        process::run(example, &[], "", &settings)
    })
    .await
    .expect("the example ends");
    server.abort();
    output
}
