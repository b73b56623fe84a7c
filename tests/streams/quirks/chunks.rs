//! Chunks and finish reasons in undocumented forms.

use super::{OSLO, ROME, rome, rome_and_oslo};
use crate::{assembled, called, calls, complete_call, delta, event_log, finish};
use serde_json::{Value, json};
use tool_runtime::stream::{Chunk, ReplyAssembler};

#[test]
fn a_whole_call_comes_in_one_delta_with_the_finish_reason() {
    let chunk = json!({ "choices": [{
        "index": 0,
        "delta": { "role": "assistant", "content": "", "tool_calls": [complete_call(0, "Rome")] },
        "finish_reason": "tool_calls",
    }] });
    assert_eq!(called([chunk.clone()]), rome("call_0"));
    assert_eq!(event_log([chunk]).last().map(String::as_str), Some("finished tool_calls"));
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
    assert_eq!(
        event_log(chunks)[..5],
        ["0 started get_weather", "0 {", "0 {\"ci", "0 {\"city\"", "0 {\"city\":"]
    );
}

#[test]
fn two_calls_come_in_one_chunk() {
    let chunks = [calls(&[complete_call(0, "Rome"), complete_call(1, "Oslo")]), finish("tool_calls")];
    assert_eq!(called(chunks), rome_and_oslo(["call_0", "call_1"]));
    let without_index = |id: &str, arguments: &str| json!({ "id": id, "function": { "name": "get_weather", "arguments": arguments } });
    let chunks = [calls(&[without_index("a", ROME), without_index("b", OSLO)]), finish("tool_calls")];
    assert_eq!(called(chunks), rome_and_oslo(["a", "b"]));
}

#[test]
fn values_of_undocumented_types_are_ignored() {
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
        assert_eq!(event_log(chunks), ["text Hi", "finished stop"], "{chunk}");
    }
    let number = r#"{"choices":[{"delta":{"content":5,"tool_calls":{"id":"a","function":{"name":"get_weather","arguments":{"city":"Rome"}}}}}]}"#;
    let reply = assembled([number.to_owned(), finish("stop").to_string()]);
    assert_eq!(reply.text(), "5");
    assert_eq!(reply.tool_calls[0].arguments, ROME);
}

#[test]
fn several_chunks_come_as_an_array() {
    let chunks =
        json!([calls(&[complete_call(0, "Rome")]), calls(&[complete_call(1, "Oslo")]), finish("stop")]);
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
    assert_eq!(event_log(chunks.clone()), ["text Hi", "finished stop"]);
    assert_eq!(assembled(chunks).text(), "Hi");
}

#[test]
fn the_finish_reason_is_repeated() {
    let chunks = [calls(&[complete_call(0, "Rome")]), finish("tool_calls"), finish("tool_calls"), finish("")];
    assert_eq!(called(chunks.clone()), rome("call_0"));
    assert_eq!(event_log(chunks).iter().filter(|event| event.starts_with("finished")).count(), 1);
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
    // An empty object that comes with the finish reason is complete when the stream ends.
    assert_eq!(event_log([piece("{}")])[1..], ["finished tool_calls", "0 complete get_weather({})"]);
}

#[test]
fn the_finish_reason_is_a_placeholder() {
    for none in ["null", "None", ""] {
        let chunk =
            json!({ "choices": [{ "index": 0, "delta": { "content": "Hi" }, "finish_reason": none }] });
        let reply = assembled([chunk, finish("stop")]);
        assert_eq!(reply.finish_reason(), Some("stop"));
    }
}

#[test]
fn the_finish_reason_is_not_a_string() {
    let chunk = json!({ "choices": [{ "index": 0, "delta": { "content": "Hi" }, "finish_reason": 7 }] });
    let reply = assembled([chunk]);
    assert_eq!((reply.text(), reply.finish_reason()), ("Hi", None));
}

#[test]
fn a_finish_reason_of_truncation_takes_precedence() {
    for reasons in [["length", "tool_calls"], ["tool_calls", "length"]] {
        let reply = assembled([calls(&[complete_call(0, "Rome")]), finish(reasons[0]), finish(reasons[1])]);
        assert_eq!(reply.finish_reason(), Some("length"));
    }
    assert_eq!(assembled([finish("stop"), finish("tool_calls")]).finish_reason(), Some("stop"));
}

#[test]
fn there_is_no_finish_reason() {
    let chunks = [calls(&[complete_call(0, "Rome")])];
    assert_eq!(called(chunks.clone()), rome("call_0"));
    assert_eq!(assembled(chunks).finish_reason(), None);
    // The end of the stream is still an event.
    let now = json!({ "index": 0, "id": "a", "function": { "name": "now", "arguments": "" } });
    assert_eq!(
        event_log([calls(&[now]), "[DONE]".into()]),
        ["0 started now", "0 complete now({})", "finished without a reason"]
    );
}

#[test]
fn only_the_first_choice_is_read() {
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
    assert_eq!(event_log([response])[0], "text Look.");
    // After the pieces, a complete reply is ignored.
    let complete = json!({ "choices": [{ "index": 0, "message": { "role": "assistant", "content": "Hi" }, "finish_reason": "stop" }] });
    assert_eq!(assembled([delta(json!({ "content": "Hi" })), complete.clone()]).text(), "Hi");
    // After an empty delta, or next to one, it is the reply.
    assert_eq!(assembled([delta(json!({ "content": "" })), complete]).text(), "Hi");
    let both = json!({ "choices": [{ "delta": {}, "message": { "content": "Hi" } }] });
    assert_eq!(assembled([both]).text(), "Hi");
}

#[test]
fn an_empty_piece_starts_no_call() {
    let chunks = [
        calls(&[json!(null), json!({}), json!({ "index": 0, "type": "function", "function": {} })]),
        finish("stop"),
    ];
    assert_eq!(called(chunks), Vec::<[String; 3]>::new());
}

#[test]
fn chunks_convert_from_the_types_of_clients() {
    #[derive(serde::Serialize)]
    struct ClientChunk {
        choices: Vec<Value>,
    }
    let client_chunk = ClientChunk {
        choices: vec![json!({ "index": 0, "delta": { "tool_calls": [complete_call(0, "Rome")] } })],
    };
    let read: Chunk = serde_json::from_value(finish("tool_calls")).expect("a valid chunk");
    let odd: Chunk = serde_json::from_str(r#"{"choices":[{"delta":[]}]}"#).expect("an undocumented chunk");
    let mut reply = ReplyAssembler::new();
    assert_eq!(reply.push(odd).count(), 0);
    assert_eq!(reply.push(Chunk::from_serialize(&client_chunk)).count(), 3);
    assert_eq!(reply.push(read).count(), 1);
    assert_eq!(reply.into_reply().expect("the stream has no errors").tool_calls.len(), 1);
}
