//! The wire of the Responses API: streams, made from the provider's documentation.

use crate::responses::{call, custom_call, parallel_calls, read, read_on, registry, text};
use crate::{json, write};
use serde_json::{Value, json};
use tool_runtime::conversation::Received;
use tool_runtime::message::Completeness;
use tool_runtime::stream::{ReplyAssembler, ReplyEvent, StreamError};
use tool_runtime::wire::{Responses, Wire};
use tool_runtime::{AssistantMessage, Conversation, ToolCall};

pub(crate) fn assembled(events: &[Value]) -> AssistantMessage {
    assembled_on(&Responses::new(), events)
}

fn assembled_on(wire: &Responses, events: &[Value]) -> AssistantMessage {
    let mut assembler = ReplyAssembler::new().wire(wire.clone());
    for event in events {
        assembler.push(event.clone());
    }
    assembler.into_reply().expect("it is complete")
}

fn created() -> Value {
    json!({ "type": "response.created", "response": { "id": "resp_1", "model": "gpt", "status": "in_progress", "output": [] } })
}

/// The start of an item, without its content.
pub(crate) fn added(index: u64, item: &Value) -> Value {
    let mut item = item.clone();
    item["status"] = json!("in_progress");
    for (field, empty) in [("arguments", json!("")), ("input", json!("")), ("content", json!([]))] {
        if item.get(field).is_some() {
            item[field] = empty;
        }
    }
    json!({ "type": "response.output_item.added", "output_index": index, "item": item })
}

pub(crate) fn done(index: u64, item: &Value) -> Value {
    json!({ "type": "response.output_item.done", "output_index": index, "item": item })
}

pub(crate) fn piece(kind: &str, index: u64, delta: &str) -> Value {
    json!({ "type": format!("response.{kind}.delta"), "output_index": index, "item_id": "item", "delta": delta })
}

pub(crate) fn arguments(index: u64, delta: &str) -> Value {
    piece("function_call_arguments", index, delta)
}

pub(crate) fn ended(output: &Value) -> Value {
    json!({ "type": "response.completed", "response": { "id": "resp_1", "model": "gpt", "status": "completed",
        "output": output, "usage": { "input_tokens": 100, "input_tokens_details": { "cached_tokens": 90 },
        "output_tokens": 20 } } })
}

fn incomplete(output: &Value) -> Value {
    json!({ "type": "response.incomplete", "response": { "status": "incomplete", "output": output,
        "incomplete_details": { "reason": "max_output_tokens" } } })
}

fn streamed() -> Vec<Value> {
    let items = parallel_calls();
    vec![
        created(),
        json!({ "type": "response.in_progress", "response": { "id": "resp_1" } }),
        added(0, &items[0]),
        json!({ "type": "response.reasoning_summary_part.added", "output_index": 0, "summary_index": 0 }),
        piece("reasoning_summary_text", 0, "Two "),
        piece("reasoning_summary_text", 0, "cities."),
        done(0, &items[0]),
        added(1, &items[1]),
        piece("output_text", 1, "I look "),
        piece("output_text", 1, "it up."),
        json!({ "type": "response.output_text.done", "output_index": 1, "text": "I look it up." }),
        done(1, &items[1]),
        added(2, &items[2]),
        arguments(2, r#"{"city""#),
        arguments(2, r#":"Rome"}"#),
        json!({ "type": "response.function_call_arguments.done", "output_index": 2, "arguments": r#"{"city":"Rome"}"# }),
        done(2, &items[2]),
        added(3, &items[3]),
        arguments(3, r#"{"city":"Atlantis"}"#),
        done(3, &items[3]),
        ended(&items),
    ]
}

#[test]
fn a_streamed_reply_equals_the_same_reply_that_is_not_streamed() {
    let items = parallel_calls();
    let whole = read(&items, "completed");
    assert_eq!(assembled(&streamed()), whole);
    assert_eq!(json(&write(&Responses::new(), &[whole.into()]))["input"], items);
}

#[test]
fn a_stream_reports_text_reasoning_and_calls_as_they_come() {
    let mut assembler = ReplyAssembler::new().wire(Responses::new());
    let (mut text, mut reasoning, mut calls) = (String::new(), String::new(), Vec::new());
    for (at, event) in streamed().into_iter().enumerate() {
        for event in assembler.push(event) {
            match event {
                ReplyEvent::Text(piece) => text.push_str(piece),
                ReplyEvent::Reasoning(piece) => reasoning.push_str(piece),
                ReplyEvent::CallComplete { index, call, .. } => calls.push((at, index, call.name.clone())),
                _ => {}
            }
        }
    }
    assert_eq!((&*text, &*reasoning), ("I look it up.", "Two cities."));
    // Each call is complete with its item, before the end of the reply.
    assert_eq!(calls, [(16, 0, "get_weather".to_owned()), (19, 1, "get_weather".to_owned())]);
}

#[tokio::test]
async fn read_only_tools_start_while_the_reply_is_streamed() {
    let registry = registry();
    let chunks = streamed().into_iter().map(|event| Responses::new().read_event(&event.to_string()));
    let (reply, results) =
        registry.dispatch_stream(futures_util::stream::iter(chunks)).await.expect("it is complete");
    assert_eq!(results[0].text(), "Rome: sunny");
    let Received::ToolCalls(mut pending) = Conversation::new().user("?").receive(reply) else {
        panic!("it calls")
    };
    pending.add_results(results).expect("the ids are equal");
    let chat = pending.into_conversation().expect("each call has its result");
    let written = json(&write(&Responses::new(), chat.messages()));
    assert_eq!(
        written["input"].as_array().expect("items")[1..5],
        *parallel_calls().as_array().expect("items")
    );
}

#[test]
fn items_that_are_done_in_another_order_keep_their_calls() {
    // Both calls have the same arguments.
    let items = json!([call(1, "delete", "{}"), call(2, "list", "{}")]);
    let reply = assembled(&[
        added(1, &items[1]),
        added(0, &items[0]),
        done(1, &items[1]),
        done(0, &items[0]),
        ended(&items),
    ]);
    let names = |reply: &AssistantMessage| {
        let calls = reply.tool_calls.iter().map(|call| (call.id.clone(), call.name.clone()));
        calls.collect::<Vec<_>>()
    };
    assert_eq!(
        names(&reply),
        [("call_2", "list"), ("call_1", "delete")].map(|(id, name)| (id.into(), name.into()))
    );
    assert_eq!(json(&write(&Responses::new(), &[reply.into()]))["input"], items);
}

#[test]
fn a_declined_request_is_read_once() {
    let item = json!({ "type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
        "content": [{ "type": "refusal", "refusal": "This is not allowed." }] });
    let reply = assembled(&[
        added(0, &item),
        piece("refusal", 0, "This is "),
        piece("refusal", 0, "not allowed."),
        done(0, &item),
        ended(&json!([item])),
    ]);
    assert_eq!(reply.refusal(), Some("This is not allowed."));
    assert_eq!(json(&write(&Responses::new(), &[reply.into()]))["input"], json!([item]));
}

#[tokio::test]
async fn the_last_call_of_a_truncated_stream_never_runs() {
    let mut last = call(2, "delete", r#"{"matc"#);
    last["status"] = json!("incomplete");
    let first = call(1, "get_weather", r#"{"city":"Rome"}"#);
    let items = json!([first, last]);
    let pieces = [added(1, &last), arguments(1, r#"{"matc"#)];
    for events in [
        [&[done(0, &first)], &pieces[..], &[done(1, &last), incomplete(&items)]].concat(),
        [&[done(0, &first)], &pieces[..], &[incomplete(&json!([]))]].concat(),
        vec![done(0, &first), done(1, &last), incomplete(&items)],
        vec![incomplete(&items)],
    ] {
        let reply = assembled(&events);
        assert_eq!(reply.tool_calls.iter().map(ToolCall::is_truncated).collect::<Vec<_>>(), [false, true]);
        assert_eq!(reply.finish_reason(), Some("max_output_tokens"));
        let results = registry().dispatch(&reply.tool_calls).await;
        assert_eq!((results[0].text(), results[1].error_kind()), ("Rome: sunny", Some("truncated")));
    }
}

#[test]
fn a_truncated_call_of_a_custom_tool_never_runs() {
    let wire = Responses::new().custom_tool("run_sql", "query");
    // Its half of a query is a query.
    let status = |status: Value| {
        let mut item = custom_call(1, "run_sql", "DELETE FROM a");
        item["status"] = status;
        item
    };
    for (item, is_truncated) in [
        (status(json!("incomplete")), true),
        (status(Value::Null), true),
        (status(json!("completed")), false),
    ] {
        for reply in [
            read_on(&wire, &json!([item]), "incomplete"),
            assembled_on(&wire, &[added(0, &item), done(0, &item), incomplete(&json!([item]))]),
            assembled_on(&wire, &[incomplete(&json!([item]))]),
        ] {
            assert_eq!(reply.tool_calls.len(), 1);
            assert_eq!(reply.tool_calls[0].is_truncated(), is_truncated, "{item}");
        }
    }
}

#[test]
fn a_call_that_its_item_marks_as_truncated_never_runs() {
    for arguments in [r#"{"n":1}"#, "{}"] {
        let mut item = json!({ "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "f",
            "arguments": "" });
        let start = added(0, &item);
        item["arguments"] = arguments.into();
        item["status"] = "incomplete".into();
        let delta = json!({ "type": "response.function_call_arguments.delta", "output_index": 0, "item_id": "fc_1",
            "delta": arguments });
        let arguments_done = json!({ "type": "response.function_call_arguments.done", "output_index": 0,
            "item_id": "fc_1", "arguments": arguments });
        for end in [done(0, &item), arguments_done] {
            let events = [start.clone(), delta.clone(), end, incomplete(&json!([item]))];
            let mut assembler = ReplyAssembler::new().wire(Responses::new());
            for event in &events {
                let is_complete = |event: ReplyEvent<'_>| matches!(event, ReplyEvent::CallComplete { .. });
                assert!(!assembler.push(event.to_string()).any(is_complete), "{event}");
            }
            let reply = assembler.into_reply().expect("a reply");
            assert!(reply.tool_calls.len() == 1 && reply.tool_calls[0].is_truncated(), "{reply:?}");
        }
    }
}

#[test]
fn an_error_in_a_stream_interrupts_the_reply() {
    let error = json!({ "code": "server_error", "message": "Overloaded" });
    for event in [
        json!({ "type": "error", "code": "server_error", "message": "Overloaded", "param": null }),
        json!({ "type": "error", "error": error }),
        json!({ "type": "error", "error": "Overloaded" }),
        json!({ "type": "response.failed", "response": { "status": "failed", "error": error, "output": [] } }),
        json!({ "type": "response.failed", "response": { "error": "Overloaded" } }),
        json!({ "error": { "message": "Overloaded" } }),
    ] {
        let mut assembler = ReplyAssembler::new().wire(Responses::new());
        assembler.push(piece("output_text", 0, "Half"));
        assembler.push(added(1, &call(1, "delete", "{}")));
        assembler.push(event.clone());
        let interrupted = assembler.into_reply().expect_err("the server sent an error");
        let StreamError::Server { message, error, .. } = &interrupted.cause else { panic!("{interrupted}") };
        assert_eq!(message, "Overloaded", "{event}");
        assert!(error.to_string().contains("server_error") == event.to_string().contains("server_error"));
        assert_eq!(interrupted.partial.text(), "Half");
        assert!(interrupted.partial.tool_calls[0].is_truncated());
    }
    let mut assembler = ReplyAssembler::new().wire(Responses::new());
    assembler.push("event: ping");
    let error = assembler.into_reply().expect_err("it is no event");
    assert!(error.to_string().contains("not in the format of the Responses API"), "{error}");
}

#[test]
fn calls_that_are_interleaved_get_their_own_pieces() {
    let items = json!([call(1, "delete", r#"{"matching":"a"}"#), call(2, "delete", r#"{"matching":"b"}"#)]);
    let reply = assembled(&[
        added(0, &items[0]),
        added(1, &items[1]),
        arguments(1, r#"{"matching""#),
        arguments(0, r#"{"match"#),
        arguments(1, r#":"b"}"#),
        arguments(0, r#"ing":"a"}"#),
        done(1, &items[1]),
        done(0, &items[0]),
        ended(&items),
    ]);
    assert_eq!(reply.tool_calls, read(&items, "completed").tool_calls);
    assert_eq!(json(&write(&Responses::new(), &[reply.into()]))["input"], items);
}

#[test]
fn the_text_of_a_custom_tool_is_read_with_and_without_its_parameter() {
    let items = json!([custom_call(1, "run_sql", "SELECT 1"), custom_call(2, "run_sql", "SELECT 2")]);
    let mut events = Vec::new();
    for (index, item) in (0..).zip(items.as_array().expect("items")) {
        events.push(added(index, item));
        events.extend(["SELECT", " ", "1"].map(|text| piece("custom_tool_call_input", index, text)));
        events.push(json!({ "type": "response.custom_tool_call_input.done", "output_index": index, "input": item["input"] }));
        events.push(done(index, item));
    }
    events.push(ended(&items));
    for wire in [Responses::new(), Responses::new().custom_tool("run_sql", "query")] {
        let reply = assembled_on(&wire, &events);
        assert_eq!(reply, read_on(&wire, &items, "completed"));
        assert_eq!(json(&write(&wire, &[reply.into()]))["input"], items);
    }
}

#[test]
fn a_stream_without_its_end_is_unconfirmed_and_its_last_call_never_runs() {
    let items = parallel_calls();
    let mut events = streamed();
    events.truncate(13);
    events.push(arguments(2, r#"{"city""#));
    let reply = assembled(&events);
    assert_eq!((reply.completeness(), reply.text()), (Completeness::Unconfirmed, "I look it up."));
    assert!(reply.tool_calls[0].is_truncated());
    let written = json(&write(&Responses::new(), &[reply.into()]))["input"].clone();
    // The server may not have stored the items.
    let mut expected = [items[0].clone(), items[1].clone()];
    for item in &mut expected {
        item.as_object_mut().expect("an item").remove("id");
    }
    assert_eq!([&written[0], &written[1]], [&expected[0], &expected[1]]);
}

#[test]
fn events_that_are_not_known_and_what_follows_the_end_are_ignored() {
    let item = text(1, "Hi!");
    let mut events = vec![json!({ "type": "ping" }), json!({ "type": "response.new.delta", "delta": "x" })];
    events.extend([piece("output_text", 0, "Hi!"), done(0, &item), ended(&json!([item])), json!("[DONE]")]);
    events.push(piece("output_text", 0, "Again"));
    let reply = assembled(&events);
    assert_eq!((reply.text(), reply.completeness()), ("Hi!", Completeness::Complete));

    // A gateway may send only this end.
    let reply =
        assembled(&[piece("output_text", 0, "Hi!"), done(1, &call(1, "delete", "{}")), json!("[DONE]")]);
    assert_eq!((reply.text(), reply.completeness()), ("Hi!", Completeness::Unknown));
    assert!(!reply.tool_calls[0].is_truncated());
    let mut assembler = ReplyAssembler::new().wire(Responses::new());
    assembler.push(json!({ "choices": [{ "delta": { "content": "Hi!" } }] }));
    assembler.push("[DONE]");
    let error = assembler.into_reply().expect_err("it is another format").to_string();
    assert!(error.contains("choices"), "{error}");
}

#[test]
fn hostile_events_and_bodies_are_errors_and_never_panics() {
    for odd in
        [json!("x"), json!(1), json!([]), json!(true), json!({ "type": 1 }), json!([null]), Value::Null]
    {
        for kind in [
            "output_item.added",
            "output_item.done",
            "output_text.delta",
            "function_call_arguments.delta",
            "function_call_arguments.done",
            "completed",
            "failed",
        ] {
            for field in ["item", "delta", "arguments", "response", "output_index", "error"] {
                let mut event = json!({ "type": format!("response.{kind}"), "output_index": 0 });
                event[field] = odd.clone();
                let mut assembler = ReplyAssembler::new().wire(Responses::new());
                assembler.push(event);
                assembler.push(ended(&json!([odd])));
                let _ = assembler.into_reply();
            }
        }
        for kind in ["message", "function_call", "custom_tool_call", "reasoning", "other"] {
            let item = json!({ "type": kind, "id": odd, "role": odd, "status": odd, "content": odd, "call_id": odd,
                "name": odd, "arguments": odd, "input": odd, "summary": odd, "encrypted_content": odd });
            let reply = read(&json!([item]), "completed");
            let _ = (reply.reasoning(), write(&Responses::new(), &[reply.clone().into()]));
            let _ = write(&Responses::new().store(false), &[reply.into()]);
        }
    }
}
