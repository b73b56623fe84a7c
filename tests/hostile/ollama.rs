//! Replies, streams and histories of Ollama's own API.

use crate::cases::{Case, assemble};
use serde_json::{Value, json};
use tool_runtime::message::Message;
use tool_runtime::wire::{Ollama, RequestParts, Wire};

pub(crate) fn cases() -> Vec<Case> {
    let call = || json!({ "function": { "name": "f", "arguments": {} } });
    let call_with_id = || json!({ "id": "a", "function": { "name": "f", "arguments": {} } });
    let result = || json!({ "role": "tool", "content": "x" });
    let named = || json!({ "role": "tool", "tool_name": "f", "content": "x" });
    let with_id = || json!({ "role": "tool", "tool_name": "f", "tool_call_id": "a", "content": "x" });
    let deep = || {
        let nested = ["{\"a\":".repeat(40_000), "1".to_owned(), "}".repeat(40_000)].concat();
        format!(r#"[{{"function":{{"name":"f","arguments":{nested}}}}}]"#)
    };
    vec![
        reply("Ollama: many calls without ids", list(10_000, call)),
        reply("Ollama: many calls with one id", list(5_000, call_with_id)),
        reply("Ollama: deep arguments", deep),
        history("Ollama: many results without names", list(3_000, call), list(3_000, result)),
        history("Ollama: many results without ids", list(3_000, call), list(3_000, named)),
        history("Ollama: many results with one id", list(3_000, call_with_id), list(3_000, with_id)),
        history("Ollama: many results of one call", list(1, call), list(3_000, named)),
        stream("Ollama: many streamed calls", 8_000, &json!({ "tool_calls": [call()] })),
        stream("Ollama: many streamed calls with one id", 8_000, &json!({ "tool_calls": [call_with_id()] })),
        stream("Ollama: many pieces of text", 100_000, &json!({ "content": "a".repeat(20) })),
        stream("Ollama: many pieces of reasoning", 100_000, &json!({ "thinking": "a".repeat(20) })),
    ]
}

/// The text of a list with this element.
fn list(count: usize, element: fn() -> Value) -> impl Fn() -> String + Send {
    move || Value::Array(vec![element(); count]).to_string()
}

/// Reads a reply with these calls, and writes the next request.
fn reply(name: &'static str, calls: impl Fn() -> String + Send + 'static) -> Case {
    let body = move || {
        let calls = calls();
        format!(r#"{{"message":{{"role":"assistant","content":"","tool_calls":{calls}}},"done":true}}"#)
    };
    Case::text(name, body, |body| match Ollama::new().read_reply(body) {
        Ok(reply) => written(&[reply.into(), Message::user("?")]),
        Err(error) => error.to_string(),
    })
}

/// Reads a history with these calls and results, and writes it.
fn history(
    name: &'static str,
    calls: impl Fn() -> String + Send + 'static,
    results: impl Fn() -> String + Send + 'static,
) -> Case {
    let body = move || {
        format!(r#"[{{"role":"assistant","content":"","tool_calls":{}}},{}"#, calls(), &results()[1..])
    };
    Case::text(name, body, |body| match Ollama::new().read_messages(body) {
        Ok(messages) => written(&messages),
        Err(error) => error.to_string().chars().take(100).collect(),
    })
}

/// Reads a stream in which each line has this message, and writes the next request.
fn stream(name: &'static str, count: usize, message: &Value) -> Case {
    let line = json!({ "message": message, "done": false }).to_string();
    let lines = move || vec![&*line; count].join("\n");
    Case::text(name, lines, |lines| written(&[assemble(Ollama::new(), lines).expect("a reply").into()]))
}

fn written(messages: &[Message]) -> String {
    let body = Ollama::new().write(&RequestParts::new(messages)).expect("it is written");
    format!("{} bytes", body.get("messages").map_or(0, |messages| messages.get().len()))
}
