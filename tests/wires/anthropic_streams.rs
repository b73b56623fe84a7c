//! Anthropic's wire: streams, made from the provider's documentation.

use crate::anthropic::{parallel_calls, read};
use crate::weather_tools::registry;
use crate::{json, write};
use serde_json::{Value, json};
use tool_runtime::conversation::Received;
use tool_runtime::message::Completeness;
use tool_runtime::stream::{ReplyAssembler, ReplyEvent, StreamError};
use tool_runtime::wire::{self, Anthropic, Wire};
use tool_runtime::{AssistantMessage, Conversation, ToolCall};

/// The events of a stream, one per line.
fn assembled(events: &[Value]) -> AssistantMessage {
    let mut assembler = ReplyAssembler::new().wire(Anthropic::new());
    for event in events {
        assembler.push(event.clone());
    }
    assembler.into_reply().expect("it is complete")
}

fn start(index: u64, block: &Value) -> Value {
    json!({ "type": "content_block_start", "index": index, "content_block": block })
}

fn delta(index: u64, delta: &Value) -> Value {
    json!({ "type": "content_block_delta", "index": index, "delta": delta })
}

fn streamed() -> Vec<Value> {
    vec![
        json!({ "type": "message_start", "message": { "id": "msg_1", "type": "message", "role": "assistant",
            "model": "claude", "content": [], "stop_reason": null,
            "usage": { "input_tokens": 10, "cache_read_input_tokens": 90, "output_tokens": 1 } } }),
        start(0, &json!({ "type": "thinking", "thinking": "", "signature": "" })),
        json!({ "type": "ping" }),
        delta(0, &json!({ "type": "thinking_delta", "thinking": "Two " })),
        delta(0, &json!({ "type": "thinking_delta", "thinking": "cities." })),
        delta(0, &json!({ "type": "signature_delta", "signature": "EqQBCgIYAhIM" })),
        json!({ "type": "content_block_stop", "index": 0 }),
        start(1, &json!({ "type": "redacted_thinking", "data": "EmwKAhgBEgy3va3pzix" })),
        json!({ "type": "content_block_stop", "index": 1 }),
        start(2, &json!({ "type": "text", "text": "" })),
        delta(2, &json!({ "type": "text_delta", "text": "I look " })),
        delta(2, &json!({ "type": "text_delta", "text": "it up." })),
        json!({ "type": "content_block_stop", "index": 2 }),
        start(3, &json!({ "type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {} })),
        delta(3, &json!({ "type": "input_json_delta", "partial_json": "" })),
        delta(3, &json!({ "type": "input_json_delta", "partial_json": "{\"city\":" })),
        delta(3, &json!({ "type": "input_json_delta", "partial_json": " \"Rome\"}" })),
        json!({ "type": "content_block_stop", "index": 3 }),
        start(4, &json!({ "type": "tool_use", "id": "toolu_2", "name": "get_weather", "input": {} })),
        delta(4, &json!({ "type": "input_json_delta", "partial_json": "{\"city\":\"Atlantis\"}" })),
        json!({ "type": "content_block_stop", "index": 4 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use", "stop_sequence": null },
            "usage": { "output_tokens": 20 } }),
        json!({ "type": "message_stop" }),
    ]
}

#[test]
fn a_streamed_reply_equals_the_same_reply_that_is_not_streamed() {
    let mut reply = assembled(&streamed());
    let whole = read(&parallel_calls(), "tool_use");
    assert_eq!(reply.tool_calls[0].arguments, r#"{"city": "Rome"}"#, "the text of the model");
    assert_eq!((reply.text(), reply.usage(), reply.origin()), (whole.text(), whole.usage(), whole.origin()));
    let written = |reply: &AssistantMessage| json(&write(&Anthropic::new(), &[reply.clone().into()]));
    assert_eq!(written(&reply), written(&whole));
    // Every field is equal, except the white space of the arguments and the order of keys in the items.
    reply.tool_calls[0].arguments = r#"{"city":"Rome"}"#.to_owned();
    assert_eq!(reply.tool_calls, whole.tool_calls);
    assert_eq!(reply.finish_reason(), whole.finish_reason());
    assert_eq!(reply.completeness(), whole.completeness());
}

#[test]
fn a_stream_reports_text_reasoning_and_calls_as_they_come() {
    let mut assembler = ReplyAssembler::new().wire(wire::by_name("anthropic").expect("it is enabled"));
    let (mut text, mut reasoning, mut calls) = (String::new(), String::new(), Vec::new());
    for (at, event) in streamed().into_iter().enumerate() {
        for event in assembler.push(Anthropic::new().read_event(&event.to_string())) {
            match event {
                ReplyEvent::Text(piece) => text.push_str(piece),
                ReplyEvent::Reasoning(piece) => reasoning.push_str(piece),
                ReplyEvent::CallComplete { index, call, .. } => calls.push((at, index, call.name.clone())),
                _ => {}
            }
        }
    }
    assert_eq!((&*text, &*reasoning), ("I look it up.", "Two cities."));
    // Each call is complete when the next one begins, or when the reply ends without truncation.
    assert_eq!(calls, [(18, 0, "get_weather".to_owned()), (21, 1, "get_weather".to_owned())]);
}

#[tokio::test]
async fn read_only_tools_start_while_the_reply_is_streamed() {
    let registry = registry();
    let chunks = streamed().into_iter().map(|event| Anthropic::new().read_event(&event.to_string()));
    let (reply, results) =
        registry.dispatch_stream(futures_util::stream::iter(chunks)).await.expect("it is complete");
    assert_eq!(results[0].text(), "Rome: sunny");
    let Received::ToolCalls(mut pending) = Conversation::new().user("?").receive(reply) else {
        panic!("it calls")
    };
    pending.add_results(results).expect("the ids are equal");
    let chat = pending.into_conversation().expect("each call has its result");
    let written = json(&write(&Anthropic::new(), chat.messages()));
    assert_eq!(written["messages"][1]["content"], parallel_calls());
}

#[test]
fn a_call_without_a_delta_has_no_arguments_and_a_truncated_one_never_runs() {
    let call = start(0, &json!({ "type": "tool_use", "id": "toolu_1", "name": "delete", "input": {} }));
    let stop = |reason: &str| json!({ "type": "message_delta", "delta": { "stop_reason": reason } });
    let end = json!({ "type": "message_stop" });
    let reply = assembled(&[call.clone(), stop("tool_use"), end.clone()]);
    assert_eq!((&*reply.tool_calls[0].arguments, reply.tool_calls[0].is_truncated()), ("{}", false));
    let reply = assembled(&[call, stop("max_tokens"), end]);
    assert!(reply.tool_calls[0].is_truncated() && reply.is_truncated());
}

#[tokio::test]
async fn only_the_last_block_of_a_truncated_reply_can_be_a_truncated_call() {
    let call =
        |input: &Value| json!({ "type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": input });
    let (rome, nothing) = (json!({ "city": "Rome" }), json!({}));
    for (following, is_truncated) in [
        (None, true),
        (Some(json!({ "type": "text", "text": "" })), false),
        (Some(json!({ "type": "text", "text": "Half" })), false),
        (Some(json!({ "type": "thinking", "thinking": "Half", "signature": "" })), false),
        (Some(json!({ "type": "server_tool_use", "id": "s", "name": "web_search", "input": {} })), false),
    ] {
        let piece = delta(0, &json!({ "type": "input_json_delta", "partial_json": rome.to_string() }));
        for (input, start_input, pieces) in
            [(&rome, &nothing, vec![piece]), (&rome, &rome, vec![]), (&nothing, &nothing, vec![])]
        {
            let stop = |index: u64| json!({ "type": "content_block_stop", "index": index });
            let mut events = [vec![start(0, &call(start_input))], pieces, vec![stop(0)]].concat();
            events.extend(following.iter().flat_map(|block| [start(1, block), stop(1)]));
            events.push(json!({ "type": "message_delta", "delta": { "stop_reason": "max_tokens" } }));
            events.push(json!({ "type": "message_stop" }));
            let (blocks, arguments) =
                ([call(input)].into_iter().chain(following.clone()).collect::<Vec<_>>(), input.to_string());
            for reply in [assembled(&events), read(&json!(blocks), "max_tokens")] {
                let call = &reply.tool_calls[0];
                assert_eq!((call.is_truncated(), reply.is_truncated()), (is_truncated, true), "{blocks:?}");
                let results = registry().dispatch(&reply.tool_calls).await;
                let expected = if is_truncated { Some("truncated") } else { None };
                let kind = results[0].error_kind().filter(|_| is_truncated || *input == rome);
                assert_eq!(kind, expected, "{blocks:?}");
                assert!(is_truncated || call.arguments == arguments, "{call:?}");
            }
        }
    }
}

#[test]
fn a_call_without_arguments_is_not_complete_before_its_block_has_ended() {
    let call = |id: &str| json!({ "type": "tool_use", "id": id, "name": "delete", "input": {} });
    let stop = |index: u64| json!({ "type": "content_block_stop", "index": index });
    let truncated = json!({ "type": "message_delta", "delta": { "stop_reason": "max_tokens" } });
    for (ended, is_truncated) in [(vec![], true), (vec![stop(0)], false)] {
        let events =
            [vec![start(0, &call("a"))], ended, vec![start(1, &call("b")), stop(1), truncated.clone()]];
        let reply = assembled(&events.concat());
        let truncated: Vec<bool> = reply.tool_calls.iter().map(ToolCall::is_truncated).collect();
        assert_eq!(truncated, [is_truncated, true]);
    }
}

#[tokio::test]
async fn arguments_with_the_start_of_a_block_are_used_once_and_unless_pieces_follow() {
    let registry = registry();
    let block = json!({ "type": "tool_use", "id": "a", "name": "get_weather", "input": { "city": "Rome" } });
    let stop = |reason: &str| json!({ "type": "message_delta", "delta": { "stop_reason": reason } });
    let end = json!({ "type": "message_stop" });
    let pieces = [
        delta(0, &json!({ "type": "input_json_delta", "partial_json": "{\"city\"" })),
        delta(0, &json!({ "type": "input_json_delta", "partial_json": ":\"Oslo\"}" })),
    ];
    for (pieces, city) in [(&pieces[..], "Oslo"), (&[], "Rome")] {
        let events = [&[start(0, &block)], pieces, &[stop("tool_use"), end.clone()]].concat();
        let chunks = events.iter().map(|event| Anthropic::new().read_event(&event.to_string()));
        let (reply, results) =
            registry.dispatch_stream(futures_util::stream::iter(chunks)).await.expect("it is complete");
        assert_eq!((reply.tool_calls.len(), results[0].text()), (1, &*format!("{city}: sunny")));
    }
    for pieces in [&[][..], &[delta(0, &json!({ "type": "input_json_delta", "partial_json": "{}" }))]] {
        let events = [&[start(0, &block)], pieces, &[stop("max_tokens"), end.clone()]].concat();
        assert!(assembled(&events).tool_calls[0].is_truncated());
    }
}

#[test]
fn hostile_events_and_bodies_are_errors_and_never_panics() {
    for delta in [json!("x"), json!(1), json!([]), json!(true), json!({ "type": 1 }), Value::Null] {
        for kind in ["content_block_start", "content_block_delta", "message_delta", "message_start", "error"]
        {
            let event = json!({ "type": kind, "index": 0, "delta": delta, "content_block": delta, "message": delta,
                "error": delta, "usage": delta });
            let mut assembler = ReplyAssembler::new().wire(Anthropic::new());
            assembler.push(event);
            assembler.push(json!({ "type": "message_stop" }));
            let _ = assembler.into_reply();
        }
        let body = json!({ "type": "message", "content": [{ "type": "text", "text": delta, "id": delta },
            { "type": "tool_use", "id": delta, "name": delta, "input": delta }, { "type": delta }] });
        let reply = Anthropic::new().read_reply(&body.to_string()).expect("odd blocks are read");
        let _ = write(&Anthropic::new(), &[reply.into()]);
    }
}

#[test]
fn text_of_a_stream_that_its_items_do_not_contain_is_sent() {
    let text = |text: &str| start(0, &json!({ "type": "text", "text": text }));
    let end = json!({ "type": "message_stop" });
    for events in [
        vec![text("one"), text("two"), end.clone()],
        vec![text("one"), delta(7, &json!({ "type": "text_delta", "text": "two" })), end],
    ] {
        let reply = assembled(&events);
        assert_eq!(reply.text(), "onetwo");
        let written = json(&write(&Anthropic::new(), &[reply.into()]));
        let blocks = written["messages"][0]["content"].as_array().expect("blocks");
        let sent: String = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
        assert_eq!(sent, "onetwo");
    }
}

#[test]
fn a_declined_stream_has_its_reason_and_a_stream_without_end_is_unconfirmed() {
    let details = json!({ "type": "refusal", "explanation": "This is not allowed." });
    let declined =
        json!({ "type": "message_delta", "delta": { "stop_reason": "refusal", "stop_details": details } });
    let text = delta(0, &json!({ "type": "text_delta", "text": "Half" }));
    let reply = assembled(&[text.clone(), declined, json!({ "type": "message_stop" })]);
    assert_eq!(reply.refusal(), Some("This is not allowed."));
    assert_eq!(assembled(&[text]).completeness(), Completeness::Unconfirmed);
}

#[test]
fn an_error_in_a_stream_interrupts_the_reply() {
    let mut assembler = ReplyAssembler::new().wire(Anthropic::new());
    assembler.push(delta(0, &json!({ "type": "text_delta", "text": "Half" })));
    assembler
        .push(json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } }));
    let error = assembler.into_reply().expect_err("the server sent an error");
    assert!(matches!(&error.cause, StreamError::Server { message, .. } if message == "Overloaded"));
    assert_eq!(error.partial.text(), "Half");

    let mut assembler = ReplyAssembler::new().wire(Anthropic::new());
    assembler.push("event: ping");
    let error = assembler.into_reply().expect_err("it is no event");
    assert!(error.to_string().contains("not in the format of Anthropic's Messages API"), "{error}");
}

#[test]
fn a_block_keeps_its_call_after_a_call_with_two_objects() {
    let mut events = streamed();
    // The events 15 and 16 have the input of the first call, and 18 starts the second one.
    events[15] = delta(
        3,
        &json!({ "type": "input_json_delta", "partial_json": "{\"city\":\"Rome\"}{\"city\":\"Bern\"}" }),
    );
    events.drain(16..17);
    events[17] = start(
        4,
        &json!({ "type": "tool_use", "id": "toolu_2", "name": "get_weather", "input": {},
        "caller": { "type": "direct" } }),
    );
    let reply = assembled(&events);
    let cities: Vec<&str> = reply.tool_calls.iter().map(|call| &*call.arguments).collect();
    assert_eq!(cities, [r#"{"city":"Rome"}"#, r#"{"city":"Bern"}"#, r#"{"city":"Atlantis"}"#]);
    let written = json(&write(&Anthropic::new(), &[reply.into()]));
    let blocks = written["messages"][0]["content"].as_array().expect("blocks");
    let block = blocks.iter().find(|block| block["id"] == "toolu_2").expect("the block of the last call");
    assert_eq!(block["caller"], json!({ "type": "direct" }), "it goes back unchanged");
}
