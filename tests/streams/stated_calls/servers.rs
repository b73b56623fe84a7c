//! The events in which the servers of each wire state calls.

use crate::any_style::{Call, split};
use fastrand::Rng;
use serde_json::{Value, json};
use tool_runtime::wire::{
    Anthropic, Bedrock, ChatCompletions, Gemini, GeminiInteractions, Ollama, Responses, Wire,
};

/// The events of a reply. The calls of the expected reply have the ids of `id`.
pub(super) type Write = fn(&[Call], &mut Rng) -> Vec<Value>;

fn id(at: usize) -> String {
    format!("call_{at}")
}

/// The texts of the pieces in which arguments arrive: parts of them, or all of them so far.
fn pieces(arguments: &str, are_snapshots: bool, rng: &mut Rng) -> Vec<String> {
    let mut so_far = String::new();
    let parts = split(arguments, rng);
    let snapshots = parts.iter().map(|part| {
        so_far.push_str(part);
        so_far.clone()
    });
    if are_snapshots { snapshots.collect() } else { parts }
}

/// The parts of the name of a tool.
fn name_parts(name: &str, rng: &mut Rng) -> [String; 2] {
    let (first, second) = name.split_at(rng.usize(1..name.len()));
    [first, second].map(str::to_owned)
}

/// Joins the events of calls, in their order or alternately.
fn joined(mut calls: Vec<Vec<Value>>, is_interleaved: bool, rng: &mut Rng) -> Vec<Value> {
    if !is_interleaved {
        return calls.concat();
    }
    // The calls begin in their order.
    let mut events: Vec<Value> = calls.iter_mut().map(|events| events.remove(0)).collect();
    for events in &mut calls {
        events.reverse();
    }
    while calls.iter().any(|events| !events.is_empty()) {
        let at = rng.usize(..calls.len());
        events.extend(calls[at].pop());
    }
    events
}

fn chat_completions(calls: &[Call], rng: &mut Rng) -> Vec<Value> {
    let (has_index, has_id) = [(true, true), (true, false), (false, true)][rng.usize(..3)];
    let (repeats_id, repeats_name) = (has_id && rng.bool(), rng.u8(..4) == 0);
    // Arguments in the pieces of a name need an id or an index.
    let splits_name = !repeats_name && rng.u8(..4) == 0;
    let are_snapshots = rng.bool();
    let is_interleaved = (has_index || repeats_id) && rng.bool();
    let calls = calls.iter().enumerate().map(|(at, (name, arguments))| {
        let mut pieces = pieces(arguments, are_snapshots, rng);
        // A name with arguments that begin an object is the name of another call.
        let is_clear =
            |text: &String| are_snapshots || !text.trim().is_empty() && !text.trim_start().starts_with('{');
        let splits_name = splits_name && pieces.get(1).is_some_and(is_clear);
        let names = if splits_name { name_parts(name, rng).to_vec() } else { vec![(*name).to_owned()] };
        if !splits_name && rng.bool() {
            pieces.insert(0, String::new());
        }
        let pieces = pieces.into_iter().enumerate().map(|(number, text)| {
            let mut piece = json!({ "function": { "arguments": text } });
            if has_index {
                piece["index"] = at.into();
            }
            if has_id && (number == 0 || repeats_id) {
                piece["id"] = id(at).into();
            }
            if let Some(name) = names.get(number).or(names.first().filter(|_| repeats_name)) {
                piece["function"]["name"] = name.clone().into();
            }
            json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [piece] } }] })
        });
        pieces.collect()
    });
    let calls = calls.collect();
    let mut events = joined(calls, is_interleaved, rng);
    events.push(json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "tool_calls" }] }));
    events.push("[DONE]".into());
    events
}

/// Each call in several pieces with one id, whose indices count the pieces (lobehub/lobehub#13506 on another wire).
fn chat_completions_stated_again(calls: &[Call], rng: &mut Rng) -> Vec<Value> {
    let mut events = Vec::new();
    for (at, (name, arguments)) in calls.iter().enumerate() {
        let mut pieces = pieces(arguments, true, rng);
        pieces.insert(0, ["", "{}"][rng.usize(..2)].to_owned());
        pieces.push(arguments.clone());
        for text in pieces {
            let piece = json!({ "index": events.len(), "id": id(at), "function": { "name": name, "arguments": text } });
            events.push(json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [piece] } }] }));
        }
    }
    events.push(json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "tool_calls" }] }));
    events
}

fn anthropic_block(index: usize, at: usize, name: &str, pieces: Vec<String>) -> Vec<Value> {
    let block = json!({ "type": "tool_use", "id": id(at), "name": name, "input": {} });
    let start = json!({ "type": "content_block_start", "index": index, "content_block": block });
    let deltas = pieces.into_iter().map(|text| {
        json!({ "type": "content_block_delta", "index": index,
            "delta": { "type": "input_json_delta", "partial_json": text } })
    });
    let stop = json!({ "type": "content_block_stop", "index": index });
    [start].into_iter().chain(deltas).chain([stop]).collect()
}

fn anthropic_reply(blocks: Vec<Value>) -> Vec<Value> {
    let start =
        json!({ "type": "message_start", "message": { "id": "msg_1", "model": "claude", "usage": {} } });
    let end = json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } });
    [start].into_iter().chain(blocks).chain([end, json!({ "type": "message_stop" })]).collect()
}

fn anthropic(calls: &[Call], rng: &mut Rng) -> Vec<Value> {
    let are_snapshots = rng.bool();
    let blocks = calls.iter().enumerate();
    let blocks = blocks
        .map(|(at, (name, arguments))| anthropic_block(at, at, name, pieces(arguments, are_snapshots, rng)))
        .collect();
    let is_interleaved = rng.bool();
    anthropic_reply(joined(blocks, is_interleaved, rng))
}

/// Each call in several blocks with one id.
fn anthropic_stated_again(calls: &[Call], rng: &mut Rng) -> Vec<Value> {
    let mut blocks: Vec<Value> = Vec::new();
    let mut index = 0;
    for (at, (name, arguments)) in calls.iter().enumerate() {
        for so_far in [&arguments[..0], &arguments[..1], arguments, arguments] {
            blocks.extend(anthropic_block(index, at, name, pieces(so_far, rng.bool(), rng)));
            index += 1;
        }
    }
    anthropic_reply(blocks)
}

/// How a server names the item of an event.
#[derive(Clone, Copy)]
struct Names {
    index: bool,
    item_id: bool,
}

impl Names {
    fn of_random_server(rng: &mut Rng) -> Self {
        let [index, item_id] = [[true, true], [true, false], [false, true]][rng.usize(..3)];
        Names { index, item_id }
    }

    fn event(self, kind: &str, index: usize, mut fields: Value) -> Value {
        fields["type"] = format!("response.{kind}").into();
        if self.index {
            fields["output_index"] = index.into();
        }
        if self.item_id && fields.get("item").is_none() {
            fields["item_id"] = format!("fc_{index}").into();
        }
        if let Some(item) = fields.get_mut("item").filter(|_| self.item_id) {
            item["id"] = format!("fc_{index}").into();
        }
        fields
    }

    /// The events of an item, and those that complete it.
    fn item(
        self,
        index: usize,
        (at, name, arguments): (usize, &str, &str),
        texts: Vec<String>,
    ) -> [Vec<Value>; 2] {
        let item = |arguments: &str| json!({ "item": { "type": "function_call", "call_id": id(at), "name": name, "arguments": arguments } });
        let added = self.event("output_item.added", index, item(""));
        let deltas = texts
            .into_iter()
            .map(|text| self.event("function_call_arguments.delta", index, json!({ "delta": text })));
        let done = self.event("function_call_arguments.done", index, json!({ "arguments": arguments }));
        let complete = self.event("output_item.done", index, item(arguments));
        [[added].into_iter().chain(deltas).collect(), vec![done, complete]]
    }
}

fn responses_end() -> Value {
    json!({ "type": "response.completed", "response": { "status": "completed", "output": [] } })
}

fn responses(calls: &[Call], rng: &mut Rng) -> Vec<Value> {
    let names = Names::of_random_server(rng);
    let (are_snapshots, are_wrong) = (rng.bool(), rng.u8(..3) == 0);
    // Wrong pieces need the complete item.
    let completes = if are_wrong { 2 } else { rng.u8(..3) };
    let completes_last = rng.bool();
    let mut last = Vec::new();
    let items = calls.iter().enumerate().map(|(at, (name, arguments))| {
        let mut texts = pieces(arguments, are_snapshots, rng);
        if are_wrong {
            [r#"{"other":1}"#, r#"{"ot"#, "}"][rng.usize(..3)].clone_into(&mut texts[0]);
        }
        let [mut events, mut complete] = names.item(at, (at, name, arguments), texts);
        match completes {
            0 => complete.clear(),
            1 => drop(complete.remove(0)),
            _ => {}
        }
        if completes_last {
            last.append(&mut complete);
        }
        events.append(&mut complete);
        events
    });
    let items = items.collect();
    let is_interleaved = rng.bool();
    let mut events = joined(items, is_interleaved, rng);
    events.append(&mut last);
    events.push(responses_end());
    events
}

/// Each call in several items with one `call_id` (lobehub/lobehub#13506).
fn responses_stated_again(calls: &[Call], rng: &mut Rng) -> Vec<Value> {
    let names = Names::of_random_server(rng);
    let (mut events, mut index) = (Vec::new(), 0);
    for (at, (name, arguments)) in calls.iter().enumerate() {
        for so_far in [&arguments[..0], &arguments[..1], arguments, arguments] {
            events.extend(names.item(index, (at, name, so_far), pieces(so_far, rng.bool(), rng)).concat());
            index += 1;
        }
    }
    events.push(responses_end());
    events
}

fn interactions_step(
    index: usize,
    (at, name, arguments): (usize, &str, &Value),
    pieces: Vec<String>,
) -> Vec<Value> {
    let function_call =
        json!({ "type": "function_call", "id": id(at), "name": name, "arguments": arguments });
    let start = json!({ "event_type": "step.start", "index": index, "step": function_call });
    let deltas = pieces.into_iter().map(|text| {
        json!({ "event_type": "step.delta", "index": index,
            "delta": { "type": "arguments_delta", "arguments": text } })
    });
    let stop = json!({ "event_type": "step.stop", "index": index });
    [start].into_iter().chain(deltas).chain([stop]).collect()
}

fn interactions_reply(steps: Vec<Value>) -> Vec<Value> {
    let interaction = |status: &str| json!({ "id": "i", "model": "gemini", "status": status });
    let event = |kind: &str, status: &str| json!({ "event_type": kind, "interaction": interaction(status) });
    let end = event("interaction.completed", "requires_action");
    [event("interaction.created", "in_progress")].into_iter().chain(steps).chain([end]).collect()
}

/// The arguments are in pieces, or all in the start of a step.
fn gemini_interactions(calls: &[Call], rng: &mut Rng) -> Vec<Value> {
    let (are_snapshots, are_whole) = (rng.bool(), rng.u8(..3) == 0);
    let steps = calls.iter().enumerate();
    let steps = steps
        .map(|(at, (name, arguments))| {
            if are_whole {
                let arguments = serde_json::from_str(arguments).expect("it is JSON");
                return interactions_step(at, (at, name, &arguments), Vec::new());
            }
            interactions_step(at, (at, name, &json!({})), pieces(arguments, are_snapshots, rng))
        })
        .collect();
    let is_interleaved = rng.bool();
    interactions_reply(joined(steps, is_interleaved, rng))
}

/// Each call in several steps with one id.
fn gemini_interactions_stated_again(calls: &[Call], rng: &mut Rng) -> Vec<Value> {
    let mut steps: Vec<Value> = Vec::new();
    let mut index = 0;
    for (at, (name, arguments)) in calls.iter().enumerate() {
        for so_far in [&arguments[..0], &arguments[..1], arguments, arguments] {
            steps.extend(interactions_step(index, (at, name, &json!({})), pieces(so_far, rng.bool(), rng)));
            index += 1;
        }
    }
    interactions_reply(steps)
}

/// With or without the field that hides the length of the text.
fn bedrock_block(index: usize, at: usize, name: &str, pieces: Vec<String>) -> Vec<Value> {
    let start = json!({ "toolUse": { "toolUseId": id(at), "name": name } });
    let start = json!({ "contentBlockStart": { "contentBlockIndex": index, "p": "abc", "start": start } });
    let deltas = pieces.into_iter().map(|text| {
        let delta = json!({ "toolUse": { "input": text } });
        json!({ "contentBlockDelta": { "contentBlockIndex": index, "delta": delta, "p": "abcd" } })
    });
    let stop = json!({ "contentBlockStop": { "contentBlockIndex": index } });
    [start].into_iter().chain(deltas).chain([stop]).collect()
}

fn bedrock_reply(blocks: Vec<Value>) -> Vec<Value> {
    let usage = json!({ "inputTokens": 9, "outputTokens": 3, "totalTokens": 12 });
    let end = [
        json!({ "messageStop": { "stopReason": "tool_use" } }),
        json!({ "metadata": { "metrics": { "latencyMs": 7 }, "usage": usage } }),
    ];
    let start = json!({ "messageStart": { "p": "ab", "role": "assistant" } });
    [start].into_iter().chain(blocks).chain(end).collect()
}

fn bedrock(calls: &[Call], rng: &mut Rng) -> Vec<Value> {
    let are_snapshots = rng.bool();
    let blocks = calls.iter().enumerate();
    let blocks = blocks
        .map(|(at, (name, arguments))| bedrock_block(at, at, name, pieces(arguments, are_snapshots, rng)))
        .collect();
    let is_interleaved = rng.bool();
    bedrock_reply(joined(blocks, is_interleaved, rng))
}

/// Each call in several blocks with one id.
fn bedrock_stated_again(calls: &[Call], rng: &mut Rng) -> Vec<Value> {
    let mut blocks: Vec<Value> = Vec::new();
    let mut index = 0;
    for (at, (name, arguments)) in calls.iter().enumerate() {
        for so_far in [&arguments[..0], &arguments[..1], arguments, arguments] {
            blocks.extend(bedrock_block(index, at, name, pieces(so_far, rng.bool(), rng)));
            index += 1;
        }
    }
    bedrock_reply(blocks)
}

/// Parts with whole calls, of which some are repeated.
fn whole_calls(calls: &[Call], rng: &mut Rng, key: &str, wrap: fn(Value, usize) -> Value) -> Vec<Value> {
    let mut events = Vec::new();
    for (at, (name, arguments)) in calls.iter().enumerate() {
        let arguments: Value = serde_json::from_str(arguments).expect("it is JSON");
        let mut call = |arguments: &Value| {
            let mut call = json!({ "name": name });
            call[key] = arguments.clone();
            events.push(wrap(call, at));
        };
        if rng.bool() {
            call(&json!({}));
        }
        for _ in 0..rng.usize(1..3) {
            call(&arguments);
        }
    }
    events
}

fn gemini(calls: &[Call], rng: &mut Rng) -> Vec<Value> {
    let part = |mut call: Value, at| {
        call["id"] = id(at).into();
        json!({ "candidates": [{ "content": { "parts": [{ "functionCall": call }] } }] })
    };
    let mut events = whole_calls(calls, rng, "args", part);
    events.push(json!({ "candidates": [{ "content": { "parts": [] }, "finishReason": "STOP" }] }));
    events
}

fn ollama(calls: &[Call], rng: &mut Rng) -> Vec<Value> {
    let line = |call: Value, at| {
        json!({ "model": "m", "done": false,
            "message": { "role": "assistant", "content": "", "tool_calls": [{ "id": id(at), "function": call }] } })
    };
    let mut events = whole_calls(calls, rng, "arguments", line);
    events.push(json!({ "model": "m", "done": true, "done_reason": "stop", "message": { "role": "assistant", "content": "" } }));
    events
}

/// The wires, each with a way in which its servers state calls.
pub(super) fn wires() -> Vec<(&'static str, Box<dyn Wire>, Write)> {
    vec![
        ("chat_completions", Box::new(ChatCompletions::new()), chat_completions),
        ("chat_completions, stated again", Box::new(ChatCompletions::new()), chat_completions_stated_again),
        ("anthropic", Box::new(Anthropic::new()), anthropic),
        ("anthropic, stated again", Box::new(Anthropic::new()), anthropic_stated_again),
        ("responses", Box::new(Responses::new()), responses),
        ("responses, stated again", Box::new(Responses::new()), responses_stated_again),
        ("gemini", Box::new(Gemini::new()), gemini),
        ("gemini_interactions", Box::new(GeminiInteractions::new()), gemini_interactions),
        (
            "gemini_interactions, stated again",
            Box::new(GeminiInteractions::new()),
            gemini_interactions_stated_again,
        ),
        ("bedrock", Box::new(Bedrock::new()), bedrock),
        ("bedrock, stated again", Box::new(Bedrock::new()), bedrock_stated_again),
        ("ollama", Box::new(Ollama::new()), ollama),
    ]
}
