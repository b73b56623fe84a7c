//! A reply, whole and in pieces of any size.

use crate::any_stream::Choices;
use serde_json::{Value, json};
use tool_runtime::stream::ReplyAssembler;
use tool_runtime::wire;
use tool_runtime::{AssistantMessage, ToolCall};

const TEXTS: &[&str] =
    &["a", "é", "🙂", "\"", "\\", "{\"a\":", "}", "{}", "[", "\n", " ", "北京", "null", "stop"];

struct Call {
    id: String,
    arguments: Value,
}

enum Item {
    Text(String),
    Call(Call),
}

impl Item {
    fn call(&self) -> Option<&Call> {
        match self {
            Item::Call(call) => Some(call),
            Item::Text(_) => None,
        }
    }
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
        "anthropic" | "bedrock" | "gemini" | "gemini_interactions" => return check_items(choices, name),
        "responses" => responses(choices, &text, &calls),
        _ => ollama(choices, &text, &calls),
    };
    assert_eq!(read_both(name, &whole, &events).tool_calls.len(), calls.len());
}

/// Texts and calls in any order, on a wire whose replies consist of items. Several items may state one call. The reply may be
/// truncated after the last item, whose call is truncated then.
fn check_items(choices: &mut impl Choices, name: &str) {
    let mut items = Vec::new();
    for number in 0..choices.below(6) {
        items.push(match choices.below(4) {
            0 => Item::Text(any_text(choices)),
            1 => Item::Text(String::new()),
            kind => {
                let number = if choices.one_in(3) { choices.below(number + 1) } else { number };
                let arguments = if kind == 2 { json!({}) } else { json!({ "a": any_text(choices) }) };
                Item::Call(Call { id: format!("call_{number}"), arguments })
            }
        });
    }
    // An empty text can be the end of any reply of Gemini, and not an empty block of Anthropic or Bedrock.
    let is_gemini = name.starts_with("gemini");
    let counts = |item: &&Item| !is_gemini || !matches!(item, Item::Text(text) if text.is_empty());
    let last = items.iter().rev().find(counts).and_then(Item::call);
    let calls: Vec<&Call> = items.iter().filter_map(Item::call).collect();
    // A stream may have completed the last call before, if its arguments are not new.
    let is_earlier = |last: &Call, call: &Call| call.id == last.id && call.arguments != json!({});
    let was_complete = last
        .is_some_and(|last| calls.iter().any(|call| !std::ptr::eq(*call, last) && is_earlier(last, call)));
    let is_cut = choices.one_in(2) && !was_complete;
    let (whole, events) = match name {
        "bedrock" => bedrock(choices, &items, is_cut),
        "gemini" => gemini(choices, &items, is_cut),
        "gemini_interactions" => gemini_interactions(choices, &items, is_cut),
        _ => anthropic(choices, &items, is_cut),
    };
    let mut expected: Vec<Stated> = Vec::new();
    for call in &calls {
        let is_truncated = is_cut && last.is_some_and(|last| last.id == call.id);
        match expected.iter_mut().find(|stated| stated.id == call.id) {
            Some(stated) => stated.state_again(&call.arguments),
            None => expected.push(Stated { id: &call.id, is_truncated, arguments: Some(&call.arguments) }),
        }
    }
    let read = read_both(name, &whole, &events);
    assert_eq!(read.tool_calls.len(), expected.len(), "{whole}");
    for (call, stated) in read.tool_calls.iter().zip(expected) {
        assert_eq!((&*call.id, call.is_truncated()), (stated.id, stated.is_truncated), "{whole}");
        if !call.is_truncated() {
            assert_eq!(object(call), stated.arguments.cloned(), "{whole}");
        }
    }
}

/// A call as all of its items state it.
struct Stated<'a> {
    id: &'a str,
    is_truncated: bool,
    /// `None` if they contradict each other.
    arguments: Option<&'a Value>,
}

impl<'a> Stated<'a> {
    fn state_again(&mut self, arguments: &'a Value) {
        self.arguments = match self.arguments {
            Some(known) if *known == json!({}) => Some(arguments),
            Some(known) if known == arguments || *arguments == json!({}) => Some(known),
            _ => None,
        };
    }
}

/// The arguments of a call if they are an object.
fn object(call: &ToolCall) -> Option<Value> {
    serde_json::from_str(&call.arguments).ok().filter(Value::is_object)
}

/// Reads the reply whole and in pieces, and compares both.
fn read_both(name: &str, whole: &Value, events: &[Value]) -> AssistantMessage {
    let wire = || wire::by_name(name).expect("a wire");
    let mut assembler = ReplyAssembler::new().wire(wire());
    for event in events {
        assembler.push(event.to_string());
    }
    let in_pieces = assembler.into_reply().unwrap_or_else(|error| panic!("{error}: {events:?}"));
    let read = wire().read_reply(&whole.to_string()).expect("it is read");
    assert_eq!(content(&in_pieces), content(&read), "{events:?}");
    read
}

fn content(reply: &AssistantMessage) -> Value {
    let calls = reply.tool_calls.iter().map(|call| {
        // The input of a truncated call is an object in a whole reply.
        let arguments = object(call).filter(|_| !call.is_truncated());
        json!([call.id, call.name, call.is_truncated(), arguments])
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

fn anthropic(choices: &mut impl Choices, items: &[Item], is_cut: bool) -> (Value, Vec<Value>) {
    let block = |call: &Call, input: &Value| json!({ "type": "tool_use", "id": call.id, "name": "f", "input": input });
    let delta =
        |index: usize, delta: Value| json!({ "type": "content_block_delta", "index": index, "delta": delta });
    let start = |index: usize, block: Value| json!({ "type": "content_block_start", "index": index, "content_block": block });
    let (mut content, mut blocks) = (Vec::new(), Vec::new());
    for (index, item) in items.iter().enumerate() {
        let mut events = Vec::new();
        match item {
            Item::Text(text) => {
                content.push(json!({ "type": "text", "text": text }));
                events.push(start(index, json!({ "type": "text", "text": "" })));
                let texts = pieces(choices, text).into_iter().filter(|piece| !piece.is_empty());
                events
                    .extend(texts.map(|piece| delta(index, json!({ "type": "text_delta", "text": piece }))));
            }
            Item::Call(call) => {
                content.push(block(call, &call.arguments));
                events.push(start(index, block(call, &json!({}))));
                // The provider sends no piece of an empty input.
                let input = Some(call.arguments.to_string()).filter(|input| input != "{}");
                for piece in input.iter().flat_map(|input| pieces(choices, input)) {
                    events.push(delta(index, json!({ "type": "input_json_delta", "partial_json": piece })));
                }
            }
        }
        events.push(json!({ "type": "content_block_stop", "index": index }));
        blocks.push(events);
    }
    let mut events = interleaved(choices, items, blocks);
    let reason = if is_cut { "max_tokens" } else { "tool_use" };
    events.push(json!({ "type": "message_delta", "delta": { "stop_reason": reason } }));
    (json!({ "role": "assistant", "content": content, "stop_reason": reason }), events)
}

/// The events of all blocks. Those of a call may arrive within the block of the call before, and end after them. Two blocks of one
/// call are not open at the same time, since their pieces are one text.
fn interleaved(choices: &mut impl Choices, items: &[Item], mut blocks: Vec<Vec<Value>>) -> Vec<Value> {
    // The calls with events in the block before.
    let mut open = Vec::new();
    for index in 1..blocks.len() {
        let [before, id] = [index - 1, index].map(|index| items[index].call().map(|call| &call.id));
        if open.is_empty() {
            open.push(before);
        }
        let has_pieces = blocks[index].len() > 2;
        if before.is_none() || id.is_none() || open.contains(&id) || !has_pieces || !choices.one_in(2) {
            open.clear();
            continue;
        }
        open.push(id);
        // The rest of the call before, after its start, joins the block.
        let mut before = blocks[index - 1].split_off(1);
        let end = blocks[index].len() - 2;
        let last = blocks[index].split_off(end);
        let mut joined = blocks[index].drain(..1).collect::<Vec<_>>();
        let mut own = std::mem::take(&mut blocks[index]);
        while !before.is_empty() || !own.is_empty() {
            let next = if own.is_empty() || !before.is_empty() && choices.one_in(2) {
                &mut before
            } else {
                &mut own
            };
            joined.push(next.remove(0));
        }
        blocks[index] = [joined, last].concat();
    }
    blocks.concat()
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

fn gemini(choices: &mut impl Choices, items: &[Item], is_cut: bool) -> (Value, Vec<Value>) {
    let response = |parts: Vec<Value>, finish: Option<&str>| json!({ "candidates": [{ "content": { "role": "model", "parts": parts }, "finishReason": finish }] });
    let (mut parts, mut events, mut chunk) = (Vec::new(), Vec::new(), Vec::new());
    for item in items {
        match item {
            Item::Text(text) => {
                parts.push(json!({ "text": text }));
                chunk.extend(pieces(choices, text).into_iter().map(|piece| json!({ "text": piece })));
            }
            Item::Call(call) => {
                let part = json!({ "functionCall": { "id": call.id, "name": "f", "args": call.arguments } });
                parts.push(part.clone());
                chunk.push(part);
            }
        }
        if choices.one_in(2) {
            events.push(response(std::mem::take(&mut chunk), None));
        }
    }
    let reason = Some(if is_cut { "MAX_TOKENS" } else { "STOP" });
    events.push(response(chunk, reason));
    (response(parts, reason), events)
}

/// The payloads may have the field that hides the length of the text.
fn bedrock(choices: &mut impl Choices, items: &[Item], is_cut: bool) -> (Value, Vec<Value>) {
    let are_padded = choices.one_in(2);
    let event = |kind: &str, mut payload: Value| {
        if are_padded {
            payload["p"] = "abcdef".into();
        }
        json!({ kind: payload })
    };
    let delta = |index: usize, delta: Value| {
        event("contentBlockDelta", json!({ "contentBlockIndex": index, "delta": delta }))
    };
    let (mut content, mut blocks) = (Vec::new(), Vec::new());
    for (index, item) in items.iter().enumerate() {
        let mut events = Vec::new();
        match item {
            Item::Text(text) => {
                content.push(json!({ "text": text }));
                events.extend(
                    pieces(choices, text).into_iter().map(|piece| delta(index, json!({ "text": piece }))),
                );
            }
            Item::Call(call) => {
                let (id, input) = (&call.id, &call.arguments);
                content.push(json!({ "toolUse": { "toolUseId": id, "name": "f", "input": input } }));
                let start = json!({ "toolUse": { "toolUseId": id, "name": "f" } });
                events
                    .push(event("contentBlockStart", json!({ "contentBlockIndex": index, "start": start })));
                // Some models send no piece of an empty input, and others one.
                let input = Some(input.to_string()).filter(|input| input != "{}" || choices.one_in(2));
                for piece in input.iter().flat_map(|input| pieces(choices, input)) {
                    events.push(delta(index, json!({ "toolUse": { "input": piece } })));
                }
            }
        }
        events.push(event("contentBlockStop", json!({ "contentBlockIndex": index })));
        blocks.push(events);
    }
    let mut events = vec![event("messageStart", json!({ "role": "assistant" }))];
    events.extend(interleaved(choices, items, blocks));
    let reason = if is_cut { "max_tokens" } else { "tool_use" };
    events.push(event("messageStop", json!({ "stopReason": reason })));
    let usage = json!({ "inputTokens": 9, "outputTokens": 3, "totalTokens": 12 });
    events.push(event("metadata", json!({ "usage": usage, "metrics": { "latencyMs": 7 } })));
    let message = json!({ "role": "assistant", "content": content });
    (json!({ "output": { "message": message }, "stopReason": reason, "usage": usage }), events)
}

/// The arguments of a call are in pieces, or all in the start of its step.
fn gemini_interactions(choices: &mut impl Choices, items: &[Item], is_cut: bool) -> (Value, Vec<Value>) {
    let step = |call: &Call, arguments: &Value| json!({ "type": "function_call", "id": call.id, "name": "f", "arguments": arguments });
    let text_content = |text: &str| json!({ "type": "text", "text": text });
    let event = |kind: &str, index: usize, field: &str, value: Value| json!({ "event_type": kind, "index": index, field: value });
    let (mut steps, mut blocks) = (Vec::new(), Vec::new());
    for (index, item) in items.iter().enumerate() {
        let mut events = Vec::new();
        match item {
            Item::Text(text) => {
                steps.push(json!({ "type": "model_output", "content": [text_content(text)] }));
                events.push(event("step.start", index, "step", json!({ "type": "model_output" })));
                let texts = pieces(choices, text).into_iter();
                events.extend(texts.map(|piece| event("step.delta", index, "delta", text_content(&piece))));
            }
            Item::Call(call) => {
                steps.push(step(call, &call.arguments));
                let is_whole = choices.one_in(3);
                let started = if is_whole { call.arguments.clone() } else { json!({}) };
                events.push(event("step.start", index, "step", step(call, &started)));
                let rest = Some(call.arguments.to_string()).filter(|text| !is_whole && text != "{}");
                for piece in rest.iter().flat_map(|text| pieces(choices, text)) {
                    let delta = json!({ "type": "arguments_delta", "arguments": piece });
                    events.push(event("step.delta", index, "delta", delta));
                }
            }
        }
        events.push(json!({ "event_type": "step.stop", "index": index }));
        blocks.push(events);
    }
    let created = json!({ "id": "i", "model": "m", "status": "in_progress" });
    let mut events = vec![json!({ "event_type": "interaction.created", "interaction": created })];
    events.extend(interleaved(choices, items, blocks));
    let status = if is_cut { "incomplete" } else { "requires_action" };
    let mut interaction = json!({ "id": "i", "model": "m", "status": status });
    events.push(json!({ "event_type": "interaction.completed", "interaction": interaction }));
    interaction["steps"] = steps.into();
    (interaction, events)
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
