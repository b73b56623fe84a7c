//! A server that streams the replies of a script, on two wires.

use crate::stub::Received;
use axum::Router;
use axum::extract::{Json, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Semaphore;
use tool_runtime::wire::by_name;
use tool_runtime_testing::check_request;

/// A reply of the script.
#[derive(Clone)]
pub(crate) enum Reply {
    Text(&'static str),
    Call(&'static str, Value),
    /// A call, after the test has [released](Server::release) it.
    HeldCall(&'static str, Value),
    /// The error that the request is too long.
    TooLong,
}

#[derive(Clone, Copy)]
pub(crate) enum Api {
    ChatCompletions,
    Anthropic,
}

#[derive(Clone)]
pub(crate) struct Server {
    api: Api,
    url: String,
    received: Received,
    replies: Arc<Mutex<VecDeque<Reply>>>,
    arrived: Arc<Semaphore>,
    released: Arc<Semaphore>,
}

impl Server {
    pub(crate) async fn start(api: Api, replies: impl IntoIterator<Item = Reply>) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let server = Server {
            api,
            url: format!("http://{}", listener.local_addr().expect("the listener has an address")),
            received: Received::default(),
            replies: Arc::new(Mutex::new(replies.into_iter().collect())),
            arrived: Arc::new(Semaphore::new(0)),
            released: Arc::new(Semaphore::new(0)),
        };
        let app = Router::new().route("/v1/chat/completions", post(reply)).route("/v1/messages", post(reply));
        let app = app.with_state(server.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        server
    }

    /// The environment of the example.
    pub(crate) fn settings(&self) -> [(&'static str, String); 3] {
        match self.api {
            Api::ChatCompletions => [
                ("TOOL_WIRE", self.wire().to_owned()),
                ("OPENAI_BASE_URL", format!("{}/v1", self.url)),
                ("OPENAI_API_KEY", "secret".to_owned()),
            ],
            Api::Anthropic => [
                ("TOOL_WIRE", self.wire().to_owned()),
                ("ANTHROPIC_BASE_URL", self.url.clone()),
                ("ANTHROPIC_API_KEY", "secret".to_owned()),
            ],
        }
    }

    pub(crate) fn wire(&self) -> &'static str {
        match self.api {
            Api::ChatCompletions => "chat_completions",
            Api::Anthropic => "anthropic",
        }
    }

    /// Waits for the next request.
    pub(crate) async fn arrived(&self) {
        let arrived = tokio::time::timeout(Duration::from_secs(120), self.arrived.acquire()).await;
        arrived.expect("a request arrives").expect("the semaphore is open").forget();
    }

    /// Sends the reply that is held.
    pub(crate) fn release(&self) {
        self.released.add_permits(1);
    }

    pub(crate) fn requests(&self) -> Vec<Value> {
        self.received.requests()
    }

    /// The newest message of a request, as JSON.
    pub(crate) fn newest_message(&self, request: usize) -> String {
        let requests = self.requests();
        let messages = requests.get(request).and_then(|request| request["messages"].as_array());
        messages.and_then(|messages| messages.last()).map(Value::to_string).unwrap_or_default()
    }
}

async fn reply(State(server): State<Server>, headers: HeaderMap, Json(request): Json<Value>) -> Response {
    let number = server.requests().len();
    server.received.push(headers, request.clone());
    server.arrived.add_permits(1);
    let wire = by_name(server.wire()).expect("the wire is enabled");
    let rejected = |message: &str| {
        let error = json!({"type": "invalid_request_error", "message": message});
        (StatusCode::BAD_REQUEST, Json(json!({"type": "error", "error": error}))).into_response()
    };
    if let Err(error) = check_request(&wire, &request) {
        return rejected(&error.message);
    }
    let next = server.replies.lock().expect("the lock is not poisoned").pop_front();
    let call = match next {
        None => return rejected("the script has ended"),
        Some(Reply::TooLong) => return rejected("prompt is too long: 210000 tokens > 200000 maximum"),
        Some(Reply::Text(text)) => Err(text),
        Some(Reply::Call(tool, arguments)) => Ok((tool, arguments)),
        Some(Reply::HeldCall(tool, arguments)) => {
            server.released.acquire().await.expect("the semaphore is open").forget();
            Ok((tool, arguments))
        }
    };
    if request["stream"] != true {
        let text = call.expect_err("only streamed replies call tools");
        return Json(match server.api {
            Api::ChatCompletions => {
                json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]})
            }
            Api::Anthropic => json!({"type": "message", "role": "assistant", "stop_reason": "end_turn",
                "content": [{"type": "text", "text": text}]}),
        })
        .into_response();
    }
    let events = match server.api {
        Api::ChatCompletions => chunks(number, call),
        Api::Anthropic => events(number, call),
    };
    let data = |event: &Value| format!("data: {event}\n\n");
    let body: String = events.iter().map(data).collect();
    ([("content-type", "text/event-stream")], body).into_response()
}

/// The chunks of Chat Completions.
fn chunks(number: usize, reply: Result<(&str, Value), &str>) -> Vec<Value> {
    let (delta, reason) = match reply {
        Err(text) => (json!({"role": "assistant", "content": text}), "stop"),
        Ok((name, arguments)) => {
            let function = json!({"name": name, "arguments": arguments.to_string()});
            let call =
                json!({"index": 0, "id": format!("call_{number}"), "type": "function", "function": function});
            (json!({"role": "assistant", "tool_calls": [call]}), "tool_calls")
        }
    };
    let usage = json!({"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12});
    vec![
        json!({"choices": [{"index": 0, "delta": delta}]}),
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}),
        json!({"choices": [], "usage": usage}),
    ]
}

/// The events of Anthropic's Messages.
fn events(number: usize, reply: Result<(&str, Value), &str>) -> Vec<Value> {
    let (block, delta, reason) = match reply {
        Err(text) => {
            (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": text}), "end_turn")
        }
        Ok((name, arguments)) => (
            json!({"type": "tool_use", "id": format!("toolu_{number}"), "name": name, "input": {}}),
            json!({"type": "input_json_delta", "partial_json": arguments.to_string()}),
            "tool_use",
        ),
    };
    let usage = json!({"input_tokens": 9, "output_tokens": 1});
    vec![
        json!({"type": "message_start", "message": {"id": format!("msg_{number}"), "type": "message", "role": "assistant",
            "model": "stub-1", "content": [], "usage": usage}}),
        json!({"type": "content_block_start", "index": 0, "content_block": block}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 3}}),
        json!({"type": "message_stop"}),
    ]
}
