//! Recorded exchanges with Bedrock's Converse API, from the folder that the variable `TOOL_CORPORA` names.

use crate::{json, list, rows, write};
use serde_json::{Value, json};
use tool_runtime::history;
use tool_runtime::message::Message;
use tool_runtime::wire::{Bedrock, Wire};
use tool_runtime_testing::check_request;

/// The rows of this wire; none if the variable is not set.
fn rows() -> Vec<Value> {
    let rows = rows::rows("other_wire.jsonl").unwrap_or_default();
    rows.into_iter().filter(|row| row["wire"] == "bedrock").collect()
}

#[test]
fn every_history_is_valid_and_written_back_equal() {
    let rows = rows();
    let (mut calls, mut results) = (0, 0);
    for row in &rows {
        let (source, request) = (&row["source"], &row["request"]);
        let messages = Bedrock::new()
            .read_messages(&request.to_string())
            .unwrap_or_else(|error| panic!("{source}: {error}"));
        history::validate(&messages).unwrap_or_else(|error| panic!("{source}: {error}"));
        let body = write(&Bedrock::new(), &messages);
        assert!(body.report().is_empty(), "{source}: {:?}", body.report());
        let written = json(&body);
        assert_eq!(check_request(&Bedrock::new(), &written), Ok(()), "{source}");
        assert_eq!(check_request(&Bedrock::new(), request), Ok(()), "{source}");
        assert_eq!(written["messages"], request["messages"], "{source}");
        assert_eq!(list(&written["system"]), list(&request["system"]), "{source}");
        for block in list(&request["messages"]).iter().flat_map(|message| list(&message["content"])) {
            calls += usize::from(block["toolUse"].is_object());
            results += usize::from(block["toolResult"].is_object());
        }
    }
    println!("{} histories with {calls} calls and {results} results", rows.len());
}

/// The blocks without the type of calls, which some responses have and requests must not have.
fn without_type(blocks: &Value) -> Value {
    let mut blocks = blocks.clone();
    for block in blocks.as_array_mut().into_iter().flatten() {
        if let Some(call) = block.get_mut("toolUse").and_then(Value::as_object_mut) {
            call.retain(|field, _| field != "type");
        }
    }
    blocks
}

#[test]
fn every_reply_has_the_recorded_calls_text_and_blocks() {
    let rows = rows();
    let (mut replies, mut calls) = (0, 0);
    for row in rows.iter().filter(|row| row["response"].is_object()) {
        let (source, response) = (&row["source"], &row["response"]);
        let reply = Bedrock::new()
            .read_reply(&response.to_string())
            .unwrap_or_else(|error| panic!("{source}: {error}"));
        let blocks = &response["output"]["message"]["content"];
        let recorded = list(blocks).iter().map(|block| &block["toolUse"]).filter(|call| call.is_object());
        let recorded: Vec<_> =
            recorded.map(|call| json!([call["toolUseId"], call["name"], call["input"]])).collect();
        let read = reply.tool_calls.iter().map(|call| {
            let arguments: Value = serde_json::from_str(&call.arguments).expect("arguments are JSON");
            json!([call.id, call.name, arguments])
        });
        assert_eq!(read.collect::<Vec<_>>(), recorded, "{source}");
        let text: String = list(blocks).iter().filter_map(|block| block["text"].as_str()).collect();
        assert_eq!(reply.text(), text, "{source}");
        assert_eq!(json!(reply.finish_reason()), response["stopReason"], "{source}");
        assert!(!reply.is_truncated(), "{source}");
        let usage = reply.usage().expect("the response has it");
        assert_eq!(json!(usage.total_tokens()), response["usage"]["totalTokens"], "{source}");
        calls += reply.tool_calls.len();
        let written = json(&write(&Bedrock::new(), &[Message::user("?"), reply.into()]));
        assert_eq!(written["messages"][1]["content"], without_type(blocks), "{source}");
        replies += 1;
    }
    println!("{replies} replies with {calls} calls");
    assert_eq!(replies == 0, rows.is_empty(), "the file has such rows");
}
