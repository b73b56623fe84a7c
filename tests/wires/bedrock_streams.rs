//! Streams of Bedrock's Converse API.

use crate::bedrock::response;
use crate::{json, write};
use serde_json::{Value, json};
use tool_runtime::message::Message;
use tool_runtime::stream::{InterruptedError, ReplyAssembler, ReplyEvent};
use tool_runtime::wire::{Bedrock, Wire};
use tool_runtime::{AssistantMessage, ToolMessage};

fn delta(index: u64, delta: &Value) -> Value {
    json!({ "contentBlockDelta": { "contentBlockIndex": index, "delta": delta } })
}

fn stop(index: u64) -> Value {
    json!({ "contentBlockStop": { "contentBlockIndex": index } })
}

/// A signed thought, a text, two calls, and a call of the provider's own with its result.
fn events() -> Vec<Value> {
    let call = |index: u64, start: &Value| json!({ "contentBlockStart": { "contentBlockIndex": index, "start": { "toolUse": start } } });
    vec![
        json!({ "messageStart": { "role": "assistant" } }),
        delta(0, &json!({ "reasoningContent": { "text": "Two " } })),
        delta(0, &json!({ "reasoningContent": { "text": "cities." } })),
        delta(0, &json!({ "reasoningContent": { "signature": "c2ln" } })),
        stop(0),
        delta(1, &json!({ "reasoningContent": { "redactedContent": "cmVk" } })),
        stop(1),
        delta(2, &json!({ "text": "I look " })),
        delta(2, &json!({ "text": "it up." })),
        stop(2),
        call(3, &json!({ "toolUseId": "s1", "name": "search", "type": "server_tool_use" })),
        delta(3, &json!({ "toolUse": { "input": "{\"q\":" } })),
        delta(3, &json!({ "toolUse": { "input": "1}" } })),
        stop(3),
        json!({ "contentBlockStart": { "contentBlockIndex": 4,
            "start": { "toolResult": { "toolUseId": "s1", "status": "success" } } } }),
        delta(4, &json!({ "toolResult": [{ "text": "found" }] })),
        stop(4),
        call(5, &json!({ "toolUseId": "t1", "name": "get_weather" })),
        delta(5, &json!({ "toolUse": { "input": "{\"city\"" } })),
        delta(5, &json!({ "toolUse": { "input": ":\"Rome\"}" } })),
        stop(5),
        call(6, &json!({ "toolUseId": "t2", "name": "now" })),
        delta(6, &json!({ "toolUse": { "input": "" } })),
        stop(6),
        json!({ "messageStop": { "stopReason": "tool_use" } }),
        json!({ "metadata": { "usage": { "inputTokens": 10, "outputTokens": 5, "totalTokens": 15 }, "metrics": { "latencyMs": 1 } } }),
    ]
}

/// The blocks of the same reply.
fn blocks() -> Value {
    json!([
        { "reasoningContent": { "reasoningText": { "text": "Two cities.", "signature": "c2ln" } } },
        { "reasoningContent": { "redactedContent": "cmVk" } },
        { "text": "I look it up." },
        { "toolUse": { "toolUseId": "s1", "name": "search", "type": "server_tool_use", "input": { "q": 1 } } },
        { "toolResult": { "toolUseId": "s1", "status": "success", "content": [{ "text": "found" }] } },
        { "toolUse": { "toolUseId": "t1", "name": "get_weather", "input": { "city": "Rome" } } },
        { "toolUse": { "toolUseId": "t2", "name": "now", "input": {} } },
    ])
}

fn assemble(events: &[Value]) -> Result<AssistantMessage, InterruptedError<AssistantMessage>> {
    let mut assembler = ReplyAssembler::new().wire(Bedrock::new());
    for event in events {
        assembler.push(event.to_string());
    }
    assembler.into_reply()
}

/// The events with the field that hides the length of the text.
fn padded(mut events: Vec<Value>) -> Vec<Value> {
    for payload in events.iter_mut().filter_map(Value::as_object_mut).flat_map(|event| event.values_mut()) {
        payload["p"] = json!("abcdef");
    }
    events
}

#[test]
fn a_stream_gives_the_reply_of_the_whole_response() {
    let whole = Bedrock::new().read_reply(&response(&blocks(), "tool_use").to_string()).expect("it is read");
    for events in [events(), padded(events())] {
        let reply = assemble(&events).expect("it is complete");
        assert_eq!((reply.text(), &*reply.reasoning()), ("I look it up.", "Two cities."));
        assert_eq!(reply.tool_calls, whole.tool_calls);
        assert_eq!(reply.finish_reason(), Some("tool_use"));
        assert_eq!(reply.usage().map(|usage| usage.total_tokens()), Some(15));
        let results = ["t1", "t2"].map(|id| ToolMessage::new(id, "1").into());
        let messages = [&[Message::user("?"), reply.into()], &results[..]].concat();
        assert_eq!(json(&write(&Bedrock::new(), &messages))["messages"][1]["content"], blocks());
    }
}

#[test]
fn the_pieces_arrive_as_they_are_sent() {
    let mut assembler = ReplyAssembler::new().wire(Bedrock::new());
    let (mut texts, mut reasoning, mut complete) = (Vec::new(), Vec::new(), 0);
    for event in events() {
        for event in assembler.push(event.to_string()) {
            match event {
                ReplyEvent::Text(text) => texts.push(text.to_owned()),
                ReplyEvent::Reasoning(text) => reasoning.push(text.to_owned()),
                ReplyEvent::CallComplete { .. } => complete += 1,
                _ => {}
            }
        }
    }
    assert_eq!(
        (texts.join("|"), reasoning.join("|"), complete),
        ("I look |it up.".into(), "Two |cities.".into(), 2)
    );
}

#[test]
fn the_last_call_of_a_truncated_stream_does_not_run() {
    for reason in ["max_tokens", "model_context_window_exceeded"] {
        let mut events = events();
        events[24] = json!({ "messageStop": { "stopReason": reason } });
        let reply = assemble(&events).expect("it has an end");
        let truncated: Vec<bool> =
            reply.tool_calls.iter().map(tool_runtime::ToolCall::is_truncated).collect();
        assert_eq!(truncated, [false, true], "{reason}");
    }
}

#[test]
fn exceptions_interrupt_the_stream() {
    let mut events = events()[..9].to_vec();
    events.push(json!({ "throttlingException": { "message": "Too many requests" } }));
    let error = assemble(&events).expect_err("it is interrupted");
    assert!(error.to_string().contains("Too many requests"), "{error}");
    assert_eq!(error.partial.text(), "I look it up.");
}

#[test]
fn a_call_with_a_type_goes_back_without_it() {
    let mut events = events();
    events[17]["contentBlockStart"]["start"]["toolUse"]["type"] = json!("tool_use");
    let reply = assemble(&events).expect("it is complete");
    let results = ["t1", "t2"].map(|id| ToolMessage::new(id, "1").into());
    let messages = [&[Message::user("?"), reply.into()], &results[..]].concat();
    assert_eq!(json(&write(&Bedrock::new(), &messages))["messages"][1]["content"], blocks());
}

#[test]
fn a_block_after_the_end_of_another_with_its_index_is_another_block() {
    let events = [
        json!({ "messageStart": { "role": "assistant" } }),
        delta(0, &json!({ "reasoningContent": { "text": "Hm." } })),
        delta(0, &json!({ "reasoningContent": { "signature": "c2ln" } })),
        stop(0),
        delta(0, &json!({ "text": "Hi" })),
        stop(0),
        json!({ "messageStop": { "stopReason": "end_turn" } }),
        json!({ "metadata": { "usage": {} } }),
    ];
    let reply = assemble(&events).expect("it is complete");
    assert_eq!((reply.text(), &*reply.reasoning()), ("Hi", "Hm."));
    let messages = [Message::user("?"), reply.into(), Message::user("!")];
    let thought = json!({ "reasoningContent": { "reasoningText": { "text": "Hm.", "signature": "c2ln" } } });
    assert_eq!(
        json(&write(&Bedrock::new(), &messages))["messages"][1]["content"],
        json!([thought, { "text": "Hi" }])
    );
}

#[test]
fn arguments_are_taken_from_the_start_of_a_call_and_from_values_and_an_empty_input_is_written() {
    for (input, pieces, expected) in [
        (json!({ "a": 1 }), vec![], json!({ "a": 1 })),
        (Value::Null, vec![json!({ "a": 1 })], json!({ "a": 1 })),
        (Value::Null, vec![json!("")], json!({})),
        (Value::Null, vec![], json!({})),
    ] {
        let mut start = json!({ "toolUse": { "toolUseId": "t1", "name": "now", "input": input } });
        if input.is_null() {
            start["toolUse"].as_object_mut().expect("an object").remove("input");
        }
        let mut events = vec![
            json!({ "messageStart": { "role": "assistant" } }),
            json!({ "contentBlockStart": { "contentBlockIndex": 0, "start": start } }),
        ];
        events.extend(pieces.iter().map(|piece| delta(0, &json!({ "toolUse": { "input": piece } }))));
        events.extend([stop(0), json!({ "p": "a", "messageStop": { "stopReason": "tool_use" } })]);
        let reply = assemble(&events).expect("it is complete");
        let arguments: Value = serde_json::from_str(&reply.tool_calls[0].arguments).expect("JSON");
        assert_eq!(arguments, expected);
        let messages = [Message::user("?"), reply.into(), ToolMessage::new("t1", "1").into()];
        let call = json!({ "toolUse": { "toolUseId": "t1", "name": "now", "input": expected } });
        assert_eq!(json(&write(&Bedrock::new(), &messages))["messages"][1]["content"], json!([call]));
    }
}

#[test]
fn a_stream_of_payloads_without_their_types_is_an_error_that_shows_one() {
    let mut assembler = ReplyAssembler::new().wire(Bedrock::new());
    assembler.push(r#"{"contentBlockIndex":0,"delta":{"text":"Hi"}}"#);
    let error = assembler.into_reply().expect_err("it has no events").to_string();
    assert!(error.contains("contentBlockIndex"), "{error}");
}
