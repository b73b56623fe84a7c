//! A conversation that continues with another provider.

use crate::{json, write};
use serde_json::{Value, json};
use tool_runtime::conversation::Turn;
use tool_runtime::message::{Content, Message, Part};
use tool_runtime::wire::{Anthropic, ChatCompletions, Wire};
use tool_runtime::{Conversation, Registry, ToolMessage, history, tool, tools};

/// Look up the weather of a city.
#[tool]
fn get_weather(city: &str) -> Result<String, String> {
    if city == "Atlantis" { Err("there is no such city".to_owned()) } else { Ok(format!("{city}: sunny")) }
}

/// Draw a chart.
#[tool]
fn draw() {}

/// A conversation in Chat Completions with parallel calls, an error, an image and a truncated call.
async fn conversation() -> Conversation {
    let registry = Registry::new(tools![get_weather, draw]).expect("two tools");
    let call = |id: &str, name: &str, arguments: &str| json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } });
    let reply = |calls: Value, reason: &str| {
        let message = json!({ "role": "assistant", "content": "One moment.", "reasoning_content": "Hm.", "tool_calls": calls });
        let body = json!({ "model": "m", "choices": [{ "message": message, "finish_reason": reason }] });
        ChatCompletions::new().read_reply(&body.to_string()).expect("it is read")
    };
    let calls = json!([
        call("functions.get_weather:0", "get_weather", r#"{"city":"Rome"}"#),
        call("functions.get_weather:1", "get_weather", r#"{"city":"Atlantis"}"#),
        call("functions.draw:2", "draw", "{}"),
    ]);
    let chat = Conversation::new().system("Be brief.").user("Rome, Atlantis and a chart?");
    let Turn::Calls(mut pending) = chat.reply(reply(calls, "tool_calls")) else { panic!("it calls") };
    let result = Content::from_parts([Part::text("a chart"), Part::image("image/png", [1, 2, 3])]);
    pending.provide_result("functions.draw:2", result).expect("it is pending");
    let chat = pending.dispatch(&registry).await;
    let truncated = json!([call("functions.get_weather:0", "get_weather", r#"{"city":"Par"#)]);
    let Turn::Calls(pending) = chat.reply(reply(truncated, "length")) else { panic!("it calls") };
    pending.dispatch(&registry).await.user("Go on.")
}

/// The calls and the results: name, arguments and text, in order.
fn exchanged(messages: &[Message]) -> Vec<[String; 3]> {
    let mut all = Vec::new();
    for message in messages {
        match message {
            Message::Assistant(reply) => {
                all.push(["text".to_owned(), reply.text().to_owned(), String::new()]);
                for call in &reply.tool_calls {
                    all.push(["call".to_owned(), call.name.clone(), call.arguments.clone()]);
                }
            }
            Message::Tool(result) => {
                let kind = if result.is_error() { "error" } else { "result" };
                all.push([
                    kind.to_owned(),
                    result.tool().unwrap_or_default().to_owned(),
                    result.text().to_owned(),
                ]);
            }
            other => all.push(["input".to_owned(), other.text().to_owned(), String::new()]),
        }
    }
    all
}

fn reported(body: &tool_runtime::wire::Body) -> Vec<String> {
    body.report().dropped.iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn a_conversation_moves_to_anthropic_and_back() {
    let chat = conversation().await;
    let messages = chat.messages();
    assert!(history::validate(messages).is_ok());

    let body = write(&Anthropic::new(), messages);
    assert_eq!(
        reported(&body),
        ["messages[2]: dropped reasoning_content", "messages[6]: dropped reasoning_content"]
    );
    let at_anthropic = Anthropic::new().read_messages(&json(&body).to_string()).expect("it is read");
    assert!(history::validate(&at_anthropic).is_ok());
    let image = json(&body)["messages"][2]["content"][2]["content"][1].clone();
    assert_eq!(image["source"]["data"], "AQID");
    let mut expected = exchanged(messages);
    // Anthropic has no text for the arguments.
    let truncated =
        expected.iter_mut().find(|entry| entry[2].ends_with(r#""Par"#)).expect("the truncated call");
    truncated[2] = r#"{"invalid_json":"{\"city\":\"Par"}"#.to_owned();
    assert_eq!(exchanged(&at_anthropic), expected);

    let body = write(&ChatCompletions::new(), &at_anthropic);
    assert!(body.report().is_empty(), "{:?}", body.report());
    let written = json(&body)["messages"].clone();
    let mut back = ChatCompletions::new().read_messages(&written.to_string()).expect("it is read");
    assert!(history::validate(&back).is_ok());
    // The image of a result is in a user message after the last result.
    assert_eq!(written[5]["content"], "a chart\n[image: image/png]");
    assert_eq!(written[6]["role"], "user");
    assert_eq!(written[6]["content"][1]["image_url"]["url"], "data:image/png;base64,AQID");
    back.remove(6);
    // Tool messages of Chat Completions do not name their tool.
    let without_tools = |mut entries: Vec<[String; 3]>| {
        for entry in entries.iter_mut().filter(|entry| ["result", "error"].contains(&&*entry[0])) {
            entry[1].clear();
        }
        entries
    };
    let mut expected = without_tools(expected);
    let entry = expected.iter_mut().find(|[_, _, text]| text == "a chart").expect("the chart");
    entry[2] = "a chart\n[image: image/png]".to_owned();
    assert_eq!(without_tools(exchanged(&back)), expected);
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
    assert_eq!(reported(&body), ["messages[1]: dropped thinking", "messages[1]: dropped server_tool_use"]);
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
