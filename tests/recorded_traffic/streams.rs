//! Recorded streams: the assembled replies have the calls that the next request contained.

use crate::{list, rows};
use fastrand::Rng;
use serde_json::{Value, json};
use tool_runtime::stream::{Chunk, ReplyAssembler, ReplyEvent};
use tool_runtime::{AssistantMessage, ToolCall};

/// How often each stream is split into other chunks.
const RESPLITS: usize = 20;

/// Streams that the openai Python client assembles into other calls than the next request contained: it concatenates
/// repeated ids and names, and accepts null as arguments.
const MISREAD_BY_THE_CLIENT: [&str; 2] = [
    "simonw/llm:tests/cassettes/test_tools_streaming/test_tools_streaming_variant_a.yaml#0",
    "simonw/llm:tests/cassettes/test_tools_streaming/test_tools_streaming_variant_d.yaml#0",
];

/// A call for comparison. Arguments that are valid JSON are parsed.
type Call = (String, String, Value);

fn calls(calls: &[Value]) -> Vec<Call> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    calls
        .iter()
        .map(|call| {
            let function = &call["function"];
            (
                text(&call["id"]),
                text(&function["name"]),
                arguments(function["arguments"].as_str().unwrap_or_default()),
            )
        })
        .collect()
}

fn assembled(reply: &AssistantMessage) -> Vec<Call> {
    let call = |call: &ToolCall| (call.id.clone(), call.name.clone(), arguments(&call.arguments));
    reply.tool_calls.iter().map(call).collect()
}

fn arguments(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

fn expected(row: &Value) -> Vec<Call> {
    match list(&row["expected_tool_calls"]) {
        [] => calls(list(&row["sdk_tool_calls"])),
        expected => calls(expected),
    }
}

/// Assembles a reply, and asserts that each call is reported as complete once, unless the reply is truncated.
fn assemble(chunks: &[Value], as_text: bool) -> AssistantMessage {
    let mut reply = ReplyAssembler::new();
    let (mut text, mut complete) = (String::new(), Vec::new());
    let chunk =
        |chunk: &Value| if as_text { Chunk::from(chunk.to_string()) } else { Chunk::from(chunk.clone()) };
    // The recordings do not contain the end marker.
    for chunk in chunks.iter().map(chunk).chain(["[DONE]".into()]) {
        for event in reply.push(chunk) {
            match event {
                ReplyEvent::Text(piece) => text.push_str(piece),
                ReplyEvent::CallComplete { index, call, .. } => complete.push((index, call.clone())),
                ReplyEvent::Interrupted(error) => panic!("{error}"),
                _ => {}
            }
        }
    }
    let reply = reply.into_reply().expect("the recordings have no errors");
    assert_eq!(text, reply.text());
    let is_truncated = reply.finish_reason() == Some("length");
    let unreported = reply.tool_calls.len() - complete.len();
    assert!(unreported == 0 || is_truncated, "{unreported} of {:?} were not reported", reply.tool_calls);
    complete.sort_by_key(|(index, _)| *index);
    for (index, call) in complete {
        assert_eq!(call, reply.tool_calls[index], "a complete call does not change");
    }
    reply
}

#[test]
fn recorded_streams_give_the_calls_of_the_next_request() {
    let Some(rows) = rows("streams.jsonl") else { return };
    let (mut by_history, mut by_client, mut misread) = (0, 0, Vec::new());
    for row in &rows {
        let source = row["source"].as_str().expect("a row has a source");
        for as_text in [true, false] {
            assert_eq!(assembled(&assemble(list(&row["chunks"]), as_text)), expected(row), "{source}");
        }
        match list(&row["expected_tool_calls"]) {
            [] => by_client += 1,
            _ => by_history += 1,
        }
        if expected(row) != calls(list(&row["sdk_tool_calls"])) {
            misread.push(source);
        }
    }
    assert_eq!(misread, MISREAD_BY_THE_CLIENT);
    println!("{by_history} streams as in the next request, {by_client} as the openai client reads them");
}

#[test]
fn recorded_streams_give_the_same_calls_however_their_texts_are_split() {
    let Some(rows) = rows("streams.jsonl") else { return };
    let seed = std::env::var("STREAMS_SEED")
        .map_or_else(|_| fastrand::u64(..), |seed| seed.parse().expect("a number"));
    println!("STREAMS_SEED={seed}");
    let mut rng = Rng::with_seed(seed);
    let (mut pieces_before, mut pieces_after) = (0, 0);
    for row in &rows {
        let pieces: Vec<Piece> = list(&row["chunks"]).iter().flat_map(Piece::split).collect();
        let whole = assemble(list(&row["chunks"]), true);
        for _ in 0..RESPLITS {
            let other_pieces = resplit(&pieces, &mut rng);
            pieces_before += pieces.len();
            pieces_after += other_pieces.len();
            let reply = assemble(&chunks(other_pieces, &mut rng), true);
            assert_eq!(assembled(&reply), expected(row), "{}", row["source"]);
            assert_eq!(reply, whole, "{}", row["source"]);
        }
    }
    println!(
        "{} streams, split again {RESPLITS} times each: {pieces_before} pieces became {pieces_after}",
        rows.len()
    );
}

/// A piece of a stream with at most one text, which can be split.
#[derive(Clone)]
struct Piece {
    /// A part of the delta, without the text, or the whole chunk if it has no delta.
    rest: Value,
    text: Option<Text>,
}

#[derive(Clone)]
enum Text {
    /// The text in this field of the delta.
    Field(&'static str, String),
    /// The arguments of the call with this index.
    Arguments(Value, String),
}

impl Piece {
    fn split(chunk: &Value) -> Vec<Piece> {
        let mut chunk = chunk.clone();
        let Some(delta) = chunk.pointer_mut("/choices/0/delta") else {
            return vec![Piece { rest: chunk, text: None }];
        };
        let delta = delta.as_object_mut().expect("a delta is an object");
        let mut pieces = Vec::new();
        for field in ["content", "reasoning", "reasoning_content"] {
            if let Some(Value::String(text)) = delta.remove(field) {
                pieces.push(Piece { rest: json!({}), text: Some(Text::Field(field, text)) });
            }
        }
        if let Some(Value::Array(calls)) = delta.remove("tool_calls") {
            for mut call in calls {
                let index = call["index"].clone();
                let text = match call["function"]["arguments"].take() {
                    Value::String(text) => Some(Text::Arguments(index, text)),
                    _ => None,
                };
                pieces.push(Piece { rest: call, text });
            }
        }
        // The rest of the chunk: the role and the finish reason.
        pieces.push(Piece { rest: chunk, text: None });
        pieces
    }

    fn continues_in(&self, next: &Piece) -> bool {
        match (&self.text, &next.text) {
            (Some(Text::Field(field, _)), Some(Text::Field(other, _))) => field == other,
            (Some(Text::Arguments(index, _)), Some(Text::Arguments(other, _))) => {
                index == other && !next.rest["id"].is_string() && !next.rest["function"]["name"].is_string()
            }
            _ => false,
        }
    }
}

impl Text {
    fn get_mut(&mut self) -> &mut String {
        match self {
            Text::Field(_, text) | Text::Arguments(_, text) => text,
        }
    }
}

/// Joins and splits the texts at random.
fn resplit(pieces: &[Piece], rng: &mut Rng) -> Vec<Piece> {
    let mut joined: Vec<Piece> = Vec::new();
    for piece in pieces {
        match joined.last_mut() {
            Some(last) if last.continues_in(piece) && rng.bool() => {
                let more = piece.text.clone().expect("it has a text").get_mut().clone();
                last.text.as_mut().expect("it has a text").get_mut().push_str(&more);
            }
            _ => joined.push(piece.clone()),
        }
    }
    let mut split = Vec::new();
    for mut piece in joined {
        while let Some(text) = &mut piece.text {
            let text = text.get_mut();
            let Some(at) =
                text.char_indices().map(|(at, _)| at).nth(rng.usize(1..8)).filter(|_| rng.u8(..) < 200)
            else {
                break;
            };
            let remainder = text.split_off(at);
            split.push(piece.clone());
            let rest = match &piece.text {
                Some(Text::Arguments(index, _)) => json!({ "index": index, "function": {} }),
                _ => json!({}),
            };
            piece.rest = rest;
            *piece.text.as_mut().expect("it has a text").get_mut() = remainder;
        }
        split.push(piece);
    }
    split
}

/// Chunks of these pieces; consecutive pieces of calls may share a chunk.
fn chunks(pieces: Vec<Piece>, rng: &mut Rng) -> Vec<Value> {
    let mut chunks: Vec<Value> = Vec::new();
    let mut has_calls = false;
    for Piece { mut rest, text } in pieces {
        let chunk = |delta: Value| json!({ "choices": [{ "index": 0, "delta": delta }] });
        match text {
            None if rest["choices"].is_array() => {
                has_calls = false;
                chunks.push(rest);
            }
            Some(Text::Field(field, text)) => {
                has_calls = false;
                chunks.push(chunk(json!({ field: text })));
            }
            call => {
                if let Some(Text::Arguments(_, text)) = call {
                    rest["function"]["arguments"] = text.into();
                }
                let shared = chunks.last_mut().filter(|_| has_calls && rng.bool());
                match shared
                    .and_then(|chunk| chunk.pointer_mut("/choices/0/delta/tool_calls")?.as_array_mut())
                {
                    Some(calls) => calls.push(rest),
                    None => chunks.push(chunk(json!({ "tool_calls": [rest] }))),
                }
                has_calls = true;
            }
        }
    }
    chunks
}
