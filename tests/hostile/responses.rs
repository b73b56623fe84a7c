//! Replies, streams and histories of the Responses API.

use crate::cases::{Case, Input};
use serde_json::json;
use tool_runtime::message::Message;
use tool_runtime::stream::ReplyAssembler;
use tool_runtime::wire::{RequestParts, Responses, Wire};
use tool_runtime::{AssistantMessage, ToolCall, ToolMessage};

pub(crate) fn cases() -> Vec<Case> {
    vec![
        reply("many items with text", || items(10_000, text)),
        reply("many items with calls", || items(10_000, call)),
        reply("many items with reasoning", || items(10_000, reasoning)),
        reply("items with calls of one id", || items(4_000, |_| call(0))),
        reply("an item with deep content", || deep(r#"{"type":"message","role":"assistant","content":"#)),
        reply("an item with deep arguments", || deep(r#"{"type":"function_call","name":"f","arguments":"#)),
        reply("an item of the provider with deep fields", || deep(r#"{"type":"shell_call","action":"#)),
        history("a history of many calls and results", || items(10_000, exchange)),
        history("a history with calls before results", || items(5_000, call) + "," + &items(5_000, result)),
        Case { name: "many calls with one id", prepare: Box::new(repeated_ids) },
        stream("events with one index", 4_000, |number| done(0, &call(number))),
        stream("events with indices in reverse order", 4_000, |number| {
            done(1_000_000 - number, &call(number))
        }),
        stream("starts of one item", 4_000, |_| event("response.output_item.added", 0, &call(0))),
        stream("complete items with one long text", 1_000, |_| done(0, &text_of(&"a".repeat(1_000)))),
        stream("whole arguments again and again", 1_000, |_| {
            let arguments = format!(r#"{{\"a\":\"{}\"}}"#, "a".repeat(1_000));
            format!(
                r#"{{"type":"response.function_call_arguments.done","output_index":0,"arguments":"{arguments}"}}"#
            )
        }),
        stream("ends of items that did not start", 4_000, |number| {
            format!(
                r#"{{"type":"response.function_call_arguments.delta","output_index":{number},"delta":"{{"}}"#
            )
        }),
        stream("a stream of one event with many calls", 1, end),
    ]
}

/// Items, separated by commas.
fn items(count: usize, make: impl Fn(usize) -> String) -> String {
    (0..count).map(make).collect::<Vec<_>>().join(",")
}

fn text(_: usize) -> String {
    text_of("abc")
}

fn text_of(text: &str) -> String {
    json!({ "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": text }] })
        .to_string()
}

fn call(number: usize) -> String {
    json!({ "type": "function_call", "call_id": format!("c{number}"), "name": "f", "arguments": "{}" })
        .to_string()
}

fn result(number: usize) -> String {
    json!({ "type": "function_call_output", "call_id": format!("c{number}"), "output": "x" }).to_string()
}

fn reasoning(number: usize) -> String {
    json!({ "type": "reasoning", "id": format!("rs_{number}"), "summary": [] }).to_string()
}

fn exchange(number: usize) -> String {
    format!("{},{}", call(number), result(number))
}

/// An item whose field is nested deeply.
fn deep(head: &str) -> String {
    format!("{head}{}{}}}", "[".repeat(50_000), "]".repeat(50_000))
}

fn event(kind: &str, index: usize, item: &str) -> String {
    format!(r#"{{"type":"{kind}","output_index":{index},"item":{item}}}"#)
}

fn done(index: usize, item: &str) -> String {
    event("response.output_item.done", index, item)
}

/// A case whose input is made before it is measured.
fn case<T: 'static>(
    name: &'static str,
    make: impl Fn() -> (usize, T) + Send + 'static,
    run: fn(T) -> String,
) -> Case {
    let prepare = move || {
        let (bytes, input) = make();
        Input::Text { bytes, run: Box::new(move || run(input)) }
    };
    Case { name, prepare: Box::new(prepare) }
}

/// Reads a reply with these items, and writes the next request.
fn reply(name: &'static str, items: fn() -> String) -> Case {
    let make = move || {
        let body = format!(r#"{{"status":"completed","output":[{}]}}"#, items());
        (body.len(), body)
    };
    case(name, make, |body| match Responses::new().read_reply(&body) {
        Ok(reply) => written(&[reply.into(), Message::user("?")]),
        Err(error) => error.to_string(),
    })
}

/// Reads a history with these items, and writes it.
fn history(name: &'static str, items: fn() -> String) -> Case {
    let make = move || {
        let body = format!("[{}]", items());
        (body.len(), body)
    };
    case(name, make, |body| match Responses::new().read_messages(&body) {
        Ok(messages) => written(&messages),
        Err(error) => error.to_string(),
    })
}

/// Assembles a reply from these events, and writes the next request.
fn stream(name: &'static str, count: usize, event: fn(usize) -> String) -> Case {
    let make = move || {
        let events: Vec<String> = (0..count).map(event).collect();
        (events.iter().map(String::len).sum(), events)
    };
    case(name, make, |events| assembled(&events))
}

fn assembled(events: &[String]) -> String {
    let mut assembler = ReplyAssembler::new().wire(Responses::new());
    for event in events {
        assembler.push(event.as_str());
    }
    assembler.push(r#"{"type":"response.completed","response":{"status":"completed"}}"#);
    match assembler.into_reply() {
        Ok(reply) => written(&[reply.into()]),
        Err(error) => error.to_string(),
    }
}

/// The end of a response, with all its items.
fn end(_: usize) -> String {
    let items = items(10_000, call);
    format!(r#"{{"type":"response.completed","response":{{"status":"completed","output":[{items}]}}}}"#)
}

fn repeated_ids() -> Input {
    let exchange = |_| -> [Message; 2] {
        let call = ToolCall::new("call_0", "f", "{}");
        [AssistantMessage::from_tool_calls(vec![call]).into(), ToolMessage::new("call_0", "x").into()]
    };
    let messages: Vec<Message> = (0..10_000).flat_map(exchange).collect();
    Input::Text { bytes: 1_000_000, run: Box::new(move || written(&messages)) }
}

fn written(messages: &[Message]) -> String {
    let body = Responses::new().write(&RequestParts::new(messages)).expect("it is written");
    format!("{} bytes", body.get("input").map_or(0, |input| input.get().len()))
}
