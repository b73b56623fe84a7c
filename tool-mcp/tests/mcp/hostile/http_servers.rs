//! Clients of HTTP servers whose streams of events end at once.

use super::{Case, Running};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tool_runtime_mcp::Client;

pub(super) fn cases() -> Vec<Case> {
    vec![Case::new("streams that end at once", [1, 2, 3], 24.0, ending_streams)]
}

/// The client is idle for so many seconds. A stream that ends at once is resumed more and more slowly.
fn ending_streams(seconds: usize) -> Running {
    Box::pin(async move {
        let streams = Arc::new(AtomicUsize::new(0));
        let of_server = Arc::clone(&streams);
        let respond = move |method: axum::http::Method, message: String| {
            let streams = Arc::clone(&of_server);
            async move {
                if method == "GET" {
                    let index = streams.fetch_add(1, Ordering::Relaxed);
                    return (
                        StatusCode::OK,
                        [(CONTENT_TYPE, "text/event-stream")],
                        format!("id: {index}\nretry: 0\ndata:\n\n"),
                    );
                }
                let message: Value = serde_json::from_str(&message).unwrap_or_default();
                let result = match message["method"].as_str() {
                    Some("initialize") => {
                        json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                        "serverInfo": {"name": "s", "version": "1"}})
                    }
                    _ => return (StatusCode::ACCEPTED, [(CONTENT_TYPE, "application/json")], String::new()),
                };
                let response = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
                (StatusCode::OK, [(CONTENT_TYPE, "application/json")], response.to_string())
            }
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("there is a port");
        let address = listener.local_addr().expect("it has an address");
        let with_session = axum::middleware::map_response(|mut response: axum::response::Response| async {
            response.headers_mut().insert("mcp-session-id", axum::http::HeaderValue::from_static("session"));
            response
        });
        let router = axum::Router::new().fallback(respond).layer(with_session);
        tokio::spawn(async move { axum::serve(listener, router).await });
        let client = Client::http(format!("http://{address}/mcp")).connect().await.expect("connected");
        tokio::time::sleep(Duration::from_secs(seconds as u64)).await;
        drop(client);
        let streams = streams.load(Ordering::Relaxed);
        assert!(streams <= 20, "{streams} streams in {seconds} s");
        format!("{streams} streams in {seconds} s")
    })
}
