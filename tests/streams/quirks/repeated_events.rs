//! Events of the whole reply that arrive more than once.

use super::read;
use crate::{assembled, delta, finish};
use serde_json::json;
use tool_runtime::stream::{ReplyAssembler, StreamError};
use tool_runtime::wire::{Anthropic, Gemini};

#[test]
fn another_reply_in_a_stream_interrupts_the_reply() {
    // A stream of the fixtures of vercel/ai.
    let start = |id: &str| json!({ "type": "message_start", "message": { "id": id, "model": "claude", "usage": {} } });
    let block = json!({ "type": "content_block_start", "index": 0,
        "content_block": { "type": "tool_use", "id": "call_1", "name": "delete", "input": {} } });
    let piece = json!({ "type": "content_block_delta", "index": 0,
        "delta": { "type": "input_json_delta", "partial_json": "{\"fi" } });
    let mut reply = ReplyAssembler::new().wire(Anthropic::new());
    for event in [start("msg_1"), block.clone(), piece.clone(), start("msg_2"), block.clone(), piece] {
        reply.push(event.to_string());
    }
    let error = reply.into_reply().expect_err("it is interrupted");
    assert!(matches!(&error.cause, StreamError::AnotherReply), "{error}");
    assert_eq!(error.partial.tool_calls[0].arguments, "{\"fi");
    // The same event again is no other reply.
    let stop = json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } });
    let events = [start("msg_1"), start("msg_1"), block, start("msg_1"), stop];
    assert_eq!(read(Anthropic::new(), &events).tool_calls.len(), 1);
}

#[test]
fn the_usage_is_the_newest_that_was_sent() {
    let chunk = |prompt: u64, candidates: u64| {
        json!({ "candidates": [{ "content": { "parts": [{ "text": "a" }] }, "finishReason": "STOP" }],
            "usageMetadata": { "promptTokenCount": prompt, "candidatesTokenCount": candidates } })
    };
    let usage = read(Gemini::new(), &[chunk(100, 30), chunk(90, 20)]).usage().expect("it has one");
    assert_eq!((usage.input_tokens, usage.output_tokens), (90, 20));
    // Zeros are no usage.
    let chunk = |prompt: u64, completion: u64| {
        let mut chunk = delta(json!({ "content": "a" }));
        chunk["usage"] = json!({ "prompt_tokens": prompt, "completion_tokens": completion });
        chunk
    };
    let usage = assembled([chunk(100, 3), chunk(0, 0), finish("stop")]).usage().expect("it has one");
    assert_eq!((usage.input_tokens, usage.output_tokens), (100, 3));
}
