//! Replies, streams and histories of Gemini's Interactions API.

use crate::cases::{Case, assemble};
use serde_json::{Value, json};
use tool_runtime::message::Message;
use tool_runtime::wire::{GeminiInteractions, RequestParts, Wire};

pub(crate) fn cases() -> Vec<Case> {
    let text = |_| json!({ "type": "model_output", "content": [{ "type": "text", "text": "abc" }] });
    let thought = |_| json!({ "type": "thought", "signature": "c2ln" });
    let search =
        |number| json!({ "type": "google_search_call", "id": format!("s{number}"), "arguments": {} });
    vec![
        reply("Interactions: many steps with calls", || steps(8_000, call)),
        reply("Interactions: many calls with one id", || steps(5_000, |_| call(0))),
        reply("Interactions: many steps of text", move || steps(8_000, text)),
        reply("Interactions: many thoughts", move || steps(8_000, thought)),
        reply("Interactions: many steps of the provider", move || steps(8_000, search)),
        reply("Interactions: deep arguments", || {
            format!(r#"{{"type":"function_call","id":"a","name":"f","arguments":{}}}"#, nested(40_000))
        }),
        reply("Interactions: deep content", || {
            format!(r#"{{"type":"model_output","content":[{}]}}"#, nested(40_000))
        }),
        history("Interactions: many calls, then their results", || {
            steps(3_000, call) + "," + &steps(3_000, result)
        }),
        history("Interactions: many results of one call", || {
            call(0).to_string() + "," + &steps(5_000, |_| result(0))
        }),
        history("Interactions: many exchanges with one id", || {
            let exchange = [call(0).to_string(), result(0).to_string()].join(",");
            vec![exchange; 3_000].join(",")
        }),
        history("Interactions: a deep result", || {
            let result = nested(40_000);
            format!(r#"{},{{"type":"function_result","call_id":"c0","name":"f","result":{result}}}"#, call(0))
        }),
        stream("Interactions: many streamed calls", 8_000, |number| {
            event("step.start", number, "step", &call(number))
        }),
        stream("Interactions: many streamed calls with one id", 8_000, |number| {
            event("step.start", number, "step", &call(0))
        }),
        stream("Interactions: many starts of one step", 8_000, |_| event("step.start", 0, "step", &call(0))),
        stream("Interactions: many pieces of text", 100_000, |_| {
            event("step.delta", 0, "delta", &json!({ "type": "text", "text": "a".repeat(20) }))
        }),
        stream("Interactions: many pieces of a summary", 50_000, |number| {
            let content = json!({ "type": "text", "text": "a".repeat(20) });
            match number {
                0 => event("step.start", 0, "step", &json!({ "type": "thought" })),
                _ => {
                    event("step.delta", 0, "delta", &json!({ "type": "thought_summary", "content": content }))
                }
            }
        }),
        stream("Interactions: many pieces of arguments", 100_000, |number| match number {
            0 => event("step.start", 0, "step", &call(0)),
            1 => event(
                "step.delta",
                0,
                "delta",
                &json!({ "type": "arguments_delta", "arguments": "{\"a\":[1" }),
            ),
            _ => event("step.delta", 0, "delta", &json!({ "type": "arguments_delta", "arguments": ",1" })),
        }),
        stream("Interactions: pieces of steps that did not start", 20_000, |number| {
            event("step.delta", number, "delta", &json!({ "type": "arguments_delta", "arguments": "{" }))
        }),
    ]
}

fn call(number: usize) -> Value {
    json!({ "type": "function_call", "id": format!("c{number}"), "name": "f", "arguments": {} })
}

fn result(number: usize) -> Value {
    json!({ "type": "function_result", "call_id": format!("c{number}"), "name": "f", "result": "x" })
}

/// Steps, separated by commas.
fn steps(count: usize, step: impl Fn(usize) -> Value) -> String {
    (0..count).map(|number| step(number).to_string()).collect::<Vec<_>>().join(",")
}

fn nested(depth: usize) -> String {
    ["{\"a\":".repeat(depth), "1".to_owned(), "}".repeat(depth)].concat()
}

fn event(kind: &str, index: usize, field: &str, value: &Value) -> String {
    json!({ "event_type": kind, "index": index, field: value }).to_string()
}

/// Reads a reply with these steps, and writes the next request.
fn reply(name: &'static str, steps: impl Fn() -> String + Send + 'static) -> Case {
    let body = move || format!(r#"{{"id":"i","status":"requires_action","steps":[{}]}}"#, steps());
    Case::text(name, body, |body| match GeminiInteractions::new().read_reply(body) {
        Ok(reply) => written(&[reply.into(), Message::user("?")]),
        Err(error) => error.to_string(),
    })
}

/// Reads a history with these steps, and writes it.
fn history(name: &'static str, steps: impl Fn() -> String + Send + 'static) -> Case {
    let body = move || format!("[{}]", steps());
    Case::text(name, body, |body| match GeminiInteractions::new().read_messages(body) {
        Ok(messages) => written(&messages),
        Err(error) => error.to_string().chars().take(100).collect(),
    })
}

/// Reads a stream of these events, and writes the next request.
fn stream(name: &'static str, count: usize, event: fn(usize) -> String) -> Case {
    let end = r#"{"event_type":"interaction.completed","interaction":{"status":"requires_action"}}"#;
    let events = move || (0..count).map(event).chain([end.to_owned()]).collect::<Vec<_>>().join("\n");
    Case::text(name, events, |events| match assemble(GeminiInteractions::new(), events) {
        Ok(reply) => written(&[reply.into()]),
        Err(error) => error,
    })
}

fn written(messages: &[Message]) -> String {
    let body = GeminiInteractions::new().write(&RequestParts::new(messages)).expect("it is written");
    format!("{} bytes", body.get("input").map_or(0, |input| input.get().len()))
}
