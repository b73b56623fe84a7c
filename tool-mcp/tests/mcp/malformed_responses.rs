//! Responses that are almost valid: their calls end at once.

use crate::peer::{Peer, connect_to_script, definition};
use serde_json::{Value, json};
use std::sync::Arc;
use tool_runtime::Registry;

/// The registry of a server whose tool `t` has this response, where `ID` stands for the id of the call.
async fn responding(response: impl Into<String>) -> Registry {
    let response = Arc::new(response.into());
    let server = move |mut peer: Peer| {
        let response = Arc::clone(&response);
        async move {
            while let Some(message) = peer.next().await {
                let id = &message["id"];
                let result = match message["method"].as_str() {
                    Some("initialize") => {
                        json!({"protocolVersion": "2025-03-26", "capabilities": {"tools": {}},
                        "serverInfo": {"name": "careless", "version": "1"}})
                    }
                    Some("tools/list") => json!({"tools": [definition("t", &json!({}))]}),
                    Some("tools/call") => {
                        peer.send_line(&response.replace("ID", &id.to_string())).await;
                        continue;
                    }
                    _ => continue,
                };
                peer.send(json!({"jsonrpc": "2.0", "id": id, "result": result})).await;
            }
        }
    };
    let client = connect_to_script(server).connect().await.expect("connected");
    client.registry().await.expect("listed")
}

/// agentrun-sdk-python#110. Time is paused, so a call that waits for its limit is a time-out.
#[tokio::test(start_paused = true)]
async fn a_malformed_response_is_an_error_with_the_words_of_the_server() {
    let nested = format!("{}1{}", "[".repeat(300), "]".repeat(300));
    for (response, words) in [
        (r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32000}}"#.to_owned(), "-32000"),
        (r#"{"jsonrpc":"2.0","id":ID,"error":{"message":"disk full"}}"#.to_owned(), "disk full"),
        (
            r#"{"jsonrpc":"2.0","id":ID,"error":{"code":"EDISK","message":"disk full"}}"#.to_owned(),
            "disk full (EDISK)",
        ),
        (
            r#"{"jsonrpc":"2.0","id":ID,"error":{"code":"-32001","message":"disk full"}}"#.to_owned(),
            "disk full",
        ),
        (
            r#"{"jsonrpc":"2.0","id":ID,"error":{"code":99999999999,"message":"disk full"}}"#.to_owned(),
            "disk full",
        ),
        (r#"{"jsonrpc":"2.0","id":ID,"error":"disk full"}"#.to_owned(), "disk full"),
        (r#"{"jsonrpc":"2.0","id":"ID","error":{"code":1,"message":"disk full"}}"#.to_owned(), "disk full"),
        (r#"{"id":ID.0,"error":{"code":1,"message":"disk full"}}"#.to_owned(), "disk full"),
        (
            r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]},"error":{"code":1,"message":"disk full"}}"#
                .to_owned(),
            "disk full",
        ),
        (r#"{"jsonrpc":"2.0","id":ID}"#.to_owned(), "cannot be read"),
        (r#"{"jsonrpc":"2.0","id":ID,"result":{"structuredContent":{"disk":NaN}}}"#.to_owned(), "NaN"),
        (
            r#"{"jsonrpc":"2.0","id":ID,"result":{"structuredContent":{"disk":-Infinity}}}"#.to_owned(),
            "-Infinity",
        ),
        (
            format!(r#"{{"jsonrpc":"2.0","id":ID,"result":{{"structuredContent":{nested}}}}}"#),
            "cannot be read",
        ),
        (
            r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"disk f"#.to_owned(),
            "disk f",
        ),
        (r#"{"result":{"id":7,"content":[{"disk":NaN}]},"id":ID,"jsonrpc":"2.0"}"#.to_owned(), "disk"),
        (r#"[{"jsonrpc":"2.0","id":ID,"error":{"message":"disk full"}}]"#.to_owned(), "disk full"),
        (r#"{"jsonrpc":"2.0","id":ID,"result":{}}"#.to_owned(), "something other than a result"),
        (r#"{"jsonrpc":"2.0","id":ID,"result":"disk full"}"#.to_owned(), "something other than a result"),
    ] {
        let registry = responding(response.clone()).await;
        let result = registry.call("t", ()).await;
        assert!(result.error_kind().is_some_and(|kind| kind != "timeout"), "{response}: {result:?}");
        assert!(result.text().contains(words), "{response}: {}", result.text());
        assert!(result.text().len() < 1_000, "{}", result.text());
    }
}

#[tokio::test(start_paused = true)]
async fn a_response_that_can_be_repaired_is_the_result() {
    let result = r#"{"content":[{"type":"text","text":"done"}]}"#;
    for response in [
        format!(r#"{{"jsonrpc":"2.0","id":"ID","result":{result}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":ID.0,"result":{result}}}"#),
        format!(r#"{{"id":ID,"result":{result}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":ID,"result":{result},"error":null}}"#),
        format!(
            r#"[{{"jsonrpc":"2.0","method":"notifications/progress","params":{{}}}},{{"jsonrpc":"2.0","id":ID,"result":{result}}},7]"#
        ),
        format!(
            "Garbage, and a \\uD83D\n{{\"id\":null,\"error\":1}}\n{{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{result}}}"
        ),
    ] {
        let registry = responding(response.clone()).await;
        assert_eq!(registry.call("t", ()).await.text(), "done", "{response}");
    }
}

/// opencode#17758, rakazo#416
#[tokio::test(start_paused = true)]
async fn half_a_surrogate_pair_loses_nothing_of_a_result() {
    let text = r"cut \ud83d, \uDE00, whole \uD83D\uDE00, escaped \\ud83d";
    let registry = responding(format!(
        r#"{{"jsonrpc":"2.0","id":ID,"result":{{"content":[{{"type":"text","text":"{text}"}}],"structuredContent":{{"\ud83d":[1]}}}}}}"#
    ))
    .await;
    let result = registry.call("t", ()).await;
    assert!(result.error_kind().is_none(), "{result:?}");
    assert!(result.text().contains("cut \u{fffd}, \u{fffd}, whole 😀, escaped \\ud83d"), "{}", result.text());
    assert!(result.text().contains("{\"\u{fffd}\":[1]}"), "{}", result.text());
}

#[tokio::test(start_paused = true)]
async fn half_a_surrogate_pair_in_a_description_loses_no_tool() {
    let server = |mut peer: Peer| async move {
        while let Some(message) = peer.next().await {
            let id = &message["id"];
            match message["method"].as_str() {
                Some("initialize") => {
                    let result = json!({"protocolVersion": "2025-03-26", "capabilities": {"tools": {}},
                        "serverInfo": {"name": "careless", "version": "1"}});
                    peer.send(json!({"jsonrpc": "2.0", "id": id, "result": result})).await;
                }
                Some("tools/list") => {
                    let mut tools: Vec<Value> = ["a", "b"].map(|name| definition(name, &json!({}))).into();
                    tools[0]["description"] = "HALF".into();
                    let line = json!({"jsonrpc": "2.0", "id": id, "result": {"tools": tools}}).to_string();
                    peer.send_line(&line.replace("HALF", r"Reads. \uD83D")).await;
                }
                _ => {}
            }
        }
    };
    let client = connect_to_script(server).connect().await.expect("connected");
    let registry = client.registry().await.expect("listed");
    assert_eq!(registry.names(), ["a", "b"]);
    assert_eq!(registry.tool("a").expect("there").schema.description(), "Reads. \u{fffd}");
}
