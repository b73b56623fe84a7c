//! Replies, streams, histories and schemas of Gemini.

use crate::cases::{Case, Input, assemble};
use serde_json::{Map, Value, json};
use tool_runtime::message::Message;
use tool_runtime::wire::{Gemini, RequestParts, Wire};
use tool_runtime::{DynamicTool, Registry};

pub(crate) fn cases() -> Vec<Case> {
    let call = || json!({ "functionCall": { "name": "f", "args": {} } });
    let call_with_id = || json!({ "functionCall": { "id": "a", "name": "f", "args": {} } });
    let response = || json!({ "functionResponse": { "name": "f", "response": { "result": 1 } } });
    let response_with_id =
        || json!({ "functionResponse": { "id": "a", "name": "f", "response": { "output": "x" } } });
    let text = || json!({ "text": "abc" });
    let deep_call = || format!("[{{\"functionCall\":{{\"name\":\"f\",\"args\":{}}}}}]", nested(40_000));
    vec![
        reply("Gemini: many calls without ids", list(10_000, call)),
        reply("Gemini: many calls with one id", list(5_000, call_with_id)),
        reply("Gemini: many parts of text", list(5_000, text)),
        reply("Gemini: deep arguments", deep_call),
        history("Gemini: many results without ids", list(3_000, call), list(3_000, response)),
        history("Gemini: many results with one id", list(3_000, call_with_id), list(3_000, response_with_id)),
        history("Gemini: many results of one call", list(1, call), list(3_000, response)),
        history("Gemini: a deep result", list(1, call), || format!("[{}]", nested(40_000))),
        stream("Gemini: many streamed calls", 8_000, &call()),
        stream("Gemini: many streamed calls with one id", 8_000, &call_with_id()),
        // So many that a copy of the whole text for each takes longer than the limit.
        stream("Gemini: many pieces of text", 100_000, &json!({ "text": "a".repeat(20) })),
        Case { name: "Gemini: many properties in one cycle", prepare: Box::new(cyclic_properties) },
    ]
}

/// The text of a list with this part.
fn list(count: usize, part: fn() -> Value) -> impl Fn() -> String + Send {
    move || Value::Array(vec![part(); count]).to_string()
}

fn nested(depth: usize) -> String {
    ["{\"a\":".repeat(depth), "1".to_owned(), "}".repeat(depth)].concat()
}

/// Reads a reply with these parts, and writes the next request.
fn reply(name: &'static str, parts: impl Fn() -> String + Send + 'static) -> Case {
    let body = move || {
        let parts = parts();
        format!(r#"{{"candidates":[{{"content":{{"parts":{parts}}},"finishReason":"STOP"}}]}}"#)
    };
    Case::text(name, body, |body| match Gemini::new().read_reply(body) {
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
        format!(r#"[{{"role":"model","parts":{}}},{{"role":"user","parts":{}}}]"#, calls(), results())
    };
    Case::text(name, body, |body| match Gemini::new().read_messages(body) {
        Ok(messages) => written(&messages),
        Err(error) => error.to_string().chars().take(100).collect(),
    })
}

/// Reads a stream in which each event has this part, and writes the next request.
fn stream(name: &'static str, count: usize, part: &Value) -> Case {
    let event = json!({ "candidates": [{ "content": { "parts": [part] } }] }).to_string();
    let events = move || vec![&*event; count].join("\n");
    Case::text(name, events, |events| written(&[assemble(Gemini::new(), events).expect("a reply").into()]))
}

/// Writes a tool whose definition requires many properties that all refer to it.
fn cyclic_properties() -> Input {
    let names = || (0..900).map(|number| format!("p{number}"));
    let properties: Map<String, Value> = names().map(|name| (name, json!({ "$ref": "#/$defs/d" }))).collect();
    let definition =
        json!({ "type": "object", "properties": properties, "required": names().collect::<Vec<_>>() });
    let schema = json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/d" } }, "$defs": { "d": definition } });
    let run = Box::new(move || {
        let tool = DynamicTool::new("take", "", schema, |_| async { Ok::<_, String>(()) });
        let registry = match Registry::builder().dynamic(tool).build() {
            Ok(registry) => registry,
            Err(error) => return error.to_string(),
        };
        let parts = RequestParts::new(&[]).tools(registry.schemas());
        let body = Gemini::new().write(&parts).expect("it is written");
        format!("{} bytes", body.get("tools").map_or(0, |tools| tools.get().len()))
    });
    Input::Text { bytes: 100_000, run }
}

fn written(messages: &[Message]) -> String {
    let body = Gemini::new().write(&RequestParts::new(messages)).expect("it is written");
    format!("{} bytes", body.get("contents").map_or(0, |contents| contents.get().len()))
}
