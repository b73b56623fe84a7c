//! The tool search of the Responses API, which the program runs.

use super::*;
use crate::responses_streams::{added, assembled, done, ended};
use serde_json::to_string;
use tool_runtime::message::{Part, stored};
use tool_runtime::wire::{ChatCompletions, detect};
use tool_runtime::{AssistantMessage, ToolCall, ToolChoice, ToolMessage};

fn wire() -> Responses {
    Responses::new().native_tool_search(true)
}

/// The definition of a tool that a search found.
fn loaded(tools: &Tools, name: &str) -> Value {
    let tool = tools.deferred.iter().find(|tool| tool.name() == name).expect("a deferred tool");
    let parameters: Value = serde_json::from_str(tool.parameters().get()).expect("a schema");
    json!({ "type": "function", "name": name, "description": tool.description(), "defer_loading": true,
        "strict": false, "parameters": parameters })
}

fn output(id: &str, tools: &[Value]) -> Value {
    json!({ "type": "tool_search_output", "call_id": id, "execution": "client", "status": "completed", "tools": tools })
}

#[tokio::test]
async fn a_search_loads_tools_and_their_calls_keep_their_namespace() {
    let tools = tools();
    let chat = Conversation::new().user("Rome?");
    let first = tools.write(&wire(), chat.messages());
    assert_eq!(first["tools"][0]["name"], "now");
    let search_tool = &tools.pinned[1];
    let parameters: Value = serde_json::from_str(search_tool.parameters().get()).expect("a schema");
    assert_eq!(
        first["tools"][1],
        json!({ "type": "tool_search", "execution": "client", "description": "Find tools.", "parameters": parameters })
    );
    assert_eq!(list(&first["tools"]).len(), 2);

    let chat = tools.run(chat, &wire(), json!([search("a", "weather")])).await;
    let calls = json!([
        found_call("b", "get_weather", r#"{"city":"Rome"}"#),
        found_call("c", "get_weather", r#"{"city":"Paris",}"#)
    ]);
    let chat = tools.run(chat, &wire(), calls.clone()).await;
    for chat in [chat.clone(), {
        // After storage.
        let mut text = Vec::new();
        stored::serialize(&chat, &mut serde_json::Serializer::new(&mut text)).expect("it is stored");
        stored::deserialize(&mut serde_json::Deserializer::from_slice(&text)).expect("it is loaded")
    }] {
        let body = tools.body(&wire(), chat.messages());
        assert!(body.report().is_empty(), "{}", body.report());
        let written = json(&body);
        assert_eq!(to_string(&written["tools"]).ok(), to_string(&first["tools"]).ok());
        let input = &written["input"];
        assert_eq!(input[1], search("a", "weather"));
        assert_eq!(input[2], output("a", &[loaded(&tools, "get_weather")]));
        assert_eq!(input[3], calls[0]);
        // Its arguments were repaired.
        assert_eq!(
            input[4],
            json!({ "type": "function_call", "call_id": "c", "name": "get_weather", "namespace": "get_weather",
                "arguments": r#"{"city": "Paris"}"# })
        );
        assert_eq!(input[6]["output"], "Paris: sunny");
    }
}

#[tokio::test]
async fn a_search_that_finds_nothing_or_fails_has_no_definitions() {
    let tools = tools();
    let calls = json!([search("a", "tides"), search("b", ""), search("c", "none"), search("d", "all")]);
    let chat = tools.run(Conversation::new().user("?"), &wire(), calls).await;
    let body = tools.body(&wire(), chat.messages());
    let both = [loaded(&tools, "delete"), loaded(&tools, "get_weather")];
    assert_eq!(
        list(&json(&body)["input"])[5..],
        [output("a", &[]), output("b", &[]), output("c", &[]), output("d", &both)]
    );
    assert_eq!(
        dropped(&body),
        ["messages[2]: dropped text", "messages[3]: dropped text", "messages[4]: dropped text"]
    );
}

#[test]
fn a_streamed_search_is_a_call() {
    let call = found_call("b", "get_weather", "{}");
    let mut started = search("another", "x");
    started["arguments"] = json!({});
    let reply = assembled(&[
        added(0, &started),
        done(0, &search("a", "weather")),
        added(1, &call),
        done(1, &call),
        ended(&json!([search("a", "weather"), call])),
    ]);
    let calls: Vec<_> =
        reply.tool_calls.iter().map(|call| (&*call.id, &*call.name, &*call.arguments)).collect();
    assert_eq!(calls, [("a", "search_tools", r#"{"query":"weather"}"#), ("b", "get_weather", "{}")]);
    let items: Vec<Value> =
        reply.native_items().map(|item| serde_json::from_str(item).expect("JSON")).collect();
    assert_eq!(items, [search("a", "weather"), call]);
    assert_eq!(reply.tool_calls[1].extra("namespace"), Some(&json!("get_weather")));
}

#[tokio::test]
async fn a_search_of_the_server_is_not_a_call() {
    let mut server = search("a", "weather");
    server["execution"] = json!("server");
    server["call_id"] = Value::Null;
    let mut found = output("a", &[json!({ "type": "function", "name": "x" })]);
    found["execution"] = json!("server");
    found["call_id"] = Value::Null;
    let items = json!([server, found]);
    let tools = tools();
    let chat = tools.run(Conversation::new().user("?"), &wire(), items.clone()).await;
    assert_eq!(json!(list(&tools.write(&wire(), chat.messages())["input"])[1..]), items);
    let recorded = json!([{ "role": "user", "content": "?" }, server, found]).to_string();
    let read = Responses::new().read_messages(&recorded).expect("it is read");
    assert_eq!(read.len(), 2);
}

#[test]
fn calls_of_other_wires_are_searches_and_have_a_namespace() {
    let tools = tools();
    let reply = |call: ToolCall| AssistantMessage::from_tool_calls(vec![call]).into();
    let messages = [
        Message::user("?"),
        // A call before the search that found its tool: the server knows all tools that the request loads.
        reply(ToolCall::new("a", "get_weather", r#"{"city":"Rome"}"#)),
        ToolMessage::error("a", "not loaded").into(),
        reply(ToolCall::new("b", "search_tools", r#"{"query":"weather"}"#)),
        ToolMessage::new("b", vec![Part::text("x"), Part::tool_reference("get_weather")]).into(),
        reply(ToolCall::new("c", "call_tool", r#"{"name":"delete","arguments":"{}"}"#)),
        ToolMessage::new("c", "done").into(),
        reply(ToolCall::new("d", "delete", "{}")),
        ToolMessage::new("d", "done").into(),
    ];
    let body = tools.write(&wire(), &messages);
    let input = &body["input"];
    assert_eq!(input[1]["namespace"], "get_weather");
    let search = json!({ "type": "tool_search_call", "call_id": "b", "execution": "client", "status": "completed",
        "arguments": { "query": "weather" } });
    assert_eq!(input[3], search);
    assert_eq!(input[4], output("b", &[loaded(&tools, "get_weather")]));
    assert_eq!((&input[5]["name"], input[5].get("namespace")), (&json!("call_tool"), None));
    // No search of the request loads `delete`.
    assert_eq!((&input[7]["name"], input[7].get("namespace")), (&json!("delete"), None));
    assert_eq!(names(&body["tools"]), ["now", "", "call_tool"]);
}

#[tokio::test]
async fn a_tool_that_no_longer_exists_or_whose_search_was_trimmed_has_no_namespace() {
    let tools = tools();
    let chat = tools.run(Conversation::new().user("?"), &wire(), json!([search("a", "weather")])).await;
    let calls =
        json!([found_call("b", "get_tides", "{}"), found_call("c", "get_weather", r#"{"city":"Rome"}"#)]);
    let mut hosted = found_call("d", "list_orders", "{}");
    hosted["namespace"] = json!("crm");
    let chat = tools.run(chat, &wire(), json!([calls[0], calls[1], hosted])).await;
    let namespaces = |messages: &[Message]| -> Vec<Value> {
        let body = tools.write(&wire(), messages);
        let calls = list(&body["input"]).iter().filter(|item| item["type"] == "function_call");
        calls.map(|call| call["namespace"].clone()).collect()
    };
    assert_eq!(namespaces(chat.messages()), [json!(null), json!("get_weather"), json!("crm")]);
    let trimmed = [&chat.messages()[..1], &chat.messages()[3..]].concat();
    // It is not known that a search found `get_tides`.
    assert_eq!(namespaces(&trimmed), [json!("get_tides"), json!(null), json!("crm")]);
}

#[tokio::test]
async fn a_request_without_deferred_tools_has_searches_as_functions() {
    let tools = tools();
    let chat = tools.run(Conversation::new().user("?"), &wire(), json!([search("a", "weather")])).await;
    let call = found_call("b", "get_weather", r#"{"city":"Rome"}"#);
    let chat = tools.run(chat, &wire(), json!([call])).await;
    let parts = RequestParts::new(chat.messages()).tools(tools.all.schemas());
    let body = wire().write(&parts).expect("it is written");
    assert!(body.report().is_empty(), "{}", body.report());
    let input = &json(&body)["input"];
    let arguments = r#"{"query":"weather"}"#;
    assert_eq!(
        input[1],
        json!({ "type": "function_call", "call_id": "a", "name": "search_tools", "arguments": arguments })
    );
    assert_eq!(
        input[2],
        json!({ "type": "function_call_output", "call_id": "a", "output": "signatures for weather" })
    );
    assert_eq!((&input[3]["name"], input[3].get("namespace")), (&json!("get_weather"), None));
}

#[test]
fn a_recorded_request_goes_back_unchanged() {
    let found = json!({ "type": "function", "name": "get_tides", "description": "", "parameters": {}, "strict": true });
    let group = json!({ "type": "namespace", "name": "crm", "description": "", "tools": [
        { "type": "function", "name": "list_orders", "parameters": {} }] });
    let mut call = found_call("b", "list_orders", "{}");
    call["namespace"] = json!("crm");
    call.as_object_mut().expect("an object").remove("id");
    let result = json!({ "type": "function_call_output", "call_id": "b", "output": "none" });
    let input = json!([{ "role": "user", "content": "?" }, search("a", "x"), output("a", &[found, group]), call, result]);
    assert_eq!(detect(&input.to_string()), Some("responses"));
    assert_eq!(detect(&json!([output("a", &[])]).to_string()), Some("responses"));
    let read = Responses::new().read_messages(&input.to_string()).expect("it is read");
    for wire in [Responses::new(), wire()] {
        let body = wire.write(&RequestParts::new(&read)).expect("it is written");
        assert_eq!(check_request(&wire, &json(&body)), Ok(()));
        assert_eq!(json(&body)["input"], input);
    }
    let chat = json(&ChatCompletions::new().write(&RequestParts::new(&read)).expect("it is written"));
    assert_eq!(chat["messages"][1]["tool_calls"][0]["function"]["name"], "search_tools");
    assert_eq!(chat["messages"][2]["content"], "Found: get_tides, list_orders");
}

#[tokio::test]
async fn searches_go_back_without_ids_that_are_not_stored() {
    let tools = tools();
    let chat = tools.run(Conversation::new().user("?"), &wire(), json!([search("a", "weather")])).await;
    let body = tools.write(&wire().store(false), chat.messages());
    assert_eq!((&body["input"][1]["call_id"], body["input"][1].get("id")), (&json!("a"), None));
    assert_eq!(list(&body["input"][2]["tools"]).len(), 1);
}

#[test]
fn strict_custom_and_allowed_tools() {
    let tools = tools();
    let call = ToolCall::new("a", "search_tools", r#"{"query":"all"}"#);
    let found = vec![Part::tool_reference("delete"), Part::tool_reference("get_weather")];
    let messages = [
        Message::user("?"),
        AssistantMessage::from_tool_calls(vec![call]).into(),
        ToolMessage::new("a", found).into(),
    ];
    let body = tools.write(&wire().strict(true).custom_tool("get_weather", "city"), &messages);
    let loaded = &body["input"][2]["tools"];
    assert_eq!((&loaded[0]["strict"], &loaded[0]["type"]), (&json!(true), &json!("function")));
    assert_eq!((&loaded[1]["type"], &loaded[1]["defer_loading"]), (&json!("custom"), &json!(true)));

    let allowed = ["search_tools", "now", "delete"].map(str::to_owned);
    let parts = tools.parts(&messages).allowed_tools(&allowed);
    let native = json(&wire().native_allowed_tools(true).write(&parts).expect("it is written"));
    // A tool choice cannot name `delete`, which the search loads.
    assert_eq!(native.get("tool_choice"), None);
    assert_eq!(names(&native["tools"]), ["now", ""]);
    assert_eq!(names(&native["input"][2]["tools"]), ["delete"]);
    let pinned = parts.allowed_tools(&allowed[..2]);
    let native = json(&wire().native_allowed_tools(true).write(&pinned).expect("it is written"));
    assert_eq!(
        native["tool_choice"]["tools"],
        json!([{ "type": "tool_search" }, { "type": "function", "name": "now" }])
    );
    assert_eq!(names(&native["input"][2]["tools"]), ["delete", "get_weather"]);
    let body = wire().write(&parts).expect("it is written");
    assert!(body.report().is_empty(), "{}", body.report());
    assert_eq!(names(&json(&body)["tools"]), ["now", ""]);
    assert_eq!(names(&json(&body)["input"][2]["tools"]), ["delete"]);
    let choice = ToolChoice::Tool("search_tools".to_owned());
    let body = wire().write(&tools.parts(&messages).tool_choice(&choice)).expect("it is written");
    assert_eq!(body.report().ignored_choice, Some(choice));
}

#[test]
fn a_tool_that_several_searches_found_is_reported_once() {
    let open = r#"{"type":"function","function":{"name":"put","parameters":{"type":"object","additionalProperties":true}}}"#;
    let deferred: [ToolSchema; 1] = [serde_json::from_str(open).expect("a definition")];
    let tools = tools();
    let mut messages = vec![Message::user("?")];
    for id in ["a", "b"] {
        let call = ToolCall::new(id, "search_tools", r#"{"query":"put"}"#);
        messages.push(AssistantMessage::from_tool_calls(vec![call]).into());
        messages.push(ToolMessage::new(id, vec![Part::tool_reference("put")]).into());
    }
    let parts = tools.parts(&messages).deferred_tools(&deferred);
    let body = wire().strict(true).write(&parts).expect("it is written");
    let reported: Vec<&str> = body.report().not_strict_tools.iter().map(|tool| &*tool.tool).collect();
    assert_eq!(reported, ["put"]);
}

#[tokio::test]
async fn a_request_whose_tools_have_no_search_has_searches_as_functions() {
    let tools = tools();
    let chat = tools.run(Conversation::new().user("?"), &wire(), json!([search("a", "weather")])).await;
    let searched = chat.messages().to_vec();
    let chat = tools.run(chat, &wire(), json!([found_call("b", "get_weather", r#"{"city":"Rome"}"#)])).await;
    let allowed = ["now".to_owned()];
    let parts = tools.parts(chat.messages());
    let cases = [(Responses::new(), parts), (wire(), parts.allowed_tools(&allowed))];
    for (wire, parts) in cases {
        let body = wire.write(&parts).expect("it is written");
        assert!(body.report().is_empty(), "{}", body.report());
        let input = &json(&body)["input"];
        assert_eq!((&input[1]["type"], &input[1]["name"]), (&json!("function_call"), &json!("search_tools")));
        assert_eq!(input[2]["output"], "signatures for weather");
        assert_eq!((&input[3]["name"], input[3].get("namespace")), (&json!("get_weather"), None));
        // The server has the search in its own form.
        let mut continued = parts;
        continued.messages = &searched;
        let body = json(&wire.previous_response(true).write(&continued).expect("it is written"));
        assert_eq!(
            (&body["previous_response_id"], &body["input"]),
            (&json!("resp_1"), &json!([output("a", &[])]))
        );
    }
    // The model may search, and may not call the tool that it found.
    let allowed = ["search_tools", "delete"].map(str::to_owned);
    let body = json(&wire().write(&parts.allowed_tools(&allowed)).expect("it is written"));
    assert_eq!(body["input"][2], output("a", &[]));
    assert_eq!((&body["input"][3]["name"], body["input"][3].get("namespace")), (&json!("get_weather"), None));
}

#[tokio::test]
async fn a_call_whose_name_is_written_anew_loses_its_namespace() {
    let tools = tools();
    let chat = tools.run(Conversation::new().user("?"), &wire(), json!([search("a", "weather")])).await;
    let calls = json!([found_call("b", "bad name!", "{}"), found_call("c", "get weather", "{}")]);
    let chat = tools.run(chat, &wire(), calls).await;
    let body = tools.write(&wire(), chat.messages());
    let call = |index: usize| (&body["input"][index]["name"], body["input"][index].get("namespace"));
    assert_eq!(call(3), (&json!("bad_name_"), None));
    // The request loads a tool of this name.
    assert_eq!(call(4), (&json!("get_weather"), Some(&json!("get_weather"))));
}
