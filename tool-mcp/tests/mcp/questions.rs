//! Tools that ask the user: elicitations in both directions, before and since protocol 2026-07-28.

use crate::peer::{Peer, Response, connect_to_script, definition, registry_of};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, split};
use tokio::sync::Notify;
use tool_runtime::conversation::{InnerCallError, Request};
use tool_runtime::dispatch::{Question, UserAnswer};
use tool_runtime::session::RunEnd;
use tool_runtime::{AssistantMessage, CallContext, Registry, RunContext, Session, ToolCall, tool, tools};
use tool_runtime_mcp::{Client, serve};

async fn order(effects: &Mutex<Vec<String>>, call: &CallContext) -> Result<String, InnerCallError> {
    let size = json!({ "type": "string", "enum": ["S", "M"], "default": "M" });
    let schema = json!({ "type": "object", "properties": { "size": size, "note": { "type": "string" } } });
    match call.ask("Which size?", schema).await? {
        UserAnswer::Accepted(answer) => {
            let sure = call.ask("Sure?", json!({ "type": "boolean" })).await?;
            if sure != UserAnswer::Accepted(true.into()) {
                return Ok("unsure".to_owned());
            }
            effects.lock().expect("no panic").push(answer.to_string());
            Ok(format!("ordered {answer}"))
        }
        UserAnswer::Declined => Ok("declined".to_owned()),
        UserAnswer::Cancelled => Ok("cancelled".to_owned()),
    }
}

type Effects = Arc<Mutex<Vec<String>>>;

/// Orders a shirt.
#[tool(resumable)]
async fn order_shirt(
    #[state] effects: &Effects,
    #[context] call: &CallContext,
) -> Result<String, InnerCallError> {
    order(effects, call).await
}

/// Orders a shirt, and does not run again.
#[tool]
async fn order_once(
    #[state] effects: &Effects,
    #[context] call: &CallContext,
) -> Result<String, InnerCallError> {
    order(effects, call).await
}

/// Asks for a list, which no form has.
#[tool(resumable)]
async fn ask_for_list(#[context] call: &CallContext) -> Result<String, InnerCallError> {
    let items = json!({ "type": "object", "properties": { "items": { "type": "object" } } });
    call.ask("Which items?", items).await.map(|answer| format!("{answer:?}"))
}

fn shop(effects: &Effects) -> Registry {
    let builder =
        Registry::builder().tools(tools![order_shirt, order_once, ask_for_list]).state(Arc::clone(effects));
    builder.build().expect("the tools are valid")
}

/// The versions of the protocol.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Version {
    WithInitialize,
    WithoutInitialize,
}

const VERSIONS: [Version; 2] = [Version::WithInitialize, Version::WithoutInitialize];

/// A client of a server, which has no `initialize` in the later version.
async fn connect(registry: Registry, version: Version) -> Client {
    let server = serve(registry);
    let client = Client::transport(move || {
        let (ours, relayed) = tokio::io::duplex(1 << 16);
        let (relay, theirs) = tokio::io::duplex(1 << 16);
        tokio::spawn(server.clone().run(theirs));
        tokio::spawn(relay_lines(relayed, relay, version));
        async move { Ok::<_, std::io::Error>(ours) }
    });
    client.tool(|_, tool| tool.resumable()).connect().await.expect("the server responds")
}

/// Relays the lines of both sides.
pub(crate) async fn relay_lines(client: DuplexStream, server: DuplexStream, version: Version) {
    let (from_client, to_client) = split(client);
    let (mut from_server, mut to_server) = split(server);
    let to_client = Arc::new(tokio::sync::Mutex::new(to_client));
    let writer = Arc::clone(&to_client);
    tokio::spawn(async move {
        let mut lines = BufReader::new(&mut from_server).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            if writer.lock().await.write_all(format!("{line}\n").as_bytes()).await.is_err() {
                return;
            }
        }
    });
    let mut lines = BufReader::new(from_client).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let message: Value = serde_json::from_str(&line).expect("the client writes JSON");
        if version == Version::WithoutInitialize && message["method"] == "initialize" {
            let error = json!({ "code": -32601, "message": "there is no initialize" });
            let response = json!({ "jsonrpc": "2.0", "id": message["id"], "error": error });
            to_client.lock().await.write_all(format!("{response}\n").as_bytes()).await.expect("it reads");
        } else {
            to_server.write_all(format!("{line}\n").as_bytes()).await.expect("it reads");
        }
    }
}

/// A context whose user gives these answers, and the texts of the questions.
fn user(answers: impl IntoIterator<Item = UserAnswer>) -> (RunContext, Arc<Mutex<Vec<Question>>>) {
    let (answers, asked): (Vec<_>, Arc<Mutex<Vec<Question>>>) =
        (answers.into_iter().collect(), Arc::default());
    let questions = Arc::clone(&asked);
    let context = RunContext::new().on_question(move |question| {
        let mut questions = questions.lock().expect("no panic");
        let answer = answers.get(questions.len()).cloned().ok_or("the user has gone home");
        questions.push(question);
        async move { answer }
    });
    (context, asked)
}

fn accepted(value: Value) -> UserAnswer {
    UserAnswer::Accepted(value)
}

fn sure() -> UserAnswer {
    accepted(json!({ "answer": true }))
}

#[tokio::test]
async fn the_user_of_the_client_answers_the_tools_of_the_server() {
    for version in VERSIONS {
        let effects = Effects::default();
        let client = connect(shop(&effects), version).await;
        let registry = client.registry().await.expect("it lists its tools");
        for (answers, expected) in [
            (vec![accepted(json!({ "size": "S" })), sure()], r#"ordered {"size":"S"}"#),
            (vec![accepted(json!({})), sure()], r#"ordered {"size":"M"}"#),
            (vec![UserAnswer::Declined], "declined"),
            (vec![UserAnswer::Cancelled], "cancelled"),
            (vec![accepted(json!({ "size": "S" })), UserAnswer::Declined], "unsure"),
        ] {
            let (context, asked) = user(answers);
            let result = registry.with(&context).call("order_shirt", ()).await;
            assert_eq!(result.text(), expected, "{version:?}");
            let asked = asked.lock().expect("no panic");
            assert_eq!((&*asked[0].text, &*asked[0].tool), ("Which size?", "order_shirt"));
            assert_eq!(asked[0].schema["properties"]["size"]["enum"], json!(["S", "M"]));
        }
        assert_eq!(effects.lock().expect("no panic").len(), 2, "{version:?}");
    }
}

#[tokio::test]
async fn an_answer_that_cannot_be_given_is_an_error_of_the_tool() {
    for version in VERSIONS {
        let client = connect(shop(&Effects::default()), version).await;
        let registry = client.registry().await.expect("it lists its tools");
        let (context, _) = user([accepted(json!({ "size": "XL" }))]);
        let text = registry.with(&context).call("order_shirt", ()).await.text().into_owned();
        assert!(text.contains("the answer is invalid: `size`"), "{version:?}: {text}");
        let (context, _) = user([]);
        let text = registry.with(&context).call("order_shirt", ()).await.text().into_owned();
        assert!(text.contains("the user has gone home"), "{version:?}: {text}");
        let text = registry.call("order_shirt", ()).await.text().into_owned();
        assert!(text.contains("the user cannot be asked"), "{version:?}: {text}");
        let (context, asked) = user([]);
        let text = registry.with(&context).call("ask_for_list", ()).await.text().into_owned();
        assert!(text.contains("MCP clients show a form for an object"), "{version:?}: {text}");
        assert!(asked.lock().expect("no panic").is_empty());
    }
}

#[tokio::test]
async fn only_a_resumable_tool_can_ask_a_client_without_initialize() {
    for version in VERSIONS {
        let client = connect(shop(&Effects::default()), version).await;
        let (context, _) = user([accepted(json!({ "size": "S" })), sure()]);
        let registry = client.registry().await.expect("it lists its tools").with(&context);
        let text = registry.call("order_once", ()).await.text().into_owned();
        match version {
            Version::WithInitialize => assert_eq!(text, r#"ordered {"size":"S"}"#),
            Version::WithoutInitialize => assert!(text.contains("its tool is not `resumable`"), "{text}"),
        }
    }
}

async fn model(request: Request) -> Result<AssistantMessage, std::io::Error> {
    Ok(match request.messages().len() {
        1 => AssistantMessage::from_tool_calls(vec![ToolCall::new("call_1", "order_shirt", "{}")]),
        _ => AssistantMessage::from_text("Done."),
    })
}

#[tokio::test]
async fn a_question_of_a_server_ends_the_run_of_a_session() {
    for version in VERSIONS {
        let effects = Effects::default();
        let mut session = Session::new().user("A shirt.");
        for (id, answer) in [("call_1/0", json!({ "size": "S" })), ("call_1/1", json!({ "answer": true }))] {
            // Each run is another process, which connects again.
            let client = connect(shop(&effects), version).await;
            let registry = client.registry().await.expect("it lists its tools");
            assert_eq!(session.run(&registry).complete(model).await.expect("a reply"), RunEnd::NeedsInput);
            let stored = serde_json::to_string(&session).expect("it can be stored");
            session = serde_json::from_str(&stored).expect("it can be loaded");
            let asked = session.awaiting_input();
            assert_eq!((asked.len(), &*asked[0].id), (1, id), "{version:?}");
            session.answer(id, answer).expect("it is valid");
        }
        let client = connect(shop(&effects), version).await;
        let registry = client.registry().await.expect("it lists its tools");
        assert_eq!(session.run(&registry).complete(model).await.expect("a reply"), RunEnd::Answered);
        assert_eq!(session.messages()[2].text(), r#"ordered {"size":"S"}"#);
        assert_eq!(effects.lock().expect("no panic").len(), 1);
    }
}

#[tokio::test]
async fn a_client_without_forms_is_not_asked() {
    let mut client = Peer::connect_to(serve(shop(&Effects::default()))).await;
    let response = client.call(1, "order_shirt", json!({})).await;
    let text = response["result"]["content"][0]["text"].as_str().expect("a text");
    assert!(response["result"]["isError"] == true && text.contains("the user cannot be asked"), "{response}");
}

/// A call of protocol 2026-07-28, with these further parameters.
async fn modern_call(client: &mut Peer, id: u64, tool: &str, more: Value) -> Value {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
    });
    let mut params = json!({ "name": tool, "arguments": {}, "_meta": meta });
    let more = more.as_object().cloned().unwrap_or_default();
    params.as_object_mut().expect("an object").extend(more);
    client.request(id, "tools/call", params).await
}

#[tokio::test]
async fn a_state_that_a_client_has_changed_gives_it_nothing() {
    let effects = Effects::default();
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(serve(shop(&effects)).run(theirs));
    let mut client = Peer::new(ours);
    let first = modern_call(&mut client, 1, "order_shirt", json!({})).await["result"].clone();
    assert_eq!(first["resultType"], "input_required", "{first}");
    assert_eq!(first["inputRequests"]["0"]["params"]["message"], "Which size?");
    let state = first["requestState"].as_str().expect("a state").to_owned();
    let accept = |content: Value| json!({ "action": "accept", "content": content });
    let continued =
        |response: Value, state: &str| json!({ "inputResponses": { "0": response }, "requestState": state });

    let response = modern_call(&mut client, 2, "order_shirt", continued(accept(json!({})), "no JSON")).await;
    assert_eq!(response["error"]["code"], -32602, "{response}");
    let other = state.replace("Which size?", "Which colour?");
    for (id, more, expected) in [
        (3, continued(accept(json!({ "size": "XL" })), &state), "the answer is invalid"),
        (4, continued(accept(json!({ "size": "S" })), &other), "asked another question"),
    ] {
        let response = modern_call(&mut client, id, "order_shirt", more).await;
        let text = response["result"]["content"][0]["text"].as_str().unwrap_or_default();
        assert!(response["result"]["isError"] == true && text.contains(expected), "{response}");
    }
    // Answers to questions that were not asked, or without the state, are ignored.
    let more = json!({ "inputResponses": { "0": accept(json!({ "size": "S" })), "7": accept(json!({})) } });
    let response = modern_call(&mut client, 5, "order_shirt", more).await;
    assert_eq!(response["result"]["inputRequests"]["0"]["params"]["message"], "Which size?", "{response}");
    assert!(effects.lock().expect("no panic").is_empty());
}

/// A server that responds to each call with this result.
async fn responding(result: Value) -> Registry {
    registry_of(move |peer: Peer| {
        let result = result.clone();
        peer.serve(move |method, _| match method {
            "tools/list" => Response::Result(json!({ "tools": [definition("ask", &json!({}))] })),
            _ => Response::Result(result.clone()),
        })
    })
    .await
}

fn input_required(requests: &Value) -> Value {
    json!({ "resultType": "input_required", "inputRequests": requests, "requestState": "s" })
}

#[tokio::test(start_paused = true)]
async fn a_server_that_asks_for_other_things_or_without_an_end_is_an_error() {
    let form = |schema: Value| json!({ "method": "elicitation/create", "params": { "message": "?", "requestedSchema": schema } });
    let many: serde_json::Map<_, _> = (0..21).map(|n| (n.to_string(), form(json!({})))).collect();
    let long = "x".repeat(70_000);
    for (requests, expected) in [
        (
            json!({ "a": { "method": "sampling/createMessage", "params": {} } }),
            "asks for `sampling/createMessage`",
        ),
        (json!({ "a": { "method": "roots/list" } }), "asks for `roots/list`"),
        (
            json!({ "a": { "method": "elicitation/create", "params": { "mode": "url", "url": "file:///etc" } } }),
            "the mode `url`",
        ),
        (json!({ "a": form(json!({ "description": long })) }), "a form of more than 64 KiB"),
        (many.into(), "more than 20 inputs at once"),
        (json!({ "a": form(json!({})) }), "has asked 10 times, and has no result"),
        (json!({}), "has asked 10 times, and has no result"),
    ] {
        let (context, _) = user(vec![accepted(json!({})); 100]);
        let registry = responding(input_required(&requests)).await.with(&context);
        let text = registry.call("ask", ()).await.text().into_owned();
        assert!(text.contains(expected), "{text}");
    }
}

/// A server that sends this number of elicitations when it is called, responds when it is notified, and sends one more. Returns the
/// responses to its elicitations as well.
async fn asking(questions: usize, end: &Arc<Notify>) -> (Registry, Arc<Mutex<Vec<Value>>>) {
    let received: Arc<Mutex<Vec<Value>>> = Arc::default();
    let (seen, end) = (Arc::clone(&received), Arc::clone(end));
    let client = connect_to_script(move |mut peer: Peer| {
        let (seen, end) = (Arc::clone(&seen), Arc::clone(&end));
        async move {
            let params =
                json!({ "message": "Password?", "requestedSchema": { "type": "object", "properties": {} } });
            while let Some(message) = peer.next_for_tool("ask").await {
                let respond =
                    |result: Value| json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
                match message["method"].as_str() {
                    Some("tools/call") => {
                        let request = |n| json!({ "jsonrpc": "2.0", "id": format!("q{n}"), "method": "elicitation/create", "params": params });
                        for n in 0..questions {
                            peer.send(request(n)).await;
                        }
                        end.notified().await;
                        peer.send(respond(json!({ "content": [{ "type": "text", "text": "done" }] }))).await;
                        peer.send(request(questions)).await;
                    }
                    Some(_) => {}
                    None => seen.lock().expect("no panic").push(message),
                }
            }
        }
    });
    let registry = client.connect().await.expect("it responds").registry().await.expect("it lists its tools");
    (registry, received)
}

#[tokio::test]
async fn a_server_asks_only_in_its_calls_and_not_without_an_end() {
    let (context, asked) = user(vec![accepted(json!({})); 100]);
    let all_asked = Arc::new(Notify::new());
    let (registry, received) = asking(60, &all_asked).await;
    let registry = registry.with(&context);
    let (result, ()) = tokio::join!(registry.call("ask", ()), async {
        while asked.lock().expect("no panic").len() < 50 {
            tokio::task::yield_now().await;
        }
        all_asked.notify_one();
    });
    assert_eq!(result.text(), "done");
    while received.lock().expect("no panic").len() < 61 {
        tokio::task::yield_now().await;
    }
    let received = received.lock().expect("no panic");
    let errors = received.iter().filter_map(|response| response["error"]["message"].as_str());
    let expected = ["more than 50 inputs in one call", "no call runs in which the user can be asked"];
    let is_expected = |error: &&str| expected.iter().any(|expected| error.contains(expected));
    assert_eq!(errors.filter(is_expected).count(), 11);
    assert_eq!(asked.lock().expect("no panic").len(), 50);
}

/// A server whose call takes five seconds, with progress in each.
async fn slow_server(mut peer: Peer) {
    while let Some(message) = peer.next_for_tool("work").await {
        if message["method"] != "tools/call" {
            continue;
        }
        let token = &message["params"]["_meta"]["progressToken"];
        for done in 0..5 {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let params = json!({ "progressToken": token, "progress": done });
            peer.send(json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params }))
                .await;
        }
        let result = json!({ "content": [{ "type": "text", "text": "done" }] });
        peer.send(json!({ "jsonrpc": "2.0", "id": message["id"], "result": result })).await;
    }
}

#[tokio::test(start_paused = true)]
async fn progress_extends_the_time_limit_up_to_a_time() {
    for (extended, expected) in
        [(None, "did not finish within 2 s"), (Some(3600), "done"), (Some(1), "did not finish within 2 s")]
    {
        let mut builder = connect_to_script(slow_server).timeout(Duration::from_secs(2));
        if let Some(seconds) = extended {
            builder = builder.progress_extends_timeout(Duration::from_secs(seconds));
        }
        let client = builder.connect().await.expect("it responds");
        let text =
            client.registry().await.expect("it lists its tools").call("work", ()).await.text().into_owned();
        assert!(text.contains(expected), "{extended:?}: {text}");
    }
}

#[tokio::test]
async fn a_question_ends_with_its_call() {
    /// Notifies when nobody has to answer any more.
    struct Withdrawn(Arc<Notify>);
    impl Drop for Withdrawn {
        fn drop(&mut self) {
            self.0.notify_one();
        }
    }
    let (asked, withdrawn) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (is_asked, is_withdrawn) = (Arc::clone(&asked), Arc::clone(&withdrawn));
    let context = RunContext::new().on_question(move |_| {
        let open = Withdrawn(Arc::clone(&is_withdrawn));
        is_asked.notify_one();
        async move {
            let _open = open;
            std::future::pending::<Result<UserAnswer, String>>().await
        }
    });
    let registry = asking(1, &asked).await.0.with(&context);
    assert_eq!(registry.call("ask", ()).await.text(), "done", "the server does not wait for the answer");
    withdrawn.notified().await;
}

/// Has an effect with an inner call, and asks.
#[tool(resumable)]
async fn reserve_and_ask(
    #[state] inner: &Inner,
    #[context] call: &CallContext,
) -> Result<String, InnerCallError> {
    let _ = call.inner_call(&inner.0, "reserve", json!({})).await?;
    call.ask("Go on?", json!({ "type": "boolean" })).await.map(|answer| format!("{answer:?}"))
}

/// Reserves a table.
#[tool(destructive)]
fn reserve(#[state] effects: &Effects) {
    effects.lock().expect("no panic").push("reserved".to_owned());
}

struct Inner(Registry);

#[tokio::test]
async fn a_question_after_a_call_of_the_tool_does_not_repeat_the_call() {
    for version in VERSIONS {
        let effects = Effects::default();
        let inner = Registry::builder().tools(tools![reserve]).state(Arc::clone(&effects)).build();
        let builder =
            Registry::builder().tools(tools![reserve_and_ask]).state(Inner(inner.expect("a valid tool")));
        let client = connect(builder.build().expect("a valid tool"), version).await;
        let (context, _) = user([sure()]);
        let registry = client.registry().await.expect("it lists its tools").with(&context);
        let text = registry.call("reserve_and_ask", ()).await.text().into_owned();
        match version {
            Version::WithInitialize => assert_eq!(text, "Accepted(Bool(true))"),
            Version::WithoutInitialize => assert!(text.contains("before the calls that it makes"), "{text}"),
        }
        assert_eq!(effects.lock().expect("no panic").len(), 1, "{version:?}");
    }
}

#[tokio::test]
async fn a_state_that_is_too_large_is_not_read() {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(serve(shop(&Effects::default())).run(theirs));
    let mut client = Peer::new(ours);
    let state = format!(r#"{{"0":{{"text":"","schema":[{}0]}}}}"#, "0,".repeat(200_000));
    let response = modern_call(&mut client, 1, "order_shirt", json!({ "requestState": state })).await;
    assert_eq!(response["error"]["code"], -32602, "{response}");
    // A tool that does not ask does not read it.
    let response = modern_call(&mut client, 2, "order_once", json!({ "requestState": state })).await;
    assert_eq!(response["result"]["isError"], true, "{response}");
}

/// A client that supports forms, before protocol 2026-07-28.
async fn legacy_client(server: tool_runtime_mcp::Server) -> Peer {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(server.run(theirs));
    let mut client = Peer::new(ours);
    let info = json!({ "name": "test", "version": "1" });
    let capabilities = json!({ "elicitation": {} });
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": info });
    client.request(0, "initialize", params).await;
    client.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
    client
}

#[tokio::test(start_paused = true)]
async fn a_question_without_an_answer_is_withdrawn() {
    let mut client = legacy_client(serve(shop(&Effects::default()))).await;
    let call = json!({ "name": "order_once", "arguments": {} });
    for is_cancelled in [true, false] {
        let id = if is_cancelled { 1 } else { 2 };
        client.send(json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call })).await;
        let asked = client.receive("method", "elicitation/create").await;
        if is_cancelled {
            let params = json!({ "requestId": id });
            client
                .send(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }))
                .await;
        }
        // Otherwise, ten minutes pass.
        let withdrawn = client.receive("method", "notifications/cancelled").await;
        assert_eq!(withdrawn["params"]["requestId"], asked["id"]);
    }
    let response = client.receive("id", 2).await;
    let text = response["result"]["content"][0]["text"].as_str().unwrap_or_default();
    assert!(text.contains("the client has not answered within 600s"), "{response}");
}

#[tokio::test]
async fn a_question_over_a_stream_is_asked_only_if_one_call_runs() {
    let (context, asked) = user([accepted(json!({}))]);
    let end = Arc::new(Notify::new());
    let (registry, received) = asking(1, &end).await;
    let registry = registry.with(&context);
    let calls = ["call_1", "call_2"].map(|id| ToolCall::new(id, "ask", "{}"));
    let release = async {
        for _ in 0..2 {
            end.notify_one();
            tokio::task::yield_now().await;
        }
    };
    let (messages, ()) = tokio::join!(registry.dispatch(&calls), release);
    assert_eq!(messages.len(), 2);
    let asked = asked.lock().expect("no panic").len();
    let received = received.lock().expect("no panic");
    let rejected = received.iter().filter(|response| response["error"].is_object()).count();
    assert!(asked <= 1 && rejected >= 1, "{asked} asked: {received:?}");
}

#[tokio::test]
async fn a_server_whose_question_is_answered_later_gets_no_answer() {
    let received: Arc<Mutex<Vec<Value>>> = Arc::default();
    let seen = Arc::clone(&received);
    let client = connect_to_script(move |mut peer: Peer| {
        let seen = Arc::clone(&seen);
        async move {
            while let Some(message) = peer.next_for_tool("order_shirt").await {
                match message["method"].as_str() {
                    Some("tools/call") => {
                        let params = json!({ "message": "Wrap it?", "requestedSchema": { "type": "object", "properties": {} } });
                        let request = json!({ "jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": params });
                        peer.send(request).await;
                    }
                    Some("notifications/initialized") => {}
                    _ => seen.lock().expect("no panic").push(message),
                }
            }
        }
    });
    let client = client.tool(|_, tool| tool.resumable()).connect().await.expect("it responds");
    let registry = client.registry().await.expect("it lists its tools");
    let mut session = Session::new().user("A shirt.");
    assert_eq!(session.run(&registry).complete(model).await.expect("a reply"), RunEnd::NeedsInput);
    while received.lock().expect("no panic").len() < 2 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let received = received.lock().expect("no panic");
    assert_eq!(received[0]["method"], "notifications/cancelled", "the call ends before the question");
    assert!(received[1]["error"].is_object(), "{received:?}");
}
