//! The client, with a server of this crate and with scripted ones.

use crate::peer::{Peer, Response, connect_to_script, definition, registry_of};
use serde_json::{Value, json};
use std::sync::mpsc;
use std::time::Duration;
use tool_runtime::dispatch::CallStatus;
use tool_runtime::{
    CallContext, DynamicTool, Registry, RegistryBuilder, RunContext, ToolCall, ToolOutput, tool, tools,
};
use tool_runtime_mcp::rmcp::model::CallToolResult;
use tool_runtime_mcp::{Client, ClientBuilder, RemoteError, Server, serve};

/// A client of a server of this crate.
pub(crate) fn connect_to(server: Server) -> ClientBuilder {
    Client::transport(move || {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        tokio::spawn(server.clone().run(theirs));
        async move { Ok::<_, std::io::Error>(ours) }
    })
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Weather {
    city: String,
}

/// Looks up the weather.
#[tool(title = "Weather", read_only, output_schema)]
fn get_weather(city: String) -> Result<Weather, String> {
    if city == "Atlantis" { Err("there is no such city".to_owned()) } else { Ok(Weather { city }) }
}

/// Returns parts.
#[tool(destructive)]
fn parts() -> ToolOutput {
    let output =
        ToolOutput::new().with_text("first").with_image("image/png", b"png").with_text("a").with_text("b");
    output.with_file("a.pdf", "application/pdf", b"pdf").with_file("a.zip", "application/zip", b"zip")
}

/// Panics.
#[tool]
fn panics() {
    panic!("a secret")
}

#[tokio::test]
async fn a_served_tool_keeps_its_properties_and_results() {
    let server = serve(Registry::new(tools![get_weather, parts, panics]).expect("valid"));
    let registry =
        connect_to(server).prefix("w_").connect().await.expect("connected").registry().await.expect("listed");
    assert_eq!(registry.names(), ["w_get_weather", "w_panics", "w_parts"]);
    assert_eq!(registry.tool("w_get_weather").and_then(|tool| tool.title), Some("Weather"));
    assert_eq!(
        registry.tool("w_get_weather").and_then(|tool| tool.output_schema).expect("declared")["required"],
        json!(["city"])
    );
    let annotations = |name| registry.tool(name).expect("it is there").annotations;
    assert_eq!(
        (annotations("w_get_weather").read_only, annotations("w_parts").destructive),
        (Some(true), Some(true))
    );
    assert_eq!(annotations("w_panics").destructive, None, "not declared");
    assert_eq!(registry.tool("w_parts").expect("it is there").policy.timeout, Some(Duration::from_secs(60)));

    let result = registry.call("w_get_weather", json!({"city": "Rome"})).await;
    assert_eq!(result.text(), r#"{"city":"Rome"}"#);
    let output = result.output().expect("no error");
    assert!(output.content().is_json(), "structured content is JSON");
    assert!(output.artifact::<CallToolResult>().is_some(), "the program gets the result of the server");

    let result = registry.call("w_parts", ()).await;
    let parts = json!(result.output().expect("no error").content().parts());
    assert_eq!(parts[0], json!({"type": "text", "text": "first\n"}));
    assert_eq!(parts[1]["media"]["data"], json!({"mime_type": "image/png", "base64": "cG5n"}));
    assert_eq!(parts[2], json!({"type": "text", "text": "a\nb\n"}));
    assert_eq!(parts[3]["media"]["data"]["mime_type"], "application/pdf");
    assert_eq!(parts[4], json!({"type": "text", "text": "[attachment:a.zip: 3 bytes of application/zip]"}));

    for (tool, arguments, expected) in [
        ("w_get_weather", json!({"city": "Atlantis"}), "Error: there is no such city"),
        ("w_panics", json!({}), "Error: the tool `panics` failed unexpectedly."),
        (
            "w_get_weather",
            json!({}),
            "Error: invalid arguments for `w_get_weather`: `city` is missing. Call it again, but add `city`.",
        ),
    ] {
        assert_eq!(registry.call(tool, arguments).await.text(), expected);
    }
}

/// Counts.
#[tool]
fn count(#[context] call: &CallContext) {
    for done in 1..=3 {
        call.progress(done, 3, format!("{done} of 3"));
    }
}

#[tokio::test]
async fn progress_is_passed_on() {
    let server = serve(Registry::new(tools![count]).expect("valid"));
    let registry = connect_to(server).connect().await.expect("connected").registry().await.expect("listed");
    let (sender, events) = mpsc::channel();
    let context = RunContext::new().on_event(move |event| drop(sender.send(event.status.clone())));
    registry.with(&context).dispatch(&[ToolCall::new("call_1", "count", "{}")]).await;
    let texts = events.try_iter().filter_map(|status| match status {
        CallStatus::Progress { done, total: Some(3), text, .. } => Some((done, text)),
        _ => None,
    });
    assert_eq!(
        texts.collect::<Vec<_>>(),
        [(1, "1 of 3".to_owned()), (2, "2 of 3".to_owned()), (3, "3 of 3".to_owned())]
    );
}

/// A scripted server with one tool, whose results are this value.
fn returning(result: Value) -> impl Fn(Peer) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send>> {
    move |peer| {
        let result = result.clone();
        Box::pin(peer.serve(move |method, _| {
            let tools = json!({"tools": [definition("t", &json!({}))]});
            Response::Result(if method == "tools/list" { tools } else { result.clone() })
        }))
    }
}

#[tokio::test]
async fn results_of_other_servers_become_text_and_json() {
    let structured = json!({"a": 1});
    for (result, expected) in [
        (json!({"content": [{"type": "text", "text": "hi"}]}), "hi"),
        (json!({"content": []}), ""),
        (json!({"content": [], "structuredContent": structured}), r#"{"a":1}"#),
        (
            json!({"content": [{"type": "text", "text": "{ \"a\": 1 }"}], "structuredContent": structured}),
            r#"{"a":1}"#,
        ),
        (
            json!({"content": [{"type": "text", "text": "one"}], "structuredContent": structured}),
            "one\n{\"a\":1}",
        ),
        (
            json!({"content": [{"type": "resource_link", "uri": "file:///a", "name": "a", "mimeType": "text/plain"}]}),
            "[resource a: file:///a, text/plain]",
        ),
        (
            json!({"content": [{"type": "resource", "resource": {"uri": "x:a", "text": "words"}}]}),
            "[x:a]\nwords",
        ),
        (
            json!({"content": [{"type": "image", "data": "!", "mimeType": "image/png"}]}),
            "[image: image/png that is not valid base64]",
        ),
        (
            json!({"content": [{"type": "image", "data": "PHN2Zz4=", "mimeType": "image/svg+xml"}]}),
            "[image: 5 bytes of image/svg+xml]",
        ),
        (json!({"content": [{"type": "text", "text": "paid"}], "structuredContent": null}), "paid"),
        (
            json!({"content": [{"type": "image", "data": "", "mimeType": "image/png"}]}),
            "[image: image/png without data]",
        ),
        (
            json!({"content": [{"type": "text", "text": "a"}, {"type": "hologram", "data": 1}]}),
            "a\n[hologram content that cannot be read]",
        ),
        (json!({"isError": "true", "content": [{"type": "text", "text": "no luck"}]}), "Error: no luck"),
        (json!({"isError": true, "content": [{"type": "text", "text": "no luck"}]}), "Error: no luck"),
        (json!({"isError": true, "content": [{"type": "text", "text": "Error: no luck"}]}), "Error: no luck"),
        (
            json!({"isError": true, "content": [], "structuredContent": null}),
            "Error: the tool `t` failed without an error message.",
        ),
    ] {
        let registry = registry_of(returning(result.clone())).await;
        assert_eq!(registry.call("t", ()).await.text(), expected, "{result}");
    }
}

/// paperbanana#58, claude-code#12009, #15807, #58330
#[tokio::test]
async fn the_type_of_an_image_is_that_of_its_bytes() {
    use base64::Engine as _;
    use tool_runtime::message::{Media, Part};
    let base64 = |bytes: &[u8]| base64::engine::general_purpose::STANDARD.encode(bytes);
    let (png, jpeg) = (b"\x89PNG\r\n\x1a\n-", b"\xff\xd8\xff\xe0-");
    for (bytes, mime_type, expected) in [
        (&jpeg[..], "image/png", Some("image/jpeg")),
        (png, "image/jpg", Some("image/png")),
        (png, "image/x-png", Some("image/png")),
        (png, "", Some("image/png")),
        (b"GIF89a-", "image/png; charset=binary", Some("image/gif")),
        (b"RIFF\0\0\0\0WEBP-", "application/octet-stream", Some("image/webp")),
        (b"unknown", "image/png", Some("image/png")),
        (b"<svg xmlns=\"..\"/>", "image/svg+xml", None),
        (b"BM-", "image/bmp", None),
    ] {
        let block = json!({"type": "image", "data": base64(bytes), "mimeType": mime_type});
        let registry = registry_of(returning(json!({"content": [block]}))).await;
        let result = registry.call("t", ()).await;
        let content = result.output().expect("a result").content().clone();
        let image = content.parts().and_then(|parts| match &parts[0] {
            Part::Image { media: Media::Data { mime_type, .. }, .. } => Some(mime_type.clone()),
            _ => None,
        });
        assert_eq!(image.as_deref(), expected, "{mime_type}");
        assert!(expected.is_some() || result.text().contains(mime_type), "{}", result.text());
    }
}

const UNEXPECTED: &str = "Error: the server of the tool responded with something other than a result; the call may have taken effect";

#[tokio::test]
async fn a_response_that_is_no_result_is_an_error() {
    for response in [json!({"roots": []}), json!({}), json!("text")] {
        let registry = registry_of(returning(response.clone())).await;
        let result = registry.call("t", ()).await;
        assert_eq!(result.text(), UNEXPECTED, "{response}");
    }
}

#[tokio::test]
async fn an_error_of_the_protocol_is_an_error_of_the_call() {
    let registry = registry_of(|peer: Peer| {
        peer.serve(|method, _| match method {
            "tools/list" => Response::Result(json!({"tools": [definition("t", &json!({}))]})),
            _ => Response::Error(json!({"code": -32602, "message": "Unknown tool: t"})),
        })
    })
    .await;
    let messages = registry.dispatch(&[ToolCall::new("call_1", "t", "{}")]).await;
    assert_eq!(messages[0].content, "Error: Unknown tool: t");
    let error = messages[0].outcome().and_then(|outcome| outcome.error()).expect("it failed");
    let tool_runtime::CallError::Returned { error: Some(error), .. } = error else { panic!("{error:?}") };
    assert!(matches!(error.downcast_ref(), Some(RemoteError::Protocol { code: -32602, .. })), "{error:?}");
}

#[tokio::test]
async fn changes_of_the_list_are_announced() {
    let server = serve(Registry::new(tools![count]).expect("valid"));
    let handle = server.handle();
    let client = connect_to(server).connect().await.expect("connected");
    assert_eq!(client.registry().await.expect("listed").names(), ["count"]);
    let none = tokio::time::timeout(Duration::from_millis(50), client.changed()).await;
    assert!(none.is_err(), "nothing has changed");
    handle.replace(Registry::new(tools![count, panics]).expect("valid"));
    client.changed().await;
    assert_eq!(client.registry().await.expect("listed").names(), ["count", "panics"]);
}

#[tokio::test]
async fn settings_apply_to_every_tool() {
    let open = json!({"name": "a.b/c", "inputSchema": {"type": "object", "properties": {"limit": {"type": "integer"}}},
        "annotations": {"readOnlyHint": true, "destructiveHint": true, "title": "Abc"}});
    let server = move |peer: Peer| {
        let open = open.clone();
        let tools = [open.clone(), definition("other", &json!({}))];
        peer.serve(move |_, _| Response::Result(json!({"tools": tools.clone(), "content": []})))
    };
    let client = connect_to_script(server.clone())
        .prefix("x_")
        .timeout(Duration::from_secs(5))
        .deny_unknown_arguments(true)
        .tool(|remote, tool| if remote.name() == "a.b/c" { tool.requires_approval() } else { tool });
    let client = client.connect().await.expect("connected");
    let registry = client.registry().await.expect("listed");
    assert_eq!(registry.names(), ["x_a_b_c", "x_other"]);
    assert_eq!(registry.tool("x_a_b_c").and_then(|tool| tool.original_name), Some("x_a.b/c"));
    assert_eq!(registry.tool("x_a_b_c").and_then(|tool| tool.title), Some("Abc"));
    assert_eq!(registry.tool("x_a_b_c").expect("there").annotations.destructive, None, "it is read-only");
    let policy = registry.tool("x_a_b_c").expect("it is there").policy;
    assert_eq!((policy.timeout, policy.requires_approval), (Some(Duration::from_secs(5)), true));
    let policy = registry.tool("x_other").expect("it is there").policy;
    assert_eq!((policy.timeout, policy.requires_approval), (Some(Duration::from_secs(5)), false));
    let text = registry.call("x_a_b_c", json!({"limmit": 1})).await.text().into_owned();
    assert!(text.contains("rename `limmit` to `limit`"), "{text}");

    let distrustful = connect_to_script(server).ignore_annotations(true).connect().await.expect("connected");
    let registry = distrustful.registry().await.expect("listed");
    assert_eq!(registry.tool("a_b_c").expect("there").annotations.read_only, None);
    // The tools are also available for a builder of the program.
    let tools = distrustful.tools().await.expect("listed");
    let own = DynamicTool::new("own", "", Value::Null, |_| async { Ok::<_, String>("own") });
    let builder = tools
        .into_iter()
        .fold(Registry::builder().rename_invalid_names(true).dynamic(own), RegistryBuilder::dynamic);
    assert_eq!(builder.build().expect("valid").names(), ["a_b_c", "other", "own"]);
}

#[tokio::test]
async fn a_fraction_of_progress_becomes_a_percentage() {
    let registry = registry_of(|mut peer: Peer| async move {
        while let Some(message) = peer.next().await {
            let id = &message["id"];
            let result = match message["method"].as_str() {
                Some("initialize") => json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                    "serverInfo": {"name": "s", "version": "1"}}),
                Some("tools/list") => json!({"tools": [definition("t", &json!({}))]}),
                Some("tools/call") => {
                    let token = &message["params"]["_meta"]["progressToken"];
                    for (progress, total) in [(0.25, json!(1)), (3.0, json!(null)), (-1.0, json!(5))] {
                        let params = json!({"progressToken": token, "progress": progress, "total": total});
                        peer.send(
                            json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}),
                        )
                        .await;
                    }
                    json!({"content": []})
                }
                _ => continue,
            };
            peer.send(json!({"jsonrpc": "2.0", "id": id, "result": result})).await;
        }
    })
    .await;
    let (sender, events) = mpsc::channel();
    let context = RunContext::new().on_event(move |event| drop(sender.send(event.status.clone())));
    registry.with(&context).dispatch(&[ToolCall::new("call_1", "t", "{}")]).await;
    let amounts = events.try_iter().filter_map(|status| match status {
        CallStatus::Progress { done, total, .. } => Some((done, total)),
        _ => None,
    });
    assert_eq!(amounts.collect::<Vec<_>>(), [(25, Some(100)), (3, None), (0, Some(5))]);
}

#[tokio::test]
async fn a_result_of_very_many_blocks_is_limited() {
    let image = json!({"type": "image", "data": "cG4", "mimeType": "image/PNG"});
    let registry = registry_of(returning(json!({"content": vec![image; 2_000]}))).await;
    let result = registry.call("t", ()).await;
    let parts = result.output().expect("no error").content().parts().expect("there are parts").len();
    assert!(parts <= 51, "{parts}");
    assert!(result.text().ends_with("[1000 more blocks are left out]"));
}
