//! The wire of the Responses API: streams of servers that leave out events or fields.

use crate::responses::{call, parallel_calls, read, reasoning, text};
use crate::responses_streams::{added, arguments, assembled, done, ended, piece};
use crate::{json, write};
use serde_json::{Value, json};
use tool_runtime::wire::Responses;

#[test]
fn arguments_that_only_the_end_of_the_response_contains_are_used() {
    let items = json!([text(1, "Hm."), call(1, "delete", r#"{"matching":"a"}"#), call(2, "delete", "{}")]);
    let reply =
        assembled(&[piece("output_text", 0, "Hm."), added(1, &items[1]), added(2, &items[2]), ended(&items)]);
    let arguments: Vec<&str> = reply.tool_calls.iter().map(|call| &*call.arguments).collect();
    assert_eq!(arguments, [r#"{"matching":"a"}"#, "{}"]);
}

#[test]
fn a_server_may_send_only_the_end_of_the_response() {
    let items = parallel_calls();
    assert_eq!(assembled(&[ended(&items)]), read(&items, "completed"));
    let declined = json!([{ "type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
        "content": [{ "type": "refusal", "refusal": "No." }] }]);
    assert_eq!(assembled(&[ended(&declined)]), read(&declined, "completed"));
}

#[test]
fn items_without_text_and_calls_are_read_once() {
    // The server omits `output_index`.
    let items = json!([reasoning(1), { "type": "web_search_call", "id": "ws_1", "status": "completed" }]);
    let mut events = vec![done(0, &items[0]), done(1, &items[1]), ended(&items)];
    for event in &mut events {
        event.as_object_mut().expect("an event").remove("output_index");
    }
    let reply = assembled(&events);
    assert_eq!(json(&write(&Responses::new(), &[reply.into()]))["input"], items);
}

#[test]
fn arguments_without_pieces_are_used() {
    let items = json!([call(1, "delete", r#"{"matching":"a"}"#), call(2, "delete", r#"{"matching":"b"}"#)]);
    let whole = |index: u64, item: &Value| json!({ "type": "response.function_call_arguments.done", "output_index": index, "arguments": item["arguments"] });
    let end = ended(&json!([]));
    let in_done =
        [added(0, &items[0]), done(0, &items[0]), added(1, &items[1]), done(1, &items[1]), end.clone()];
    let alone =
        [added(0, &items[0]), added(1, &items[1]), whole(0, &items[0]), whole(1, &items[1]), end.clone()];
    let without_start = [done(0, &items[0]), done(1, &items[1]), end];
    for events in [&in_done[..], &alone, &without_start] {
        assert_eq!(assembled(events).tool_calls, read(&items, "completed").tool_calls);
    }
}

#[test]
fn text_without_pieces_is_used() {
    let items = json!([text(1, "One. "), text(2, "Two. "), call(1, "delete", "{}"), text(3, "Three.")]);
    let reply = assembled(&[
        done(0, &items[0]),
        added(1, &items[1]),
        piece("output_text", 1, "Two. "),
        done(1, &items[1]),
        done(2, &items[2]),
        done(3, &items[3]),
        done(3, &items[3]),
        ended(&items),
    ]);
    assert_eq!(reply.text(), "One. Two. Three.");
    assert_eq!(json(&write(&Responses::new(), &[reply.into()]))["input"], items);
}

#[test]
fn a_server_may_omit_the_indices_of_items() {
    let items = json!([text(1, "Hm."), call(1, "delete", r#"{"matching":"a"}"#), call(2, "delete", "{}")]);
    // The complete items follow all pieces, as llama.cpp sends them.
    let mut events = vec![
        piece("output_text", 0, "Hm."),
        added(1, &items[1]),
        arguments(1, r#"{"matching""#),
        arguments(1, r#":"a"}"#),
        added(2, &items[2]),
        arguments(2, "{}"),
        done(0, &items[0]),
        done(1, &items[1]),
        done(2, &items[2]),
        ended(&items),
    ];
    for event in &mut events {
        event.as_object_mut().expect("an event").remove("output_index");
    }
    let reply = assembled(&events);
    assert_eq!(reply, assembled(&[ended(&items)]));
    assert_eq!(json(&write(&Responses::new(), &[reply.into()]))["input"], items);
}

#[test]
fn a_stream_with_one_index_for_all_items_loses_nothing() {
    let items = json!([
        text(1, "Hm."),
        call(1, "delete", "{}"),
        call(2, "delete", "{}"),
        call(3, "list", r#"{"a":1}"#),
    ]);
    let calls = items.as_array().expect("items")[1..].iter().flat_map(|item| {
        [added(0, item), arguments(0, item["arguments"].as_str().expect("text")), done(0, item)]
    });
    let mut events = vec![piece("output_text", 0, "Hm."), done(0, &items[0])];
    events.extend(calls);
    events.push(ended(&items));
    let reply = assembled(&events);
    assert_eq!(reply.tool_calls, read(&items, "completed").tool_calls);
    let written = json(&write(&Responses::new(), &[reply.into()]))["input"].clone();
    assert_eq!(written.as_array().map(Vec::len), Some(4), "{written}");
}

/// The response at the end may have other ids (<https://github.com/vllm-project/vllm/pull/47916>), and keys in another order.
#[test]
fn a_call_whose_arguments_have_another_order_at_the_end_runs_once() {
    let item = call(1, "move", r#"{"from":"a","to":"b"}"#);
    let mut again = call(2, "move", r#"{"to":"b","from":"a"}"#);
    again["id"] = json!("fc_other");
    let text = text(1, "Hm.");
    let reply = assembled(&[
        added(0, &item),
        arguments(0, r#"{"from":"a","to":"b"}"#),
        done(0, &item),
        ended(&json!([text, again])),
    ]);
    let calls: Vec<&str> = reply.tool_calls.iter().map(|call| &*call.arguments).collect();
    assert_eq!(calls, [r#"{"from":"a","to":"b"}"#]);
}
