//! Connections that are lost before, during and after a call.

use crate::peer::{Peer, client_of, definition};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tool_runtime::{Registry, ToolCall};
use tool_runtime_mcp::Client;

/// The number of connections and calls of a server.
#[derive(Default)]
struct Counts {
    connections: AtomicUsize,
    calls: AtomicUsize,
}

impl Counts {
    fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }
}

/// A client of a server that closes the connection at each of the first `losses` calls. Later connections than
/// `connections` are closed at once.
async fn client_with(losses: usize, connections: usize) -> (Client, Registry, Arc<Counts>) {
    let counts = Arc::new(Counts::default());
    let of_server = Arc::clone(&counts);
    let client = client_of(move |mut peer: Peer| {
        let counts = Arc::clone(&of_server);
        async move {
            if counts.connections.fetch_add(1, Ordering::Relaxed) >= connections {
                return;
            }
            while let Some(message) = peer.next().await {
                let result = match message["method"].as_str() {
                    Some("initialize") => json!({"protocolVersion": "2025-06-18", "capabilities": {},
                        "serverInfo": {"name": "mortal", "version": "1"}}),
                    Some("tools/list") => json!({"tools": [
                        definition("read", &json!({"readOnlyHint": true})),
                        definition("put", &json!({"idempotentHint": true})),
                        definition("pay", &json!({})),
                    ]}),
                    Some("tools/call") if counts.calls.fetch_add(1, Ordering::Relaxed) < losses => return,
                    Some("tools/call") => json!({"content": [{"type": "text", "text": "done"}]}),
                    _ => continue,
                };
                peer.send(json!({"jsonrpc": "2.0", "id": message["id"], "result": result})).await;
            }
        }
    });
    let client = client.connect().await.expect("connected");
    let registry = client.registry().await.expect("listed");
    (client, registry, counts)
}

const MAYBE: &str = "Error: the connection was lost; it may have taken effect. Check before you try again.";

#[tokio::test(start_paused = true)]
async fn calls_that_may_run_twice_are_sent_again() {
    for tool in ["read", "put"] {
        let (_client, registry, counts) = client_with(2, usize::MAX).await;
        assert_eq!(registry.call(tool, ()).await.text(), "done");
        assert_eq!(counts.calls(), 3, "{tool}");
    }
    for (tool, expected) in [("read", "Error: the connection was lost. Try again."), ("put", MAYBE)] {
        let (_client, registry, counts) = client_with(3, usize::MAX).await;
        assert_eq!(registry.call(tool, ()).await.text(), expected);
        assert_eq!(counts.calls(), 3, "{tool}: there is a limit");
        assert_eq!(registry.call(tool, ()).await.text(), "done", "the next call connects again");
    }
}

#[tokio::test(start_paused = true)]
async fn other_calls_are_sent_once() {
    let (_client, registry, counts) = client_with(1, usize::MAX).await;
    assert_eq!(registry.call("pay", ()).await.text(), MAYBE);
    assert_eq!(counts.calls(), 1);
    assert_eq!(registry.call("pay", ()).await.text(), "done", "the next call connects again");
}

#[tokio::test(start_paused = true)]
async fn a_call_is_not_sent_if_the_server_cannot_be_reached() {
    let (client, registry, counts) = client_with(0, 1).await;
    client.close().await;
    let calls: Vec<ToolCall> =
        (0..16).map(|index| ToolCall::new(format!("call_{index}"), "pay", "{}")).collect();
    for message in registry.dispatch(&calls).await {
        assert_eq!(message.content, "Error: the server of the tool cannot be reached; it was not called");
    }
    assert_eq!(counts.calls(), 0);
    let attempts = counts.connections.load(Ordering::Relaxed);
    assert_eq!(attempts, 1 + 5, "the calls of a batch share their attempts");
}

#[tokio::test(start_paused = true)]
async fn a_closed_client_connects_again() {
    let (client, registry, counts) = client_with(0, usize::MAX).await;
    client.close().await;
    assert_eq!(registry.call("pay", ()).await.text(), "done");
    assert_eq!(counts.connections.load(Ordering::Relaxed), 2);
    client.changed().await; // The list may have changed meanwhile.
}

#[tokio::test(start_paused = true)]
async fn every_call_of_a_batch_is_answered() {
    for seed in 0..50 {
        let mut random = fastrand::Rng::with_seed(seed);
        let (_client, registry, counts) = client_with(random.usize(0..6), usize::MAX).await;
        let calls: Vec<ToolCall> = (0..random.usize(1..12))
            .map(|index| {
                ToolCall::new(format!("call_{index}"), ["read", "put", "pay"][random.usize(0..3)], "{}")
            })
            .collect();
        let messages = registry.dispatch(&calls).await;
        assert_eq!(messages.len(), calls.len(), "seed {seed}");
        for (call, message) in calls.iter().zip(&messages) {
            assert_eq!(call.id, message.tool_call_id, "seed {seed}");
            assert!(message.content == "done" || message.is_error(), "seed {seed}: {message:?}");
        }
        assert!(counts.calls() <= 3 * calls.len(), "seed {seed}");
    }
}

/// From protocol 2026-07-28 on, a server may not know `initialize`.
#[tokio::test]
async fn a_server_without_initialize_is_asked_to_describe_itself() {
    let client = client_of(|mut peer: Peer| async move {
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
