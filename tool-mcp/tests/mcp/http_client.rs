//! The client over HTTP, with servers that are killed, reject requests, or send garbage.

use crate::process::server;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, LOCATION};
use serde_json::{Value, json};
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::{sleep, timeout};
use tool_runtime::Registry;
use tool_runtime_mcp::Client;

/// A server process, which is killed when it is dropped.
struct Server(Child);

impl Server {
    async fn start(address: SocketAddr) -> Self {
        let mut command = Command::new(server());
        let child = command.arg(address.to_string()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let server = Server(child.expect("the server starts"));
        while tokio::net::TcpStream::connect(address).await.is_err() {
            sleep(Duration::from_millis(10)).await;
        }
        server
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.0.kill().expect("it runs");
        self.0.wait().expect("it has ended");
    }
}

/// An address without a server.
fn unused_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("there is a port")
}

async fn registry_at(address: SocketAddr) -> Registry {
    let client = Client::http(format!("http://{address}/mcp")).connect().await.expect("connected");
    client.registry().await.expect("listed")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_server_is_a_lost_connection_until_it_is_back() {
    let address = unused_address();
    let first = Server::start(address).await;
    let registry = registry_at(address).await;
    let line = |milliseconds: u64| json!({"line": "a", "milliseconds": milliseconds});
    assert_eq!(registry.call("append", line(1)).await.text(), "appended a");

    let killed = async {
        sleep(Duration::from_millis(300)).await;
        drop(first);
    };
    let (result, ()) = tokio::join!(registry.call("append", line(20_000)), killed);
    assert_eq!(
        result.text(),
        "Error: the connection was lost; the call may have taken effect. Check before you try again."
    );

    let unreachable = registry.call("append", line(1)).await;
    assert_eq!(
        unreachable.text(),
        "Error: the server of the tool cannot be reached; the tool was not called"
    );

    let second = Server::start(address).await;
    assert_eq!(registry.call("append", line(1)).await.text(), "appended a", "the client connects again");

    // An idempotent call is sent again, to a server that comes back in time.
    let restarted = async {
        sleep(Duration::from_millis(300)).await;
        drop(second);
        Server::start(address).await
    };
    let (result, _third) = tokio::join!(registry.call("put", line(1_500)), restarted);
    assert_eq!(result.text(), "put a");
}

/// The error of a client that connects to a server with this response.
async fn error_for(status: u16, content_type: &'static str, body: &'static str) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("there is a port");
    let address = listener.local_addr().expect("it has an address");
    let respond = move || async move {
        let status = axum::http::StatusCode::from_u16(status).expect("a status");
        (status, [(axum::http::header::CONTENT_TYPE, content_type)], body)
    };
    tokio::spawn(async move { axum::serve(listener, axum::Router::new().fallback(respond)).await });
    let client =
        Client::http(format!("http://{address}/mcp")).connect_timeout(Duration::from_secs(5)).connect();
    client.await.expect_err("it is no MCP server").to_string()
}

#[tokio::test]
async fn a_server_that_cannot_be_used_is_a_clear_error() {
    for (status, content_type, body, expected) in [
        (404, "text/plain", "not found", "404"),
        (401, "text/plain", "who are you?", "401"),
        (500, "text/plain", "sorry", "500"),
        (200, "text/html", "<html>Welcome!</html>", "Unexpected content type"),
        (200, "application/json", "{", "EOF"),
    ] {
        let error = error_for(status, content_type, body).await;
        println!("{status}: {error}");
        assert!(error.starts_with("cannot connect to the MCP server: "), "{error}");
        assert!(error.contains(expected), "{status}: {error}");
    }
    let nobody = Client::http(format!("http://{}/mcp", unused_address())).connect().await;
    let error = nobody.expect_err("there is no server").to_string();
    println!("{error}");
    assert!(error.contains("refused"), "{error}");
}

#[tokio::test]
async fn endless_redirects_are_an_error() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("there is a port");
    let address = listener.local_addr().expect("it has an address");
    let requests = Arc::new(AtomicUsize::new(0));
    let received = Arc::clone(&requests);
    let respond = move || {
        received.fetch_add(1, Ordering::Relaxed);
        async { (StatusCode::TEMPORARY_REDIRECT, [(LOCATION, "/mcp")]) }
    };
    tokio::spawn(async move { axum::serve(listener, axum::Router::new().fallback(respond)).await });
    let error = Client::http(format!("http://{address}/mcp")).connect().await.expect_err("it redirects");
    assert!(error.to_string().contains("more than 10 redirects"), "{error}");
    assert!(requests.load(Ordering::Relaxed) <= 22, "{requests:?} requests: one message and one more try");
}

/// The text of a call of a tool that is not `read_only`, on a server that responds like this to the first call of each
/// session, and the number of sessions and calls.
async fn call_with(status: u16, body: &str) -> (String, usize, usize) {
    call_with_type(status, "application/json", body).await
}

/// `ID` in the body stands for the id of the call.
async fn call_with_type(status: u16, content_type: &'static str, body: &str) -> (String, usize, usize) {
    let (sessions, calls) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (of_server, called, body) = (Arc::clone(&sessions), Arc::clone(&calls), body.to_owned());
    let respond = move |message: String| {
        let (sessions, calls, body) = (Arc::clone(&of_server), Arc::clone(&called), body.clone());
        async move {
            let message: Value = serde_json::from_str(&message).unwrap_or_default();
            let result = match message["method"].as_str() {
                Some("initialize") => {
                    sessions.fetch_add(1, Ordering::Relaxed);
                    json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                        "serverInfo": {"name": "s", "version": "1"}})
                }
                Some("tools/list") => json!({"tools": [{"name": "pay", "inputSchema": {"type": "object"}}]}),
                Some("tools/call") if calls.fetch_add(1, Ordering::Relaxed) == 0 => {
                    let status = StatusCode::from_u16(status).expect("a status");
                    let body = body.replace("ID", &message["id"].to_string());
                    return (status, [(CONTENT_TYPE, content_type)], body);
                }
                Some("tools/call") => json!({"content": [{"type": "text", "text": "paid"}]}),
                _ => return (StatusCode::ACCEPTED, [(CONTENT_TYPE, "application/json")], String::new()),
            };
            let response = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
            (StatusCode::OK, [(CONTENT_TYPE, "application/json")], response.to_string())
        }
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("there is a port");
    let address = listener.local_addr().expect("it has an address");
    let router = axum::Router::new().route("/mcp", axum::routing::post(respond));
    tokio::spawn(async move { axum::serve(listener, router).await });
    let registry = registry_at(address).await;
    let text = registry.call("pay", ()).await.text().into_owned();
    assert_eq!(registry.call("pay", ()).await.text(), "paid", "{status}: the next call works");
    (text, sessions.load(Ordering::Relaxed), calls.load(Ordering::Relaxed))
}

#[tokio::test]
async fn the_status_of_a_response_decides() {
    const LOST: &str =
        "Error: the connection was lost; the call may have taken effect. Check before you try again.";
    const UNAUTHORIZED: &str = "Error: the server of the tool requires authorisation that this program does not have; the tool was \
        not called. Ask the user to sign in again, or to give the program a token with the necessary rights.";
    let rejected = |status: u16| {
        format!(
            "Error: the server of the tool rejected the request with the HTTP status {status}; the tool was not called"
        )
    };
    let unknown_session =
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no such session"}}"#;
    let declined = r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"declined"}}"#;
    let long = declined.replace("declined", &"x".repeat(70_000));
    for (status, body, expected, calls) in [
        (400, declined, "Error: declined", 2),
        (500, declined, "Error: declined", 2),
        (400, &*long, &*rejected(400), 2),
        (500, &*long, LOST, 2),
        (429, "", "paid", 3),
        (400, unknown_session, LOST, 2),
        (400, &*unknown_session.replace("null", r#""server-error""#), LOST, 2),
        (500, "", LOST, 2),
        (401, "", UNAUTHORIZED, 2),
        (403, "", UNAUTHORIZED, 2),
        (404, "", &*rejected(404), 2),
        (405, "", &*rejected(405), 2),
    ] {
        let (text, sessions, sent) = call_with(status, body).await;
        assert_eq!((&*text, sent), (expected, calls), "{status}");
        assert!(sessions <= 2, "{status}: {sessions} sessions");
    }
}

/// agentrun-sdk-python#110, opencode#17758
#[tokio::test]
async fn a_malformed_response_is_not_waited_for() {
    let paid = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"paid \ud83d"}]}}"#;
    let declined = r#"{"jsonrpc":"2.0","id":ID,"error":{"code":"ECARD","message":"declined"}}"#;
    let truncated = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"pai"#;
    let log = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"ID"}}"#;
    for (response, expected) in [
        (paid.to_owned(), "paid \u{fffd}"),
        (paid.replace("ID", "\"ID\""), "paid \u{fffd}"),
        (format!("[{paid}]"), "paid \u{fffd}"),
        (format!("[{log},{paid}]"), "paid \u{fffd}"),
        (declined.to_owned(), "declined (ECARD)"),
        (truncated.to_owned(), "pai"),
    ] {
        let event = format!("data: {response}\n\n");
        for (content_type, body) in [("text/event-stream", &event), ("application/json", &response)] {
            let call = call_with_type(200, content_type, body);
            let (text, _, calls) = timeout(Duration::from_secs(30), call).await.expect("at once");
            assert!(text.contains(expected), "{content_type}: {response}: {text}");
            assert_eq!(calls, 2, "the call is not repeated");
        }
    }
}

#[tokio::test]
async fn a_body_without_the_response_is_not_waited_for() {
    const LOST: &str = "Error: the connection was lost; the call may have taken effect.";
    let paid = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"paid"}]}}"#;
    let other = paid.replace("ID", "999");
    let declined = r#"{"jsonrpc":"2.0","id":999,"error":{"code":-32000,"message":"declined"}}"#;
    let log = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"ID"}}"#;
    let ping = r#"{"jsonrpc":"2.0","id":ID,"method":"ping"}"#;
    for (status, body, expected) in [
        (200, other.as_str(), LOST),
        (200, &paid.replace("ID", "\"call\""), LOST),
        (200, declined, LOST),
        (200, log, LOST),
        (200, ping, LOST),
        (200, &format!("[{other},{log}]"), LOST),
        (200, &format!("[{other},{log},{paid},{other}]"), "paid"),
        (202, "", LOST),
        (204, "", LOST),
        (400, declined, "Error: the server of the tool rejected the request with the HTTP status 400"),
        (500, declined, LOST),
    ] {
        let called = timeout(Duration::from_secs(30), call_with(status, body)).await;
        let (text, _, calls) = called.unwrap_or_else(|_| panic!("{status} {body}: the call waits"));
        assert!(text.starts_with(expected), "{status} {body}: {text}");
        assert_eq!(calls, 2, "{status} {body}: the call is not repeated");
    }
}

#[tokio::test]
async fn a_response_over_http_that_is_too_large_is_an_error_of_its_call() {
    let paid = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"paid"}]}}"#;
    let megabyte = "x".repeat(1 << 20);
    let long = paid.replace("paid", &megabyte.repeat(17));
    let objects = paid.replace("[{", &format!("[{}{{", "{},".repeat(60_000)));
    let lines = format!("data: {megabyte}\r\n").repeat(17);
    let event =
        format!(r#"{{"jsonrpc":"2.0","method":"notifications/message","params":{{"data":"{megabyte}"}}}}"#);
    let events = format!("data: {event}\r\n\r\n").repeat(17);
    let too_large = "the response of the server is too large: ";
    for (content_type, body, expected) in [
        ("application/json", long.clone(), too_large),
        ("application/json", objects.clone(), too_large),
        ("text/event-stream", format!("id: 1\ndata: {long}\n\n"), too_large),
        ("text/event-stream", format!("data: {objects}\n\n"), too_large),
        ("text/event-stream", format!("id: 1\r\n{lines}\r\n"), too_large),
        ("text/event-stream", format!("{events}data: {paid}\r\n\r\n"), "paid"),
    ] {
        let call = call_with_type(200, content_type, &body);
        let (text, sessions, calls) = timeout(Duration::from_secs(60), call).await.expect("at once");
        assert!(text.contains(expected), "{content_type}: {text}");
        assert_eq!(
            (sessions, calls),
            (1, 2),
            "{content_type}: the call is not repeated, and the session stays"
        );
    }
}
