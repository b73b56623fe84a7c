//! Events of a streamed reply.

use crate::{assembled, calls, complete_call, delta, describe, event_log, finish};
use serde_json::{Value, json};
use tool_runtime::ToolCall;
use tool_runtime::stream::{ReplyAssembler, ReplyEvent};
use tool_runtime::wire::Responses;

#[test]
fn each_piece_of_a_reply_is_an_event() {
    let chunks = [
        delta(json!({ "role": "assistant", "content": "" })),
        delta(json!({ "content": "One " })),
        delta(json!({ "content": "moment." })),
        calls(&[
            json!({ "index": 0, "id": "a", "type": "function", "function": { "name": "get_weather", "arguments": "" } }),
        ]),
        calls(&[json!({ "index": 0, "function": { "arguments": "{\"city\":" } })]),
        calls(&[json!({ "index": 0, "function": { "arguments": "\"Rome\"}" } })]),
        finish("tool_calls"),
        json!({ "choices": [], "usage": { "total_tokens": 7 } }),
        json!("[DONE]").as_str().into(),
    ];
    assert_eq!(
        event_log(chunks.clone()),
        [
            "text One ",
            "text moment.",
            "0 started get_weather",
            r#"0 {"city":"#,
            r#"0 {"city":"Rome"}"#,
            r#"0 complete get_weather({"city":"Rome"})"#,
            "finished tool_calls",
        ]
    );
    let reply = assembled(chunks);
    assert_eq!(reply.text(), "One moment.");
    assert_eq!(reply.tool_calls, [ToolCall::new("a", "get_weather", r#"{"city":"Rome"}"#)]);
    assert_eq!(reply.finish_reason(), Some("tool_calls"));
}

#[test]
fn a_call_is_complete_with_the_brace_that_closes_its_arguments() {
    let mut reply = ReplyAssembler::new();
    let tricky = r#"{"text":"a } b \" } \\","list":[{"a":"}"}],"last":"}"}"#;
    reply.push(calls(&[json!({ "index": 0, "id": "a", "function": { "name": "speak", "arguments": "" } })]));
    for (at, piece) in tricky.char_indices() {
        let piece = json!({ "index": 0, "function": { "arguments": piece } });
        let is_complete =
            reply.push(calls(&[piece])).any(|event| matches!(event, ReplyEvent::CallComplete { .. }));
        assert_eq!(is_complete, at == tricky.len() - 1, "at {at}");
    }
}

#[test]
fn each_call_is_complete_before_the_next_one_arrives() {
    assert_eq!(
        event_log([
            calls(&[complete_call(0, "Rome")]),
            calls(&[complete_call(1, "Oslo")]),
            finish("tool_calls")
        ]),
        [
            "0 started get_weather",
            r#"0 {"city":"Rome"}"#,
            r#"0 complete get_weather({"city":"Rome"})"#,
            "1 started get_weather",
            r#"1 {"city":"Oslo"}"#,
            r#"1 complete get_weather({"city":"Oslo"})"#,
            "finished tool_calls",
        ]
    );
}

#[test]
fn an_empty_object_is_complete_when_the_reply_has_finished() {
    let now = |index| json!({ "index": index, "id": format!("call_{index}"), "function": { "name": "now", "arguments": "{}" } });
    assert_eq!(
        event_log([calls(&[now(0)]), calls(&[now(1)]), finish("tool_calls")]),
        ["0 started now", "1 started now", "0 complete now({})", "1 complete now({})", "finished tool_calls"]
    );
}

#[test]
fn arguments_that_are_not_json_are_complete_when_the_stream_has_ended() {
    let broken =
        json!({ "index": 0, "id": "a", "function": { "name": "speak", "arguments": "{'text': '}', x}" } });
    let more = json!({ "index": 0, "function": { "arguments": " and more" } });
    assert_eq!(
        event_log([calls(&[broken]), calls(&[more]), finish("tool_calls")]),
        [
            "0 started speak",
            "0 {'text': '}', x}",
            "0 {'text': '}', x} and more",
            "finished tool_calls",
            "0 complete speak({'text': '}', x} and more)",
        ]
    );
}

#[test]
fn a_truncated_call_is_never_complete() {
    let cut =
        json!({ "index": 1, "id": "b", "function": { "name": "speak", "arguments": "{\"text\":\"Th" } });
    let event_log =
        event_log([calls(&[complete_call(0, "Rome")]), calls(&[cut]), finish("length"), "[DONE]".into()]);
    assert_eq!(event_log.last().map(String::as_str), Some("finished length"));
    assert!(event_log.iter().all(|event| !event.starts_with("1 complete")), "{event_log:?}");
}

#[test]
fn reasoning_in_two_fields_is_one_event() {
    let both = delta(json!({ "reasoning": "Hm.", "reasoning_content": "Hm." }));
    assert_eq!(event_log([both, finish("stop")]), ["reasoning Hm.", "finished stop"]);
    let other = delta(json!({ "reasoning": "Hm.", "reasoning_content": "" }));
    assert_eq!(event_log([other, finish("stop")]), ["reasoning Hm.", "finished stop"]);
    let nothing = delta(json!({ "reasoning": "", "reasoning_content": "" }));
    assert_eq!(event_log([nothing, finish("stop")]), ["finished stop"]);
}

#[test]
fn reasoning_comes_before_the_text_of_the_same_chunk() {
    let both = delta(json!({ "content": "Yes.", "reasoning": "Hm." }));
    assert_eq!(event_log([both, finish("stop")]), ["reasoning Hm.", "text Yes.", "finished stop"]);
}

#[test]
fn end_returns_the_events_of_a_stream_without_done() {
    let now = calls(&[json!({ "index": 0, "id": "a", "function": { "name": "now" } })]);
    let mut reply = ReplyAssembler::new();
    reply.push(now);
    reply.push(finish("tool_calls"));
    assert_eq!(reply.push_end().map(crate::describe).collect::<Vec<_>>(), ["0 complete now({})"]);
    assert_eq!(reply.push_end().count(), 0, "only the first time");
    assert_eq!(reply.push(delta(json!({ "content": "ghost" }))).count(), 0);
    assert_eq!(event_log(Vec::<&str>::new()), ["failed: the stream ended without a reply"]);
}

#[test]
fn chunks_after_the_end_of_the_stream_are_ignored() {
    let chunks = [finish("stop"), "[DONE]".into(), delta(json!({ "content": "ghost" }))];
    assert_eq!(event_log(chunks.clone()), ["finished stop"]);
    assert_eq!(assembled(chunks).content, None);
}

/// Without linear running time, this test and the next one would take minutes.
#[test]
fn a_megabyte_of_arguments_in_pieces_of_four_bytes_is_assembled() {
    let arguments = format!(r#"{{"text":"{}"}}"#, "abcdé\\n".repeat(1 << 17));
    let mut reply = ReplyAssembler::new();
    reply.push(calls(&[json!({ "index": 0, "id": "a", "function": { "name": "speak", "arguments": "" } })]));
    let mut count = 0;
    let mut rest = &*arguments;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(
            (1..=rest.len())
                .find(|&at| at >= 4.min(rest.len()) && rest.is_char_boundary(at))
                .unwrap_or(rest.len()),
        );
        rest = after;
        let piece = serde_json::to_string(piece).expect("a string");
        let chunk = format!(
            r#"{{"choices":[{{"delta":{{"tool_calls":[{{"index":0,"function":{{"arguments":{piece}}}}}]}}}}]}}"#
        );
        count += reply.push(chunk).count();
    }
    assert!(count > 200_000, "{count}");
    let reply = reply.into_reply().expect("the stream is not interrupted");
    assert_eq!(reply.tool_calls[0].arguments, arguments);
}

/// Some models never stop to send white space.
#[test]
fn a_megabyte_of_white_space_in_or_after_arguments_is_read_in_linear_time() {
    for begun in ["{\"a\":1,", "{", "", "{}", "{\"a\":1}"] {
        let mut reply = ReplyAssembler::new();
        let piece = |piece: &str| {
            let piece = serde_json::to_string(piece).expect("a string");
            format!(
                r#"{{"choices":[{{"delta":{{"tool_calls":[{{"index":0,"id":"a","function":{{"arguments":{piece}}}}}]}}}}]}}"#
            )
        };
        reply.push(calls(&[
            json!({ "index": 0, "id": "a", "function": { "name": "speak", "arguments": begun } }),
        ]));
        let blank = piece("\n\n\n\n");
        for _ in 0..1 << 16 {
            reply.push(&*blank);
        }
        let reply = reply.into_reply().expect("there is a reply");
        assert!(reply.tool_calls[0].arguments.starts_with(begun));
    }
}

#[test]
fn many_calls_are_assembled_in_linear_time() {
    let mut reply = ReplyAssembler::new();
    for index in 0..20_000 {
        reply.push(calls(&[complete_call(index, "Rome")]));
    }
    assert_eq!(reply.into_reply().expect("there is a reply").tool_calls.len(), 20_000);
}

#[test]
fn the_pieces_of_an_empty_object_are_the_arguments() {
    let head = calls(&[json!({ "index": 0, "id": "a", "function": { "name": "f", "arguments": "" } })]);
    let piece = |text: &str| calls(&[json!({ "index": 0, "function": { "arguments": text } })]);
    let started = "0 started f";
    let complete = ["0 {}", "0 complete f({})", "finished tool_calls"];
    assert_eq!(
        event_log([head.clone(), piece("{"), piece("}"), finish("tool_calls")]),
        [&[started, "0 {"][..], &complete].concat()
    );
    // Without other pieces, an empty object is no piece.
    assert_eq!(
        event_log([head, piece("{}"), finish("tool_calls")]),
        [started, "0 complete f({})", "finished tool_calls"]
    );
    let event = |kind: &str, field: &str, value: Value| {
        let mut event = json!({ "type": format!("response.{kind}"), "output_index": 0 });
        event[field] = value;
        event
    };
    let item = json!({ "type": "function_call", "call_id": "a", "name": "f", "arguments": "{}" });
    let mut reply = ReplyAssembler::new().wire(Responses::new());
    let mut log = Vec::new();
    for event in [
        event("output_item.added", "item", json!({ "type": "function_call", "call_id": "a", "name": "f" })),
        event("function_call_arguments.delta", "delta", r#"{"fi"#.into()),
        event("output_item.done", "item", item),
        event("completed", "response", json!({ "status": "completed", "output": [] })),
    ] {
        log.extend(reply.push(event.to_string()).map(describe));
    }
    assert_eq!(log, [started, r#"0 {"fi"#, "0 {}", "0 complete f({})", "finished completed"]);
}
