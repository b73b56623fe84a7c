//! Deferred tools and references to them, on Anthropic's wire.

use super::{Tools, names, tools, use_of};
use crate::{json, list};
use serde_json::{Value, json};
use tool_runtime::message::{Message, Part};
use tool_runtime::wire::{Anthropic, ChatCompletions, RequestParts, Wire, detect};
use tool_runtime::{AssistantMessage, Conversation, ToolCall, ToolChoice, ToolMessage};
use tool_runtime_testing::check_request;

const GONE: &str = "The tools that were found no longer exist. Search again.";

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
    let chat =
        tools.run(chat, &wire(), json!([use_of("a", "search_tools", &json!({ "query": "weather" }))])).await;
    let call = use_of("b", "get_weather", &json!({ "city": "Rome" }));
    let chat = tools.run(chat, &wire(), json!([call])).await;
    let body = tools.write(&wire(), chat.messages());
    assert_eq!(body["tools"].to_string(), first["tools"].to_string());
    // `get_tides` no longer exists.
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
            // The text of the result describes a tool that no longer exists.
            text(GONE),
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
    let plain = RequestParts::new(&messages).tools(&tools.pinned);
    let without_search =
        RequestParts::new(&messages).tools(&tools.pinned[..1]).deferred_tools(&tools.deferred);
    for parts in [plain, without_search] {
        let write = |wire: Anthropic| json(&wire.write(&parts).expect("it is written")).to_string();
        assert_eq!(write(wire()), write(Anthropic::new()));
    }
    let parts = tools.parts(&messages);
    let write = |parts: &RequestParts<'_>| json(&Anthropic::new().write(parts).expect("it is written"));
    assert_eq!(write(&parts), write(&plain));
}

#[test]
fn earlier_calls_of_call_tool_stay_and_the_request_does_not_have_it() {
    let tools = tools();
    let call = ToolCall::new("a", "call_tool", r#"{"name":"delete","arguments":"{}"}"#);
    let messages = [
        Message::user("?"),
        AssistantMessage::from_tool_calls(vec![call]).into(),
        ToolMessage::new("a", "done").into(),
    ];
    let body = tools.write(&wire(), &messages);
    assert_eq!(names(&body["tools"]), ["now", "search_tools", "get_weather", "delete"]);
    assert_eq!(body["messages"][1]["content"][0]["name"], "call_tool");
}

#[test]
fn strict_tools_and_allowed_tools_may_be_deferred() {
    let tools = tools();
    let messages = [Message::user("?")];
    let body = tools.write(&wire().strict(true), &messages);
    let strict: Vec<bool> = list(&body["tools"]).iter().map(|tool| tool["strict"] == true).collect();
    assert_eq!(strict, [true; 4]);
    let allowed = ["search_tools", "delete"].map(str::to_owned);
    let body = wire().write(&tools.parts(&messages).allowed_tools(&allowed)).expect("it is written");
    assert!(body.report().is_empty(), "{}", body.report());
    assert_eq!(names(&json(&body)["tools"]), allowed);
    let choice = ToolChoice::Tool("call_tool".to_owned());
    let body = wire().write(&tools.parts(&messages).tool_choice(&choice)).expect("it is written");
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
    let text = json!([[{ "type": "text", "text": GONE }]]);
    assert_eq!(results(&tools, &read), text);
}

/// A history that was read, whose call of this tool has references to these tools.
fn recorded(tool: &str, found: &[&str]) -> Vec<Message> {
    let references = found.iter().map(|name| json!({ "type": "tool_reference", "tool_name": name }));
    let result =
        json!({ "type": "tool_result", "tool_use_id": "a", "content": references.collect::<Vec<_>>() });
    let messages = json!([{ "role": "user", "content": "?" },
        { "role": "assistant", "content": [use_of("a", tool, &json!({ "query": "x" }))] },
        { "role": "user", "content": [result] }]);
    Anthropic::new().read_messages(&messages.to_string()).expect("it is read")
}

#[test]
fn recorded_references_to_tools_that_the_request_does_not_defer_are_text() {
    let tools = tools();
    let text = |text: &str| json!([{ "type": "text", "text": text }]);
    let content = |wire: &Anthropic, parts: &RequestParts<'_>| {
        let body = json(&wire.write(parts).expect("it is written"));
        assert_eq!(check_request(wire, &body), Ok(()), "{body}");
        body["messages"][2]["content"][0]["content"].clone()
    };
    let allowed = ["now".to_owned()];
    for tool in ["search_tools", "ToolSearch"] {
        let read = recorded(tool, &["get_weather", "get_tides"]);
        let found = text("Found: get_weather, get_tides");
        assert_eq!(content(&Anthropic::new(), &tools.parts(&read)), found);
        assert_eq!(content(&wire(), &tools.parts(&read).allowed_tools(&allowed)), found);
        assert_eq!(content(&wire(), &RequestParts::new(&read).tools(&tools.pinned[..1])), found);
        let reference = json!([{ "type": "tool_reference", "tool_name": "get_weather" }]);
        assert_eq!(content(&wire(), &tools.parts(&read)), reference);
        let read = recorded(tool, &["get_tides"]);
        assert_eq!(content(&wire(), &tools.parts(&read)), text(GONE));
    }
}
