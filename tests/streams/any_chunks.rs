//! Any sequence of chunks gives calls or an error, never a panic, and calls and tool messages are paired.

use crate::logged_tools::history_of;
use crate::{calls, delta, finish};
use fastrand::Rng;
use futures_util::stream;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tool_runtime::conversation::Received;
use tool_runtime::stream::{Chunk, ReplyAssembler, ReplyEvent};
use tool_runtime::{AssistantMessage, CallContext, Conversation, Registry, history, tool, tools};

const STREAMS: usize = 5_000;

/// The calls that ran, with their arguments.
#[derive(Clone, Default)]
struct Ran(Arc<Mutex<HashMap<String, String>>>);

impl Ran {
    fn add(&self, call: &CallContext, text: &str) {
        let before =
            self.0.lock().expect("the lock is not poisoned").insert(call.id().to_owned(), text.to_owned());
        assert_eq!(before, None, "a call ran twice");
    }
}

/// Reads.
#[tool(read_only)]
fn read(text: Option<&str>, #[state] ran: &Ran, #[context] call: &CallContext) {
    ran.add(call, text.unwrap_or_default());
}

/// Writes.
#[tool]
fn write(text: &str, #[state] ran: &Ran, #[context] call: &CallContext) {
    ran.add(call, text);
}

fn seed() -> u64 {
    let seed = std::env::var("STREAMS_SEED")
        .map_or_else(|_| fastrand::u64(..), |seed| seed.parse().expect("a number"));
    println!("STREAMS_SEED={seed}");
    seed
}

/// A stream as documented: some text, and up to four calls, each in some pieces.
fn well_formed(rng: &mut Rng) -> Vec<Value> {
    let mut chunks =
        vec![delta(json!({ "role": "assistant", "content": "" })), delta(json!({ "content": "Look: é" }))];
    for index in 0..rng.usize(0..5) {
        let name = *rng.choice(&["read", "write", "nothing"]).expect("the array is not empty");
        let text = *rng.choice(&["", "a", "}{", "\\\"", "日本", "\\u0041"]).expect("the array is not empty");
        let with_text = format!("{{\"text\":\"{text}\"}}");
        let arguments =
            *rng.choice(&[&*with_text, &with_text, "{}", "", "null"]).expect("the array is not empty");
        chunks.push(calls(&[json!({ "index": index, "id": format!("call_{index}"), "type": "function", "function": { "name": name, "arguments": "" } })]));
        let mut rest = arguments;
        while let Some(first) = rest.char_indices().map(|(at, _)| at).nth(1) {
            let ends: Vec<usize> = rest.char_indices().map(|(at, _)| at).filter(|&at| at >= first).collect();
            let (piece, after) = rest.split_at(*rng.choice(&ends).expect("the array is not empty"));
            chunks.push(calls(&[json!({ "index": index, "function": { "arguments": piece } })]));
            rest = after;
        }
        chunks.push(calls(&[json!({ "index": index, "function": { "arguments": rest } })]));
    }
    chunks.push(finish(rng.choice(&["tool_calls", "stop", "length"]).expect("the array is not empty")));
    chunks.push(json!({ "choices": [], "usage": { "total_tokens": 1 } }));
    chunks.push("[DONE]".into());
    chunks
}

/// Drops, repeats, moves or replaces chunks or values.
fn broken(mut chunks: Vec<Value>, rng: &mut Rng) -> Vec<Value> {
    for _ in 0..rng.usize(1..6) {
        if chunks.is_empty() {
            break;
        }
        let at = rng.usize(..chunks.len());
        match rng.u8(..10) {
            0 => drop(chunks.remove(at)),
            1 => chunks.insert(at, chunks[rng.usize(..chunks.len())].clone()),
            2 => {
                let other = rng.usize(..chunks.len());
                chunks.swap(at, other);
            }
            3 => chunks.truncate(at),
            4 => chunks.insert(at, anything(rng, 3)),
            5 => rng.shuffle(&mut chunks),
            _ => break_somewhere(&mut chunks[at], rng),
        }
    }
    chunks
}

/// Drops or replaces one value at any depth.
fn break_somewhere(value: &mut Value, rng: &mut Rng) {
    let goes_on = rng.u8(..8) > 0;
    match value {
        Value::Object(fields) if goes_on && !fields.is_empty() => {
            let keys: Vec<String> = fields.keys().cloned().collect();
            let key = rng.choice(&keys).expect("the object is not empty");
            if rng.u8(..6) == 0 {
                fields.remove(key);
            } else if rng.u8(..8) == 0 {
                let copied = fields[key].clone();
                fields.insert(FIELDS[rng.usize(..FIELDS.len())].to_owned(), copied);
            } else {
                break_somewhere(&mut fields[key], rng);
            }
        }
        Value::Array(list) if goes_on && !list.is_empty() => {
            let at = rng.usize(..list.len());
            if rng.u8(..4) == 0 {
                list.insert(at, list[at].clone());
            } else {
                break_somewhere(&mut list[at], rng);
            }
        }
        other => *other = anything(rng, 2),
    }
}

const FIELDS: [&str; 16] = [
    "choices",
    "index",
    "delta",
    "message",
    "finish_reason",
    "error",
    "content",
    "tool_calls",
    "id",
    "type",
    "function",
    "custom",
    "name",
    "arguments",
    "reasoning_content",
    "reasoning_details",
];

fn anything(rng: &mut Rng, depth: usize) -> Value {
    match rng.u8(..if depth == 0 { 8 } else { 11 }) {
        0 => Value::Null,
        1 => rng.i64(-1..4).into(),
        2 => rng.bool().into(),
        3 => "".into(),
        4 => (*rng.choice(&["call_0", "call_1", "read", "write"]).expect("the array is not empty")).into(),
        5 => (*rng
            .choice(&[
                "{",
                "}",
                "\"",
                "{}",
                "{}{}",
                "{\"text\":\"x\"}",
                "{\"text\":\"x\"}{\"text\":",
                " ",
                "é",
            ])
            .expect("the array is not empty"))
        .into(),
        6 => json!({}),
        7 => json!([]),
        8 => (0..rng.usize(..3)).map(|_| anything(rng, depth - 1)).collect(),
        _ => {
            let fields = (0..rng.usize(..4))
                .map(|_| (FIELDS[rng.usize(..FIELDS.len())].to_owned(), anything(rng, depth - 1)));
            Value::Object(fields.collect::<Map<_, _>>())
        }
    }
}

/// A chunk as a client passes it: text, which may be truncated, or a value.
fn as_passed(chunk: Value, rng: &mut Rng) -> Result<Chunk, &'static str> {
    match rng.u8(..200) {
        0 => Err("the connection broke"),
        1 => {
            let text = chunk.to_string();
            let length = rng.usize(..=text.chars().count());
            Ok(text.chars().take(length).collect::<String>().into())
        }
        2..100 => Ok(chunk.to_string().into()),
        _ => Ok(chunk.into()),
    }
}

/// Checks that the events agree with the reply.
fn check_events(chunks: Vec<Result<Chunk, &'static str>>) -> (AssistantMessage, bool) {
    let mut reply = ReplyAssembler::new();
    let (mut text, mut arguments, mut complete) = (String::new(), HashMap::new(), HashMap::new());
    let (mut finished, mut failed) = (0, 0);
    let mut take = |event: ReplyEvent<'_>| match event {
        ReplyEvent::Text(piece) => text.push_str(piece),
        ReplyEvent::CallAnnounced { index, .. } => {
            assert!(arguments.insert(index, String::new()).is_none(), "a call starts twice");
        }
        ReplyEvent::CallArguments { index, arguments: so_far, piece, .. } => {
            assert!(!complete.contains_key(&index), "the arguments of a complete call grow");
            let before = arguments.insert(index, so_far.to_owned()).expect("the call has started");
            let begins_anew = so_far == piece;
            assert!(
                begins_anew || so_far == [&*before, piece].concat(),
                "{so_far} is not {before} and {piece}"
            );
        }
        ReplyEvent::CallComplete { index, call, .. } => {
            assert!(complete.insert(index, call.clone()).is_none(), "a call is complete twice");
            let streamed = &arguments[&index];
            let is_none =
                call.arguments.trim_start().starts_with('{') && call.arguments.trim_end().ends_with('}');
            assert!(
                *streamed == call.arguments || is_none && streamed.trim().len() <= 1,
                "{streamed} is not {call:?}"
            );
        }
        ReplyEvent::Finished { .. } => finished += 1,
        ReplyEvent::Interrupted(_) => failed += 1,
        _ => {}
    };
    for chunk in chunks {
        reply.push(chunk).for_each(&mut take);
    }
    reply.push_end().for_each(take);
    assert!(finished <= 1 && failed <= 1 && finished + failed >= 1, "{finished} ends, {failed} errors");
    let (reply, is_whole) = match reply.into_reply() {
        Ok(reply) => (reply, true),
        Err(interrupted) => (*interrupted.partial, false),
    };
    assert_eq!(reply.text(), text);
    for (index, call) in complete {
        assert_eq!(reply.tool_calls[index].arguments, call.arguments, "a complete call has changed");
        assert_eq!(reply.tool_calls[index].name, call.name);
        let is_repeated = reply.tool_calls[..index].iter().any(|before| before.id == call.id);
        if !call.id.is_empty() && !is_repeated {
            assert_eq!(reply.tool_calls[index].id, call.id);
        }
    }
    (reply, is_whole)
}

#[tokio::test]
async fn any_sequence_of_chunks_gives_calls_or_an_error_and_paired_messages() {
    let mut rng = Rng::with_seed(seed());
    let (mut whole, mut interrupted, mut calls) = (0, 0, 0);
    for round in 0..STREAMS {
        let mut chunks = well_formed(&mut rng);
        if round % 10 > 0 {
            chunks = broken(chunks, &mut rng);
        }
        let seed = rng.u64(..);
        let given = |chunks: Vec<Value>| {
            let mut rng = Rng::with_seed(seed);
            chunks.into_iter().map(|chunk| as_passed(chunk, &mut rng)).collect::<Vec<_>>()
        };
        let (assembled, is_whole) = check_events(given(chunks.clone()));

        let ran = Ran::default();
        let registry = Registry::builder()
            .tools(tools![read, write])
            .state(ran.clone())
            .build()
            .expect("the registry builds");
        let dispatched = registry.dispatch_stream(stream::iter(given(chunks))).await;
        assert_eq!(dispatched.is_ok(), is_whole);
        let (reply, answers) = dispatched.unwrap_or_else(|interrupted| *interrupted.partial);
        assert_eq!(reply.content, assembled.content);
        assert_eq!(answers.len(), assembled.tool_calls.len());
        for (call, answer) in reply.tool_calls.iter().zip(&answers) {
            assert_eq!(call.id, answer.tool_call_id);
            let ran = ran.0.lock().expect("the lock is not poisoned").get(&call.id).cloned();
            assert_eq!(ran.is_some(), answer.content == "ok", "a call that ran has its result");
            if let Some(text) = ran {
                let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
                assert_eq!(
                    text,
                    arguments["text"].as_str().unwrap_or_default(),
                    "the call ran with the arguments of the reply"
                );
                assert!(is_whole || call.name == "read", "an interrupted reply ran a side effect");
            }
        }
        whole += usize::from(is_whole);
        interrupted += usize::from(!is_whole);
        calls += answers.len();

        if reply.tool_calls.is_empty() {
            continue;
        }
        assert_eq!(history::validate(&history_of(reply.clone(), answers.clone())), Ok(()));
        let Received::ToolCalls(mut pending) = Conversation::new().user("Go on.").receive(reply) else {
            panic!("expected tool calls")
        };
        pending.add_results(answers).expect("the results belong to the calls of the reply");
        assert!(pending.into_conversation().is_ok());
    }
    println!("{whole} complete and {interrupted} interrupted replies, with {calls} calls");
    assert!(whole > STREAMS / 10 && interrupted > STREAMS / 10, "there are both kinds");
}
