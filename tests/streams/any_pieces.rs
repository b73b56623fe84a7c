//! A reply, whole and in pieces of any size.

use crate::any_stream::Choices;
use serde_json::{Value, json};
use tool_runtime::AssistantMessage;
use tool_runtime::stream::ReplyAssembler;
use tool_runtime::wire;

const TEXTS: &[&str] =
    &["a", "é", "🙂", "\"", "\\", "{\"a\":", "}", "{}", "[", "\n", " ", "北京", "null", "stop"];

struct Call {
    id: String,
    arguments: Value,
}

/// Reads a reply of this wire whole and in pieces, and compares both.
pub(crate) fn check(choices: &mut impl Choices, name: &str) {
    let text = any_text(choices);
    let calls: Vec<Call> = (0..choices.below(4))
        .map(|number| Call {
            id: format!("call_{number}"),
            arguments: json!({ "a": any_text(choices), "b": [number] }),
        })
        .collect();
    let (whole, events) = match name {
        "chat_completions" => chat_completions(choices, &text, &calls),
        "anthropic" => anthropic(choices, &text, &calls),
        "responses" => responses(choices, &text, &calls),
        "gemini" => gemini(choices, &text, &calls),
        _ => ollama(choices, &text, &calls),
    };
    let wire = || wire::by_name(name).expect("a wire");
    let mut assembler = ReplyAssembler::new().wire(wire());
    for event in &events {
        assembler.push(event.to_string());
    }
    let in_pieces = assembler.finish().unwrap_or_else(|error| panic!("{error}: {events:?}"));
    let read = wire().read_reply(&whole.to_string()).expect("it is read");
    assert_eq!(content(&in_pieces), content(&read), "{events:?}");
    assert_eq!(read.tool_calls.len(), calls.len());
}

fn content(reply: &AssistantMessage) -> Value {
    let calls = reply.tool_calls.iter().map(|call| {
        let arguments: Value = serde_json::from_str(&call.arguments).expect("JSON");
        json!([call.id, call.name, arguments])
    });
    json!([reply.text(), calls.collect::<Value>(), reply.finish_reason()])
}

fn any_text(choices: &mut impl Choices) -> String {
    (0..=choices.below(5)).map(|_| TEXTS[choices.below(TEXTS.len())]).collect()
}

/// The text in one piece or more.
fn pieces(choices: &mut impl Choices, text: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for letter in text.chars() {
        if choices.one_in(3) && pieces.last().is_some_and(|piece| !piece.is_empty()) {
            pieces.push(String::new());
        }
        pieces.last_mut().expect("there is one").push(letter);
    }
    pieces
}

fn chat_completions(choices: &mut impl Choices, text: &str, calls: &[Call]) -> (Value, Vec<Value>) {
    let chunk = |delta: Value| json!({ "choices": [{ "index": 0, "delta": delta }] });
    let function = |arguments: String| json!({ "name": "f", "arguments": arguments });
    let whole: Vec<Value> = calls
        .iter()
        .map(|call| json!({ "id": call.id, "type": "function", "function": function(call.arguments.to_string()) }))
        .collect();
    let message = json!({ "role": "assistant", "content": text, "tool_calls": whole });
    let mut events: Vec<Value> =
        pieces(choices, text).into_iter().map(|piece| chunk(json!({ "content": piece }))).collect();
    for (index, call) in calls.iter().enumerate() {
        let head = json!({ "index": index, "id": call.id, "function": function(String::new()) });
        events.push(chunk(json!({ "tool_calls": [head] })));
        for piece in pieces(choices, &call.arguments.to_string()) {
            let piece = json!({ "index": index, "function": { "arguments": piece } });
            events.push(chunk(json!({ "tool_calls": [piece] })));
        }
    }
    events.push(json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] }));
    (json!({ "choices": [{ "message": message, "finish_reason": "stop" }] }), events)
}

fn anthropic(choices: &mut impl Choices, text: &str, calls: &[Call]) -> (Value, Vec<Value>) {
    let block = |call: &Call, input: &Value| json!({ "type": "tool_use", "id": call.id, "name": "f", "input": input });
    let delta =
        |index: usize, delta: Value| json!({ "type": "content_block_delta", "index": index, "delta": delta });
    let start = |index: usize, block: Value| json!({ "type": "content_block_start", "index": index, "content_block": block });
    let mut content = vec![json!({ "type": "text", "text": text })];
    content.extend(calls.iter().map(|call| block(call, &call.arguments)));
    let mut events = vec![start(0, json!({ "type": "text", "text": "" }))];
    let texts = pieces(choices, text).into_iter();
    events.extend(texts.map(|piece| delta(0, json!({ "type": "text_delta", "text": piece }))));
    for (index, call) in (1..).zip(calls) {
        events.push(start(index, block(call, &json!({}))));
        for piece in pieces(choices, &call.arguments.to_string()) {
            events.push(delta(index, json!({ "type": "input_json_delta", "partial_json": piece })));
        }
        events.push(json!({ "type": "content_block_stop", "index": index }));
    }
    events.push(json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } }));
    (json!({ "role": "assistant", "content": content, "stop_reason": "tool_use" }), events)
}

fn responses(choices: &mut impl Choices, text: &str, calls: &[Call]) -> (Value, Vec<Value>) {
    let message = json!({ "type": "message", "id": "m", "role": "assistant", "content": [{ "type": "output_text", "text": text }] });
    let item = |call: &Call, arguments: &str| json!({ "type": "function_call", "id": format!("fc_{}", call.id), "call_id": call.id, "name": "f", "arguments": arguments });
    let mut output = vec![message.clone()];
    output.extend(calls.iter().map(|call| item(call, &call.arguments.to_string())));
    let event = |kind: &str, index: usize, field: &str, value: Value| json!({ "type": format!("response.{kind}"), "output_index": index, field: value });
    let texts = pieces(choices, text).into_iter();
    let mut events: Vec<Value> =
        texts.map(|piece| event("output_text.delta", 0, "delta", piece.into())).collect();
    events.push(event("output_item.done", 0, "item", message));
    for (index, call) in (1..).zip(calls) {
        let arguments = call.arguments.to_string();
        events.push(event("output_item.added", index, "item", item(call, "")));
        let deltas = pieces(choices, &arguments).into_iter();
        events
            .extend(deltas.map(|piece| event("function_call_arguments.delta", index, "delta", piece.into())));
        events.push(event("output_item.done", index, "item", item(call, &arguments)));
    }
    let response = json!({ "id": "r", "status": "completed", "output": output });
    events.push(json!({ "type": "response.completed", "response": response }));
    (response, events)
}

fn gemini(choices: &mut impl Choices, text: &str, calls: &[Call]) -> (Value, Vec<Value>) {
    let part =
        |call: &Call| json!({ "functionCall": { "id": call.id, "name": "f", "args": call.arguments } });
    let response = |parts: Vec<Value>, finish: Option<&str>| json!({ "candidates": [{ "content": { "role": "model", "parts": parts }, "finishReason": finish }] });
    let mut parts = vec![json!({ "text": text })];
    parts.extend(calls.iter().map(part));
    let texts = pieces(choices, text).into_iter();
    let mut events: Vec<Value> = texts.map(|piece| response(vec![json!({ "text": piece })], None)).collect();
    let mut chunk = Vec::new();
    for call in calls {
        chunk.push(part(call));
        if choices.one_in(2) {
            events.push(response(std::mem::take(&mut chunk), None));
        }
    }
    events.push(response(chunk, Some("STOP")));
    (response(parts, Some("STOP")), events)
}

fn ollama(choices: &mut impl Choices, text: &str, calls: &[Call]) -> (Value, Vec<Value>) {
    let call =
        |call: &Call| json!({ "id": call.id, "function": { "name": "f", "arguments": call.arguments } });
    let response = |content: &str, calls: Vec<Value>, done: bool| {
        let message = json!({ "role": "assistant", "content": content, "tool_calls": calls });
        json!({ "model": "m", "message": message, "done": done, "done_reason": done.then_some("stop") })
    };
    let mut events: Vec<Value> =
        pieces(choices, text).iter().map(|piece| response(piece, Vec::new(), false)).collect();
    events.extend(calls.iter().map(|one| response("", vec![call(one)], false)));
    events.push(response("", Vec::new(), true));
    (response(text, calls.iter().map(call).collect(), true), events)
}
