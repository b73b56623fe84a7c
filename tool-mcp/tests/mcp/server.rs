//! The server, as a client sees it.

use crate::peer::Peer;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tool_runtime::dispatch::Decision;
use tool_runtime::{CallContext, Registry, RunContext, ToolOutput, tool, tools};
use tool_runtime_mcp::serve;

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Weather {
    city: String,
    celsius: i32,
}

/// Looks up the weather.
#[tool(title = "Weather", read_only, open_world, output_schema)]
fn get_weather(city: String) -> Result<Weather, String> {
    if city == "Atlantis" {
        Err("there is no such city".to_owned())
    } else {
        Ok(Weather { city, celsius: 21 })
    }
}

/// Returns an array.
#[tool(output_schema)]
fn list() -> Vec<u32> {
    vec![1, 2]
}

/// Returns text that looks like JSON.
#[tool]
fn looks_like_json() -> &'static str {
    r#"{"a":1}"#
}

/// Returns every kind of part.
#[tool]
fn parts() -> ToolOutput {
    ToolOutput::new()
        .with_text("text")
        .with_json(json!({"a": 1}))
        .with_image("image/png", b"png")
        .with_part(tool_runtime::message::Part::image_url("https://example.com/a.png"))
        .with_file("a.txt", "text/plain", "words")
        .with_file("a.bin", "application/zip", [0xff])
        .with_file("a.wav", "audio/wav", b"wave")
}

/// Panics.
#[tool]
fn panics() {
    panic!("a secret")
}

/// Deletes a file.
#[tool(destructive, requires_approval)]
fn delete(path: &str) -> String {
    format!("{path} is deleted")
}

/// May be called once.
#[tool(max_calls = 1)]
fn once() {}

fn registry() -> Registry {
    let builder =
        Registry::builder().tools(tools![get_weather, list, looks_like_json, parts, panics, delete, once]);
    let approve = |call: tool_runtime::dispatch::ProposedCall| async move {
        let may_run = call.arguments().contains("/tmp/");
        if may_run { Decision::Run } else { Decision::Undecided }
    };
    builder.before_call(approve).build().expect("the tools are valid")
}

fn text(response: &Value) -> &str {
    response["result"]["content"][0]["text"].as_str().unwrap_or_default()
}

fn is_error(response: &Value) -> bool {
    response["result"]["isError"] == true
}

#[tokio::test]
async fn lists_titles_annotations_and_schemas() {
    let mut client = Peer::connect_to(serve(registry())).await;
    let listed = client.request(1, "tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().expect("an array");
    let weather = tools.iter().find(|tool| tool["name"] == "get_weather").expect("it is listed");
    assert_eq!(weather["title"], "Weather");
    assert_eq!(weather["description"], "Looks up the weather.");
    assert_eq!(weather["annotations"], json!({"readOnlyHint": true, "openWorldHint": true}));
    assert_eq!(weather["inputSchema"]["required"], json!(["city"]));
    assert_eq!(weather["outputSchema"]["required"], json!(["city", "celsius"]));
    let array = tools.iter().find(|tool| tool["name"] == "list").expect("it is listed");
    assert_eq!(
        (&array["annotations"], &array["outputSchema"]),
        (&Value::Null, &Value::Null),
        "only objects, before 2026"
    );
}

#[tokio::test]
async fn a_json_result_is_structured_content_and_text() {
    let mut client = Peer::connect_to(serve(registry())).await;
    let response = client.call(1, "get_weather", json!({"city": "Rome"})).await;
    assert_eq!(response["result"]["structuredContent"], json!({"city": "Rome", "celsius": 21}));
    assert_eq!(text(&response), r#"{"city":"Rome","celsius":21}"#);
    assert!(!is_error(&response));
    let response = client.call(2, "looks_like_json", json!({})).await;
    assert_eq!(response["result"]["structuredContent"], Value::Null, "it is text");
}

#[tokio::test]
async fn parts_become_content_blocks() {
    let mut client = Peer::connect_to(serve(registry())).await;
    let response = client.call(1, "parts", json!({})).await;
    let expected = json!([
        {"type": "text", "text": "text"},
        {"type": "text", "text": r#"{"a":1}"#},
        {"type": "image", "data": "cG5n", "mimeType": "image/png"},
        {"type": "resource_link", "uri": "https://example.com/a.png", "name": "image"},
        {"type": "resource", "resource": {"uri": "attachment:a.txt", "mimeType": "text/plain", "text": "words"}},
        {"type": "resource", "resource": {"uri": "attachment:a.bin", "mimeType": "application/zip", "blob": "/w=="}},
        {"type": "audio", "data": "d2F2ZQ==", "mimeType": "audio/wav"},
    ]);
    assert_eq!(response["result"]["content"], expected);
    assert_eq!(response["result"]["structuredContent"], json!({"a": 1}));
}

#[tokio::test]
async fn errors_have_a_flag_and_no_prefix() {
    let mut client = Peer::connect_to(serve(registry())).await;
    let returned = client.call(1, "get_weather", json!({"city": "Atlantis"})).await;
    let invalid = client.call(2, "get_weather", json!({"town": "Rome"})).await;
    let panicked = client.call(3, "panics", json!({})).await;
    let unapproved = client.call(4, "delete", json!({"path": "/etc/passwd"})).await;
    for (response, expected) in [
        (&returned, "there is no such city"),
        (&invalid, "invalid arguments for `get_weather`: `city` is missing; `town` is not an argument"),
        (&panicked, "the tool `panics` failed unexpectedly."),
        (&unapproved, "the tool `delete` needs approval, which was not given."),
    ] {
        assert!(is_error(response), "{response}");
        assert!(text(response).starts_with(expected), "{response}");
    }
    let approved = client.call(5, "delete", json!({"path": "/tmp/a"})).await;
    assert_eq!((is_error(&approved), text(&approved)), (false, "/tmp/a is deleted"));
}

#[tokio::test]
async fn an_unknown_tool_is_an_error_of_the_protocol() {
    let mut client = Peer::connect_to(serve(registry())).await;
    let response = client.call(1, "get_wether", json!({})).await;
    assert_eq!(response["error"]["code"], -32602);
    let message = response["error"]["message"].as_str().expect("a message");
    assert!(message.starts_with("there is no tool `get_wether`. Call `get_weather` instead."), "{message}");
}

#[tokio::test]
async fn a_result_without_its_declared_structure_is_an_error() {
    let registry =
        Registry::builder().tools(tools![get_weather]).max_result_bytes(20).build().expect("valid");
    let mut client = Peer::connect_to(serve(registry)).await;
    let response = client.call(1, "get_weather", json!({"city": "Rome"})).await;
    assert!(is_error(&response), "clients reject a result without structured content: {response}");
    assert!(text(&response).starts_with("the result does not have the declared structure. Its text is:\n"));
}

#[tokio::test]
async fn calls_of_a_connection_count_together() {
    let server = serve(registry());
    let mut client = Peer::connect_to(server.clone()).await;
    assert!(!is_error(&client.call(1, "once", json!({})).await));
    assert!(text(&client.call(2, "once", json!({})).await).contains("this limit is reached"));
    let mut other = Peer::connect_to(server).await;
    assert!(!is_error(&other.call(1, "once", json!({})).await), "another connection");
}

/// Reports progress.
#[tool]
fn report(#[context] call: &CallContext) {
    call.progress(1, 2, "first");
    call.progress(1, 2, "the same amount");
    call.progress(2, None, "");
}

#[tokio::test]
async fn progress_arrives_before_the_result_and_increases() {
    let mut client = Peer::connect_to(serve(Registry::new(tools![report]).expect("valid"))).await;
    let params = json!({"name": "report", "arguments": {}, "_meta": {"progressToken": "p"}});
    client.send(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})).await;
    let mut progress = Vec::new();
    loop {
        let message = client.next().await.expect("the connection is open");
        if message["id"] == 1 {
            break;
        }
        assert_eq!(message["params"]["progressToken"], "p");
        progress.push(message["params"].clone());
    }
    let amounts: Vec<f64> = progress.iter().filter_map(|params| params["progress"].as_f64()).collect();
    assert_eq!(amounts.len(), 3);
    assert!(amounts.is_sorted_by(|a, b| a < b), "{amounts:?}");
    assert_eq!((&progress[0]["message"], &progress[0]["total"]), (&json!("first"), &json!(2.0)));
    assert_eq!((&progress[1]["message"], &progress[2]["total"]), (&json!("the same amount"), &Value::Null));
    // Without a token, there is none.
    client
        .send(json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "report"}}))
        .await;
    assert_eq!(client.next().await.expect("open")["id"], 2);
}

#[derive(Default)]
struct Log(Mutex<Vec<&'static str>>);

/// Waits until it is cancelled.
#[tool]
async fn wait(#[context] call: &CallContext, #[state] log: &Log) {
    call.progress(0, None, "waiting");
    call.cancellation().cancelled().await;
    log.0.lock().expect("not poisoned").push("cancelled");
}

#[tokio::test]
async fn a_cancelled_request_reaches_the_tool() {
    let log = Arc::new(Log::default());
    let registry = Registry::builder().tools(tools![wait]).state(Arc::clone(&log)).build().expect("valid");
    let mut client = Peer::connect_to(serve(registry)).await;
    let params = json!({"name": "wait", "_meta": {"progressToken": 1}});
    client.send(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})).await;
    client.receive("method", "notifications/progress").await;
    let cancelled = json!({"requestId": 1, "reason": "enough"});
    client.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled})).await;
    while log.0.lock().expect("not poisoned").is_empty() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    client.send(json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})).await;
    let next = client.next().await.expect("the connection is open");
    assert_eq!(next["id"], 2, "no response to the cancelled request: {next}");
}

#[tokio::test]
async fn the_token_of_the_program_cancels_calls() {
    let log = Arc::new(Log::default());
    let registry = Registry::builder().tools(tools![wait]).state(Arc::clone(&log)).build().expect("valid");
    let token = tool_runtime::dispatch::CancellationToken::new();
    let of_program = token.clone();
    let server =
        serve(registry).context_per_request(move |_| RunContext::new().cancellation(of_program.clone()));
    let mut client = Peer::connect_to(server).await;
    let params = json!({"name": "wait", "_meta": {"progressToken": 1}});
    client.send(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})).await;
    client.receive("method", "notifications/progress").await;
    token.cancel();
    assert_eq!(client.receive("id", 1).await["id"], 1);
    assert_eq!(*log.0.lock().expect("not poisoned"), ["cancelled"]);
}

#[tokio::test]
async fn a_replaced_registry_is_announced() {
    let server = serve(Registry::new(tools![get_weather]).expect("valid"));
    let handle = server.handle();
    let mut client = Peer::connect_to(server).await;
    let listed = client.request(1, "tools/list", json!({})).await;
    assert_eq!(listed["result"]["tools"].as_array().map(Vec::len), Some(1));
    handle.replace(registry());
    client.receive("method", "notifications/tools/list_changed").await;
    let listed = client.request(2, "tools/list", json!({})).await;
    assert_eq!(listed["result"]["tools"].as_array().map(Vec::len), Some(7));
}

struct User(&'static str);

/// The user.
#[tool]
fn who_am_i(#[state] user: &User) -> &'static str {
    user.0
}

#[tokio::test]
async fn the_run_context_decides_about_state_and_tools() {
    let registry =
        Registry::builder().tools(tools![who_am_i, once]).state_per_run::<User>().build().expect("valid");
    let server = serve(registry).try_context_per_request(|request| match request.tool() {
        Some("once") => Err(format!("{} may not call it", request.client_name().unwrap_or_default())),
        _ => Ok(RunContext::new().state(User("Ada")).allowed_tools(["who_am_i"])),
    });
    let mut client = Peer::connect_to(server).await;
    let listed = client.request(1, "tools/list", json!({})).await;
    assert_eq!(listed["result"]["tools"].as_array().map(Vec::len), Some(1), "only the allowed tool");
    assert_eq!(text(&client.call(2, "who_am_i", json!({})).await), "Ada");
    assert_eq!(client.call(3, "once", json!({})).await["error"]["message"], "test may not call it");
}

#[tokio::test]
async fn a_client_does_not_learn_the_names_of_other_tools() {
    let registry = Registry::new(tools![once, looks_like_json]).expect("valid");
    let server = serve(registry).context_per_request(|_| RunContext::new().allowed_tools(["once"]));
    let mut client = Peer::connect_to(server).await;
    for name in ["looks_like_json", "looks_like_jsn"] {
        let message = client.call(1, name, json!({})).await["error"]["message"].to_string();
        assert!(message.contains(&format!("there is no tool `{name}`. Available: `once`.")), "{message}");
    }
}

#[tokio::test]
async fn a_run_context_function_that_panics_is_an_error_of_the_request() {
    let server = serve(registry()).context_per_request(|_| panic!("a secret"));
    let mut client = Peer::connect_to(server).await;
    assert_eq!(
        client.call(1, "list", json!({})).await["error"]["message"],
        "the request cannot be handled now"
    );
}

/// Reports progress at its end.
#[tool]
async fn report_late(#[context] call: &CallContext) -> &'static str {
    tokio::time::sleep(Duration::from_millis(200)).await;
    call.progress(1, 1, "done");
    "done"
}

#[tokio::test(start_paused = true)]
async fn a_call_that_runs_at_the_end_of_the_input_has_its_result() {
    let mut client = Peer::connect_to(serve(Registry::new(tools![report_late]).expect("valid"))).await;
    let params = json!({"name": "report_late", "_meta": {"progressToken": "p"}});
    client.send(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})).await;
    client.end_input().await;
    let response = client.receive("id", 1).await;
    assert_eq!(text(&response), "done");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_does_not_keep_the_server() {
    let (mut client, served) = Peer::connect_and_watch(serve(registry())).await;
    for id in 1..100 {
        client.send(json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"})).await;
    }
    client.end_input().await;
    let ended = tokio::time::timeout(Duration::from_secs(60), served).await;
    assert!(ended.is_ok(), "it ends after a limit");
}

#[tokio::test]
async fn a_closed_connection_ends_the_server() {
    let (ours, theirs) = tokio::io::duplex(1024);
    let served = tokio::spawn(serve(registry()).run(theirs));
    drop(ours);
    served.await.expect("no panic").expect("a client that disconnects is not an error");
}

/// MeshLib#5999, OpenDigitalProductFactory#1932, aiquila#442
#[tokio::test]
async fn arguments_that_are_no_object_are_a_result_that_a_model_reads() {
    /// The time of day.
    #[tool]
    fn now() -> &'static str {
        "12:00"
    }
    let registry = Registry::new(tools![get_weather, now]).expect("two tools");
    let mut client = Peer::connect_to(serve(registry)).await;
    for (id, arguments) in [json!([]), json!(null), json!({})].into_iter().enumerate() {
        let response = client.call(id as u64 + 1, "now", arguments).await;
        assert_eq!(response["result"]["content"][0]["text"], "12:00", "{response}");
    }
    for (id, (arguments, error)) in [
        (json!([{"city": "Rome"}]), "must be one JSON object, not a list"),
        (json!("Rome"), "must be one JSON object"),
        (json!("{\"city\":\"Rome\"}"), "Call it again with one JSON object: {"),
        (json!(7), "must be one JSON object"),
        (json!(true), "must be one JSON object"),
        (json!([]), "`city` is missing"),
    ]
    .into_iter()
    .enumerate()
    {
        let response = client.call(id as u64 + 10, "get_weather", arguments).await;
        assert_eq!(response["result"]["isError"], true, "{response}");
        let text = response["result"]["content"][0]["text"].as_str().expect("a text");
        assert!(text.contains(error), "{text}");
    }
    let unknown = client.call(20, "get_wether", json!([])).await;
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    let nameless = client.request(21, "tools/call", json!({"arguments": {}})).await;
    assert_eq!(nameless["error"]["code"], -32602, "{nameless}");
    let listed = client.request(22, "tools/list", json!({"cursor": 7})).await;
    assert_eq!(listed["result"]["tools"].as_array().map(Vec::len), Some(2), "{listed}");
    let other = client.request(23, "no/method", json!({})).await;
    assert_eq!(other["error"]["code"], -32601, "{other}");
}

/// opencode#14630, eliza#30904
#[tokio::test]
async fn a_request_with_half_a_surrogate_pair_is_answered() {
    /// Returns its text.
    #[tool]
    fn echo(text: String) -> String {
        text
    }
    let mut client = Peer::connect_to(serve(Registry::new(tools![echo]).expect("one tool"))).await;
    for (id, (text, expected)) in
        [(r"cut \ud83d", "cut \u{fffd}"), (r"\uDE00 \uD83D\uDE00 \\uD83D", "\u{fffd} 😀 \\uD83D")]
            .into_iter()
            .enumerate()
    {
        let params = format!(r#"{{"name":"echo","arguments":{{"text":"{text}"}}}}"#);
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#);
        client.send_line(&line).await;
        let response = client.receive("id", id as u64).await;
        assert_eq!(response["result"]["content"][0]["text"], expected, "{response}");
    }
}

/// eliza#30904
#[cfg(feature = "http-client")]
#[tokio::test]
async fn an_http_request_with_half_a_surrogate_pair_is_answered() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("there is a port");
    let address = listener.local_addr().expect("it has an address");
    let service = serve(Registry::new(tools![list]).expect("one tool")).http_service();
    let router = axum::Router::new().nest_service("/mcp", service);
    tokio::spawn(async move { axum::serve(listener, router).await });
    let post = |body: String| {
        let request = reqwest::Client::new().post(format!("http://{address}/mcp"));
        let request = request.header("content-type", "application/json");
        request.header("accept", "application/json, text/event-stream").body(body).send()
    };
    let client = r#"{"name":"half \ud83d","version":"1"}"#;
    let params = format!(r#"{{"protocolVersion":"2025-06-18","capabilities":{{}},"clientInfo":{client}}}"#);
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{params}}}"#);
    let status = post(body).await.expect("a response").status();
    assert_eq!(status.as_u16(), 200);
    let too_long = post("x".repeat(8 << 20)).await.expect("a response").status();
    assert_eq!(too_long.as_u16(), 413);
}
