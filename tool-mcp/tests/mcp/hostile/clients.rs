//! Clients of hostile servers: long lists, large results, lines without an end.

use super::{Case, Running};
use crate::peer::{Peer, Response, connect_to_script, definition};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tool_runtime::{ToolCall, ToolMessage};
use tool_runtime_mcp::{Client, ConnectError};

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case::new("a list with long names", [4_000, 50_000, 400_000], 60.0, |bytes| list(bytes, "name")),
        Case::new("a list with long titles", [4_000, 50_000, 400_000], 60.0, |bytes| list(bytes, "title")),
        Case::new("a list with large schemas", [4_000, 50_000, 400_000], 60.0, |bytes| list(bytes, "schema")),
        Case::new("a list with long cursors", [4_000, 50_000, 400_000], 60.0, |bytes| list(bytes, "cursor")),
        Case::new("large results", [8_000_000, 10_000_000, 15_000_000], 160.0, large_results),
        Case::new("a long first response", [300_000, 1_000_000, 10_000_000], 120.0, large_initialize),
        Case::new("a response without an end", [20, 40, 80], 50.0, endless_line),
    ]
}

/// A list of 100 pages with a tool each, in which one field has this size.
fn list(bytes: usize, field: &'static str) -> Running {
    Box::pin(async move {
        let client = connect_to_script(move |peer: Peer| {
            let mut page = 0_u32;
            peer.serve(move |_, _| {
                page += 1;
                let text = format!("{page}{}", "x".repeat(bytes));
                let mut tool = definition(&format!("t{page}"), &json!({}));
                match field {
                    "name" => tool["name"] = text.as_str().into(),
                    "title" => tool["title"] = text.as_str().into(),
                    "schema" => tool["inputSchema"]["description"] = text.as_str().into(),
                    _ => {}
                }
                let cursor = if field == "cursor" { text } else { page.to_string() };
                let cursor = if page == 100 { Value::Null } else { cursor.into() };
                Response::Result(json!({"tools": [tool], "nextCursor": cursor}))
            })
        });
        let client = client.connect().await.expect("connected");
        match client.registry().await {
            Ok(registry) => {
                // The first page is the response to `notifications/initialized`, which is not sent.
                let expected = if field == "name" { 0 } else { 99 };
                assert_eq!(registry.names().len(), expected);
                let longest = registry.names().iter().map(|name| name.len()).max().unwrap_or_default();
                format!("{} tools, names of up to {longest} bytes", registry.names().len())
            }
            Err(error) => {
                let error = error.to_string();
                let expected = ["raise `max_list_bytes`", "the response of the server is too large"];
                assert!(bytes > 4_000 && error.contains(expected[usize::from(bytes > 16 << 20)]), "{error}");
                error
            }
        }
    })
}

/// The messages of calls whose results have this size.
fn large_results(bytes: usize) -> Running {
    Box::pin(async move {
        let client = connect_to_script(move |peer: Peer| {
            peer.serve(move |method, _| {
                Response::Result(match method {
                    "tools/list" => json!({"tools": [definition("t", &json!({}))]}),
                    _ => json!({"content": [{"type": "text", "text": "x".repeat(bytes)}]}),
                })
            })
        });
        let registry = client.connect().await.expect("connected").registry().await.expect("listed");
        let mut kept: Vec<ToolMessage> = Vec::new();
        for index in 0..2 {
            kept.extend(registry.dispatch(&[ToolCall::new(format!("call_{index}"), "t", "{}")]).await);
        }
        let texts: Vec<usize> = kept.iter().map(|message| message.text().len()).collect();
        for &text in &texts {
            // The limit, with the text that reports it; a larger message is an error.
            let expected = if bytes < 16 << 20 { bytes.min(8 << 20) } else { 0 };
            assert!((expected..expected + 500).contains(&text), "{text}");
        }
        format!("{} bytes of text", texts.iter().sum::<usize>())
    })
}

/// Objects of 300 kB have few enough values.
pub(super) fn outcome_of_initialize(bytes: usize, connected: Result<Client, ConnectError>) -> String {
    let outcome = connected.map_or_else(|error| error.to_string(), |_| "connected".to_owned());
    let expected = if bytes <= 300_000 { "connected" } else { "the response of the server is too large" };
    assert!(outcome.contains(expected), "{outcome}");
    outcome
}

fn large_initialize(bytes: usize) -> Running {
    Box::pin(async move {
        let client = connect_to_script(move |mut peer: Peer| async move {
            let id = peer.next().await.expect("it initializes")["id"].clone();
            let objects = r#"{"":0},"#.repeat(bytes / 7);
            let capabilities = format!(r#"{{"tools":{{}},"experimental":{{"a":{{"b":[{objects}0]}}}}}}"#);
            let result = format!(
                r#"{{"protocolVersion":"2025-06-18","capabilities":{capabilities},"serverInfo":{{"name":"s","version":"1"}}}}"#
            );
            peer.send_line(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)).await;
            while peer.next().await.is_some() {}
        });
        outcome_of_initialize(bytes, client.connect().await)
    })
}

fn endless_line(megabytes: usize) -> Running {
    Box::pin(async move {
        let client = Client::transport(move || {
            let (ours, theirs) = tokio::io::duplex(1 << 16);
            tokio::spawn(async move {
                let mut peer = Peer::new(theirs);
                let id = peer.next().await.expect("it initializes")["id"].clone();
                let mut writer = peer.into_writer();
                let start = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"instructions":""#);
                writer.write_all(start.as_bytes()).await.expect("it is read");
                for _ in 0..megabytes {
                    writer.write_all(&vec![b'x'; 1 << 20]).await.expect("it is read");
                }
                writer.write_all(b"\"}}\n").await.expect("it is read");
                std::future::pending::<()>().await;
            });
            async move { Ok::<_, std::io::Error>(ours) }
        });
        let client = client.connect_timeout(super::max_duration() / 2);
        let error = client.connect().await.expect_err("the response is too large").to_string();
        assert!(error.contains("the response of the server is too large"), "{error}");
        error
    })
}
