//! Clients that are rejected, repeat ids, or send more than a server accepts.

use crate::http::{HttpServer, initialize, post_to};
use crate::peer::Peer;
use axum::body::Body;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::timeout;
use tool_runtime::{CallContext, Registry, RunContext, tool, tools};
use tool_runtime_mcp::rmcp::transport::StreamableHttpServerConfig;
use tool_runtime_mcp::{Server, serve};

/// Returns its text.
#[tool]
fn echo(text: String) -> String {
    text
}

/// Waits until it is cancelled, or for this time.
#[tool]
async fn wait(#[context] call: &CallContext, milliseconds: u64) -> &'static str {
    let time = Duration::from_millis(milliseconds);
    match call.cancellation().run_until_cancelled(tokio::time::sleep(time)).await {
        Some(()) => "waited",
        None => "cancelled",
    }
}

fn registry() -> Registry {
    Registry::new(tools![echo, wait]).expect("valid")
}

fn request(id: impl Into<Value>, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})
}

fn call(id: impl Into<Value>, milliseconds: u64) -> Value {
    request(id, "tools/call", &json!({"name": "wait", "arguments": {"milliseconds": milliseconds}}))
}

fn cancel(id: impl Into<Value>) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id.into()}})
}

fn error(response: &Value) -> &str {
    response["error"]["message"].as_str().unwrap_or_default()
}

fn text(response: &Value) -> &str {
    response["result"]["content"][0]["text"].as_str().unwrap_or_default()
}

/// A server that accepts no message with these methods, and the methods that it was asked about.
fn rejecting(rejected: &'static [&'static str]) -> (Server, Arc<Mutex<Vec<String>>>) {
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let of_server = Arc::clone(&asked);
    let server = serve(registry()).instructions("a secret").try_context_per_request(move |request| {
        let http = request.http().map(|parts| parts.method.to_string()).unwrap_or_default();
        let method = request.method().map_or(http, str::to_owned);
        of_server.lock().expect("not poisoned").push(method.clone());
        if rejected.contains(&&*method) { Err("sign in first") } else { Ok(RunContext::new()) }
    });
    (server, asked)
}

#[tokio::test]
async fn a_rejected_client_receives_no_instructions_and_starts_nothing() {
    let (server, asked) = rejecting(&["initialize", "ping", "tools/list"]);
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(server.run(theirs));
    let mut client = Peer::new(ours);
    client.send_line(&initialize(&json!({}))).await;
    let response = client.receive("id", 0).await;
    assert_eq!((error(&response), &response["result"]), ("sign in first", &Value::Null));
    for (id, method) in [(1, "ping"), (2, "tools/list"), (3, "server/discover")] {
        let response = client.request(id, method, json!({})).await;
        assert!(response["error"].is_object(), "{response}");
    }
    assert_eq!(*asked.lock().expect("not poisoned"), ["initialize", "ping", "tools/list", "server/discover"]);
}

#[tokio::test(start_paused = true)]
async fn a_rejected_notification_cancels_no_call() {
    let (server, asked) = rejecting(&["notifications/cancelled"]);
    let mut client = Peer::connect_to(server).await;
    client.send(call(1, 100)).await;
    client.send(cancel(1)).await;
    assert_eq!(text(&client.receive("id", 1).await), "waited");
    let asked = asked.lock().expect("not poisoned").clone();
    assert_eq!(asked, ["initialize", "notifications/initialized", "tools/call", "notifications/cancelled"]);
}

#[tokio::test]
async fn a_rejected_http_request_creates_and_reaches_no_session() {
    let (server, asked) = rejecting(&["initialize", "ping", "notifications/cancelled", "GET", "DELETE"]);
    let rejecting = HttpServer::start(server.http_service()).await;
    let answer = rejecting.post(&[], &initialize(&json!({}))).await;
    assert_eq!((answer.status, &answer.session), (200, &None));
    assert_eq!(error(&answer.message()), "sign in first");
    assert!(!answer.body.contains("secret"), "{answer:?}");

    // The id of a session of another client.
    let session = [("mcp-session-id", "known")];
    let ping = rejecting.post(&session, &request(1, "ping", &json!({})).to_string()).await;
    assert_eq!((ping.status, error(&ping.message())), (200, "sign in first"));
    for (method, body) in [("POST", cancel(1).to_string()), ("GET", String::new()), ("DELETE", String::new())]
    {
        let answer = rejecting.request(method, &session, &body).await;
        assert_eq!(
            (answer.status, answer.body.contains("sign in first")),
            (403, true),
            "{method}: {answer:?}"
        );
    }
    let asked = asked.lock().expect("not poisoned").clone();
    assert_eq!(asked, ["initialize", "ping", "notifications/cancelled", "GET", "DELETE"]);
}

#[tokio::test]
async fn a_website_that_may_not_use_the_server_does_not_reach_the_program() {
    let (server, asked) = rejecting(&[]);
    let config = StreamableHttpServerConfig::default().with_allowed_origins(["https://app.example"]);
    let http = HttpServer::start(server.http_service_with(config)).await;
    let (hello, allowed) = (initialize(&json!({})), ("Origin", "https://app.example:443"));
    for headers in
        [[("Host", "evil.example"), allowed], [("Host", "localhost"), ("Origin", "https://evil.example")]]
    {
        // The body never arrives.
        let declared = [headers[0], headers[1], ("Content-Length", "1000")];
        let answer = timeout(Duration::from_secs(30), http.post(&declared, "{")).await.expect("at once");
        assert_eq!(answer.status, 403, "{answer:?}");
        for method in ["POST", "GET", "DELETE"] {
            assert_eq!(http.request(method, &headers, &hello).await.status, 403, "{method} {headers:?}");
        }
    }
    assert!(asked.lock().expect("not poisoned").is_empty(), "{asked:?}");
    assert_eq!(http.post(&[allowed], &hello).await.status, 200);
    assert_eq!(*asked.lock().expect("not poisoned"), ["initialize"]);
}

#[tokio::test]
async fn a_website_of_another_machine_may_not_use_a_server_by_default() {
    let http = HttpServer::start(serve(registry()).http_service()).await;
    let hello = initialize(&json!({}));
    for (origin, status) in [
        ("http://evil.example", 403),
        ("null", 403),
        ("http://localhost.evil.example", 403),
        ("http://localhost@evil.example", 403),
        ("file://localhost", 403),
        ("http://localhost", 200),
        ("https://localhost:6274", 200),
        ("http://127.0.0.1:3000", 200),
        ("http://[::1]:3000", 200),
    ] {
        let answer = http.post(&[("Origin", origin)], &hello).await;
        assert_eq!(
            (answer.status, answer.session.is_some()),
            (status, status == 200),
            "{origin}: {answer:?}"
        );
    }
    assert_eq!(http.post(&[], &hello).await.status, 200, "a program sends no origin");
}

#[tokio::test]
async fn the_program_and_the_server_read_the_same_tool() {
    let server = serve(registry()).try_context_per_request(|request| match request.tool() {
        Some("wait") => Err("not this tool"),
        _ => Ok(RunContext::new()),
    });
    let http = HttpServer::start(server.http_service()).await;
    let session = http.post(&[], &initialize(&json!({}))).await.session.expect("a session");
    let session = [("mcp-session-id", &*session)];
    let params =
        [r#""name":"echo","name":"wait""#, r#""name":"wait","name":"echo""#, r#""name":"w\u0061it""#];
    for params in params {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{{params},"arguments":{{"milliseconds":1}}}}}}"#
        );
        let answer = http.post(&session, &body).await;
        assert!(!answer.body.contains("waited"), "{body}: {answer:?}");
    }
    for body in [
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"wait"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{},"params":{"name":"wait"}}"#,
        "[]",
        "{",
    ] {
        assert_eq!(http.post(&session, body).await.status, 400, "{body}");
    }
}

#[tokio::test]
async fn a_large_http_request_is_rejected_before_it_is_read() {
    let http = HttpServer::start(serve(registry()).http_service()).await;
    // The body never arrives.
    let declared = [("Content-Length", "5000000")];
    let answer = timeout(Duration::from_secs(30), http.post(&declared, "{")).await;
    let answer = answer.expect("the response comes at once");
    assert_eq!((answer.status, answer.body.contains("4194304 bytes")), (413, true), "{answer:?}");
    let large = initialize(&json!({"experimental": {"a": {"b": "x".repeat(70_000)}}}));
    let answer = http.post(&[], &large).await;
    assert_eq!((answer.status, answer.session), (413, None));
}

#[tokio::test]
async fn sessions_have_a_limit() {
    let http = HttpServer::start(serve(registry()).max_sessions(2).http_service()).await;
    let mut sessions = Vec::new();
    for _ in 0..2 {
        sessions.push(http.post(&[], &initialize(&json!({}))).await.session.expect("a session"));
    }
    let answer = http.post(&[], &initialize(&json!({}))).await;
    assert_eq!((answer.status, answer.body.contains("raise `max_sessions`")), (503, true), "{answer:?}");
    http.request("DELETE", &[("mcp-session-id", &sessions[0])], "").await;
    assert!(http.post(&[], &initialize(&json!({}))).await.session.is_some(), "one has ended");
}

#[tokio::test]
async fn clients_that_begin_sessions_at_once_do_not_exceed_the_limit() {
    let http = HttpServer::start(serve(registry()).max_sessions(2).http_service()).await;
    let hello = initialize(&json!({}));
    let answers = futures_util::future::join_all((0..20).map(|_| http.post(&[], &hello))).await;
    assert_eq!(answers.iter().filter(|answer| answer.session.is_some()).count(), 2, "{answers:?}");
}

#[tokio::test(start_paused = true)]
async fn a_session_with_many_running_calls_does_not_delay_other_clients() {
    let service = serve(registry()).http_service();
    let begin = || post_to(service.clone(), &[], Body::from(initialize(&json!({}))));
    let session = begin().await.session.expect("a session");
    let post = |message: String| {
        tokio::spawn(post_to(service.clone(), &[("mcp-session-id", &session)], Body::from(message)))
    };
    for id in 0..256 {
        post(call(id, 600_000).to_string());
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    let waiting: Vec<_> = (0..10)
        .map(|id| post(initialize(&json!({})).replace("\"id\":0", &format!("\"id\":\"hello {id}\""))))
        .collect();
    tokio::time::sleep(Duration::from_millis(100)).await;
    let started = tokio::time::Instant::now();
    assert!(begin().await.session.is_some());
    assert!(started.elapsed() < Duration::from_millis(500), "{:?}", started.elapsed());
    assert!(waiting.iter().all(|waiting| !waiting.is_finished()), "they wait for a call to end");
}

/// Calls that take much memory while they run do not delay small ones, and each ends with its response.
/// The test takes less than 15 s of paused time: streams of events send comments without a pause then, by the other clock.
#[tokio::test(start_paused = true)]
async fn large_running_requests_over_http_have_a_limit() {
    let service = serve(registry()).http_service();
    let hello = post_to(service.clone(), &[], Body::from(initialize(&json!({}))));
    let session = hello.await.session.expect("a session");
    let post = |id: String, padding: &str| {
        let params =
            format!(r#"{{"name":"wait","arguments":{{"milliseconds":2500}},"_meta":{{"p":{padding}}}}}"#);
        let body = format!(r#"{{"jsonrpc":"2.0","id":"{id}","method":"tools/call","params":{params}}}"#);
        tokio::spawn(post_to(service.clone(), &[("mcp-session-id", &session)], Body::from(body)))
    };
    let large = format!("\"{}\"", "x".repeat(3 << 20));
    for round in 0..3 {
        let mut running = Vec::new();
        for index in 0..10 {
            running.push(post(format!("{round} {index}"), &large));
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let rejected = post(format!("{round} rejected"), &large).await.expect("no panic");
        assert_eq!(rejected.status, 503, "{rejected:?}");
        assert_eq!(rejected.body, "the server has too many large requests; try again later");
        running.push(post(format!("{round} small"), "1"));
        for running in running {
            let answer = running.await.expect("no panic");
            assert_eq!(text(&answer.message()), "waited", "{answer:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_that_is_not_used_ends_soon() {
    let service = serve(registry()).http_service();
    let begin = async || {
        let hello = Body::from(initialize(&json!({})));
        post_to(service.clone(), &[], hello).await.session.expect("a session")
    };
    let ping = async |session: &str| {
        let ping = Body::from(request(1, "ping", &json!({})).to_string());
        post_to(service.clone(), &[("mcp-session-id", session)], ping).await.status
    };
    let (used, unused) = (begin().await, begin().await);
    assert_eq!(ping(&used).await, 200);
    tokio::time::sleep(Duration::from_secs(31)).await;
    assert_eq!((ping(&used).await, ping(&unused).await), (200, 404));
}

#[tokio::test(start_paused = true)]
async fn a_repeated_id_is_rejected_and_the_first_call_has_its_response() {
    let mut client = Peer::connect_to(serve(registry())).await;
    client.send(call(7, 200)).await;
    client.send(call(7, 0)).await;
    // Equal as text, but another id.
    client.send(call("7", 0)).await;
    let rejected = client.receive("id", 7).await;
    assert!(error(&rejected).contains("a request with this id has no response yet"), "{rejected}");
    assert_eq!(text(&client.receive("id", "7").await), "waited");
    assert_eq!(text(&client.receive("id", 7).await), "waited");
    client.send(call(7, 0)).await;
    assert_eq!(text(&client.receive("id", 7).await), "waited", "an id may be used again after its response");
}

#[tokio::test(start_paused = true)]
async fn the_id_of_a_cancelled_call_is_that_of_a_later_call_only_after_its_end() {
    let mut client = Peer::connect_to(serve(registry())).await;
    client.send(call(7, 60_000)).await;
    client.send(cancel(7)).await;
    // The cancelled call may still run.
    let response = loop {
        client.send(call(7, 1)).await;
        let response = client.receive("id", 7).await;
        if response["error"].is_null() {
            break response;
        }
    };
    assert_eq!(text(&response), "waited", "it is not that of the cancelled call");
}

#[tokio::test(start_paused = true)]
async fn a_repeated_id_is_rejected_in_a_session() {
    let service = serve(registry()).http_service();
    let hello = post_to(service.clone(), &[], Body::from(initialize(&json!({}))));
    let session = hello.await.session.expect("a session");
    let post =
        |call: Value| post_to(service.clone(), &[("mcp-session-id", &session)], Body::from(call.to_string()));
    let first = tokio::spawn(post(call(7, 500)));
    tokio::time::sleep(Duration::from_millis(100)).await;
    let (second, other) = (post(call(7, 0)).await, post(call("7", 0)).await);
    assert!(error(&second.message()).contains("a request with this id has no response yet"), "{second:?}");
    assert_eq!(text(&other.message()), "waited", "{other:?}");
    assert!(!first.is_finished());
    assert_eq!(text(&first.await.expect("no panic").message()), "waited");
    assert_eq!(text(&post(call(7, 0)).await.message()), "waited");
}

#[tokio::test(start_paused = true)]
async fn running_requests_have_a_limit_and_can_be_cancelled_meanwhile() {
    let mut client = Peer::connect_to(serve(registry())).await;
    for id in 0..256 {
        client.send(call(format!("slow {id}"), 60_000)).await;
    }
    client.send(call("one more", 0)).await;
    let rejected = client.receive("id", "one more").await;
    assert!(error(&rejected).starts_with("256 requests of this connection"), "{rejected}");
    client.send(cancel("slow 3")).await;
    client.send(call("next", 0)).await;
    assert_eq!(text(&client.receive("id", "next").await), "waited");
}

#[tokio::test]
async fn a_request_that_is_too_large_has_an_error() {
    let mut client = Peer::connect_to(serve(registry())).await;
    let values = "{},".repeat(60_000);
    let request = |arguments: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{{"text":{arguments}}}}}}}"#
        )
    };
    for arguments in [format!("\"{}\"", "x".repeat(17 << 20)), format!("[{values}1]")] {
        client.send_line(&request(&arguments)).await;
        let response = client.receive("id", 1).await;
        assert!(error(&response).starts_with("the request is too large: a message may have "), "{response}");
    }
}

/// A client and a server with small buffers, both of which send much.
#[tokio::test]
async fn two_peers_that_send_much_do_not_wait_for_each_other() {
    let server = serve(registry());
    let client = tool_runtime_mcp::Client::transport(move || {
        let (ours, theirs) = tokio::io::duplex(4096);
        tokio::spawn(server.clone().run(theirs));
        async move { Ok::<_, std::io::Error>(ours) }
    });
    let registry = client.connect().await.expect("connected").registry().await.expect("listed");
    let text = "x".repeat(20_000);
    let arguments = json!({"text": text}).to_string();
    let calls: Vec<_> = (0..500)
        .map(|index| tool_runtime::ToolCall::new(format!("call_{index}"), "echo", arguments.clone()))
        .collect();
    let messages = registry.dispatch(&calls).await;
    assert!(messages.iter().all(|message| message.text() == text));
}
