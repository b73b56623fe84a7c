//! The same calls, in each format that servers use, are read as the same calls.

use crate::{calls, finish};
use fastrand::Rng;
use serde_json::{Value, json};
use tool_runtime::stream::ReplyAssembler;

const REPLIES: usize = 200;

/// A call: its tool, and the text of its arguments.
pub(crate) type Call = (&'static str, String);

/// Writes a call with this position in the reply as pieces of a stream.
type Style = fn(usize, &Call, &mut Rng) -> Vec<Value>;

/// The formats that servers have been observed to use.
const STYLES: [(&str, Style); 16] = [
    ("as documented", |at, call, rng| {
        headed(call, rng, json!({ "index": at, "id": id(at), "type": "function" }), json!({ "index": at }))
    }),
    ("from 1", |at, call, rng| {
        headed(call, rng, json!({ "index": at + 1, "id": id(at) }), json!({ "index": at + 1 }))
    }),
    ("without ids", |at, call, rng| headed(call, rng, json!({ "index": at }), json!({ "index": at }))),
    ("without indices", |at, call, rng| headed(call, rng, json!({ "id": id(at) }), json!({}))),
    ("the index in later pieces alone", |at, call, rng| {
        headed(call, rng, json!({ "id": id(at) }), json!({ "index": at }))
    }),
    ("the index 0 for all", |at, call, rng| {
        headed(call, rng, json!({ "index": 0, "id": id(at) }), json!({ "index": 0 }))
    }),
    ("the index 0 for all, ids repeated", |at, call, rng| {
        headed(call, rng, json!({ "index": 0, "id": id(at) }), json!({ "index": 0, "id": id(at) }))
    }),
    ("ids repeated, without indices", |at, call, rng| {
        headed(call, rng, json!({ "id": id(at) }), json!({ "id": id(at) }))
    }),
    ("null in place of an id", |at, call, rng| {
        headed(call, rng, json!({ "index": at, "id": id(at) }), json!({ "index": at, "id": null }))
    }),
    ("a new id for each piece", |at, call, rng| {
        let pieces = headed(call, rng, json!({ "index": at }), json!({ "index": at }));
        with_new_ids(pieces, rng)
    }),
    ("name repeated", |at, call, rng| repeated(call, rng, json!({ "index": at, "id": id(at) }))),
    ("name repeated, without ids", |at, call, rng| repeated(call, rng, json!({ "index": at }))),
    ("name repeated, a new id for each piece", |at, call, rng| {
        let pieces = repeated(call, rng, json!({ "index": at }));
        with_new_ids(pieces, rng)
    }),
    ("an empty object in front", |at, call, rng| {
        let mut pieces = headed(call, rng, json!({ "index": at, "id": id(at) }), json!({ "index": at }));
        pieces[0]["function"]["arguments"] = "{}".into();
        pieces
    }),
    ("whole, with empty ids", |_, (name, arguments), _| {
        vec![json!({ "index": 0, "id": "", "function": { "name": name, "arguments": arguments } })]
    }),
    ("as an object", |at, (name, arguments), _| {
        let arguments: Value = serde_json::from_str(arguments).expect("valid JSON");
        vec![json!({ "index": at, "id": id(at), "function": { "name": name, "arguments": arguments } })]
    }),
];

fn id(at: usize) -> String {
    format!("call_{at}")
}

/// A head, followed by pieces of the arguments.
fn headed((name, arguments): &Call, rng: &mut Rng, mut head: Value, piece: Value) -> Vec<Value> {
    head["function"] = json!({ "name": name, "arguments": "" });
    let pieces = split(arguments, rng).into_iter().map(|text| {
        let mut piece = piece.clone();
        piece["function"] = json!({ "arguments": text });
        piece
    });
    [head].into_iter().chain(pieces).collect()
}

/// The head with each piece of the arguments.
fn repeated((name, arguments): &Call, rng: &mut Rng, head: Value) -> Vec<Value> {
    let pieces = split(arguments, rng).into_iter().map(|text| {
        let mut piece = head.clone();
        piece["function"] = json!({ "name": name, "arguments": text });
        piece
    });
    pieces.collect()
}

fn with_new_ids(mut pieces: Vec<Value>, rng: &mut Rng) -> Vec<Value> {
    for piece in &mut pieces {
        piece["id"] = format!("{:x}", rng.u64(..)).into();
    }
    pieces
}

pub(crate) fn split(text: &str, rng: &mut Rng) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for letter in text.chars() {
        if rng.u8(..3) == 0 {
            pieces.push(String::new());
        }
        pieces.last_mut().expect("the array is not empty").push(letter);
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

pub(crate) fn any_call(rng: &mut Rng) -> Call {
    let fields = (0..rng.usize(1..4)).map(|field| (field.to_string(), any_value(rng, 2)));
    let arguments = Value::Object(fields.collect());
    let name = *rng.choice(&["get_weather", "get", "now"]).expect("the array is not empty");
    let arguments = if rng.bool() { arguments.to_string() } else { format!("{arguments:#}") };
    (name, arguments)
}

fn any_value(rng: &mut Rng, depth: usize) -> Value {
    match rng.u8(..if depth == 0 { 4 } else { 6 }) {
        0 => "}{\"\\é😀] [".into(),
        1 => rng.i32(..).into(),
        2 => Value::Null,
        3 => json!({}),
        4 => (0..rng.usize(..3)).map(|_| any_value(rng, depth - 1)).collect(),
        _ => json!({ "a": any_value(rng, depth - 1), "b": any_value(rng, depth - 1) }),
    }
}

#[test]
fn calls_are_equal_in_every_format() {
    let seed = std::env::var("STREAMS_SEED")
        .map_or_else(|_| fastrand::u64(..), |seed| seed.parse().expect("a number"));
    println!("STREAMS_SEED={seed}");
    let mut rng = Rng::with_seed(seed);
    for (style, write) in STYLES {
        for _ in 0..REPLIES {
            let expected: Vec<Call> = (0..rng.usize(1..5)).map(|_| any_call(&mut rng)).collect();
            let calls_in_pieces = expected.iter().enumerate().map(|(at, call)| write(at, call, &mut rng));
            let pieces: Vec<Value> = calls_in_pieces.flatten().collect();
            let mut reply = ReplyAssembler::new();
            let mut rest = &*pieces;
            while !rest.is_empty() {
                let (some, others) = rest.split_at(rng.usize(1..4).min(rest.len()));
                reply.push(calls(some));
                rest = others;
            }
            reply.push(finish("tool_calls"));
            let reply = reply.into_reply().expect("the stream has no errors");
            let json = |text: &str| serde_json::from_str::<Value>(text).expect("arguments are JSON");
            let called: Vec<_> =
                reply.tool_calls.iter().map(|call| (&*call.name, json(&call.arguments))).collect();
            let expected: Vec<_> =
                expected.iter().map(|(name, arguments)| (*name, json(arguments))).collect();
            assert_eq!(called, expected, "{style}: {pieces:?}");
        }
    }
}
