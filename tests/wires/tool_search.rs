//! Searches for tools in the forms of providers: the tools of a request, searches, their results, and calls of the tools that
//! they find.

use crate::weather_tools::{delete, get_weather};
use crate::{dropped, json, list};
use serde_json::{Value, json};
use tool_runtime::conversation::Received;
use tool_runtime::message::Message;
use tool_runtime::testing::check_request;
use tool_runtime::wire::{Body, RequestParts, Responses, Wire};
use tool_runtime::{Conversation, Registry, ToolOutput, ToolSchema, tool, tools};

/// Find tools.
#[tool(read_only)]
fn search_tools(query: &str) -> Result<ToolOutput, String> {
    let found = |names: &[&str]| {
        let text = ToolOutput::new().with_text(format!("signatures for {query}"));
        names.iter().fold(text, |output, name| output.with_tool_reference(*name))
    };
    match query {
        "weather" => Ok(found(&["get_weather", "get_tides"])),
        "tides" => Ok(found(&["get_tides"])),
        "all" => Ok(found(&["delete", "get_weather", "delete", "now"])),
        "" => Err("the query is empty".to_owned()),
        _ => Ok("no tool matches".into()),
    }
}

/// Call a tool.
#[tool]
fn call_tool(name: &str, arguments: &str) -> String {
    format!("{name}({arguments})")
}

/// The time of day.
#[tool]
fn now() -> String {
    "12:00".to_owned()
}

/// The tools of a registry with a search. `get_tides` is gone.
pub(crate) struct Tools {
    all: Registry,
    pinned: Vec<ToolSchema>,
    deferred: Vec<ToolSchema>,
}

pub(crate) fn tools() -> Tools {
    let all = Registry::builder().tools(tools![now, search_tools, call_tool, get_weather, delete]);
    let all = all.lenient_arguments(true).build().expect("five tools");
    let schemas = |names: &[&str]| {
        let schema = |name: &&str| all.schemas().iter().find(|schema| schema.name() == *name).cloned();
        names.iter().filter_map(schema).collect()
    };
    let (pinned, deferred) =
        (schemas(&["now", "search_tools", "call_tool"]), schemas(&["get_weather", "delete"]));
    Tools { all, pinned, deferred }
}

impl Tools {
    pub(crate) fn parts<'a>(&'a self, messages: &'a [Message]) -> RequestParts<'a> {
        RequestParts::new(messages).with_tools(&self.pinned).with_deferred_tools(&self.deferred)
    }

    pub(crate) fn body(&self, wire: &dyn Wire, messages: &[Message]) -> Body {
        let body = wire.write(&self.parts(messages)).expect("it is written");
        assert_eq!(check_request(wire, &json(&body)), Ok(()), "{wire:?}: {}", json(&body));
        body
    }

    pub(crate) fn write(&self, wire: &dyn Wire, messages: &[Message]) -> Value {
        json(&self.body(wire, messages))
    }

    /// The conversation after a reply with these items or blocks, whose calls run.
    pub(crate) async fn run(&self, chat: Conversation, wire: &dyn Wire, items: Value) -> Conversation {
        let body = match wire.name() {
            "anthropic" => {
                json!({ "type": "message", "model": "m", "content": items, "stop_reason": "tool_use" })
            }
            _ => json!({ "id": "resp_1", "model": "m", "status": "completed", "output": items }),
        };
        let reply = wire.read_reply(&body.to_string()).expect("it is read");
        match chat.receive(reply) {
            Received::ToolCalls(pending) => pending.dispatch(&self.all).await,
            Received::Answer(chat) => chat,
        }
    }
}

pub(crate) fn names(tools: &Value) -> Vec<&str> {
    list(tools).iter().map(|tool| tool["name"].as_str().unwrap_or_default()).collect()
}

fn use_of(id: &str, name: &str, input: &Value) -> Value {
    json!({ "type": "tool_use", "id": id, "name": name, "input": input })
}

fn search(id: &str, query: &str) -> Value {
    json!({ "type": "tool_search_call", "id": format!("tsc_{id}"), "call_id": id, "execution": "client",
        "status": "completed", "arguments": { "query": query } })
}

/// The call of a tool that a search found.
fn found_call(id: &str, name: &str, arguments: &str) -> Value {
    json!({ "type": "function_call", "id": format!("fc_{id}"), "call_id": id, "name": name, "namespace": name,
        "arguments": arguments, "status": "completed" })
}

mod anthropic {
    use super::{Tools, names, tools, use_of};
    use crate::{json, list};
    use serde_json::{Value, json};
    use tool_runtime::message::{Message, Part};
    use tool_runtime::wire::{Anthropic, ChatCompletions, RequestParts, Wire, detect};
    use tool_runtime::{AssistantMessage, Conversation, ToolCall, ToolChoice, ToolMessage};

    fn wire() -> Anthropic {
        Anthropic::new().native_tool_search(true)
    }

    /// The results of the second message of the user.
    fn results(tools: &Tools, messages: &[Message]) -> Value {
        let body = tools.write(&wire(), messages);
        json!(list(&body["messages"][2]["content"]).iter().map(|block| &block["content"]).collect::<Vec<_>>())
    }

    #[tokio::test]
    async fn deferred_tools_are_in_the_request_and_found_by_reference() {
        let tools = tools();
        let chat = Conversation::new().user("Rome?");
        let first = tools.write(&wire(), chat.messages());
        assert_eq!(names(&first["tools"]), ["now", "search_tools", "get_weather", "delete"]);
        let deferred: Vec<bool> =
            list(&first["tools"]).iter().map(|tool| tool["defer_loading"] == true).collect();
        assert_eq!(deferred, [false, false, true, true]);
        let chat = tools
            .run(chat, &wire(), json!([use_of("a", "search_tools", &json!({ "query": "weather" }))]))
            .await;
        let call = use_of("b", "get_weather", &json!({ "city": "Rome" }));
        let chat = tools.run(chat, &wire(), json!([call])).await;
        let body = tools.write(&wire(), chat.messages());
        assert_eq!(body["tools"].to_string(), first["tools"].to_string());
        // `get_tides` is gone.
        let references = json!([{ "type": "tool_reference", "tool_name": "get_weather" }]);
        assert_eq!(
            body["messages"][2]["content"],
            json!([{ "type": "tool_result", "tool_use_id": "a", "content": references }])
        );
        assert_eq!(body["messages"][3]["content"], json!([call]));
        assert_eq!(body["messages"][4]["content"][0]["content"][0]["text"], "Rome: sunny");
        assert!(tools.body(&wire(), chat.messages()).report().is_empty());
    }

    #[tokio::test]
    async fn a_result_without_references_to_existing_tools_is_text() {
        let tools = tools();
        let queries = ["tides", "", "none", "all"];
        let calls: Vec<Value> = queries
            .iter()
            .map(|query| use_of(&format!("id_{query}"), "search_tools", &json!({ "query": query })))
            .collect();
        let chat = tools.run(Conversation::new().user("?"), &wire(), json!(calls)).await;
        let text = |text: &str| json!([{ "type": "text", "text": text }]);
        let reference = |name: &str| json!({ "type": "tool_reference", "tool_name": name });
        assert_eq!(
            results(&tools, chat.messages()),
            json!([
                text("signatures for tides"),
                text("Error: the query is empty"),
                text("no tool matches"),
                // Once each, and not the pinned tool, which the API would reject.
                [reference("delete"), reference("get_weather")],
            ])
        );
    }

    #[test]
    fn without_deferred_tools_or_a_search_nothing_changes() {
        let tools = tools();
        let messages = [
            Message::user("?"),
            AssistantMessage::from_tool_calls(vec![ToolCall::new("a", "search_tools", "{}")]).into(),
            ToolMessage::new("a", vec![Part::text("found"), Part::tool_reference("get_weather")]).into(),
        ];
        let plain = RequestParts::new(&messages).with_tools(&tools.pinned);
        let without_search =
            RequestParts::new(&messages).with_tools(&tools.pinned[..1]).with_deferred_tools(&tools.deferred);
        for parts in [plain, without_search] {
            let write = |wire: Anthropic| json(&wire.write(&parts).expect("it is written")).to_string();
            assert_eq!(write(wire()), write(Anthropic::new()));
        }
        let parts = tools.parts(&messages);
        let write = |parts: &RequestParts<'_>| json(&Anthropic::new().write(parts).expect("it is written"));
        assert_eq!(write(&parts), write(&plain));
    }

    #[test]
    fn call_tool_stays_if_the_messages_call_it() {
        let tools = tools();
        let call = ToolCall::new("a", "call_tool", r#"{"name":"delete","arguments":"{}"}"#);
        let messages = [
            Message::user("?"),
            AssistantMessage::from_tool_calls(vec![call]).into(),
            ToolMessage::new("a", "done").into(),
        ];
        let body = tools.write(&wire(), &messages);
        assert_eq!(names(&body["tools"]), ["now", "search_tools", "call_tool", "get_weather", "delete"]);
        assert_eq!(list(&body["tools"])[2].get("defer_loading"), None);
    }

    #[test]
    fn strict_tools_and_allowed_tools_may_be_deferred() {
        let tools = tools();
        let messages = [Message::user("?")];
        let body = tools.write(&wire().strict(true), &messages);
        let strict: Vec<bool> = list(&body["tools"]).iter().map(|tool| tool["strict"] == true).collect();
        assert_eq!(strict, [true; 4]);
        let allowed = ["search_tools", "delete"].map(str::to_owned);
        let body = wire().write(&tools.parts(&messages).with_allowed_tools(&allowed)).expect("it is written");
        assert!(body.report().is_empty(), "{}", body.report());
        assert_eq!(names(&json(&body)["tools"]), allowed);
        let choice = ToolChoice::Tool("call_tool".to_owned());
        let body = wire().write(&tools.parts(&messages).with_tool_choice(&choice)).expect("it is written");
        assert_eq!(body.report().ignored_choice, Some(choice));
        assert_eq!(json(&body).get("tool_choice"), None);
    }

    #[test]
    fn a_recorded_request_goes_back_unchanged() {
        let reference =
            |name: &str| json!({ "type": "tool_reference", "tool_name": name, "cache_control": null });
        let result = |names: &[&str]| {
            let references: Vec<Value> = names.iter().map(|name| reference(name)).collect();
            json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "a", "content": references }] })
        };
        let messages = |names: &[&str]| {
            let call = use_of("a", "search_tools", &json!({ "query": "x" }));
            json!([{ "role": "user", "content": [{ "type": "text", "text": "?" }] },
                { "role": "assistant", "content": [call] }, result(names)])
        };
        let recorded = messages(&["get_weather", "get_tides"]);
        assert_eq!(detect(&recorded.to_string()), Some("anthropic"));
        let read = Anthropic::new().read_messages(&recorded.to_string()).expect("it is read");
        let body = Anthropic::new().write(&RequestParts::new(&read)).expect("it is written");
        assert_eq!(json(&body)["messages"], recorded);
        // Others read the names.
        let chat = json(&ChatCompletions::new().write(&RequestParts::new(&read)).expect("it is written"));
        assert_eq!(chat["messages"][2]["content"], "Found: get_weather, get_tides");
        // The tools of the request decide which references are valid.
        let tools = tools();
        assert_eq!(tools.write(&wire(), &read)["messages"], messages(&["get_weather"]));
        let read = wire().read_messages(&messages(&["get_tides"]).to_string()).expect("it is read");
        let text = json!([[{ "type": "text", "text": "Found: get_tides" }]]);
        assert_eq!(super::anthropic::results(&tools, &read), text);
    }
}

mod responses {
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
    fn namespace(tools: &Tools, name: &str) -> Value {
        let tool = tools.deferred.iter().find(|tool| tool.name() == name).expect("a deferred tool");
        let parameters: Value = serde_json::from_str(tool.parameters().get()).expect("a schema");
        let function = json!({ "type": "function", "name": name, "description": tool.description(), "defer_loading": true,
            "strict": false, "parameters": parameters });
        json!({ "type": "namespace", "name": name, "description": tool.description(), "tools": [function] })
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
            assert_eq!(input[2], output("a", &[namespace(&tools, "get_weather")]));
            assert_eq!(input[3], calls[0]);
            // Its arguments were repaired.
            assert_eq!(
                input[4],
                json!({ "type": "function_call", "call_id": "c", "name": "get_weather", "namespace": "get_weather",
                    "arguments": r#"{"city":"Paris"}"# })
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
        let both = [namespace(&tools, "delete"), namespace(&tools, "get_weather")];
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
        assert_eq!(input[4], output("b", &[namespace(&tools, "get_weather")]));
        assert_eq!((&input[5]["name"], input[5].get("namespace")), (&json!("call_tool"), None));
        // No search of the request loads `delete`.
        assert_eq!((&input[7]["name"], input[7].get("namespace")), (&json!("delete"), None));
        assert_eq!(names(&body["tools"]), ["now", "", "call_tool"]);
    }

    #[tokio::test]
    async fn a_tool_that_is_gone_or_whose_search_was_trimmed_has_no_namespace() {
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

    #[test]
    fn a_recorded_request_goes_back_unchanged() {
        let found = json!({ "type": "function", "name": "get_tides", "description": "", "parameters": {}, "strict": true });
        let group = json!({ "type": "namespace", "name": "crm", "description": "", "tools": [
            { "type": "function", "name": "list_orders", "parameters": {} }] });
        let mut call = found_call("b", "list_orders", "{}");
        call["namespace"] = json!("crm");
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
        assert_eq!(
            (&loaded[0]["tools"][0]["strict"], &loaded[0]["tools"][0]["type"]),
            (&json!(true), &json!("function"))
        );
        assert_eq!(
            (&loaded[1]["tools"][0]["type"], &loaded[1]["tools"][0]["defer_loading"]),
            (&json!("custom"), &json!(true))
        );

        let allowed = ["search_tools", "now", "delete"].map(str::to_owned);
        let parts = tools.parts(&messages).with_allowed_tools(&allowed);
        let native = json(&wire().native_allowed_tools(true).write(&parts).expect("it is written"));
        assert_eq!(
            native["tool_choice"]["tools"],
            json!([{ "type": "tool_search" }, { "type": "function", "name": "now" }])
        );
        let body = wire().write(&parts).expect("it is written");
        assert!(body.report().is_empty(), "{}", body.report());
        assert_eq!(names(&json(&body)["tools"]), ["now", ""]);
        let choice = ToolChoice::Tool("search_tools".to_owned());
        let body = wire().write(&tools.parts(&messages).with_tool_choice(&choice)).expect("it is written");
        assert_eq!(body.report().ignored_choice, Some(choice));
    }
}
