//! Recorded exchanges with the Responses API, from the folder that the variable `TOOL_CORPORA` names.

use crate::{json, list, rows, write};
use serde_json::{Value, json};
use tool_runtime::AssistantMessage;
use tool_runtime::history;
use tool_runtime::stream::ReplyAssembler;
use tool_runtime::wire::{Responses, Wire};
use tool_runtime_testing::check_request;

/// The rows of this wire; none if the variable is not set.
fn rows() -> Vec<Value> {
    let rows = rows::rows("other_wire.jsonl").unwrap_or_default();
    rows.into_iter().filter(|row| row["wire"] == "openai-responses").collect()
}

/// The items of an input in one form where the API gives several the same meaning: a text as a message of the user, and
/// messages without their `type`.
fn normalized(input: &Value) -> Value {
    if input.is_string() {
        return json!([{ "role": "user", "content": input }]);
    }
    let mut items = list(input).to_vec();
    for item in &mut items {
        if item["type"] == "message" {
            item.as_object_mut().expect("an item is an object").remove("type");
        }
    }
    json!(items)
}

/// The items without the ids of calls, which go back only after their reasoning.
fn without_ids_of_calls(mut items: Value) -> Value {
    for item in items.as_array_mut().into_iter().flatten().filter(|item| item["type"] == "function_call") {
        item.as_object_mut().expect("an object").remove("id");
    }
    items
}

fn of_type<'a>(items: &'a Value, kind: &'a str) -> impl Iterator<Item = &'a Value> {
    list(items).iter().filter(move |item| item["type"] == kind)
}

#[test]
fn every_history_is_valid_and_written_back_with_the_same_meaning() {
    let rows = rows();
    let (mut histories, mut calls, mut results) = (0, 0, 0);
    for row in rows.iter().filter(|row| !row["request"]["input"].is_null()) {
        let (source, request) = (&row["source"], &row["request"]);
        let messages = Responses::new()
            .read_messages(&request.to_string())
            .unwrap_or_else(|error| panic!("{source}: {error}"));
        history::validate(&messages).unwrap_or_else(|error| panic!("{source}: {error}"));
        let body = write(&Responses::new(), &messages);
        assert!(body.report().is_empty(), "{source}: {:?}", body.report());
        let written = json(&body);
        assert_eq!(check_request(&Responses::new(), request), Ok(()), "{source}");
        assert_eq!(check_request(&Responses::new(), &written), Ok(()), "{source}");
        let expected = without_ids_of_calls(normalized(&request["input"]));
        assert_eq!(without_ids_of_calls(normalized(&written["input"])), expected, "{source}");
        assert_eq!(written["instructions"], request["instructions"], "{source}");
        calls += of_type(&request["input"], "function_call").count();
        results += of_type(&request["input"], "function_call_output").count();
        histories += 1;
    }
    println!("{histories} histories with {calls} calls and {results} results");
    assert_eq!(histories == 0, rows.is_empty(), "the file has such rows");
}

#[test]
fn no_item_has_an_id_if_nothing_is_stored() {
    let wire = Responses::new().store(false);
    for row in rows().iter().filter(|row| !row["request"]["input"].is_null()) {
        let (source, request) = (&row["source"], &row["request"]);
        let messages = wire.read_messages(&request.to_string()).expect("it was read before");
        let body = write(&wire, &messages);
        let written = json(&body);
        assert_eq!(check_request(&wire, &written), Ok(()), "{source}");
        let mut expected = normalized(&request["input"]);
        let items = expected.as_array_mut().expect("items");
        let unreadable = |item: &Value| item["type"] == "reasoning" && item["encrypted_content"].is_null();
        let dropped = items.iter().filter(|item| unreadable(item)).count();
        items.retain(|item| !unreadable(item));
        for item in items {
            // The ids of results are those of the program.
            if item["type"] != "function_call_output" {
                item.as_object_mut().expect("an object").remove("id");
            }
        }
        assert_eq!(normalized(&written["input"]), expected, "{source}");
        assert_eq!(body.report().dropped.len(), dropped, "{source}");
    }
}

/// The text of the messages among the items.
fn text_of(items: &Value) -> String {
    let parts = of_type(items, "message").flat_map(|message| list(&message["content"]));
    parts.filter_map(|part| part["text"].as_str()).collect()
}

/// Compares a reply with the recorded response.
fn assert_equal(source: &Value, reply: &AssistantMessage, response: &Value) {
    let output = &response["output"];
    let calls: Vec<_> = reply
        .tool_calls
        .iter()
        .map(|call| (json!(call.id), json!(call.name), json!(call.arguments)))
        .collect();
    let recorded: Vec<_> = of_type(output, "function_call")
        .map(|call| (call["call_id"].clone(), call["name"].clone(), call["arguments"].clone()))
        .collect();
    assert_eq!(calls, recorded, "{source}");
    assert_eq!(reply.text(), text_of(output), "{source}");
    assert_eq!(json!(reply.finish_reason()), response["status"], "{source}");
    let origin = reply.origin().expect("it was read");
    assert_eq!(json!(origin.model), response["model"], "{source}");
    assert_eq!(json!(origin.response_id), response["id"], "{source}");
    let usage = reply.usage().expect("it has a usage");
    assert_eq!(json!(usage.input_tokens), response["usage"]["input_tokens"], "{source}");
    assert_eq!(json!(usage.output_tokens), response["usage"]["output_tokens"], "{source}");
    let items: Vec<Value> =
        reply.native_items().map(|item| serde_json::from_str(item).expect("an item is JSON")).collect();
    assert_eq!(json!(items), *output, "{source}");
    // The next request has the same items.
    let written = json(&write(&Responses::new(), &[reply.clone().into()]));
    assert_eq!(written["input"], *output, "{source}");
}

#[test]
fn every_reply_has_the_recorded_calls_text_and_items() {
    let rows = rows();
    let mut replies = 0;
    for row in rows.iter().filter(|row| row["response"].is_object()) {
        let (source, response) = (&row["source"], &row["response"]);
        let reply = Responses::new()
            .read_reply(&response.to_string())
            .unwrap_or_else(|error| panic!("{source}: {error}"));
        assert_equal(source, &reply, response);
        replies += 1;
    }
    println!("{replies} replies");
    assert_eq!(replies == 0, rows.is_empty(), "the file has such rows");
}

#[test]
fn every_stream_has_the_recorded_calls_text_and_items() {
    let rows = rows();
    let mut streams = 0;
    for row in rows.iter().filter(|row| row["chunks"].is_array()) {
        let (source, chunks) = (&row["source"], list(&row["chunks"]));
        let mut assembler = ReplyAssembler::new().wire(Responses::new());
        for chunk in chunks {
            assembler.push(chunk.to_string());
        }
        let reply = assembler.into_reply().unwrap_or_else(|error| panic!("{source}: {error}"));
        let mut response = chunks.last().expect("there are chunks")["response"].clone();
        // The items are those of their own events: the reasoning of the whole response may differ.
        let done = chunks.iter().filter(|chunk| chunk["type"] == "response.output_item.done");
        response["output"] = done.map(|chunk| chunk["item"].clone()).collect();
        assert_equal(source, &reply, &response);
        streams += 1;
    }
    println!("{streams} streams");
    assert_eq!(streams == 0, rows.is_empty(), "the file has such rows");
}
