//! Long lists, large results and floods of events, which a client keeps in part.

use crate::peer::{Peer, Response, connect_to_script, definition};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tool_runtime::{Registry, RunContext, ToolCall, ToolMessage};
use tool_runtime_mcp::rmcp::model::CallToolResult;
use tool_runtime_mcp::{ClientBuilder, ClientError};

/// A client of a server with these tools, all of which return this result.
fn client(tools: Value, result: Value) -> ClientBuilder {
    let script = Arc::new((tools, result));
    connect_to_script(move |peer: Peer| {
        let script = Arc::clone(&script);
        peer.serve(move |method, _| match method {
            "tools/list" => Response::Result(json!({"tools": script.0})),
            "tools/call" if script.1.get("code").is_some() => Response::Error(script.1.clone()),
            "tools/call" => Response::Result(script.1.clone()),
            _ => Response::Nothing,
        })
    })
}

async fn registry(client: ClientBuilder) -> Registry {
    client.connect().await.expect("connected").registry().await.expect("listed")
}

/// The message of a call, with this limit of its result.
async fn call(result: Value, limit: usize) -> ToolMessage {
    let tools = json!([definition("t", &json!({}))]);
    let registry = registry(client(tools, result).max_result_bytes(limit)).await;
    let mut messages = registry.dispatch(&[ToolCall::new("call_1", "t", "{}")]).await;
    messages.remove(0)
}

/// The result of the server, which the program reads.
fn kept(message: &ToolMessage) -> Value {
    let artifact = message.artifact::<CallToolResult>();
    serde_json::to_value(artifact.expect("it is kept")).expect("it is JSON")
}

#[tokio::test]
async fn long_titles_are_truncated_and_tools_with_long_names_are_skipped() {
    let titled = json!({"name": "titled", "title": "é".repeat(5_000), "inputSchema": {"type": "object"}});
    let tools =
        json!([definition(&"n".repeat(512), &json!({})), definition(&"m".repeat(513), &json!({})), titled]);
    let registry = registry(client(tools, json!({}))).await;
    assert_eq!(registry.names().len(), 2);
    let title = registry.tool("titled").and_then(|tool| tool.title).expect("a title");
    assert!(title.len() < 1_100 && title.ends_with("é [truncated]"), "{} bytes", title.len());
    let skipped: Vec<String> = registry.skipped_tools().iter().map(ToString::to_string).collect();
    assert!(
        skipped.len() == 1 && skipped[0].contains("`a_name_of_more_than_512_bytes` was skipped"),
        "{skipped:?}"
    );
}

#[tokio::test]
async fn the_definitions_of_a_list_have_one_limit() {
    let tools: Vec<Value> = (0..50).map(|index| definition(&format!("t{index}"), &json!({}))).collect();
    let list = |limit: usize| {
        let client = client(json!(tools), json!({})).max_list_bytes(limit);
        async move { client.connect().await.expect("connected").registry().await }
    };
    let error = list(1_000).await.expect_err("it is too large");
    assert!(matches!(error, ClientError::ListTooLarge { limit: 1_000, .. }));
    assert_eq!(
        error.to_string(),
        "the tools of the MCP server have more than 1000 bytes; raise `max_list_bytes` to use it"
    );
    assert_eq!(list(100_000).await.expect("listed").names().len(), 50);
    // Small objects, which take much more memory than their text.
    let schema = json!({"type": "object", "enum": vec![json!({"": 0}); 25_000]});
    let tools = json!([{"name": "t", "inputSchema": schema}]);
    let objects = client(tools, json!({})).max_list_bytes(1 << 20).connect().await.expect("connected");
    assert!(matches!(objects.registry().await, Err(ClientError::ListTooLarge { .. })));
}

#[tokio::test]
async fn a_large_result_is_truncated_and_the_program_sees_it() {
    let text = |text: String| json!({"type": "text", "text": text});
    let long = call(
        json!({"content": [text("a".to_owned()), text("x".repeat(5_000)), text("b".to_owned())]}),
        1_000,
    );
    let long = long.await;
    assert!(long.text().starts_with("a\nxxx") && long.text().len() < 1_200, "{} bytes", long.text().len());
    assert!(
        long.text().contains("bytes of the result are left out: it has more than 1000 bytes]"),
        "{}",
        long.text()
    );
    assert_eq!(kept(&long)["content"].as_array().map(Vec::len), Some(3), "{}", kept(&long));

    let image = json!({"type": "image", "data": "iVBORw0KGgoAAAAA".repeat(100), "mimeType": "image/png"});
    let image = call(json!({"content": [image, text("kept".to_owned())]}), 1_000).await;
    assert!(image.text().contains("bytes of the result are left out"), "{}", image.text());

    let structured = json!({"content": [], "structuredContent": {"rows": vec![json!({"": 0}); 1_000]}});
    let structured = call(structured, 10_000).await;
    assert!(structured.text().contains("bytes of the result are left out"), "{}", structured.text());
    assert_eq!(kept(&structured)["structuredContent"], Value::Null);

    let failed = call(json!({"isError": true, "content": [text("x".repeat(5_000))]}), 1_000).await;
    assert!(failed.is_error() && failed.text().len() < 1_200, "{} bytes", failed.text().len());
    let rejected = call(json!({"code": -32000, "message": "x".repeat(100_000)}), 1_000).await;
    assert!(rejected.is_error() && rejected.text().len() < 66_000, "{} bytes", rejected.text().len());

    let image = json!({"type": "image", "data": "iVBORw0KGgoAAAAA", "mimeType": "image/png"});
    let images = call(json!({"content": vec![image; 52]}), 8 << 20).await;
    assert_eq!(images.text().matches("[an image or file that is left out]").count(), 2);

    let complete = call(json!({"content": [text("x".repeat(5_000))]}), 8 << 20).await;
    assert_eq!(complete.text(), "x".repeat(5_000));
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_progress_is_reported_in_part() {
    let server = move |mut peer: Peer| async move {
        while let Some(message) = peer.next().await {
            let result = match message["method"].as_str() {
                Some("initialize") => json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                    "serverInfo": {"name": "loud", "version": "1"}}),
                Some("tools/list") => json!({"tools": [definition("t", &json!({}))]}),
                Some("tools/call") => {
                    let token = &message["params"]["_meta"]["progressToken"];
                    for done in 0..5_000 {
                        let params =
                            json!({"progressToken": token, "progress": done, "message": "x".repeat(10_000)});
                        peer.send(
                            json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}),
                        )
                        .await;
                    }
                    json!({"content": [{"type": "text", "text": "done"}]})
                }
                _ => continue,
            };
            peer.send(json!({"jsonrpc": "2.0", "id": message["id"], "result": result})).await;
        }
    };
    let registry = registry(connect_to_script(server)).await;
    let (events, longest) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (of_batch, of_event) = (Arc::clone(&events), Arc::clone(&longest));
    let context = RunContext::new().on_event(move |event| {
        if let tool_runtime::dispatch::CallStatus::Progress { text, .. } = &event.status {
            of_batch.fetch_add(1, Ordering::Relaxed);
            of_event.fetch_max(text.len(), Ordering::Relaxed);
        }
    });
    let messages = registry.with(&context).dispatch(&[ToolCall::new("call_1", "t", "{}")]).await;
    assert_eq!(messages[0].text(), "done");
    assert_eq!(events.load(Ordering::Relaxed), 100, "in the first second");
    assert!(longest.load(Ordering::Relaxed) < 5_000);
}
