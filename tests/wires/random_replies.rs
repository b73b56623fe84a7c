//! Random replies of the providers whose items go back: streamed in pieces of any size, each equals the same reply that is not
//! streamed, and both go back unchanged.

use crate::{json, write};
use fastrand::Rng;
use serde_json::{Value, json};
use tool_runtime::AssistantMessage;
use tool_runtime::message::Message;
use tool_runtime::stream::ReplyAssembler;
use tool_runtime::wire::{Anthropic, Responses, Wire};

const REPLIES: usize = 2_000;

fn text(random: &mut Rng) -> String {
    const PIECES: [&str; 8] = ["a", "é", "\"", "\\", "{}", "\n", "北京", " "];
    (0..random.usize(1..8)).map(|_| PIECES[random.usize(..PIECES.len())]).collect()
}

fn input(random: &mut Rng) -> Value {
    (0..random.usize(..4))
        .map(|_| (text(random), json!([random.i32(..), text(random), { "a": null }])))
        .collect()
}

/// A block of Anthropic.
fn block(random: &mut Rng, number: usize) -> Value {
    match random.u8(..6) {
        0 => json!({ "type": "thinking", "thinking": text(random), "signature": text(random) }),
        1 => json!({ "type": "redacted_thinking", "data": text(random) }),
        2 => {
            json!({ "type": "server_tool_use", "id": format!("srvtoolu_{number}"), "name": "search", "input": input(random) })
        }
        3 => json!({ "type": "text", "text": text(random) }),
        _ => {
            json!({ "type": "tool_use", "id": format!("toolu_{number}"), "name": "f", "input": input(random) })
        }
    }
}

/// The text in pieces.
fn pieces(random: &mut Rng, text: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for letter in text.chars() {
        if random.u8(..3) == 0 {
            pieces.push(String::new());
        }
        pieces.last_mut().expect("there is one").push(letter);
    }
    pieces
}

/// The events of a reply of Anthropic with these blocks.
fn events_of_blocks(random: &mut Rng, blocks: &[Value]) -> Vec<Value> {
    let mut events = vec![json!({ "type": "message_start", "message": { "model": "m", "content": [] } })];
    for (index, block) in blocks.iter().enumerate() {
        let mut head = block.clone();
        let mut deltas = Vec::new();
        for (field, kind) in [
            ("text", "text_delta"),
            ("thinking", "thinking_delta"),
            ("signature", "signature_delta"),
            ("input", "input_json_delta"),
        ] {
            let whole = match &block[field] {
                Value::String(text) => text.clone(),
                Value::Object(fields) if !fields.is_empty() => block[field].to_string(),
                _ => continue,
            };
            head[field] = if field == "input" { json!({}) } else { json!("") };
            let delta_field = if field == "input" { "partial_json" } else { field };
            deltas.extend(
                pieces(random, &whole).into_iter().map(|piece| json!({ "type": kind, delta_field: piece })),
            );
        }
        events.push(json!({ "type": "content_block_start", "index": index, "content_block": head }));
        for delta in deltas {
            events.push(json!({ "type": "content_block_delta", "index": index, "delta": delta }));
            if random.u8(..8) == 0 {
                events.push(json!({ "type": "ping" }));
            }
        }
        events.push(json!({ "type": "content_block_stop", "index": index }));
    }
    events.push(json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" } }));
    events.push(json!({ "type": "message_stop" }));
    events
}

/// An item of the Responses API.
fn item(random: &mut Rng, number: usize) -> Value {
    let id = format!("item_{number}");
    let call_id = format!("call_{number}");
    match random.u8(..6) {
        0 => {
            json!({ "type": "reasoning", "id": id, "summary": [{ "type": "summary_text", "text": text(random) }] })
        }
        1 => json!({ "type": "web_search_call", "id": id, "status": "completed" }),
        2 => json!({ "type": "message", "id": id, "role": "assistant", "status": "completed",
            "content": [{ "type": "output_text", "text": text(random), "annotations": [] }] }),
        3 => {
            let name = if random.bool() { "known" } else { "unknown" };
            json!({ "type": "custom_tool_call", "id": id, "call_id": call_id, "name": name, "input": text(random) })
        }
        _ => json!({ "type": "function_call", "id": id, "call_id": call_id, "name": "f",
            "arguments": input(random).to_string(), "status": "completed" }),
    }
}

/// The events of a response with these items, as one of several servers sends them.
fn events_of_items(random: &mut Rng, items: &[Value], end: &Value) -> Vec<Value> {
    let (has_start, has_pieces, has_indices) = (random.bool(), random.bool(), random.bool());
    let mut events = vec![json!({ "type": "response.created", "response": { "model": "m" } })];
    let mut done = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let mut head = item.clone();
        let (kind, field) = match item["type"].as_str() {
            Some("message") => ("output_text", "content"),
            Some("function_call") => ("function_call_arguments", "arguments"),
            Some("custom_tool_call") => ("custom_tool_call_input", "input"),
            _ => ("reasoning_summary_text", "summary"),
        };
        let whole = item[field].as_str().or_else(|| item[field][0]["text"].as_str());
        head[field] = if item[field].is_string() { json!("") } else { json!([]) };
        if has_start || has_pieces {
            events.push(json!({ "type": "response.output_item.added", "output_index": index, "item": head }));
        }
        for piece in pieces(random, whole.filter(|_| has_pieces).unwrap_or_default()) {
            events.push(
                json!({ "type": format!("response.{kind}.delta"), "output_index": index, "delta": piece }),
            );
        }
        done.push(json!({ "type": "response.output_item.done", "output_index": index, "item": item }));
        if random.bool() {
            events.append(&mut done);
        }
    }
    if has_indices && has_pieces {
        random.shuffle(&mut done);
    }
    events.append(&mut done);
    events.push(json!({ "type": "response.completed", "response": end }));
    if !has_indices {
        events
            .iter_mut()
            .filter_map(Value::as_object_mut)
            .for_each(|event| drop(event.remove("output_index")));
    }
    events
}

/// A generator with the seed that the variable `WIRES_SEED` names, or with a random one.
fn random() -> Rng {
    let seed = std::env::var("WIRES_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..));
    println!("WIRES_SEED={seed}");
    Rng::with_seed(seed)
}

/// Reads a response and its events, whose items are these. Returns what the next request contains.
fn read_both(
    wire: &(impl Wire + Clone + 'static),
    response: &Value,
    events: Vec<Value>,
    expected: &[Value],
) -> Value {
    let whole = wire.read_reply(&response.to_string()).expect("it is read");
    let mut assembler = ReplyAssembler::new().wire(wire.clone());
    for event in events {
        assembler.push(event);
    }
    let streamed = assembler.into_reply().expect("it is complete");
    let calls = |reply: &AssistantMessage| {
        let calls = reply.tool_calls.iter().map(|call| {
            let arguments = serde_json::from_str(&call.arguments).unwrap_or_else(|_| json!(call.arguments));
            (call.id.clone(), call.name.clone(), call.is_truncated(), arguments)
        });
        calls.collect::<Vec<(_, _, _, Value)>>()
    };
    assert_eq!(calls(&streamed), calls(&whole));
    assert_eq!(streamed.content, whole.content);
    let [whole, streamed] = [whole, streamed].map(|reply| {
        let items: Vec<Value> =
            reply.native_items().map(|item| serde_json::from_str(item).expect("an item is JSON")).collect();
        assert_eq!(items, expected);
        json(&write(wire, &[Message::user("?"), reply.into()]))
    });
    assert_eq!(whole, streamed);
    whole
}

#[test]
fn a_streamed_reply_of_anthropic_equals_the_whole_reply_and_goes_back_unchanged() {
    let mut random = random();
    for _ in 0..REPLIES {
        let blocks: Vec<Value> = (0..random.usize(1..6)).map(|number| block(&mut random, number)).collect();
        let response =
            json!({ "type": "message", "model": "m", "content": blocks, "stop_reason": "end_turn" });
        let events = events_of_blocks(&mut random, &blocks);
        let written = read_both(&Anthropic::new(), &response, events, &blocks);
        // The API rejects text of white space, and thinking at the end.
        let is_sent = |block: &&Value| block["text"].as_str().is_none_or(|text| !text.trim().is_empty());
        let mut sent: Vec<&Value> = blocks.iter().filter(is_sent).collect();
        while sent.last().is_some_and(|block| {
            ["thinking", "redacted_thinking"].contains(&block["type"].as_str().unwrap_or_default())
        }) {
            sent.pop();
        }
        let content = written["messages"][1]["content"].as_array();
        assert_eq!(json!(content.map_or(&[][..], Vec::as_slice)), json!(sent));
    }
}

#[test]
fn a_streamed_reply_of_the_responses_api_equals_the_whole_reply_and_goes_back_unchanged() {
    let mut random = random();
    let wire = Responses::new().custom_tool("known", "text");
    for _ in 0..REPLIES {
        let items: Vec<Value> = (0..random.usize(1..6)).map(|number| item(&mut random, number)).collect();
        let response = json!({ "status": "completed", "model": "m", "output": items });
        let events = events_of_items(&mut random, &items, &response);
        let written = read_both(&wire, &response, events, &items);
        // The API rejects reasoning at the end.
        let mut sent = items;
        while sent.last().is_some_and(|item| item["type"] == "reasoning") {
            sent.pop();
        }
        assert_eq!(written["input"].as_array().expect("items")[1..], sent);
    }
}
