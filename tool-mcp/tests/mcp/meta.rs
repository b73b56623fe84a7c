//! The `_meta` of messages, which the function of a server reads over both transports.

use crate::http::{initialize, post_to};
use crate::peer::Peer;
use axum::body::Body;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tool_runtime::{Registry, RunContext, tools};
use tool_runtime_mcp::{Server, serve};

/// A server that remembers the `_meta` of each message.
fn remembering() -> (Server, Arc<Mutex<Vec<Value>>>) {
    let seen: Arc<Mutex<Vec<Value>>> = Arc::default();
    let remembered = Arc::clone(&seen);
    let server = serve(Registry::new(tools![]).expect("valid")).context_per_request(move |request| {
        let meta = request.meta().map_or(Value::Null, Value::Object);
        remembered.lock().expect("not poisoned").push(json!([request.method(), meta]));
        RunContext::new()
    });
    (server, seen)
}

/// The messages after `initialize`.
fn messages() -> Vec<Value> {
    let meta = json!({"traceparent": "00-1", "app": {"user": [1, null]}});
    let message =
        |method: &str, params: &Value| json!({"jsonrpc": "2.0", "method": method, "params": params});
    let mut messages = vec![
        message("notifications/initialized", &json!({"_meta": meta})),
        message("tools/call", &json!({"name": "unknown", "_meta": meta})),
        // Not the parameters of the protocol.
        message("tools/call", &json!({"name": "unknown", "arguments": 3, "_meta": meta})),
        message("unknown/method", &json!({"_meta": meta})),
        message("notifications/unknown", &json!({"_meta": meta})),
        message("tools/list", &json!({"_meta": {}})),
        message("ping", &json!({})),
    ];
    for (id, message) in messages.iter_mut().enumerate() {
        if !message["method"].to_string().contains("notifications") {
            message["id"] = (id + 1).into();
        }
    }
    messages
}

#[tokio::test]
async fn the_program_reads_the_meta_of_each_message_over_both_transports() {
    let hello =
        initialize(&json!({})).replace(r#""params":{"#, r#""params":{"_meta":{"traceparent":"00-0"},"#);
    let expected: Vec<Value> = std::iter::once(json!(["initialize", {"traceparent": "00-0"}]))
        .chain(messages().into_iter().map(|message| {
            let meta = message["params"]["_meta"].as_object().filter(|meta| !meta.is_empty());
            json!([message["method"], meta])
        }))
        .collect();

    let (server, seen) = remembering();
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(server.run(theirs));
    let mut client = Peer::new(ours);
    client.send_line(&hello).await;
    client.receive("id", 0).await;
    for message in messages() {
        client.send(message.clone()).await;
    }
    client.receive("id", messages().len()).await;
    assert_eq!(*seen.lock().expect("not poisoned"), expected);

    let (server, seen) = remembering();
    let service = server.http_service();
    let session = post_to(service.clone(), &[], Body::from(hello)).await.session.expect("a session");
    for message in messages() {
        let session = [("mcp-session-id", &*session)];
        post_to(service.clone(), &session, Body::from(message.to_string())).await;
    }
    assert_eq!(*seen.lock().expect("not poisoned"), expected);
}
