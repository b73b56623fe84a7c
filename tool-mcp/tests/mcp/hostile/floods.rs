//! Peers that send many messages, and read the responses or not.

use super::{Case, Running};
use crate::peer::{Peer, connect_to_script, definition};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::time::timeout;
use tool_runtime::{Registry, RunContext, tools};
use tool_runtime_mcp::{Client, serve};

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case::new("a client that pings and does not read", [2_000, 10_000, 100_000], 12.0, pings_of_a_client),
        Case::new(
            "a client that calls unknown methods and does not read",
            [50, 100, 500],
            40.0,
            long_methods,
        ),
        Case::new("a client that cancels unknown requests", [1_000, 3_000, 10_000], 12.0, unknown_cancels),
        Case::new("a server that pings and does not read", [2_000, 10_000, 100_000], 12.0, pings_of_a_server),
        Case::new("a server that reports progress", [1_000, 3_000, 10_000], 12.0, progress),
        Case::new("a server that announces changes", [1_000, 3_000, 10_000], 12.0, changes),
    ]
}

/// The time for which a peer waits until it decides that its messages are not read. The clock of these cases is paused.
const STALLED: Duration = Duration::from_secs(1);

/// Sends the line, with a number in place of `ID`, up to `count` times, until the other side does not read. Returns the number of lines that were sent.
async fn flood(writer: &mut (impl tokio::io::AsyncWrite + Unpin), line: &str, count: usize) -> usize {
    for sent in 0..count {
        let line = format!("{}\n", line.replace("ID", &sent.to_string()));
        if !matches!(timeout(STALLED, writer.write_all(line.as_bytes())).await, Ok(Ok(()))) {
            return sent;
        }
    }
    count
}

fn empty() -> Registry {
    Registry::new(tools![]).expect("valid")
}

const PING: &str = r#"{"jsonrpc":"2.0","id":ID,"method":"ping"}"#;

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"hostile","version":"1"}}}"#;

/// The lines that a server reads from a client that does not read.
async fn sent_to_server(line: String, count: usize) -> usize {
    tokio::time::pause();
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(serve(empty()).run(theirs));
    let (reader, mut writer) = tokio::io::split(ours);
    writer.write_all(format!("{INITIALIZE}\n").as_bytes()).await.expect("the server reads");
    let mut lines = BufReader::new(reader).lines();
    lines.next_line().await.expect("the server responds");
    flood(&mut writer, &line, count).await
}

fn pings_of_a_client(count: usize) -> Running {
    Box::pin(async move {
        let sent = sent_to_server(PING.to_owned(), count).await;
        assert!(sent <= 5_000, "{sent} pings are read");
        format!("{sent} of {count} pings are read")
    })
}

fn long_methods(count: usize) -> Running {
    Box::pin(async move {
        let method = "m".repeat(100_000);
        let sent = sent_to_server(format!(r#"{{"jsonrpc":"2.0","id":ID,"method":"{method}"}}"#), count).await;
        assert!(sent <= 300, "{sent} requests are read");
        format!("{sent} of {count} requests of 100 kB are read")
    })
}

fn unknown_cancels(count: usize) -> Running {
    Box::pin(async move {
        let mut client = Peer::connect_to(serve(empty()).context_per_request(|_| RunContext::new())).await;
        for id in 0..count {
            let params = json!({"requestId": format!("unknown {id}"), "reason": "enough"});
            client
                .send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}))
                .await;
        }
        let listed = client.request(1, "tools/list", json!({})).await;
        assert_eq!(listed["result"]["tools"], json!([]));
        format!("then the server responds with {}", listed["result"])
    })
}

/// A client of a server that pings up to `count` times and does not read, and the number of pings that were sent.
async fn pinged_client(count: usize) -> (Client, Arc<AtomicUsize>) {
    let sent = Arc::new(AtomicUsize::new(0));
    let of_server = Arc::clone(&sent);
    let client = Client::transport(move || {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let sent = Arc::clone(&of_server);
        tokio::spawn(async move {
            let (reader, mut writer) = tokio::io::split(theirs);
            let mut lines = BufReader::new(reader).lines();
            lines.next_line().await.expect("the client initializes");
            let result = json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                "serverInfo": {"name": "hostile", "version": "1"}});
            let response = json!({"jsonrpc": "2.0", "id": 0, "result": result}).to_string();
            writer.write_all(format!("{response}\n").as_bytes()).await.expect("the client reads");
            lines.next_line().await.expect("the client is initialized");
            sent.store(flood(&mut writer, PING, count).await, Ordering::Relaxed);
            std::future::pending::<()>().await;
        });
        async move { Ok::<_, std::io::Error>(ours) }
    });
    (client.connect().await.expect("connected"), sent)
}

fn pings_of_a_server(count: usize) -> Running {
    Box::pin(async move {
        tokio::time::pause();
        let (client, sent) = pinged_client(count).await;
        while sent.load(Ordering::Relaxed) == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        drop(client);
        let sent = sent.load(Ordering::Relaxed);
        assert!(sent <= 5_000, "{sent} pings are read");
        format!("{sent} of {count} pings are read")
    })
}

/// The resident memory of this process, in kB each five seconds, while a server pings this client and does not read.
pub(super) async fn minute_of_a_client() -> Vec<u64> {
    let (_client, _) = pinged_client(usize::MAX).await;
    let mut memory = Vec::new();
    for _ in 0..12 {
        tokio::time::sleep(Duration::from_secs(5)).await;
        memory.push(super::resident_memory("self"));
    }
    memory
}

fn progress(count: usize) -> Running {
    Box::pin(async move {
        tokio::time::pause();
        let client = connect_to_script(move |mut peer: Peer| async move {
            while let Some(message) = peer.next().await {
                let id = &message["id"];
                let result = match message["method"].as_str() {
                    Some("initialize") => {
                        json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                        "serverInfo": {"name": "hostile", "version": "1"}})
                    }
                    Some("tools/list") => json!({"tools": [definition("t", &json!({}))]}),
                    Some("tools/call") => {
                        let token = &message["params"]["_meta"]["progressToken"];
                        for done in 0..count {
                            let params =
                                json!({"progressToken": token, "progress": done, "message": "x".repeat(100)});
                            peer.send(json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}))
                                .await;
                        }
                        json!({"content": []})
                    }
                    _ => continue,
                };
                peer.send(json!({"jsonrpc": "2.0", "id": id, "result": result})).await;
            }
        });
        let registry = client.connect().await.expect("connected").registry().await.expect("listed");
        let events = Arc::new(AtomicUsize::new(0));
        let of_batch = Arc::clone(&events);
        let context = RunContext::new().on_event(move |_| {
            of_batch.fetch_add(1, Ordering::Relaxed);
        });
        let call = tool_runtime::ToolCall::new("call_1", "t", "{}");
        assert!(!registry.with(&context).dispatch(&[call]).await[0].is_error());
        let events = events.load(Ordering::Relaxed);
        assert!((100..=200).contains(&events), "{events} events");
        format!("{events} events of {count} notifications")
    })
}

fn changes(count: usize) -> Running {
    Box::pin(async move {
        tokio::time::pause();
        let lists = Arc::new(AtomicUsize::new(0));
        let of_server = Arc::clone(&lists);
        let client = connect_to_script(move |mut peer: Peer| {
            let lists = Arc::clone(&of_server);
            async move {
                let changed = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
                while let Some(message) = peer.next().await {
                    let result = match message["method"].as_str() {
                        Some("initialize") => {
                            json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                            "serverInfo": {"name": "hostile", "version": "1"}})
                        }
                        Some("tools/list") => {
                            lists.fetch_add(1, Ordering::Relaxed);
                            peer.send(changed.clone()).await;
                            json!({"tools": [definition("t", &json!({}))]})
                        }
                        _ => continue,
                    };
                    peer.send(json!({"jsonrpc": "2.0", "id": message["id"], "result": result})).await;
                    for _ in 0..count / 10 {
                        peer.send(changed.clone()).await;
                    }
                }
            }
        });
        let client = client.connect().await.expect("connected");
        let follow = async {
            for _ in 0..100 {
                client.changed().await;
                client.registry().await.expect("listed");
            }
        };
        let ended = timeout(Duration::from_secs(10), follow).await;
        assert!(ended.is_err(), "100 lists in less than ten seconds");
        let lists = lists.load(Ordering::Relaxed);
        assert!((10..=11).contains(&lists), "{lists} lists in ten seconds");
        format!("{lists} lists in ten seconds")
    })
}
