//! Connections that are lost before, during and after a call.

use crate::peer::{Peer, Response, connect_to_script, definition};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tool_runtime::{Registry, ToolCall};
use tool_runtime_mcp::Client;

/// The connections and calls of a server.
#[derive(Default)]
struct Log {
    connections: AtomicUsize,
    /// The tool and the arguments of each call.
    calls: Mutex<Vec<Value>>,
}

impl Log {
    fn calls(&self) -> Vec<Value> {
        self.calls.lock().expect("not poisoned").clone()
    }
}

/// A client of a server that closes the connection at each of the first `losses` calls. Later connections than
/// `connections` are closed at once.
async fn client_with(losses: usize, connections: usize) -> (Client, Registry, Arc<Log>) {
    let log = Arc::new(Log::default());
    let of_server = Arc::clone(&log);
    let client = connect_to_script(move |peer: Peer| {
        let log = Arc::clone(&of_server);
        async move {
            if log.connections.fetch_add(1, Ordering::Relaxed) >= connections {
                return;
            }
            peer.serve(move |method, params| {
                if method == "tools/list" {
                    return Response::Result(json!({"tools": [
                        definition("read", &json!({"readOnlyHint": true})),
                        definition("put", &json!({"idempotentHint": true})),
                        definition("pay", &json!({})),
                    ]}));
                }
                if method != "tools/call" {
                    return Response::Nothing;
                }
                let mut calls = log.calls.lock().expect("not poisoned");
                calls.push(json!([params["name"], params["arguments"]]));
                if calls.len() <= losses {
                    return Response::Close;
                }
                Response::Result(json!({"content": [{"type": "text", "text": "done"}]}))
            })
            .await;
        }
    });
    let client = client.connect().await.expect("connected");
    let registry = client.registry().await.expect("listed");
    (client, registry, log)
}

const MAYBE: &str =
    "Error: the connection was lost; the call may have taken effect. Check before you try again.";

#[tokio::test(start_paused = true)]
async fn calls_that_may_run_twice_are_sent_again() {
    for tool in ["read", "put"] {
        let (_client, registry, log) = client_with(2, usize::MAX).await;
        assert_eq!(registry.call(tool, ()).await.text(), "done");
        assert_eq!(log.calls().len(), 3, "{tool}");
    }
    for (tool, expected) in [("read", "Error: the connection was lost. Try again."), ("put", MAYBE)] {
        let (_client, registry, log) = client_with(3, usize::MAX).await;
        assert_eq!(registry.call(tool, ()).await.text(), expected);
        assert_eq!(log.calls().len(), 3, "{tool}: there is a limit");
        assert_eq!(registry.call(tool, ()).await.text(), "done", "the next call connects again");
    }
}

#[tokio::test(start_paused = true)]
async fn other_calls_are_sent_once() {
    let (_client, registry, log) = client_with(1, usize::MAX).await;
    assert_eq!(registry.call("pay", ()).await.text(), MAYBE);
    assert_eq!(log.calls().len(), 1);
    assert_eq!(registry.call("pay", ()).await.text(), "done", "the next call connects again");
}

#[tokio::test(start_paused = true)]
async fn a_call_is_not_sent_if_the_server_cannot_be_reached() {
    let (client, registry, log) = client_with(0, 1).await;
    client.close().await;
    let calls: Vec<ToolCall> =
        (0..16).map(|index| ToolCall::new(format!("call_{index}"), "pay", "{}")).collect();
    for message in registry.dispatch(&calls).await {
        assert_eq!(
            message.content,
            "Error: the server of the tool cannot be reached; the tool was not called"
        );
    }
    assert_eq!(log.calls().len(), 0);
    let attempts = log.connections.load(Ordering::Relaxed);
    assert_eq!(attempts, 1 + 5, "the calls of a run share their attempts");
}

#[tokio::test(start_paused = true)]
async fn a_closed_client_connects_again() {
    let (client, registry, log) = client_with(0, usize::MAX).await;
    client.close().await;
    assert_eq!(registry.call("pay", ()).await.text(), "done");
    assert_eq!(log.connections.load(Ordering::Relaxed), 2);
    client.changed().await; // The list may have changed meanwhile.
}

#[tokio::test(start_paused = true)]
async fn every_call_of_a_reply_has_a_result() {
    for seed in 0..50 {
        let mut random = fastrand::Rng::with_seed(seed);
        let (_client, registry, log) = client_with(random.usize(0..6), usize::MAX).await;
        let calls: Vec<ToolCall> = (0..random.usize(1..12))
            .map(|index| {
                let tool = ["read", "put", "pay"][random.usize(0..3)];
                ToolCall::new(format!("call_{index}"), tool, format!(r#"{{"index":{index}}}"#))
            })
            .collect();
        let messages = registry.dispatch(&calls).await;
        assert_eq!(messages.len(), calls.len(), "seed {seed}");
        for (index, (call, message)) in calls.iter().zip(&messages).enumerate() {
            assert_eq!(call.id, message.tool_call_id, "seed {seed}");
            assert!(message.content == "done" || message.is_error(), "seed {seed}: {message:?}");
            let sent =
                log.calls().iter().filter(|sent| **sent == json!([call.name, {"index": index}])).count();
            assert!(
                sent <= if call.name == "pay" { 1 } else { 3 },
                "seed {seed}: {call:?} was sent {sent} times"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_annotations_of_the_program_decide() {
    for (is_idempotent, expected) in [(true, 2), (false, 1)] {
        let calls = Arc::new(AtomicUsize::new(0));
        let of_server = Arc::clone(&calls);
        let client = connect_to_script(move |peer: Peer| {
            let calls = Arc::clone(&of_server);
            peer.serve(move |method, _| match method {
                "tools/list" => {
                    let annotations = json!({"idempotentHint": !is_idempotent});
                    Response::Result(json!({"tools": [definition("t", &annotations)]}))
                }
                "tools/call" if calls.fetch_add(1, Ordering::Relaxed) == 0 => Response::Close,
                "tools/call" => Response::Result(json!({"content": []})),
                _ => Response::Nothing,
            })
        });
        let client = client.tool(move |_, tool| {
            let mut annotations = tool.declared_annotations();
            annotations.idempotent = Some(is_idempotent);
            tool.annotations(annotations)
        });
        let client = client.connect().await.expect("connected");
        let result = client.registry().await.expect("listed").call("t", ()).await;
        assert_eq!((result.is_error(), calls.load(Ordering::Relaxed)), (!is_idempotent, expected));
    }
}

/// From protocol 2026-07-28 on, a server may not know `initialize`.
#[tokio::test]
async fn a_server_without_initialize_is_asked_to_describe_itself() {
    let client = connect_to_script(|mut peer: Peer| async move {
        while let Some(message) = peer.next().await {
            let id = &message["id"];
            let result: Value = match message["method"].as_str() {
                Some("initialize") => {
                    let error = json!({"code": -32601, "message": "initialize"});
                    peer.send(json!({"jsonrpc": "2.0", "id": id, "error": error})).await;
                    continue;
                }
                Some("server/discover") => {
                    json!({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
                    "serverInfo": {"name": "modern", "version": "1"}, "resultType": "complete", "ttlMs": 0, "cacheScope": "private"})
                }
                Some("tools/list") => {
                    json!({"tools": [definition("t", &json!({}))], "resultType": "complete",
                    "ttlMs": 0, "cacheScope": "private"})
                }
                Some("tools/call") => {
                    json!({"content": [{"type": "text", "text": "done"}], "resultType": "complete"})
                }
                _ => continue,
            };
            peer.send(json!({"jsonrpc": "2.0", "id": id, "result": result})).await;
        }
    });
    let registry = client.connect().await.expect("connected").registry().await.expect("listed");
    assert_eq!(registry.call("t", ()).await.text(), "done");
}

#[tokio::test(start_paused = true)]
async fn changes_are_announced_after_a_subscription_has_ended() {
    let client = connect_to_script(|mut peer: Peer| async move {
        let mut subscriptions = 0;
        while let Some(message) = peer.next().await {
            let id = &message["id"];
            let modern = |mut result: Value| {
                result["resultType"] = "complete".into();
                result
            };
            let result: Value = match message["method"].as_str() {
                Some("initialize") => {
                    let error = json!({"code": -32601, "message": "initialize"});
                    peer.send(json!({"jsonrpc": "2.0", "id": id, "error": error})).await;
                    continue;
                }
                Some("server/discover") => modern(json!({"supportedVersions": ["2026-07-28"],
                    "capabilities": {"tools": {"listChanged": true}}, "ttlMs": 0, "cacheScope": "private",
                    "serverInfo": {"name": "modern", "version": "1"}})),
                Some("tools/list") => {
                    let name = format!("subscribed_{subscriptions}");
                    modern(
                        json!({"tools": [definition(&name, &json!({}))], "ttlMs": 0, "cacheScope": "private"}),
                    )
                }
                Some("subscriptions/listen") => {
                    subscriptions += 1;
                    if subscriptions == 2 {
                        let error = json!({"code": -32603, "message": "try again later"});
                        peer.send(json!({"jsonrpc": "2.0", "id": id, "error": error})).await;
                        continue;
                    }
                    let meta = json!({"io.modelcontextprotocol/subscriptionId": id});
                    let params = json!({"notifications": {"toolsListChanged": true}, "_meta": meta});
                    let method = "notifications/subscriptions/acknowledged";
                    peer.send(json!({"jsonrpc": "2.0", "method": method, "params": params})).await;
                    modern(json!({"_meta": meta})) // The server ends the subscription at once.
                }
                _ => continue,
            };
            peer.send(json!({"jsonrpc": "2.0", "id": id, "result": result})).await;
        }
    });
    let client = client.connect().await.expect("connected");
    client.registry().await.expect("listed");
    for _ in 0..3 {
        let changed = tokio::time::timeout(Duration::from_secs(20), client.changed()).await;
        changed.expect("each new subscription may have missed a change");
        client.registry().await.expect("listed");
    }
}
