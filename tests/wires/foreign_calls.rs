//! Calls of tools with foreign definitions: the arguments that a model sends on each wire reach the tool with its own keys.

use crate::foreign_definitions::{Seen, cases, tool};
use serde_json::{Value, json};
use tool_runtime::message::Message;
use tool_runtime::wire::{
    Anthropic, Bedrock, ChatCompletions, Gemini, GeminiInteractions, Ollama, RequestParts, Responses, Wire,
};
use tool_runtime::{AssistantMessage, Registry, ToolCall, ToolMessage};

/// The first object in a body with these fields.
fn find<'v>(value: &'v Value, fields: &[&str]) -> Option<&'v Value> {
    if fields.iter().all(|field| value.get(field).is_some()) {
        return Some(value);
    }
    match value {
        Value::Object(entries) => entries.values().find_map(|value| find(value, fields)),
        Value::Array(items) => items.iter().find_map(|item| find(item, fields)),
        _ => None,
    }
}

/// A reply with the call of a request.
fn reply(wire: &dyn Wire, body: &Value) -> Value {
    let call = |fields: &[&str]| find(body, fields).expect("the request has the call").clone();
    match wire.name() {
        "anthropic" => {
            json!({"role": "assistant", "content": [call(&["input", "name"])], "stop_reason": "tool_use"})
        }
        "responses" => json!({"status": "completed", "output": [call(&["call_id", "arguments"])]}),
        "gemini" => {
            let content = json!({"role": "model", "parts": [call(&["functionCall"])]});
            json!({"candidates": [{"content": content, "finishReason": "STOP"}]})
        }
        "gemini_interactions" => {
            json!({"status": "requires_action", "steps": [call(&["arguments", "name"])]})
        }
        "bedrock" => {
            let content = json!({"role": "assistant", "content": [call(&["toolUse"])]});
            json!({"output": {"message": content}, "stopReason": "tool_use"})
        }
        "ollama" => json!({"message": call(&["tool_calls"]), "done": true, "done_reason": "stop"}),
        _ => json!({"choices": [{"message": call(&["tool_calls"]), "finish_reason": "tool_calls"}]}),
    }
}

#[tokio::test]
async fn the_arguments_of_each_wire_reach_the_tool_with_its_own_keys() {
    let wires: [Box<dyn Wire>; 7] = [
        Box::new(ChatCompletions::new()),
        Box::new(Responses::new()),
        Box::new(Anthropic::new()),
        Box::new(Gemini::new()),
        Box::new(GeminiInteractions::new()),
        Box::new(Bedrock::new()),
        Box::new(Ollama::new()),
    ];
    let mut calls = 0;
    for case in &cases() {
        let seen = Seen::default();
        let take = tool("take", &case["parameters"], &seen);
        let registry = Registry::builder().dynamic(take).build().expect("it is valid");
        for (wire, arguments) in wires
            .iter()
            .flat_map(|wire| case["valid"].as_array().into_iter().flatten().map(move |one| (wire, one)))
        {
            // A request has the arguments in the form that the model writes.
            let call = ToolCall::new("call_1", "take", arguments.to_string());
            let messages = [
                Message::user("Go."),
                AssistantMessage::from_tool_calls(vec![call]).into(),
                Message::Tool(ToolMessage::new("call_1", "done")),
            ];
            let body = wire.write(&RequestParts::new(&messages).tools(registry.schemas()));
            let body = serde_json::to_value(body.expect("it is written")).expect("it is JSON");
            let reply = wire.read_reply(&reply(wire, &body).to_string()).expect("it is a reply");
            let answers = registry.dispatch(&reply.tool_calls).await;
            assert_eq!(answers[0].text(), "done", "{}, {}: {body}", case["name"], wire.name());
            let got = seen.lock().expect("nobody panicked").pop().map(Value::Object);
            assert_eq!(got.as_ref(), Some(arguments), "{}, {}", case["name"], wire.name());
            calls += 1;
        }
    }
    println!("{calls} calls");
    assert!(calls >= 100);
}
