//! What is told while a reply comes.

use crate::{assembled, calls, delta, finish, told, whole};
use serde_json::json;
use tool_runtime::ToolCall;
use tool_runtime::stream::{Event, ReplyAssembler};

#[test]
fn a_reply_is_told_piece_by_piece() {
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
        told(chunks.clone()),
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
    reply.push(calls(&[json!({ "index": 0, "id": "a", "function": { "name": "say", "arguments": "" } })]));
    for (at, piece) in tricky.char_indices() {
        let piece = json!({ "index": 0, "function": { "arguments": piece } });
        let is_complete =
            reply.push(calls(&[piece])).any(|event| matches!(event, Event::CallComplete { .. }));
        assert_eq!(is_complete, at == tricky.len() - 1, "at {at}");
    }
}

#[test]
fn each_call_is_complete_before_the_next_has_come() {
    assert_eq!(
        told([calls(&[whole(0, "Rome")]), calls(&[whole(1, "Oslo")]), finish("tool_calls")]),
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
fn an_empty_object_may_be_the_beginning_and_is_complete_when_the_reply_has_finished() {
    let now = |index| json!({ "index": index, "id": format!("call_{index}"), "function": { "name": "now", "arguments": "{}" } });
    assert_eq!(
        told([calls(&[now(0)]), calls(&[now(1)]), finish("tool_calls")]),
        ["0 started now", "1 started now", "0 complete now({})", "1 complete now({})", "finished tool_calls"]
    );
}

#[test]
fn arguments_that_are_not_json_are_complete_when_the_stream_has_ended() {
    let broken =
        json!({ "index": 0, "id": "a", "function": { "name": "say", "arguments": "{'text': '}', x}" } });
    let more = json!({ "index": 0, "function": { "arguments": " and more" } });
    assert_eq!(
        told([calls(&[broken]), calls(&[more]), finish("tool_calls")]),
        [
            "0 started say",
            "0 {'text': '}', x}",
            "0 {'text': '}', x} and more",
            "finished tool_calls",
            "0 complete say({'text': '}', x} and more)",
        ]
    );
}

#[test]
fn a_call_that_was_cut_off_is_never_complete() {
    let cut = json!({ "index": 1, "id": "b", "function": { "name": "say", "arguments": "{\"text\":\"Th" } });
    let told = told([calls(&[whole(0, "Rome")]), calls(&[cut]), finish("length"), "[DONE]".into()]);
    assert_eq!(told.last().map(String::as_str), Some("finished length"));
    assert!(told.iter().all(|told| !told.starts_with("1 complete")), "{told:?}");
}

#[test]
fn reasoning_is_told_once_where_a_server_says_it_twice() {
    let both = delta(json!({ "reasoning": "Hm.", "reasoning_content": "Hm." }));
    assert_eq!(told([both, finish("stop")]), ["reasoning Hm.", "finished stop"]);
    let other = delta(json!({ "reasoning": "Hm.", "reasoning_content": "" }));
    assert_eq!(told([other, finish("stop")]), ["reasoning Hm.", "finished stop"]);
    let nothing = delta(json!({ "reasoning": "", "reasoning_content": "" }));
    assert_eq!(told([nothing, finish("stop")]), ["finished stop"]);
}

#[test]
fn reasoning_is_told_before_the_text_that_comes_with_it() {
    let both = delta(json!({ "content": "Yes.", "reasoning": "Hm." }));
    assert_eq!(told([both, finish("stop")]), ["reasoning Hm.", "text Yes.", "finished stop"]);
}

#[test]
fn the_end_of_a_stream_without_done_is_told_to_a_program_that_says_it() {
    let now = calls(&[json!({ "index": 0, "id": "a", "function": { "name": "now" } })]);
    let mut reply = ReplyAssembler::new();
    reply.push(now);
    reply.push(finish("tool_calls"));
    assert_eq!(reply.end().map(crate::in_words).collect::<Vec<_>>(), ["0 complete now({})"]);
    assert_eq!(reply.end().count(), 0, "once");
    assert_eq!(reply.push(delta(json!({ "content": "ghost" }))).count(), 0);
    assert_eq!(told(Vec::<&str>::new()), ["failed: the stream ended without a reply"]);
}

#[test]
fn nothing_is_looked_at_behind_the_end_of_the_stream() {
    let chunks = [finish("stop"), "[DONE]".into(), delta(json!({ "content": "ghost" }))];
    assert_eq!(told(chunks.clone()), ["finished stop"]);
    assert_eq!(assembled(chunks).content, None);
}

/// Were it not linear, this would take minutes, as would the next.
#[test]
fn a_megabyte_of_arguments_in_pieces_of_four_bytes_is_put_together() {
    let arguments = format!(r#"{{"text":"{}"}}"#, "abcdé\\n".repeat(1 << 17));
    let mut reply = ReplyAssembler::new();
    reply.push(calls(&[json!({ "index": 0, "id": "a", "function": { "name": "say", "arguments": "" } })]));
    let mut told = 0;
    let mut rest = &*arguments;
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at(
            (1..=rest.len())
                .find(|&at| at >= 4.min(rest.len()) && rest.is_char_boundary(at))
                .unwrap_or(rest.len()),
        );
        rest = behind;
        let piece = serde_json::to_string(piece).expect("a text");
        let chunk = format!(
            r#"{{"choices":[{{"delta":{{"tool_calls":[{{"index":0,"function":{{"arguments":{piece}}}}}]}}}}]}}"#
        );
        told += reply.push(chunk).count();
    }
    assert!(told > 200_000, "{told}");
    let reply = reply.finish().expect("it is whole");
    assert_eq!(reply.tool_calls[0].arguments, arguments);
}

/// Models have been seen to go on with white space for ever.
#[test]
fn a_megabyte_of_white_space_in_or_behind_arguments_is_taken_piece_by_piece() {
    for begun in ["{\"a\":1,", "{", "", "{}", "{\"a\":1}"] {
        let mut reply = ReplyAssembler::new();
        let piece = |piece: &str| {
            let piece = serde_json::to_string(piece).expect("a text");
            format!(
                r#"{{"choices":[{{"delta":{{"tool_calls":[{{"index":0,"id":"a","function":{{"arguments":{piece}}}}}]}}}}]}}"#
            )
        };
        reply.push(calls(&[
            json!({ "index": 0, "id": "a", "function": { "name": "say", "arguments": begun } }),
        ]));
        let blank = piece("\n\n\n\n");
        for _ in 0..1 << 16 {
            reply.push(&*blank);
        }
        let reply = reply.finish().expect("there is a reply");
        assert!(reply.tool_calls[0].arguments.starts_with(begun));
    }
}

#[test]
fn many_calls_are_told_apart_in_time_by_their_number() {
    let mut reply = ReplyAssembler::new();
    for index in 0..20_000 {
        reply.push(calls(&[whole(index, "Rome")]));
    }
    assert_eq!(reply.finish().expect("there is a reply").tool_calls.len(), 20_000);
}
