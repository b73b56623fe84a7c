//! The replies in the format of Amazon's Converse API.

use super::{PlannedReply, ReplyKind, is_truncated, pieces};
use serde_json::{Value, json};

fn stop_reason(reply: &PlannedReply) -> &'static str {
    match reply.kind {
        _ if is_truncated(reply) => "max_tokens",
        ReplyKind::Calls => "tool_use",
        ReplyKind::Refusal => "content_filtered",
        ReplyKind::Filtered => "guardrail_intervened",
        _ => "end_turn",
    }
}

fn usage((input, output): (u64, u64)) -> Value {
    json!({ "inputTokens": input, "outputTokens": output, "totalTokens": input + output })
}

pub(super) fn body(reply: &PlannedReply) -> Value {
    let text = (!reply.text.is_empty()).then(|| json!({ "text": reply.text }));
    let calls = reply.calls.iter().map(
        |call| json!({ "toolUse": { "toolUseId": call.id, "name": call.tool, "input": call.arguments } }),
    );
    let blocks: Vec<Value> = text.into_iter().chain(calls).collect();
    let mut body = json!({ "output": { "message": { "role": "assistant", "content": blocks } },
        "stopReason": stop_reason(reply), "metrics": { "latencyMs": 7 } });
    if let Some(tokens) = reply.usage {
        body["usage"] = usage(tokens);
    }
    body
}

/// Each payload has a field `p`, which hides the length of the text.
pub(super) fn events(reply: &PlannedReply) -> Vec<Value> {
    let mut events = vec![json!({ "messageStart": { "role": "assistant", "p": "abcd" } })];
    let mut index = 0;
    let mut push = |start: Option<Value>, deltas: Vec<Value>| {
        let block = |kind: &str, field: &str, value: Value| json!({ kind: { "contentBlockIndex": index, field: value, "p": "ab" } });
        events.extend(start.map(|start| block("contentBlockStart", "start", start)));
        events.extend(deltas.into_iter().map(|delta| block("contentBlockDelta", "delta", delta)));
        events.push(json!({ "contentBlockStop": { "contentBlockIndex": index, "p": "abc" } }));
        index += 1;
    };
    if !reply.text.is_empty() {
        push(None, pieces(&reply.text).into_iter().map(|text| json!({ "text": text })).collect());
    }
    for call in &reply.calls {
        let deltas = pieces(&call.text).into_iter().map(|piece| json!({ "toolUse": { "input": piece } }));
        push(Some(json!({ "toolUse": { "toolUseId": call.id, "name": call.tool } })), deltas.collect());
    }
    events.push(json!({ "messageStop": { "p": "abcdef", "stopReason": stop_reason(reply) } }));
    if let Some(tokens) = reply.usage {
        events
            .push(json!({ "metadata": { "metrics": { "latencyMs": 7 }, "p": "a", "usage": usage(tokens) } }));
    }
    events
}
