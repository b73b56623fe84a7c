//! Replies, streams and histories of Amazon's Converse API.

use crate::cases::{Case, Input, assemble};
use serde_json::{Value, json};
use tool_runtime::message::Message;
use tool_runtime::wire::{Bedrock, RequestParts, Wire};

pub(crate) fn cases() -> Vec<Case> {
    let reasoning = |_| json!({ "reasoningContent": { "reasoningText": { "text": "a", "signature": "s" } } });
    let search = |number| json!({ "toolUse": { "toolUseId": format!("s{number}"), "name": "f", "input": {}, "type": "server_tool_use" } });
    let document = |_| {
        let source = json!({ "bytes": "AQID" });
        json!({ "document": { "format": "pdf", "name": "a", "source": source } })
    };
    vec![
        reply("Converse: many blocks with calls", || blocks(8_000, call)),
        reply("Converse: many calls with one id", || blocks(5_000, |_| call(0))),
        reply("Converse: many blocks of text", || blocks(8_000, |_| json!({ "text": "abc" }))),
        reply("Converse: many blocks of reasoning", move || blocks(8_000, reasoning)),
        reply("Converse: many calls of the provider", move || blocks(8_000, search)),
        reply("Converse: deep arguments", || {
            format!(r#"{{"toolUse":{{"toolUseId":"a","name":"f","input":{}}}}}"#, nested(40_000))
        }),
        reply("Converse: a deep block", || format!(r#"{{"x":{}}}"#, nested(40_000))),
        history("Converse: many results", || blocks(3_000, call), || blocks(3_000, result)),
        history("Converse: many results of one call", || blocks(1, call), || blocks(5_000, |_| result(0))),
        history("Converse: many results without a call", || blocks(1, call), || blocks(5_000, result)),
        history(
            "Converse: a deep result",
            || blocks(1, call),
            || format!(r#"{{"toolResult":{{"toolUseId":"c0","content":[{{"json":{}}}]}}}}"#, nested(40_000)),
        ),
        history(
            "Converse: many documents of one name",
            || blocks(1, call),
            move || [blocks(1, result), blocks(4_000, document)].join(","),
        ),
        Case { name: "Converse: many messages of one role", prepare: Box::new(adjacent_messages) },
        stream("Converse: many streamed calls", 8_000, |number| start(number, number)),
        stream("Converse: many streamed calls with one id", 8_000, |number| start(number, 0)),
        stream("Converse: many starts of one block", 8_000, |_| start(0, 0)),
        stream("Converse: many pieces of text", 100_000, |_| delta(0, &json!({ "text": "a".repeat(20) }))),
        stream("Converse: many blocks of text in pieces", 50_000, |number| {
            delta(number, &json!({ "text": "a" }))
        }),
        stream("Converse: many pieces of reasoning", 100_000, |_| {
            delta(0, &json!({ "reasoningContent": { "text": "a".repeat(20) } }))
        }),
        stream("Converse: many pieces of arguments", 100_000, |number| match number {
            0 => start(0, 0),
            1 => delta(0, &json!({ "toolUse": { "input": "{\"a\":[1" } })),
            _ => delta(0, &json!({ "toolUse": { "input": ",1" } })),
        }),
        stream("Converse: pieces of blocks that did not start", 20_000, |number| {
            delta(number, &json!({ "toolUse": { "input": "{" } }))
        }),
    ]
}

fn call(number: usize) -> Value {
    json!({ "toolUse": { "toolUseId": format!("c{number}"), "name": "f", "input": {} } })
}

fn result(number: usize) -> Value {
    json!({ "toolResult": { "toolUseId": format!("c{number}"), "content": [{ "text": "x" }] } })
}

/// Blocks, separated by commas.
fn blocks(count: usize, block: impl Fn(usize) -> Value) -> String {
    (0..count).map(|number| block(number).to_string()).collect::<Vec<_>>().join(",")
}

fn nested(depth: usize) -> String {
    ["{\"a\":".repeat(depth), "1".to_owned(), "}".repeat(depth)].concat()
}

fn start(index: usize, id: usize) -> String {
    let call = json!({ "toolUse": { "toolUseId": format!("c{id}"), "name": "f" } });
    json!({ "contentBlockStart": { "contentBlockIndex": index, "p": "abc", "start": call } }).to_string()
}

fn delta(index: usize, delta: &Value) -> String {
    json!({ "contentBlockDelta": { "contentBlockIndex": index, "delta": delta, "p": "abc" } }).to_string()
}

/// Reads a reply with these blocks, and writes the next request.
fn reply(name: &'static str, blocks: impl Fn() -> String + Send + 'static) -> Case {
    let body = move || {
        let message = format!(r#"{{"role":"assistant","content":[{}]}}"#, blocks());
        format!(r#"{{"output":{{"message":{message}}},"stopReason":"tool_use"}}"#)
    };
    Case::text(name, body, |body| match Bedrock::new().read_reply(body) {
        Ok(reply) => written(&[Message::user("?"), reply.into(), Message::user("?")]),
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
        let (calls, results) = (calls(), results());
        format!(r#"[{{"role":"assistant","content":[{calls}]}},{{"role":"user","content":[{results}]}}]"#)
    };
    Case::text(name, body, |body| match Bedrock::new().read_messages(body) {
        Ok(messages) => written(&messages),
        Err(error) => error.to_string().chars().take(100).collect(),
    })
}

/// Reads a stream of these events, and writes the next request.
fn stream(name: &'static str, count: usize, event: fn(usize) -> String) -> Case {
    let end = r#"{"messageStop":{"stopReason":"tool_use"}}"#;
    let events = move || (0..count).map(event).chain([end.to_owned()]).collect::<Vec<_>>().join("\n");
    Case::text(name, events, |events| match assemble(Bedrock::new(), events) {
        Ok(reply) => written(&[reply.into()]),
        Err(error) => error,
    })
}

/// The messages of a program, which are one message of the API.
fn adjacent_messages() -> Input {
    let messages = vec![Message::user("What is the weather?"); 5_000];
    Input::Text { bytes: 100_000, run: Box::new(move || written(&messages)) }
}

fn written(messages: &[Message]) -> String {
    let body = Bedrock::new().write(&RequestParts::new(messages)).expect("it is written");
    format!("{} bytes", body.get("messages").map_or(0, |messages| messages.get().len()))
}
