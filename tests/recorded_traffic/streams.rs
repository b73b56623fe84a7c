//! Streamed replies: what is put together from their chunks are the calls that were sent back.

use crate::{list, rows};
use fastrand::Rng;
use serde_json::{Value, json};
use tool_runtime::stream::{Chunk, Event, ReplyAssembler};
use tool_runtime::{AssistantMessage, ToolCall};

/// How often each stream is cut into other pieces.
const RECUTS: usize = 20;

/// Streams of which the openai Python client makes other calls than were sent: it puts a repeated id and name together,
/// and takes a null for arguments.
const MISREAD_BY_THE_CLIENT: [&str; 2] = [
    "simonw/llm:tests/cassettes/test_tools_streaming/test_tools_streaming_variant_a.yaml#0",
    "simonw/llm:tests/cassettes/test_tools_streaming/test_tools_streaming_variant_d.yaml#0",
];

/// A call, to be compared: its arguments are JSON, where they are.
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

/// The reply, and what was told of it: each call is complete once, unless it was cut off.
fn assemble(chunks: &[Value], as_text: bool) -> AssistantMessage {
    let mut reply = ReplyAssembler::new();
    let (mut text, mut complete) = (String::new(), Vec::new());
    let chunk =
        |chunk: &Value| if as_text { Chunk::from(chunk.to_string()) } else { Chunk::from(chunk.clone()) };
    // The recordings leave out what ends a stream.
    for chunk in chunks.iter().map(chunk).chain(["[DONE]".into()]) {
        for event in reply.push(chunk) {
            match event {
                Event::Text(piece) => text.push_str(piece),
                Event::CallComplete { index, call, .. } => complete.push((index, call.clone())),
                Event::Failed(error) => panic!("{error}"),
                _ => {}
            }
        }
    }
    let reply = reply.finish().expect("the recordings have no errors");
    assert_eq!(text, reply.text());
    let is_cut_short = reply.finish_reason() == Some("length");
    let not_told = reply.tool_calls.len() - complete.len();
    assert!(not_told == 0 || is_cut_short, "{not_told} of {:?} were not told", reply.tool_calls);
    complete.sort_by_key(|(index, _)| *index);
    for (index, call) in complete {
        assert_eq!(call, reply.tool_calls[index], "a call that is complete does not change");
    }
    reply
}

#[test]
fn recorded_streams_give_the_calls_that_were_sent_back() {
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
    println!("{by_history} streams as what was sent back, {by_client} as the openai client reads them");
}

#[test]
fn recorded_streams_give_the_same_calls_however_their_texts_are_cut() {
    let Some(rows) = rows("streams.jsonl") else { return };
    let seed = std::env::var("STREAMS_SEED")
        .map_or_else(|_| fastrand::u64(..), |seed| seed.parse().expect("a number"));
    println!("STREAMS_SEED={seed}");
    let mut rng = Rng::with_seed(seed);
    let (mut pieces_before, mut pieces_after) = (0, 0);
    for row in &rows {
        let pieces: Vec<Piece> = list(&row["chunks"]).iter().flat_map(Piece::of_chunk).collect();
        let whole = assemble(list(&row["chunks"]), true);
        for _ in 0..RECUTS {
            let recut = cut_anew(&pieces, &mut rng);
            pieces_before += pieces.len();
            pieces_after += recut.len();
            let reply = assemble(&chunks(recut, &mut rng), true);
            assert_eq!(assembled(&reply), expected(row), "{}", row["source"]);
            assert_eq!(reply, whole, "{}", row["source"]);
        }
    }
    println!(
        "{} streams, cut anew {RECUTS} times each: {pieces_before} pieces became {pieces_after}",
        rows.len()
    );
}

/// A piece of a stream that has one text at most, which can be cut.
#[derive(Clone)]
struct Piece {
    /// Of the delta, without the text; or the whole chunk, where there is no delta.
    rest: Value,
    text: Option<Text>,
}

#[derive(Clone)]
enum Text {
    /// In this field of the delta.
    Field(&'static str, String),
    /// Arguments of the call with this index.
    Arguments(Value, String),
}

impl Piece {
    fn of_chunk(chunk: &Value) -> Vec<Piece> {
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
        // What is left of the chunk: its role, its finish reason.
        pieces.push(Piece { rest: chunk, text: None });
        pieces
    }

    fn goes_on_with(&self, next: &Piece) -> bool {
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

/// The same texts, joined and split at random.
fn cut_anew(pieces: &[Piece], rng: &mut Rng) -> Vec<Piece> {
    let mut joined: Vec<Piece> = Vec::new();
    for piece in pieces {
        match joined.last_mut() {
            Some(last) if last.goes_on_with(piece) && rng.bool() => {
                let more = piece.text.clone().expect("it goes on").get_mut().clone();
                last.text.as_mut().expect("it goes on").get_mut().push_str(&more);
            }
            _ => joined.push(piece.clone()),
        }
    }
    let mut cut = Vec::new();
    for mut piece in joined {
        while let Some(text) = &mut piece.text {
            let text = text.get_mut();
            let Some(at) =
                text.char_indices().map(|(at, _)| at).nth(rng.usize(1..8)).filter(|_| rng.u8(..) < 200)
            else {
                break;
            };
            let behind = text.split_off(at);
            cut.push(piece.clone());
            let rest = match &piece.text {
                Some(Text::Arguments(index, _)) => json!({ "index": index, "function": {} }),
                _ => json!({}),
            };
            piece.rest = rest;
            *piece.text.as_mut().expect("it has one").get_mut() = behind;
        }
        cut.push(piece);
    }
    cut
}

/// Chunks of these pieces; pieces of calls that follow one another may share one.
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
