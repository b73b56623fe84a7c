//! Servers that are slow, send garbage, or send definitions that cannot be used.

use crate::peer::{Peer, Response, connect_to_script, definition, registry_of};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tool_runtime::ToolCall;
use tool_runtime_mcp::{Client, ClientError, ConnectError};

/// The error of a client that connects to this server.
async fn connect_error<F: Future<Output = ()> + Send + 'static>(
    server: impl Fn(Peer) -> F + Send + Sync + 'static,
) -> String {
    connect_to_script(server).connect().await.expect_err("the server is broken").to_string()
}

const TIMED_OUT: &str = "cannot connect to the MCP server: it did not respond within 30s; raise `connect_timeout` if it needs longer";

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_respond_is_a_time_out() {
    let silent = connect_error(|mut peer| async move { while peer.next().await.is_some() {} }).await;
    assert_eq!(silent, TIMED_OUT);
    let garbage = connect_error(|mut peer| async move {
        for line in ["Welcome!", "{", "[]", "null", r#"{"jsonrpc":"2.0"}"#, "\u{0}\u{1}"] {
            peer.send_line(line).await;
        }
        while peer.next().await.is_some() {}
    });
    assert_eq!(garbage.await, TIMED_OUT);
    let impatient = connect_to_script(|mut peer: Peer| async move { while peer.next().await.is_some() {} });
    let error =
        impatient.connect_timeout(Duration::from_secs(2)).connect().await.expect_err("it does not respond");
    assert!(matches!(error, ConnectError::TimedOut { allowed, .. } if allowed == Duration::from_secs(2)));
}

#[tokio::test]
async fn a_server_that_cannot_be_used_is_a_clear_error() {
    let closed = connect_error(|peer| async move { drop(peer) }).await;
    assert!(
        closed.starts_with(
            "cannot connect to the MCP server: the connection was closed before the server responded"
        ),
        "{closed}"
    );
    let answer = |body: Value| {
        move |mut peer: Peer| {
            let body = body.clone();
            async move {
                let id = peer.next().await.map(|message| message["id"].clone());
                let mut message = json!({"jsonrpc": "2.0", "id": id});
                message
                    .as_object_mut()
                    .into_iter()
                    .for_each(|fields| fields.extend(body.as_object().cloned().unwrap_or_default()));
                peer.send(message).await;
                while peer.next().await.is_some() {}
            }
        }
    };
    let rejected = connect_error(answer(json!({"error": {"code": -32000, "message": "not today"}}))).await;
    assert!(rejected.ends_with("not today"), "{rejected}");
    let wrong = connect_error(answer(json!({"result": {"tools": []}}))).await;
    assert!(wrong.starts_with("cannot connect to the MCP server: "), "{wrong}");

    let missing = Client::child_process(|| tokio::process::Command::new("there-is-no-such-program"));
    let missing = missing.connect().await.expect_err("it does not exist");
    let expected = "cannot connect to the MCP server: cannot start `there-is-no-such-program`: ";
    assert!(missing.to_string().starts_with(expected), "{missing}");
    assert!(matches!(missing, ConnectError::Failed(_)));
}

/// A server that answers `tools/list` with these pages.
fn listing(
    page: impl Fn(&Value) -> Option<Value> + Clone + Send + Sync + 'static,
) -> impl Fn(Peer) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send>> {
    move |peer| {
        let page = page.clone();
        Box::pin(peer.serve(move |_, params| page(params).map_or(Response::Nothing, Response::Result)))
    }
}

async fn list_error(page: impl Fn(&Value) -> Option<Value> + Clone + Send + Sync + 'static) -> ClientError {
    let client = connect_to_script(listing(page)).connect().await.expect("connected");
    client.registry().await.expect_err("the list cannot be used")
}

#[tokio::test(start_paused = true)]
async fn a_list_that_never_ends_or_never_comes_is_an_error() {
    // The next number after that of the cursor.
    let next = |params: &Value| {
        let cursor = params["cursor"].as_str().and_then(|cursor| cursor.parse::<u64>().ok());
        (cursor.unwrap_or_default() + 1).to_string()
    };
    let tools = move |params: &Value| {
        let tool = definition(&format!("t{}", next(params)), &json!({}));
        Some(json!({"tools": [tool], "nextCursor": next(params)}))
    };
    let endless = list_error(tools).await;
    assert_eq!(endless.to_string(), "the MCP server has more than 1000 tools; raise `max_tools` to use it");
    let empty = list_error(move |params| Some(json!({"tools": [], "nextCursor": next(params)}))).await;
    assert!(matches!(empty, ClientError::TooMany { limit: 1000, .. }), "{empty}");
    let silent = list_error(|_| None).await;
    assert!(
        matches!(silent, ClientError::ListTimedOut { allowed, .. } if allowed == Duration::from_secs(30)),
        "{silent}"
    );
    for answer in [json!({}), json!({"tools": {}}), json!("tools"), json!(null)] {
        let error = list_error(move |_| Some(answer.clone())).await.to_string();
        assert!(error.starts_with("the MCP server did not list its tools"), "{error}");
    }
}

/// java-sdk#628, csharp-sdk#1072, codebase-memory-mcp#1247
#[tokio::test]
async fn a_cursor_that_does_not_advance_ends_the_list() {
    let tools = |names: &[&str]| names.iter().map(|name| definition(name, &json!({}))).collect::<Vec<_>>();
    // An empty cursor, after one page and after two.
    let registry =
        registry_of(listing(move |_| Some(json!({"tools": tools(&["a"]), "nextCursor": ""})))).await;
    assert_eq!(registry.names(), ["a"]);
    let registry = registry_of(listing(move |params| {
        Some(match params["cursor"].as_str() {
            None => json!({"tools": tools(&["a"]), "nextCursor": "2"}),
            Some(_) => json!({"tools": tools(&["b"]), "nextCursor": ""}),
        })
    }));
    assert_eq!(registry.await.names(), ["a", "b"]);
    // The same cursor again, the same page for each cursor, and a cycle of cursors.
    for cursors in [&["x"][..], &["x", "y", "z"]] {
        let page = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let registry = registry_of(listing(move |_| {
            let page = page.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            Some(json!({"tools": tools(&["a", "b"]), "nextCursor": cursors[page % cursors.len()]}))
        }))
        .await;
        assert_eq!((registry.names(), registry.skipped_tools().len()), (vec!["a", "b"], 0));
    }
    let registry = registry_of(listing(move |params| {
        Some(match params["cursor"].as_str() {
            None => json!({"tools": tools(&["a"]), "nextCursor": "x"}),
            Some("x") => json!({"tools": tools(&["b"]), "nextCursor": "y"}),
            Some(_) => json!({"tools": tools(&["c"]), "nextCursor": "x"}),
        })
    }));
    assert_eq!(registry.await.names(), ["a", "b", "c"]);
}

#[tokio::test]
async fn pages_are_read_to_the_end() {
    let registry = registry_of(listing(|params| {
        let (name, next) = match params["cursor"].as_str() {
            None => ("first", Some("2")),
            Some(_) => ("second", None),
        };
        let mut page = json!({"tools": [definition(name, &json!({}))]});
        if let Some(next) = next {
            page["nextCursor"] = next.into();
        }
        Some(page)
    }))
    .await;
    assert_eq!(registry.names(), ["first", "second"]);
}

#[tokio::test]
async fn a_definition_that_cannot_be_used_is_skipped_and_reported() {
    let object = || json!({"type": "object"});
    let nested = (0..60).fold(object(), |schema, _| json!({"type": "object", "properties": {"a": schema}}));
    let many: serde_json::Map<String, Value> =
        (0..31_000).map(|index| (format!("p{index}"), json!({}))).collect();
    let tools = json!([
        {"name": "good", "inputSchema": object()},
        {"name": "no_schema"},
        {"name": "null_schema", "inputSchema": null},
        {"name": "no_type", "inputSchema": {"properties": {"a": {"type": "string"}}}},
        {"name": "text_schema", "inputSchema": "object"},
        {"name": "array_schema", "inputSchema": {"type": "array"}},
        {"inputSchema": object()},
        {"name": 7, "inputSchema": object()},
        {"name": "odd_fields", "description": 1, "title": [], "annotations": "all", "outputSchema": 2, "inputSchema": object()},
        {"name": "odd_hints", "annotations": {"readOnlyHint": "yes", "destructiveHint": null}, "inputSchema": object()},
        {"name": "nested", "inputSchema": nested},
        {"name": "many", "inputSchema": {"type": "object", "properties": many}},
        {"name": "good", "inputSchema": object()},
        {"name": "long", "description": "x".repeat(1 << 20), "inputSchema": object()},
        "a text",
        null,
    ]);
    let registry = registry_of(listing(move |_| Some(json!({"tools": tools})))).await;
    assert_eq!(
        registry.names(),
        ["good", "long", "nested", "no_schema", "no_type", "null_schema", "odd_fields", "odd_hints"]
    );
    let skipped: Vec<String> = registry.skipped_tools().iter().map(ToString::to_string).collect();
    assert_eq!(skipped.len(), 8, "{skipped:#?}");
    for (name, reason) in [
        ("unnamed", "are not the JSON Schema of an object"),
        ("text_schema", "are not the JSON Schema of an object"),
        ("array_schema", "are not the JSON Schema of an object"),
        ("many", "it has more than 30000 values"),
        ("good", "two tools are named"),
    ] {
        let is_reported =
            |text: &&String| text.contains(&format!("`{name}` was skipped")) && text.contains(reason);
        assert!(skipped.iter().any(|text| is_reported(&text)), "{name}: {skipped:#?}");
    }
    let description = registry.tool("long").expect("there").schema.description();
    assert!(description.len() < 17_000 && description.ends_with(" [truncated]"));
    assert_eq!(registry.tool("odd_hints").expect("there").annotations.read_only, None);
}

#[tokio::test(start_paused = true)]
async fn a_slow_call_is_a_time_out_and_the_server_is_notified() {
    // Whether each is a call, and the id of its request.
    let seen: Arc<Mutex<Vec<(bool, Value)>>> = Arc::default();
    let of_server = Arc::clone(&seen);
    let server = move |mut peer: Peer| {
        let seen = Arc::clone(&of_server);
        async move {
            while let Some(message) = peer.next().await {
                let id = message["id"].clone();
                let result = match message["method"].as_str() {
                    Some("initialize") => {
                        json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                        "serverInfo": {"name": "slow", "version": "1"}})
                    }
                    Some("tools/list") => {
                        json!({"tools": [definition("slow", &json!({"readOnlyHint": true})),
                        definition("slow_write", &json!({}))]})
                    }
                    Some("tools/call") => {
                        seen.lock().expect("not poisoned").push((true, id));
                        continue;
                    }
                    Some("notifications/cancelled") => {
                        seen.lock()
                            .expect("not poisoned")
                            .push((false, message["params"]["requestId"].clone()));
                        continue;
                    }
                    _ => continue,
                };
                peer.send(json!({"jsonrpc": "2.0", "id": id, "result": result})).await;
            }
        }
    };
    let client =
        connect_to_script(server).timeout(Duration::from_secs(2)).connect().await.expect("connected");
    let registry = client.registry().await.expect("listed");
    for (tool, expected) in [
        ("slow", "Error: the tool `slow` did not finish within 2 s."),
        ("slow_write", "Error: the tool `slow_write` did not finish within 2 s. It may have taken effect."),
    ] {
        let messages = registry.dispatch(&[ToolCall::new("call_1", tool, "{}")]).await;
        assert_eq!(messages[0].content, expected);
        assert_eq!(messages[0].error_kind(), Some("timeout"));
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    let seen = seen.lock().expect("not poisoned").clone();
    let requests =
        |is_call| seen.iter().filter(|(kind, _)| *kind == is_call).map(|(_, id)| id).collect::<Vec<_>>();
    assert_eq!((requests(true).len(), requests(true)), (2, requests(false)));
}

#[tokio::test]
async fn max_tools_limits_the_list() {
    let page = |_: &Value| Some(json!({"tools": [definition("a", &json!({})), definition("b", &json!({}))]}));
    let client = connect_to_script(listing(page)).max_tools(1).connect().await.expect("connected");
    assert!(matches!(client.registry().await, Err(ClientError::TooMany { limit: 1, .. })));
    let waiting = tokio::time::timeout(Duration::from_millis(50), client.changed()).await;
    assert!(waiting.is_err(), "a list that cannot be used is no change: a loop over `changed` waits");
    let client = connect_to_script(listing(page)).max_tools(2).connect().await.expect("connected");
    assert_eq!(client.registry().await.expect("listed").names().len(), 2);
}

#[tokio::test]
async fn a_server_without_tools_has_an_empty_registry() {
    let registry = registry_of(|mut peer: Peer| async move {
        while let Some(message) = peer.next().await {
            let (field, value) = match message["method"].as_str() {
                Some("initialize") => (
                    "result",
                    json!({"protocolVersion": "2025-06-18", "capabilities": {"prompts": {}},
                    "serverInfo": {"name": "prompts", "version": "1"}}),
                ),
                _ => ("error", json!({"code": -32601, "message": "Method not found"})),
            };
            peer.send(json!({"jsonrpc": "2.0", "id": message["id"], field: value})).await;
        }
    })
    .await;
    assert!(registry.names().is_empty());
}

#[tokio::test]
async fn garbage_between_messages_is_ignored() {
    let registry = registry_of(|mut peer| async move {
        while let Some(message) = peer.next().await {
            let other = r#"{"jsonrpc":"2.0","id":99,"result":{}}"#;
            let lines = ["a log line", "{]", r#"{"method":"notifications/progress"}"#, other];
            // During the handshake, an answer to another request is an error.
            for line in lines.iter().take(if message["method"] == "initialize" { 3 } else { 4 }) {
                peer.send_line(line).await;
            }
            let progress = json!({"progressToken": 12345, "progress": -1.5e300, "total": "many"});
            peer.send(json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": progress}))
                .await;
            let result = match message["method"].as_str() {
                Some("initialize") => json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                    "serverInfo": {"name": "loud", "version": "1"}}),
                Some("tools/list") => json!({"tools": [definition("t", &json!({}))]}),
                Some("tools/call") => json!({"content": [{"type": "text", "text": "done"}]}),
                _ => continue,
            };
            peer.send(json!({"jsonrpc": "2.0", "id": message["id"], "result": result})).await;
        }
    })
    .await;
    assert_eq!(registry.call("t", ()).await.text(), "done");
}

/// A server that reads no further message after the list of its tools, until this time has passed.
fn reading_late(
    pause: Duration,
    calls: Arc<Mutex<Vec<Value>>>,
) -> impl Fn(Peer) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send>> {
    move |mut peer| {
        let calls = Arc::clone(&calls);
        Box::pin(async move {
            while let Some(message) = peer.next().await {
                let result = match message["method"].as_str() {
                    Some("initialize") => {
                        json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                        "serverInfo": {"name": "late", "version": "1"}})
                    }
                    Some("tools/list") => json!({"tools": [definition("t", &json!({}))]}),
                    Some("tools/call") => {
                        calls
                            .lock()
                            .expect("not poisoned")
                            .push(message["params"]["arguments"]["index"].clone());
                        json!({"content": []})
                    }
                    _ => continue,
                };
                peer.send(json!({"jsonrpc": "2.0", "id": message["id"], "result": result})).await;
                if message["method"] == "tools/list" {
                    tokio::time::sleep(pause).await;
                }
            }
        })
    }
}

/// Larger than the buffer of a connection.
fn large_call(index: usize) -> ToolCall {
    let text = "x".repeat(1 << 20);
    ToolCall::new(format!("call_{index}"), "t", json!({"index": index, "text": text}).to_string())
}

#[tokio::test(start_paused = true)]
async fn a_call_that_timed_out_is_not_sent_later() {
    let calls = Arc::default();
    let server = reading_late(Duration::from_secs(10), Arc::clone(&calls));
    let client =
        connect_to_script(server).timeout(Duration::from_secs(2)).connect().await.expect("connected");
    let registry = client.registry().await.expect("listed");
    let large: Vec<ToolCall> = (0..5).map(large_call).collect();
    for message in registry.dispatch(&large).await {
        assert_eq!(message.error_kind(), Some("timeout"));
    }
    tokio::time::sleep(Duration::from_secs(20)).await;
    let sent = calls.lock().expect("not poisoned").clone();
    assert!(sent.len() <= 1, "only the call whose text was partly sent arrives: {sent:?}");
    assert!(!registry.dispatch(&[large_call(7)]).await[0].is_error());
}

#[tokio::test(start_paused = true)]
async fn a_client_of_a_server_that_does_not_read_can_be_closed() {
    let server = reading_late(Duration::from_secs(1_000_000), Arc::default());
    let client =
        connect_to_script(server).timeout(Duration::from_secs(2)).connect().await.expect("connected");
    let registry = client.registry().await.expect("listed");
    assert_eq!(registry.dispatch(&[large_call(0)]).await[0].error_kind(), Some("timeout"));
    // rmcp waits for two seconds. A child process would get no time to exit if the blocked message lasted until the limit.
    tokio::time::timeout(Duration::from_secs(5), client.close())
        .await
        .expect("closing ends the blocked message");
}
