//! Requests to a router, as the page sends them.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Method, Request, Response, StatusCode};
use futures_util::StreamExt as _;
use serde_json::Value;
use tower_service::Service as _;

/// The page of a router.
#[derive(Clone)]
pub(crate) struct Page(pub(crate) Router);

pub(crate) type Headers<'a> = &'a [(&'static str, &'a str)];

/// The headers of each request of the page.
const OWN: Headers<'static> =
    &[("host", "127.0.0.1:4000"), ("x-tool-inspector", "1"), ("content-type", "application/json")];

impl Page {
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        headers: Headers<'_>,
        body: &str,
    ) -> Response<Body> {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::from(body.to_owned())).expect("a request");
        self.0.clone().call(request).await.expect("a router does not fail")
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        json(self.send(Method::GET, path, OWN, "").await, StatusCode::OK).await
    }

    pub(crate) async fn error(&self, path: &str) -> (StatusCode, String) {
        error(self.send(Method::GET, path, OWN, "").await).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Response<Body> {
        self.send(Method::POST, path, OWN, &body.to_string()).await
    }

    /// Opens a history, with the prices of a form.
    pub(crate) async fn open(&self, history: &str, query: &str) -> Response<Body> {
        self.send(Method::POST, &format!("/api/history{query}"), OWN, history).await
    }

    /// Starts a call, and returns the lines of its response.
    pub(crate) async fn call(&self, call: &Value) -> Lines {
        let response = self.post("/api/calls", call).await;
        assert_eq!(response.status(), StatusCode::OK);
        Lines::new(response)
    }
}

pub(crate) async fn text(response: Response<Body>) -> String {
    let bytes = to_bytes(response.into_body(), usize::MAX).await.expect("a body");
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

pub(crate) async fn json(response: Response<Body>, status: StatusCode) -> Value {
    let actual = response.status();
    let text = text(response).await;
    assert_eq!(actual, status, "{text}");
    serde_json::from_str(&text).expect("JSON")
}

pub(crate) async fn error(response: Response<Body>) -> (StatusCode, String) {
    let status = response.status();
    let text = text(response).await;
    let body: Value = serde_json::from_str(&text).unwrap_or_default();
    (status, body["error"].as_str().unwrap_or(&text).to_owned())
}

/// Lines of JSON as they arrive.
pub(crate) struct Lines {
    body: axum::body::BodyDataStream,
    received: String,
}

impl Lines {
    pub(crate) fn new(response: Response<Body>) -> Self {
        Lines { body: response.into_body().into_data_stream(), received: String::new() }
    }

    /// `None` after the last line.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some(end) = self.received.find('\n') {
                let line: String = self.received.drain(..=end).collect();
                return Some(serde_json::from_str(&line).expect("a line of JSON"));
            }
            let piece = self.body.next().await?.expect("a piece");
            self.received.push_str(std::str::from_utf8(&piece).expect("UTF-8"));
        }
    }

    /// The next line of this type; others are skipped.
    pub(crate) async fn next_of_type(&mut self, kind: &str) -> Value {
        loop {
            let line = self.next().await.unwrap_or_else(|| panic!("no line of the type {kind}"));
            if line["type"] == kind {
                return line;
            }
        }
    }

    pub(crate) async fn rest(mut self) -> Vec<Value> {
        let mut lines = Vec::new();
        while let Some(line) = self.next().await {
            lines.push(line);
        }
        lines
    }
}
