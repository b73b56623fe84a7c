//! A conversation that continues with other providers.

use crate::exchanged::{Entry, exchanged};
use crate::{dropped, json, write};
use serde_json::{Value, json};
use tool_runtime::conversation::Received;
use tool_runtime::message::{Content, Message, Part};
use tool_runtime::wire::{
    Anthropic, Bedrock, ChatCompletions, Gemini, GeminiInteractions, Ollama, Responses, Wire,
};
use tool_runtime::{AssistantMessage, Conversation, Registry, ToolMessage, history, tool, tools};
use tool_runtime_testing::check_request;

/// Look up the weather of a city.
#[tool]
fn get_weather(city: &str) -> Result<String, String> {
    if city == "Atlantis" { Err("there is no such city".to_owned()) } else { Ok(format!("{city}: sunny")) }
}

/// Draw a chart.
#[tool]
fn draw() {}

fn call(id: &str, name: &str, arguments: &str) -> Value {
    json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } })
}

fn reply(calls: &[Value], reason: &str) -> AssistantMessage {
    let message = json!({ "role": "assistant", "content": "One moment.", "reasoning_content": "Hm.", "tool_calls": calls });
    let body = json!({ "model": "m", "choices": [{ "message": message, "finish_reason": reason }] });
    ChatCompletions::new().read_reply(&body.to_string()).expect("it is read")
}

/// Adds a reply whose calls run; the charts have a result with an image.
async fn run(chat: Conversation, reply: AssistantMessage) -> Conversation {
    let registry = Registry::new(tools![get_weather, draw]).expect("two tools");
    let charts: Vec<String> =
        reply.tool_calls.iter().filter(|call| call.name == "draw").map(|call| call.id.clone()).collect();
    let Received::ToolCalls(mut pending) = chat.receive(reply) else { panic!("it calls") };
    for id in charts {
        let result = Content::from_parts([Part::text("a chart"), Part::image("image/png", [1, 2, 3])]);
        pending.provide_result(&id, result).expect("it is pending");
    }
    pending.dispatch(&registry).await
}

/// Six replies in Chat Completions: parallel calls with an error and an image, a truncated call with a repeated id, a tool
/// that does not exist, no arguments with a long id, a declined question and an answer.
async fn conversation() -> Conversation {
    let first = [
        call("functions.get_weather:0", "get_weather", r#"{"city":"Rome"}"#),
        call("functions.get_weather:1", "get_weather", r#"{"city":"Atlantis"}"#),
        call("functions.draw:2", "draw", "{}"),
    ];
    let chat = Conversation::new().system("Be brief.").user("Rome, Atlantis and a chart?");
    let chat = run(chat, reply(&first, "tool_calls")).await;
    let truncated = [call("functions.get_weather:0", "get_weather", r#"{"city":"Par"#)];
    let chat = run(chat, reply(&truncated, "length")).await.user("Go on.");
    let unknown = [call("a b", "functions.get weather", r#"{"city":"Rome"}"#), call("a", "draw", "{}")];
    let chat = run(chat, reply(&unknown, "tool_calls")).await;
    let chat = run(chat, reply(&[call(&"long".repeat(20), "draw", "")], "tool_calls")).await;
    let answer = |field: &str, text: &str| {
        let body = json!({ "choices": [{ "message": { "role": "assistant", field: text }, "finish_reason": "stop" }] });
        ChatCompletions::new().read_reply(&body.to_string()).expect("it is read")
    };
    let Received::Answer(chat) = chat.receive(answer("refusal", "I cannot.")) else { panic!("no calls") };
    let Received::Answer(chat) = chat.user("Please.").receive(answer("content", "Sunny.")) else {
        panic!("no calls")
    };
    chat.user("Thanks.")
}

/// Writes the messages on a wire, and reads the request. Returns the messages and the parts that were dropped.
fn moved(messages: &[Message], wire: &dyn Wire) -> (Vec<Message>, Vec<String>) {
    let body = write(wire, messages);
    assert_eq!(check_request(wire, &json(&body)), Ok(()), "{wire:?}");
    let read = wire.read_messages(&json(&body).to_string()).expect("it is read");
    history::validate(&read).unwrap_or_else(|error| panic!("{wire:?}: {error}"));
    assert_eq!(exchanged(&read), exchanged(messages), "{wire:?}");
    (read, dropped(&body))
}

#[tokio::test]
async fn a_conversation_of_six_replies_moves_through_all_wires_and_back() {
    let chat = conversation().await;
    let (_, entries) = exchanged(chat.messages());
    let count = |is: fn(&Entry) -> bool| entries.iter().filter(|entry| is(entry)).count();
    assert_eq!(count(|entry| matches!(entry, Entry::Call { .. })), 7);
    assert_eq!(count(|entry| matches!(entry, Entry::Result { is_error: false, .. })), 4);
    assert_eq!(count(|entry| matches!(entry, Entry::Result { is_error: true, .. })), 3);

    let reasoning = [2, 6, 9, 12].map(|index| format!("messages[{index}]: dropped reasoning_content"));
    let wires: [&dyn Wire; 6] = [
        &Anthropic::new(),
        &Responses::new(),
        &Gemini::new(),
        &Bedrock::new(),
        &GeminiInteractions::new(),
        &Ollama::new(),
    ];
    let mut messages = chat.messages().to_vec();
    for (position, wire) in wires.into_iter().enumerate() {
        let dropped;
        (messages, dropped) = moved(&messages, wire);
        // The reasoning does not leave the first wire.
        assert_eq!(dropped, if position == 0 { &reasoning[..] } else { &[] }, "{wire:?}");
    }
    let (back, dropped) = moved(&messages, &ChatCompletions::new());
    assert_eq!(dropped, [""; 0]);
    assert_eq!(exchanged(&back), exchanged(chat.messages()));
}

#[tokio::test]
async fn a_conversation_moves_from_each_wire_to_each_other() {
    let chat = conversation().await;
    let wires: [&dyn Wire; 7] = [
        &ChatCompletions::new(),
        &Anthropic::new(),
        &Bedrock::new(),
        &Responses::new(),
        &Gemini::new(),
        &GeminiInteractions::new(),
        &Ollama::new(),
    ];
    for from in wires {
        let (messages, _) = moved(chat.messages(), from);
        for to in wires {
            let (_, dropped) = moved(&messages, to);
            // Each wire has a form for everything that another one read from its own format, except for reasoning.
            let count = if from.name() == "ollama" && to.name() != "ollama" { 4 } else { 0 };
            assert_eq!(dropped.len(), count, "{from:?} to {to:?}: {dropped:?}");
            assert!(dropped.iter().all(|part| part.ends_with("dropped thinking")), "{dropped:?}");
        }
    }
}

#[tokio::test]
async fn images_of_results_stay_with_them_or_follow_them() {
    let chat = conversation().await;
    let body = json(&write(&Anthropic::new(), chat.messages()));
    assert_eq!(body["messages"][2]["content"][2]["content"][1]["source"]["data"], "AQID");
    let body = json(&write(&Responses::new(), chat.messages()));
    let outputs: Vec<&Value> =
        body["input"].as_array().expect("items").iter().filter(|item| item["output"].is_array()).collect();
    assert_eq!(outputs[0]["output"][1]["image_url"], "data:image/png;base64,AQID");
    let body = json(&write(&ChatCompletions::new(), chat.messages()));
    assert_eq!(body["messages"][5]["content"], "a chart\n[image: image/png]");
    assert_eq!(body["messages"][6]["role"], "user");
    assert_eq!(body["messages"][6]["content"][1]["image_url"]["url"], "data:image/png;base64,AQID");
    let body = json(&write(&Ollama::new(), chat.messages()));
    assert_eq!(body["messages"][5]["content"], "a chart\n[image: image/png]");
    assert_eq!(body["messages"][6]["images"], json!(["AQID"]));
}

#[test]
fn items_of_a_provider_are_dropped_and_reported_on_another_wire() {
    let body = json!({
        "type": "message", "model": "m", "stop_reason": "tool_use",
        "content": [
            { "type": "thinking", "thinking": "Hm.", "signature": "s" },
            { "type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {} },
            { "type": "text", "text": "Hello" },
            { "type": "tool_use", "id": "toolu_1", "name": "now", "input": { "zone": "UTC" } },
        ],
    });
    let reply = Anthropic::new().read_reply(&body.to_string()).expect("it is read");
    let messages =
        [Message::user("?"), reply.into(), ToolMessage::error("toolu_1", "no clock").with_tool("now").into()];
    let body = write(&ChatCompletions::new().keep_reasoning(true), &messages);
    assert_eq!(dropped(&body), ["messages[1]: dropped thinking", "messages[1]: dropped server_tool_use"]);
    assert_eq!(
        json(&body)["messages"],
        json!([
            { "role": "user", "content": "?" },
            { "role": "assistant", "content": "Hello", "tool_calls": [
                { "id": "toolu_1", "type": "function", "function": { "name": "now", "arguments": r#"{"zone":"UTC"}"# } }] },
            { "role": "tool", "tool_call_id": "toolu_1", "content": "Error: no clock" },
        ])
    );
}
