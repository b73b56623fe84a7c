//! A scripted reply in chunks, in the format of OpenAI.

use serde_json::{Value, json};

/// The `data` of each server-sent event of this assistant message.
#[must_use]
pub fn from_message(message: &Value) -> Vec<String> {
    let mut chunks = vec![delta(json!({ "role": "assistant", "content": "" }))];
    for word in message["content"].as_str().unwrap_or_default().split_inclusive(' ') {
        chunks.push(delta(json!({ "content": word })));
    }
    let calls = message["tool_calls"].as_array().map_or(&[][..], Vec::as_slice);
    for (index, call) in calls.iter().enumerate() {
        let function = json!({ "name": call["function"]["name"], "arguments": "" });
        let head = json!({ "index": index, "id": call["id"], "type": "function", "function": function });
        chunks.push(delta(json!({ "tool_calls": [head] })));
        let arguments: Vec<char> =
            call["function"]["arguments"].as_str().unwrap_or_default().chars().collect();
        for piece in arguments.chunks(6) {
            let piece: String = piece.iter().collect();
            let piece = json!({ "index": index, "function": { "arguments": piece } });
            chunks.push(delta(json!({ "tool_calls": [piece] })));
        }
    }
    let reason = if calls.is_empty() { "stop" } else { "tool_calls" };
    chunks.push(chunk(&json!([{ "index": 0, "delta": {}, "finish_reason": reason }])));
    chunks.push(chunk(&json!([])));
    chunks.push("[DONE]".to_owned());
    chunks
}

#[allow(clippy::needless_pass_by_value, reason = "callers pass a literal")]
fn delta(delta: Value) -> String {
    chunk(&json!([{ "index": 0, "delta": delta, "finish_reason": null }]))
}

fn chunk(choices: &Value) -> String {
    json!({ "id": "1", "object": "chat.completion.chunk", "model": "scripted", "choices": choices })
        .to_string()
}
