//! Recorded exchanges with Anthropic's Messages API, from the folder that the variable `TOOL_CORPORA` names.

use crate::{json, list, rows, write};
use serde_json::{Value, json};
use tool_runtime::AssistantMessage;
use tool_runtime::history;
use tool_runtime::stream::ReplyAssembler;
use tool_runtime::wire::{Anthropic, Wire};
use tool_runtime_testing::check_request;

/// The rows of this wire; none if the variable is not set.
fn rows() -> Vec<Value> {
    let rows = rows::rows("other_wire.jsonl").unwrap_or_default();
    rows.into_iter().filter(|row| row["wire"] == "anthropic").collect()
}

fn text_blocks(content: &mut Value) {
    if let Value::String(text) = content {
        *content = json!([{ "type": "text", "text": text }]);
    }
}

/// Messages in one form where the API gives several the same meaning: text as a block, absent `is_error` as false, and
/// consecutive user messages as one.
fn normalized(messages: &Value) -> Value {
    let mut all: Vec<Value> = Vec::new();
    for message in list(messages) {
        let mut message = message.clone();
        text_blocks(&mut message["content"]);
        for block in message["content"].as_array_mut().into_iter().flatten() {
            if block["type"] == "tool_result" {
                if block["is_error"] != true {
                    block["is_error"] = json!(false);
                }
                text_blocks(&mut block["content"]);
            }
        }
        match all.last_mut() {
            Some(last) if last["role"] == message["role"] => {
                let blocks = message["content"].as_array().cloned().unwrap_or_default();
                last["content"].as_array_mut().expect("blocks").extend(blocks);
            }
            _ => all.push(message),
        }
    }
    json!(all)
}

#[test]
fn every_history_is_valid_and_written_back_with_the_same_meaning() {
    let rows = rows();
    let (mut histories, mut results, mut calls) = (0, 0, 0);
    for row in rows.iter().filter(|row| row["request"]["messages"].is_array()) {
        let (source, request) = (&row["source"], &row["request"]);
        let messages = Anthropic::new()
            .read_messages(&request.to_string())
            .unwrap_or_else(|error| panic!("{source}: {error}"));
        history::validate(&messages).unwrap_or_else(|error| panic!("{source}: {error}"));
        let body = write(&Anthropic::new(), &messages);
        assert!(body.report().is_empty(), "{source}: {:?}", body.report());
        let written = json(&body);
        assert_eq!(check_request(&Anthropic::new(), request), Ok(()), "{source}");
        assert_eq!(check_request(&Anthropic::new(), &written), Ok(()), "{source}");
        assert_eq!(normalized(&written["messages"]), normalized(&request["messages"]), "{source}");
        let mut system = request["system"].clone();
        text_blocks(&mut system);
        assert_eq!(written["system"], system, "{source}");
        for block in list(&request["messages"]).iter().flat_map(|message| list(&message["content"])) {
            results += usize::from(block["type"] == "tool_result");
            calls += usize::from(block["type"] == "tool_use");
        }
        histories += 1;
    }
    println!("{histories} histories with {calls} calls and {results} results");
    assert_eq!(histories == 0, rows.is_empty(), "the file has such rows");
}

/// The calls of blocks: id, name and input.
fn called(blocks: &Value) -> Vec<(Value, Value, Value)> {
    let calls = list(blocks).iter().filter(|block| block["type"] == "tool_use");
    calls.map(|call| (call["id"].clone(), call["name"].clone(), call["input"].clone())).collect()
}

/// Compares a reply with the recorded blocks and the recorded reason.
fn assert_equal(source: &Value, reply: &AssistantMessage, blocks: &Value, stop_reason: &Value) {
    let calls: Vec<_> = reply
        .tool_calls
        .iter()
        .map(|call| {
            let input = serde_json::from_str(&call.arguments).expect("arguments are JSON");
            (json!(call.id), json!(call.name), input)
        })
        .collect();
    assert_eq!(calls, called(blocks), "{source}");
    let text: String = list(blocks).iter().filter_map(|block| block["text"].as_str()).collect();
    assert_eq!(reply.text(), text, "{source}");
    assert_eq!(json!(reply.finish_reason()), *stop_reason, "{source}");
    let items: Vec<Value> =
        reply.native_items().map(|item| serde_json::from_str(item).expect("an item is JSON")).collect();
    assert_eq!(json!(items), *blocks, "{source}");
    // The next request has the same blocks.
    if !list(blocks).is_empty() {
        let written = json(&write(&Anthropic::new(), &[reply.clone().into()]));
        assert_eq!(written["messages"][0]["content"], *blocks, "{source}");
    }
}

#[test]
fn every_reply_has_the_recorded_calls_text_and_blocks() {
    let rows = rows();
    let mut replies = 0;
    for row in rows.iter().filter(|row| row["response"].is_object()) {
        let (source, response) = (&row["source"], &row["response"]);
        let reply = Anthropic::new()
            .read_reply(&response.to_string())
            .unwrap_or_else(|error| panic!("{source}: {error}"));
        assert_equal(source, &reply, &response["content"], &response["stop_reason"]);
        assert_eq!(json!(reply.origin().and_then(|origin| origin.model.as_deref())), response["model"]);
        assert_eq!(json!(reply.usage().map(|usage| usage.output_tokens)), response["usage"]["output_tokens"]);
        replies += 1;
    }
    println!("{replies} replies");
    assert_eq!(replies == 0, rows.is_empty(), "the file has such rows");
}

/// The blocks of a stream, put together as the documentation describes it.
fn blocks_of(chunks: &[Value]) -> (Value, Value) {
    let mut blocks: Vec<(Value, String)> = Vec::new();
    let mut reason = Value::Null;
    for chunk in chunks {
        let delta = &chunk["delta"];
        match chunk["type"].as_str().expect("an event has a type") {
            "content_block_start" => blocks.push((chunk["content_block"].clone(), String::new())),
            "content_block_delta" => {
                let index = chunk["index"].as_u64().expect("a number");
                let (block, input) = &mut blocks[usize::try_from(index).expect("a small number")];
                match delta["type"].as_str().expect("a delta has a type") {
                    "input_json_delta" => input.push_str(delta["partial_json"].as_str().expect("text")),
                    "text_delta" => {
                        let text =
                            [block["text"].as_str().unwrap_or(""), delta["text"].as_str().expect("text")];
                        block["text"] = json!(text.concat());
                    }
                    other => panic!("{other}"),
                }
            }
            "message_delta" => reason = delta["stop_reason"].clone(),
            _ => {}
        }
    }
    let blocks = blocks.into_iter().map(|(mut block, input)| {
        if !input.is_empty() {
            block["input"] = serde_json::from_str(&input).expect("the input is JSON");
        }
        block
    });
    (blocks.collect(), reason)
}

#[test]
fn every_stream_has_the_recorded_calls_text_and_blocks() {
    let rows = rows();
    let mut streams = 0;
    for row in rows.iter().filter(|row| row["chunks"].is_array()) {
        let (source, chunks) = (&row["source"], list(&row["chunks"]));
        // Some recordings contain several replies, one after another.
        for reply_chunks in chunks.split_inclusive(|chunk| chunk["type"] == "message_stop") {
            let mut assembler = ReplyAssembler::new().wire(Anthropic::new());
            for chunk in reply_chunks {
                assembler.push(chunk.to_string());
            }
            let reply = assembler.into_reply().unwrap_or_else(|error| panic!("{source}: {error}"));
            let (blocks, reason) = blocks_of(reply_chunks);
            assert_equal(source, &reply, &blocks, &reason);
            streams += 1;
        }
    }
    println!("{streams} streams");
    assert_eq!(streams == 0, rows.is_empty(), "the file has such rows");
}
