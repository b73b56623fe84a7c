//! The stub server.

use crate::formats;
use crate::planned_reply::{PlannedCall, PlannedReply, ReplyKind};
use crate::waits::Waits;
use aws_smithy_eventstream::frame::write_message_to;
use aws_smithy_types::event_stream::{Header, HeaderValue, Message};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tool_runtime::wire::{Wire, by_name};
use tool_runtime_client::Model;
use tool_runtime_testing::check_request;

pub(crate) const WIRES: [&str; 7] =
    ["chat_completions", "responses", "anthropic", "gemini", "gemini_interactions", "bedrock", "ollama"];

pub(crate) const KEY: &str = "sk-a/secret=key";

pub(crate) const ANSWER: &str = "It is sunny in Beijing – 25 °C.";

/// A part of the body of a response.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    Bytes(Vec<u8>),
    /// The connection is lost.
    Lost,
    /// Nothing more arrives.
    Silence,
}

impl From<&str> for Part {
    fn from(text: &str) -> Self {
        Part::Bytes(text.into())
    }
}

impl From<String> for Part {
    fn from(text: String) -> Self {
        Part::Bytes(text.into())
    }
}

/// A response that a test determines. Without one, the server sends a call, and an answer after its result.
#[derive(Clone, Debug)]
pub(crate) struct Scripted {
    status: u16,
    headers: Vec<(String, String)>,
    parts: Vec<Part>,
}

impl Scripted {
    pub(crate) fn status(status: u16, body: impl Into<Part>) -> Self {
        Scripted { status, headers: vec![], parts: vec![body.into()] }
            .header("content-type", "application/json")
    }

    /// A stream of server-sent events.
    pub(crate) fn stream(parts: impl IntoIterator<Item = Part>) -> Self {
        let parts = parts.into_iter().collect();
        Scripted { status: 200, headers: vec![], parts }.header("content-type", "text/event-stream")
    }

    pub(crate) fn with_status(self, status: u16) -> Self {
        Scripted { status, ..self }
    }

    /// Sets a header.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

pub(crate) struct Server {
    pub(crate) url: String,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

struct Shared {
    wire: Arc<dyn Wire>,
    script: Mutex<VecDeque<Scripted>>,
    received: Mutex<Vec<Received>>,
}

impl Server {
    /// A server with the API of this wire.
    pub(crate) async fn start(wire: &str, script: impl IntoIterator<Item = Scripted>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("the listener has an address"));
        let shared = Arc::new(Shared {
            wire: by_name(wire).expect("there is such a wire"),
            script: Mutex::new(script.into_iter().collect()),
            received: Mutex::default(),
        });
        let app = Router::new().fallback(respond).with_state(Arc::clone(&shared));
        let task = tokio::spawn(async move { axum::serve(listener, app).await.expect("the server runs") });
        Server { url, shared, task }
    }

    /// A model on this server.
    pub(crate) fn model(&self, waits: &Waits) -> Model {
        let wire = self.shared.wire.name();
        let url = if ["chat_completions", "responses"].contains(&wire) { "/v1" } else { "" };
        let model = Model::new(Arc::clone(&self.shared.wire), "stub-1").base_url(self.url.clone() + url);
        waits.set(model.key(KEY))
    }

    pub(crate) fn received(&self) -> MutexGuard<'_, Vec<Received>> {
        self.shared.received.lock().expect("no test panics here")
    }

    /// Waits for the first request.
    pub(crate) async fn first_request(&self) {
        while self.requests() == 0 {
            tokio::task::yield_now().await;
        }
    }

    /// The number of requests so far.
    pub(crate) fn requests(&self) -> usize {
        self.received().len()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn respond(State(shared): State<Arc<Shared>>, uri: Uri, headers: HeaderMap, bytes: Bytes) -> Response {
    let body: Value = serde_json::from_slice(&bytes).expect("a request is JSON");
    let is_stream = is_stream(&uri, &body);
    let received = Received { uri, headers, body: body.clone() };
    shared.received.lock().expect("no test panics here").push(received);
    let scripted = shared.script.lock().expect("no test panics here").pop_front();
    let scripted = scripted.unwrap_or_else(|| match check_request(&shared.wire, &body) {
        Ok(()) => reply(shared.wire.name(), &body, is_stream),
        Err(rejected) => {
            let error = json!({"error": {"type": "invalid_request_error", "message": rejected.to_string()}});
            Scripted::status(400, error.to_string())
        }
    });
    let headers = scripted.headers.iter().map(|(name, value)| {
        (name.parse().expect("a header"), value.parse().expect("the value of a header"))
    });
    let headers: HeaderMap = headers.collect();
    let status = StatusCode::from_u16(scripted.status).expect("a status");
    (status, headers, body_of(scripted.parts)).into_response()
}

fn is_stream(uri: &Uri, body: &Value) -> bool {
    let path = uri.path();
    body["stream"] == true || path.ends_with("/converse-stream") || path.ends_with(":streamGenerateContent")
}

fn body_of(parts: Vec<Part>) -> Body {
    Body::from_stream(futures_util::stream::unfold(parts.into_iter(), |mut parts| async {
        // So that each part is written alone.
        tokio::task::yield_now().await;
        let part = match parts.next()? {
            Part::Bytes(bytes) => Ok(bytes),
            Part::Lost => Err(std::io::Error::other("the connection is lost")),
            Part::Silence => std::future::pending().await,
        };
        Some((part, parts))
    }))
}

/// A call, or an answer after its result.
pub(crate) fn planned(body: &Value) -> PlannedReply {
    let is_answer =
        ["Beijing: sunny", "Beijing in 0 days: sunny"].iter().any(|result| body.to_string().contains(result));
    let arguments = json!({"city": "Beijing"});
    let call =
        PlannedCall { id: "call_1".to_owned(), tool: "get_weather", text: arguments.to_string(), arguments };
    PlannedReply {
        kind: if is_answer { ReplyKind::Answer } else { ReplyKind::Calls },
        response_id: "response_1".to_owned(),
        text: if is_answer { ANSWER.to_owned() } else { String::new() },
        calls: if is_answer { vec![] } else { vec![call] },
        usage: Some((9, 3)),
    }
}

fn reply(wire: &str, body: &Value, is_stream: bool) -> Scripted {
    let planned = planned(body);
    if !is_stream {
        return Scripted::status(200, formats::body(wire, &planned).to_string());
    }
    let events = formats::events(wire, &planned);
    match wire {
        "ollama" => {
            let lines = events.iter().map(|line| Part::from(format!("{line}\n")));
            Scripted::stream(lines).header("content-type", "application/x-ndjson")
        }
        "bedrock" => {
            let frames = events.iter().map(|event| Part::Bytes(frame(event)));
            Scripted::stream(frames).header("content-type", "application/vnd.amazon.eventstream")
        }
        _ => Scripted::stream(events.iter().map(|event| sent_event(event))),
    }
}

pub(crate) fn sent_event(data: &str) -> Part {
    format!("data: {data}\n\n").into()
}

/// A frame of Bedrock with this event: an object with its type as the only field.
pub(crate) fn frame(event: &str) -> Vec<u8> {
    let event: Value = serde_json::from_str(event).expect("an event is JSON");
    let (name, payload) =
        event.as_object().and_then(|fields| fields.iter().next()).expect("an event has a field");
    let is_exception = name.ends_with("Exception");
    let kind = if is_exception { "exception" } else { "event" };
    let header =
        |name: &'static str, value: &str| Header::new(name, HeaderValue::String(value.to_owned().into()));
    let message = Message::new(payload.to_string())
        .add_header(header(if is_exception { ":exception-type" } else { ":event-type" }, name))
        .add_header(header(":content-type", "application/json"))
        .add_header(header(":message-type", kind));
    let mut bytes = Vec::new();
    write_message_to(&message, &mut bytes).expect("the frame is written");
    bytes
}
