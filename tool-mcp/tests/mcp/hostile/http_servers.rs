//! Clients of HTTP servers whose streams of events end at once.

use super::clients::outcome_of_initialize;
use super::{Case, Running};
use axum::http::header::CONTENT_TYPE;
use axum::http::{Method, StatusCode};
use axum::response::IntoResponse;
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tool_runtime_mcp::Client;

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case::new("streams that end at once", [1, 2, 3], 12.0, ending_streams),
        Case::new("a body with many values", [300_000, 1_000_000, 10_000_000], 120.0, values),
        Case::new("lists with new tools each time", [5, 10, 20], 80.0, lists),
        Case::new("a stream of pings whose responses are not accepted", [1_000, 3_000, 10_000], 16.0, pings),
    ]
}

/// A server with a session, and the response to each request that is no notification. `events` are those of GET requests.
async fn start<E: IntoResponse>(events: impl Fn() -> E + Clone + Send + Sync + 'static) -> SocketAddr {
    let respond = move |method: Method, message: String| {
        let events = events.clone();
        async move {
            if method == Method::GET {
                return events().into_response();
            }
            let message: Value = serde_json::from_str(&message).unwrap_or_default();
            match message["method"].as_str() {
                Some("initialize") => {
                    let result = json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                        "serverInfo": {"name": "s", "version": "1"}});
                    let response =
                        json!({"jsonrpc": "2.0", "id": message["id"], "result": result}).to_string();
                    ([("mcp-session-id", "session"), ("content-type", "application/json")], response)
                        .into_response()
                }
                Some(_) => StatusCode::ACCEPTED.into_response(),
                // A response of the client.
                None => std::future::pending().await,
            }
        }
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("there is a port");
    let address = listener.local_addr().expect("it has an address");
    let router = axum::Router::new().fallback(respond);
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

/// So many lists of protocol 2026-07-28, with 1,000 tools that no other list has, in 3.5 MB.
fn lists(count: usize) -> Running {
    Box::pin(async move {
        let (listed, discovered) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (lists, connections) = (Arc::clone(&listed), Arc::clone(&discovered));
        let respond = move |message: String| {
            let message: Value = serde_json::from_str(&message).unwrap_or_default();
            let (field, value) = match message["method"].as_str() {
                Some("initialize") => ("error", json!({"code": -32601, "message": "initialize"})),
                Some("server/discover") => {
                    connections.fetch_add(1, Ordering::Relaxed);
                    let server = json!({"name": "s", "version": "1"});
                    let result = json!({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
                        "serverInfo": server, "resultType": "complete", "ttlMs": 0, "cacheScope": "private"});
                    ("result", result)
                }
                Some("tools/list") => {
                    let list = lists.fetch_add(1, Ordering::Relaxed);
                    let schema = json!({"type": "object", "description": "x".repeat(3_400)});
                    let tool = |index| json!({"name": format!("t{list}_{index}"), "inputSchema": schema});
                    let tools: Vec<Value> = (0..1_000).map(tool).collect();
                    let result = json!({"tools": tools, "resultType": "complete", "ttlMs": 0, "cacheScope": "private"});
                    ("result", result)
                }
                _ => return std::future::ready(StatusCode::ACCEPTED.into_response()),
            };
            let response = json!({"jsonrpc": "2.0", "id": message["id"], field: value}).to_string();
            std::future::ready(([(CONTENT_TYPE, "application/json")], response).into_response())
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("there is a port");
        let address = listener.local_addr().expect("it has an address");
        let router = axum::Router::new().route("/mcp", axum::routing::post(respond));
        tokio::spawn(async move { axum::serve(listener, router).await });
        let client = Client::http(format!("http://{address}/mcp")).connect().await.expect("connected");
        for _ in 0..count {
            assert_eq!(client.tools().await.expect("listed").len(), 1_000);
        }
        assert_eq!(listed.load(Ordering::Relaxed), count);
        let connections = discovered.load(Ordering::Relaxed);
        assert_eq!(connections, count.div_ceil(5), "{connections} connections for {count} lists");
        format!("{connections} connections for {count} lists")
    })
}

fn pings(count: usize) -> Running {
    Box::pin(async move {
        let sent = Arc::new(AtomicUsize::new(0));
        let of_server = Arc::clone(&sent);
        let events = move || {
            let sent = Arc::clone(&of_server);
            let pings = (0..count).map(move |id| {
                sent.store(id + 1, Ordering::Relaxed);
                let ping = json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
                Ok::<_, std::io::Error>(format!("data: {ping}\n\n"))
            });
            let pings = futures_util::stream::iter(pings).chain(futures_util::stream::pending());
            ([(CONTENT_TYPE, "text/event-stream")], axum::body::Body::from_stream(pings))
        };
        let address = start(events).await;
        let client = Client::http(format!("http://{address}/mcp")).connect().await.expect("connected");
        while sent.load(Ordering::Relaxed) < count {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
        drop(client);
        format!("{count} pings are read")
    })
}

/// The response to the first request of a client, in which small objects have so many bytes.
fn values(bytes: usize) -> Running {
    Box::pin(async move {
        let respond = move |message: String| async move {
            let message: Value = serde_json::from_str(&message).unwrap_or_default();
            let objects = r#"{"":0},"#.repeat(bytes / 7);
            let capabilities = format!(r#"{{"tools":{{}},"experimental":{{"a":{{"b":[{objects}0]}}}}}}"#);
            let result = format!(
                r#"{{"protocolVersion":"2025-06-18","capabilities":{capabilities},"serverInfo":{{"name":"s","version":"1"}}}}"#
            );
            let response = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, message["id"]);
            match message["method"].as_str() {
                Some("initialize") => ([(CONTENT_TYPE, "application/json")], response).into_response(),
                _ => StatusCode::ACCEPTED.into_response(),
            }
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("there is a port");
        let address = listener.local_addr().expect("it has an address");
        let router = axum::Router::new().fallback(respond);
        tokio::spawn(async move { axum::serve(listener, router).await });
        let connected = Client::http(format!("http://{address}/mcp")).connect().await;
        outcome_of_initialize(bytes, connected)
    })
}

/// The client is idle for so many seconds. Streams that end at once are resumed more and more slowly.
fn ending_streams(seconds: usize) -> Running {
    Box::pin(async move {
        let streams = Arc::new(AtomicUsize::new(0));
        let of_server = Arc::clone(&streams);
        let events = move || {
            let index = of_server.fetch_add(1, Ordering::Relaxed);
            ([(CONTENT_TYPE, "text/event-stream")], format!("id: {index}\nretry: 0\ndata:\n\n"))
        };
        let address = start(events).await;
        let client = Client::http(format!("http://{address}/mcp")).connect().await.expect("connected");
        tokio::time::sleep(Duration::from_secs(seconds as u64)).await;
        drop(client);
        let streams = streams.load(Ordering::Relaxed);
        assert!(streams <= 20, "{streams} streams in {seconds} s");
        format!("{streams} streams in {seconds} s")
    })
}
