//! Random replies of Anthropic: streamed in pieces of any size, each equals the same reply that is not streamed, and both go
//! back unchanged.

use crate::{json, write};
use fastrand::Rng;
use serde_json::{Value, json};
use tool_runtime::AssistantMessage;
use tool_runtime::message::Message;
use tool_runtime::stream::ReplyAssembler;
use tool_runtime::wire::{Anthropic, Wire};

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

fn events(random: &mut Rng, blocks: &[Value]) -> Vec<Value> {
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

fn items(reply: &AssistantMessage) -> Vec<Value> {
    reply.native_items().map(|item| serde_json::from_str(item).expect("an item is JSON")).collect()
}

#[test]
fn a_streamed_reply_equals_the_whole_reply_and_goes_back_unchanged() {
    let seed = std::env::var("WIRES_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..));
    println!("WIRES_SEED={seed}");
    let mut random = Rng::with_seed(seed);
    for _ in 0..REPLIES {
        let blocks: Vec<Value> = (0..random.usize(1..6)).map(|number| block(&mut random, number)).collect();
        let response =
            json!({ "type": "message", "model": "m", "content": blocks, "stop_reason": "end_turn" });
        let whole = Anthropic::new().read_reply(&response.to_string()).expect("it is read");
        let mut assembler = ReplyAssembler::new().wire(Anthropic::new());
        for event in events(&mut random, &blocks) {
            assembler.push(event);
        }
        let streamed = assembler.finish().expect("it is complete");
        assert_eq!(items(&whole), blocks);
        assert_eq!(items(&streamed), blocks);
        let calls = |reply: &AssistantMessage| {
            let calls = reply.tool_calls.iter().map(|call| {
                (
                    call.id.clone(),
                    call.is_truncated(),
                    serde_json::from_str::<Value>(&call.arguments).expect("JSON"),
                )
            });
            calls.collect::<Vec<_>>()
        };
        assert_eq!(calls(&streamed), calls(&whole));
        assert_eq!(streamed.content, whole.content);
        // The API rejects text of white space, and thinking at the end.
        let is_sent = |block: &&Value| block["text"].as_str().is_none_or(|text| !text.trim().is_empty());
        let mut sent: Vec<&Value> = blocks.iter().filter(is_sent).collect();
        while sent.last().is_some_and(|block| {
            ["thinking", "redacted_thinking"].contains(&block["type"].as_str().unwrap_or_default())
        }) {
            sent.pop();
        }
        for reply in [whole, streamed] {
            let written = json(&write(&Anthropic::new(), &[Message::user("?"), reply.into()]));
            let content = written["messages"][1]["content"].as_array();
            assert_eq!(json!(content.map_or(&[][..], Vec::as_slice)), json!(sent));
        }
    }
}
