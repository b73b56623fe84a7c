//! The server over HTTP on the loopback interface, and requests to it, byte by byte.

use axum::body::{Body, to_bytes};
use serde_json::{Value, json};
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tool_runtime_mcp::HttpService;
use tower_service::Service as _;

/// A server on a port of its own.
pub(crate) struct HttpServer(SocketAddr);

/// The response to a request.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) session: Option<String>,
    /// The header `WWW-Authenticate`.
    pub(crate) challenge: Option<String>,
    pub(crate) body: String,
}

impl Answer {
    /// The message of the body, which is JSON or events.
    pub(crate) fn message(&self) -> Value {
        let mut data = self.body.lines().filter_map(|line| line.strip_prefix("data:"));
        let event = data.find(|data| data.contains("jsonrpc"));
        let start = self.body.find('{').unwrap_or_default();
        let end = self.body.rfind('}').map_or(0, |end| end + 1);
        serde_json::from_str(event.unwrap_or_else(|| self.body.get(start..end).unwrap_or_default()))
            .unwrap_or_default()
    }
}

/// The first request of a client with these capabilities.
pub(crate) fn initialize(capabilities: &Value) -> String {
    let client = json!({"name": "test", "version": "1"});
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": client});
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}).to_string()
}

/// Posts to a service without a connection, so that the clock can be paused.
pub(crate) fn post_to(
    mut service: HttpService,
    headers: &[(&str, &str)],
    body: Body,
) -> impl Future<Output = Answer> + Send + use<> {
    let request = axum::extract::Request::post("http://localhost/mcp")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream");
    let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    let response = service.call(request.body(body).expect("valid"));
    async move {
        let (parts, body) = response.await.expect("a response").into_parts();
        let header = |name: &str| parts.headers.get(name)?.to_str().ok().map(str::to_owned);
        let body = to_bytes(Body::new(body), 1 << 20).await.expect("it ends");
        Answer {
            status: parts.status.as_u16(),
            session: header("mcp-session-id"),
            challenge: header("www-authenticate"),
            body: String::from_utf8_lossy(&body).into_owned(),
        }
    }
}

impl HttpServer {
    pub(crate) async fn start(service: HttpService) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("there is a port");
        let address = listener.local_addr().expect("it has an address");
        let router = axum::Router::new().nest_service("/mcp", service);
        tokio::spawn(async move { axum::serve(listener, router).await });
        HttpServer(address)
    }

    pub(crate) async fn post(&self, headers: &[(&str, &str)], body: &str) -> Answer {
        self.request("POST", headers, body).await
    }

    /// Sends a request, and reads its response to the end.
    pub(crate) async fn request(&self, method: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let length = body.len().to_string();
        let standard = [
            ("Host", "localhost"),
            ("Connection", "close"),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("Content-Length", &length),
        ];
        let has = |name: &str| headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
        let standard = standard.iter().filter(|(name, _)| !has(name));
        let lines: Vec<String> =
            standard.chain(headers).map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let lines = lines.concat();
        let mut stream = TcpStream::connect(self.0).await.expect("the server listens");
        let head = format!("{method} /mcp HTTP/1.1\r\n{lines}\r\n");
        // The server may respond before it has read the body.
        let _ = stream.write_all(head.as_bytes()).await;
        let _ = stream.write_all(body.as_bytes()).await;
        let mut response = Vec::new();
        let _ = stream.read_to_end(&mut response).await;
        let response = String::from_utf8_lossy(&response).into_owned();
        let (head, body) = response.split_once("\r\n\r\n").unwrap_or((&response, ""));
        let header = |name: &str| {
            head.lines().find_map(|line| {
                let (key, value) = line.split_once(": ")?;
                key.eq_ignore_ascii_case(name).then(|| value.to_owned())
            })
        };
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
        let (session, challenge) = (header("mcp-session-id"), header("www-authenticate"));
        Answer { status, session, challenge, body: body.to_owned() }
    }
}
