//! References to tools that a search found: storage, and the wires that do not write them.

use crate::exchanged::exchanged;
use crate::tool_search::{Tools, tools, tools_of};
use crate::{json, list, write};
use serde_json::{Value, json};
use tool_runtime::dispatch::{Decision, ReadyCall, ToolResult};
use tool_runtime::message::{Content, Message, Part, stored};
use tool_runtime::wire::{Anthropic, ChatCompletions, Gemini, Ollama, Responses, Wire};
use tool_runtime::{
    AssistantMessage, Conversation, Registry, RegistryBuilder, ToolCall, ToolMessage, ToolOutput, history,
    tool,
};
use tool_runtime_testing::check_request;

fn wires() -> [Box<dyn Wire>; 5] {
    [
        Box::new(ChatCompletions::new()),
        Box::new(Anthropic::new()),
        Box::new(Responses::new()),
        Box::new(Gemini::new()),
        Box::new(Ollama::new()),
    ]
}

/// A search with this result.
fn messages(content: Content) -> [Message; 3] {
    let call = ToolCall::new("call_1", "search_tools", "{}");
    let result = ToolMessage::new("call_1", content).with_tool("search_tools");
    [Message::user("?"), AssistantMessage::from_tool_calls(vec![call]).into(), result.into()]
}

fn with_references(parts: &[Part]) -> Content {
    let references = ["get_weather", "delete"].map(Part::tool_reference);
    let (first, second) = references.split_at(1);
    Content::from_parts([first, parts, second].concat())
}

fn weather() -> Part {
    Part::text("get_weather(city)")
}

#[test]
fn other_requests_are_equal_to_those_without_references() {
    let image = || Part::image("image/png", [1, 2, 3]);
    let cases: [(&[Part], Content); 4] = [
        (&[weather()], "get_weather(city)".into()),
        (&[weather(), weather()], Content::from_parts([weather(), weather()])),
        (&[weather(), image()], Content::from_parts([weather(), image()])),
        (&[], Content::default()),
    ];
    for wire in wires() {
        for (parts, plain) in &cases {
            let body = write(&wire, &messages(with_references(parts)));
            assert_eq!(
                json(&body).to_string(),
                json(&write(&wire, &messages(plain.clone()))).to_string(),
                "{wire:?}"
            );
            assert!(body.report().is_empty(), "{wire:?}: {}", body.report());
        }
        let value = Part::json(json!({ "found": 1 }));
        let body = json(&write(&wire, &messages(with_references(&[value]))));
        let plain = ToolOutput::new().with_json(json!({ "found": 1 })).content().clone();
        assert_eq!(body, json(&write(&wire, &messages(plain))), "{wire:?}");
    }
}

#[test]
fn references_are_stored_without_loss() {
    let chat = messages(with_references(&[weather(), Part::json(json!([1]))]));
    let mut text = Vec::new();
    stored::serialize(&chat[..], &mut serde_json::Serializer::new(&mut text)).expect("it is stored");
    let read: Vec<Message> =
        stored::deserialize(&mut serde_json::Deserializer::from_slice(&text)).expect("it is loaded");
    assert_eq!(read, chat);
    assert!(String::from_utf8(text).expect("JSON").contains(r#"{"type":"tool_reference","name":"delete"}"#));
    assert!(format!("{chat:?}").contains(r#"ToolReference { name: "delete" }"#));
}

/// Finds tools.
#[tool]
fn search_tools() -> ToolOutput {
    ToolOutput::new().with_text("secret ".repeat(100)).with_part(Part::tool_reference("delete"))
}

#[tokio::test]
async fn changes_of_the_text_keep_references() {
    let registry = Registry::builder()
        .tools(tool_runtime::tools![search_tools])
        .max_result_bytes(120)
        .build()
        .expect("a tool");
    let message = &registry.dispatch(&[ToolCall::new("a", "search_tools", "{}")]).await[0];
    assert!(message.text().len() <= 120, "{}", message.text());
    assert_eq!(message.content.parts().and_then(<[Part]>::last), Some(&Part::tool_reference("delete")));
    let output = ToolOutput::new().with_part(Part::tool_reference("delete")).with_text("secret");
    let mapped = ToolResult::ok(output).map_text(|text| text.replace("secret", "***"));
    let content = mapped.output().expect("no error").content().clone();
    assert_eq!(content, Content::from_parts([Part::tool_reference("delete"), Part::text("***")]));
}

/// A search in the form of a native wire.
fn search(wire: &dyn Wire, id: &str, query: &Value) -> Value {
    let arguments = json!({ "query": query });
    if wire.name() == "anthropic" {
        return json!({ "type": "tool_use", "id": id, "name": "search_tools", "input": arguments });
    }
    json!({ "type": "tool_search_call", "id": id, "call_id": id, "execution": "client", "status": "completed",
        "arguments": arguments })
}

/// The names of the tools that the result of a search loads, or its text, and the parts that the request drops.
async fn result(tools: &Tools, wire: &dyn Wire, query: &Value) -> (Value, usize) {
    let chat = tools.run(Conversation::new().user("?"), wire, json!([search(wire, "a", query)])).await;
    let body = tools.body(wire, chat.messages());
    let written = json(&body);
    let content = match wire.name() {
        "anthropic" => &written["messages"][2]["content"][0]["content"],
        _ => &written["input"][2]["tools"],
    };
    let names = list(content).iter().map(|item| {
        ["tool_name", "name", "text"].iter().find_map(|field| item.get(*field)).cloned().unwrap_or_default()
    });
    (names.collect(), body.report().dropped.len())
}

#[tokio::test]
async fn a_search_whose_text_changed_loads_the_tools_that_it_found() {
    let redact: fn(RegistryBuilder) -> RegistryBuilder = |builder| {
        builder.around_call(|call: ReadyCall| async move { call.run().await.map_text(|_| "***".to_owned()) })
    };
    let remove: fn(RegistryBuilder) -> RegistryBuilder = |builder| {
        builder.around_call(|call: ReadyCall| async move { call.run().await.map_text(|_| String::new()) })
    };
    let shorten: fn(RegistryBuilder) -> RegistryBuilder = |builder| builder.max_result_bytes(10);
    for set in [redact, remove, shorten] {
        for wire in native_wires() {
            let (names, dropped) = result(&tools_of(set), &wire, &json!("weather")).await;
            assert_eq!((names, dropped), (json!(["get_weather"]), 0), "{wire:?}");
        }
    }
}

#[tokio::test]
async fn a_search_that_fails_or_is_replaced_loads_no_tools() {
    let deny: fn(RegistryBuilder) -> RegistryBuilder =
        |builder| builder.before_call(|_| async { Decision::Deny("no searches today".into()) });
    let replace: fn(RegistryBuilder) -> RegistryBuilder =
        |builder| builder.around_call(|_: ReadyCall| async { ToolResult::ok("hidden") });
    let cases = [
        (deny, json!("weather"), "no searches today"),
        (replace, json!("weather"), "hidden"),
        (|builder| builder, json!([1]), "query"),
    ];
    let [anthropic, responses] = native_wires();
    for (set, query, text) in cases {
        let (content, dropped) = result(&tools_of(set), &anthropic, &query).await;
        assert!(content[0].as_str().is_some_and(|content| content.contains(text)), "{text}: {content}");
        assert_eq!((list(&content).len(), dropped), (1, 0));
        assert_eq!(result(&tools_of(set), &responses, &query).await, (json!([]), 1), "{text}");
    }
}

/// A conversation with a search, a call of the tool that it found, and a failed search.
async fn conversation(wire: &dyn Wire) -> Conversation {
    let tools = tools();
    let searches = json!([search(wire, "a", &json!("weather")), search(wire, "b", &json!(""))]);
    let call = if wire.name() == "anthropic" {
        json!([{ "type": "tool_use", "id": "c", "name": "get_weather", "input": { "city": "Rome" } }])
    } else {
        json!([{ "type": "function_call", "call_id": "c", "name": "get_weather", "namespace": "get_weather",
            "arguments": r#"{"city":"Rome"}"# }])
    };
    let chat = tools.run(Conversation::new().user("Rome?"), wire, searches).await;
    tools.run(chat, wire, call).await.user("Thank you.")
}

/// The items of both native forms.
fn native_wires() -> [Box<dyn Wire>; 2] {
    [Box::new(Anthropic::new().native_tool_search(true)), Box::new(Responses::new().native_tool_search(true))]
}

#[tokio::test]
async fn a_conversation_with_a_search_moves_to_each_wire_and_back() {
    let tools = tools();
    for from in native_wires() {
        let chat = conversation(&from).await;
        let sent = tools.write(&from, chat.messages());
        let others = wires().map(|wire| (false, wire)).into_iter();
        for (is_native, to) in others.chain(native_wires().map(|wire| (true, wire))) {
            let body = tools.write(&to, chat.messages());
            let read = to.read_messages(&body.to_string()).expect("it is read");
            history::validate(&read).unwrap_or_else(|error| panic!("{from:?} to {to:?}: {error}"));
            let calls = |messages: &[Message]| {
                json!(
                    messages
                        .iter()
                        .filter_map(|message| match message {
                            Message::Assistant(reply) => Some(
                                reply.tool_calls.iter().map(|call| call.name.clone()).collect::<Vec<_>>()
                            ),
                            _ => None,
                        })
                        .collect::<Vec<_>>()
                )
            };
            assert_eq!(calls(&read), calls(chat.messages()), "{from:?} to {to:?}");
            if !is_native {
                // The text describes the tools.
                assert!(body.to_string().contains("signatures for weather"), "{to:?}: {body}");
                assert_eq!(exchanged(&read), exchanged(chat.messages()), "{from:?} to {to:?}");
            }
        }
        // The messages themselves keep everything.
        assert_eq!(tools.write(&from, chat.messages()), sent);
    }
}

#[tokio::test]
async fn both_native_forms_load_the_same_tools() {
    let tools = tools();
    for from in native_wires() {
        let chat = conversation(&from).await;
        let anthropic = tools.write(&native_wires()[0], chat.messages());
        let result = &anthropic["messages"][2]["content"][0];
        assert_eq!(result["content"], json!([{ "type": "tool_reference", "tool_name": "get_weather" }]));
        let responses = tools.write(&native_wires()[1], chat.messages());
        let outputs = list(&responses["input"]).iter().filter(|item| item["type"] == "tool_search_output");
        let loaded: Vec<usize> = outputs.map(|output| list(&output["tools"]).len()).collect();
        assert_eq!(loaded, [1, 0]);
        let call = list(&responses["input"]).iter().find(|item| item["call_id"] == "c").expect("a call");
        assert_eq!(call["namespace"], "get_weather");
        for (wire, body) in native_wires().iter().zip([anthropic, responses]) {
            assert_eq!(check_request(wire, &body), Ok(()));
        }
    }
}
