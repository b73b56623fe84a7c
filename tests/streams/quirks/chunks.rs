//! Chunks of other shapes than documented, and how they end.

use super::{OSLO, ROME, rome, rome_and_oslo};
use crate::{assembled, called, calls, delta, finish, told, whole};
use serde_json::{Value, json};
use tool_runtime::stream::{Chunk, ReplyAssembler};

#[test]
fn a_whole_call_comes_in_one_delta_with_the_finish_reason() {
    let chunk = json!({ "choices": [{
        "index": 0,
        "delta": { "role": "assistant", "content": "", "tool_calls": [whole(0, "Rome")] },
        "finish_reason": "tool_calls",
    }] });
    assert_eq!(called([chunk.clone()]), rome("call_0"));
    assert_eq!(told([chunk]).last().map(String::as_str), Some("finished tool_calls"));
}

#[test]
fn several_pieces_of_one_call_come_in_one_chunk() {
    let piece =
        |piece: &str| json!({ "index": 0, "id": null, "function": { "name": null, "arguments": piece } });
    let first = json!({ "index": 0, "id": "a", "function": { "name": "get_weather", "arguments": "{" } });
    let chunks = [
        calls(&[first, piece("\"ci"), piece("ty\""), piece(":")]),
        calls(&[piece("\"Rome\""), piece("}")]),
        finish("stop"),
    ];
    assert_eq!(called(chunks.clone()), rome("a"));
    assert_eq!(told(chunks)[..5], ["0 started get_weather", "0 {", "0 {\"ci", "0 {\"city\"", "0 {\"city\":"]);
}

#[test]
fn two_calls_come_in_one_chunk() {
    let chunks = [calls(&[whole(0, "Rome"), whole(1, "Oslo")]), finish("tool_calls")];
    assert_eq!(called(chunks), rome_and_oslo(["call_0", "call_1"]));
    let without_index = |id: &str, arguments: &str| json!({ "id": id, "function": { "name": "get_weather", "arguments": arguments } });
    let chunks = [calls(&[without_index("a", ROME), without_index("b", OSLO)]), finish("tool_calls")];
    assert_eq!(called(chunks), rome_and_oslo(["a", "b"]));
}

#[test]
fn what_is_of_another_kind_than_documented_does_not_end_the_reply() {
    for chunk in [
        r#"{"choices":[{"index":0,"delta":[]}]}"#,
        r#"{"choices":[{"index":0,"delta":""}]}"#,
        r#"{"choices":[null]}"#,
        r#"{"choices":[{"index":"0","delta":{"tool_calls":""}}]}"#,
        r#"{"choices":[{"index":0.0,"delta":{"tool_calls":{}},"finish_reason":false}]}"#,
        r#"{"choices":[{"delta":{}}],"choices":[{"delta":{}}]}"#,
        "\u{feff}{\"choices\":[]}",
        "null",
    ] {
        let chunks =
            [chunk.to_owned(), delta(json!({ "content": "Hi" })).to_string(), finish("stop").to_string()];
        assert_eq!(told(chunks), ["text Hi", "finished stop"], "{chunk}");
    }
    let number = r#"{"choices":[{"delta":{"content":5,"tool_calls":{"id":"a","function":{"name":"get_weather","arguments":{"city":"Rome"}}}}}]}"#;
    let reply = assembled([number.to_owned(), finish("stop").to_string()]);
    assert_eq!(reply.text(), "5");
    assert_eq!(reply.tool_calls[0].arguments, ROME);
}

#[test]
fn several_chunks_come_as_a_list() {
    let chunks = json!([calls(&[whole(0, "Rome")]), calls(&[whole(1, "Oslo")]), finish("stop")]);
    assert_eq!(called([chunks.to_string()]), rome_and_oslo(["call_0", "call_1"]));
    assert_eq!(called([chunks]), rome_and_oslo(["call_0", "call_1"]));
}

#[test]
fn there_are_no_choices() {
    let chunks = [
        json!({ "choices": [], "prompt_filter_results": [] }),
        json!({ "choices": null, "object": "chat.completion.chunk" }),
        json!({ "type": "ping" }),
        "".into(),
        delta(json!({ "content": "Hi" })),
        json!({ "choices": [{ "index": 0, "delta": null, "finish_reason": "stop" }] }),
        json!({ "choices": [], "usage": { "total_tokens": 3 } }),
        json!({ "usage": { "total_tokens": 3 } }),
    ];
    assert_eq!(told(chunks.clone()), ["text Hi", "finished stop"]);
    assert_eq!(assembled(chunks).text(), "Hi");
}

#[test]
fn the_finish_reason_is_repeated() {
    let chunks = [calls(&[whole(0, "Rome")]), finish("tool_calls"), finish("tool_calls"), finish("")];
    assert_eq!(called(chunks.clone()), rome("call_0"));
    assert_eq!(told(chunks).iter().filter(|told| told.starts_with("finished")).count(), 1);
}

#[test]
fn the_finish_reason_comes_with_each_piece() {
    let piece = |piece: &str| {
        let call =
            json!({ "index": 0, "id": "a", "function": { "name": "get_weather", "arguments": piece } });
        json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [call] }, "finish_reason": "tool_calls" }] })
    };
    for first in ["", "{}"] {
        let chunks = [piece(first), piece("{\"city\""), piece(":\"Rome\"}")];
        assert_eq!(called(chunks), rome("a"));
    }
    // A call that is whole with it is complete when the stream ends, if it has no arguments.
    assert_eq!(told([piece("{}")])[1..], ["finished tool_calls", "0 complete get_weather({})"]);
}

#[test]
fn the_finish_reason_is_a_text_that_says_none() {
    for none in ["null", "None", ""] {
        let chunk =
            json!({ "choices": [{ "index": 0, "delta": { "content": "Hi" }, "finish_reason": none }] });
        let reply = assembled([chunk, finish("stop")]);
        assert_eq!(reply.finish_reason(), Some("stop"));
    }
}

#[test]
fn the_finish_reason_is_something_else_than_text() {
    let chunk = json!({ "choices": [{ "index": 0, "delta": { "content": "Hi" }, "finish_reason": 7 }] });
    let reply = assembled([chunk]);
    assert_eq!((reply.text(), reply.finish_reason()), ("Hi", None));
}

#[test]
fn a_finish_reason_that_says_cut_short_counts_whenever_it_comes() {
    for reasons in [["length", "tool_calls"], ["tool_calls", "length"]] {
        let reply = assembled([calls(&[whole(0, "Rome")]), finish(reasons[0]), finish(reasons[1])]);
        assert_eq!(reply.finish_reason(), Some("length"));
    }
    assert_eq!(assembled([finish("stop"), finish("tool_calls")]).finish_reason(), Some("stop"));
}

#[test]
fn there_is_no_finish_reason() {
    let chunks = [calls(&[whole(0, "Rome")])];
    assert_eq!(called(chunks.clone()), rome("call_0"));
    assert_eq!(assembled(chunks).finish_reason(), None);
    // The end of the stream is said all the same.
    let now = json!({ "index": 0, "id": "a", "function": { "name": "now", "arguments": "" } });
    assert_eq!(
        told([calls(&[now]), "[DONE]".into()]),
        ["0 started now", "0 complete now({})", "finished without a reason"]
    );
}

#[test]
fn only_the_choice_that_comes_first_is_read() {
    let choice =
        |index: usize, text: &str| json!({ "choices": [{ "index": index, "delta": { "content": text } }] });
    let chunks = [choice(1, "Yes"), choice(0, "No"), choice(1, ".")];
    assert_eq!(assembled(chunks).text(), "Yes.");
}

#[test]
fn the_server_does_not_stream() {
    let response = json!({ "object": "chat.completion", "choices": [{
        "index": 0,
        "message": { "role": "assistant", "content": "Look.", "tool_calls": [{ "id": "a", "type": "function", "function": { "name": "get_weather", "arguments": ROME } }] },
        "finish_reason": "tool_calls",
    }] });
    assert_eq!(called([response.clone()]), rome("a"));
    assert_eq!(told([response])[0], "text Look.");
    // Where the pieces came, the whole behind them adds nothing.
    let behind = json!({ "choices": [{ "index": 0, "message": { "role": "assistant", "content": "Hi" }, "finish_reason": "stop" }] });
    assert_eq!(assembled([delta(json!({ "content": "Hi" })), behind.clone()]).text(), "Hi");
    // Beside a delta that brings nothing, it is the reply.
    assert_eq!(assembled([delta(json!({ "content": "" })), behind]).text(), "Hi");
    let beside = json!({ "choices": [{ "delta": {}, "message": { "content": "Hi" } }] });
    assert_eq!(assembled([beside]).text(), "Hi");
}

#[test]
fn a_piece_that_says_nothing_begins_no_call() {
    let chunks = [
        calls(&[json!(null), json!({}), json!({ "index": 0, "type": "function", "function": {} })]),
        finish("stop"),
    ];
    assert_eq!(called(chunks), Vec::<[String; 3]>::new());
}

#[test]
fn chunks_come_in_the_types_of_clients() {
    #[derive(serde::Serialize)]
    struct Theirs {
        choices: Vec<Value>,
    }
    let theirs =
        Theirs { choices: vec![json!({ "index": 0, "delta": { "tool_calls": [whole(0, "Rome")] } })] };
    let read: Chunk = serde_json::from_value(finish("tool_calls")).expect("it is a chunk");
    let odd: Chunk = serde_json::from_str(r#"{"choices":[{"delta":[]}]}"#).expect("it is read as a text is");
    let mut reply = ReplyAssembler::new();
    assert_eq!(reply.push(odd).count(), 0);
    assert_eq!(reply.push(Chunk::from_serialize(&theirs)).count(), 3);
    assert_eq!(reply.push(read).count(), 1);
    assert_eq!(reply.finish().expect("it went well").tool_calls.len(), 1);
}
