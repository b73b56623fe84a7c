//! The replies in the format of Gemini's Interactions API.

use super::{PlannedReply, REFUSAL, ReplyKind, is_truncated, pieces};
use serde_json::{Value, json};

fn interaction(reply: &PlannedReply) -> Value {
    let status = match reply.kind {
        _ if is_truncated(reply) => "incomplete",
        ReplyKind::Calls => "requires_action",
        _ => "completed",
    };
    let mut interaction =
        json!({ "id": reply.response_id, "object": "interaction", "model": "m", "status": status });
    if let Some((input, output)) = reply.usage {
        interaction["usage"] = json!({ "total_input_tokens": input, "total_output_tokens": output,
            "total_thought_tokens": 0, "total_tokens": input + output });
    }
    interaction
}

/// A thought with its signature is before the calls of a reply.
fn thought(reply: &PlannedReply) -> Option<Value> {
    (!reply.calls.is_empty()).then(|| json!({ "type": "thought", "signature": "c2lnbmVk" }))
}

/// The step of a model that declines, or whose answer a filter withholds.
fn declined(reply: &PlannedReply) -> Option<Value> {
    let is_declined = matches!(reply.kind, ReplyKind::Refusal | ReplyKind::Filtered);
    is_declined.then(|| json!({ "type": "model_output", "error": { "code": 3, "message": REFUSAL } }))
}

pub(super) fn body(reply: &PlannedReply) -> Value {
    let text = json!([{ "type": "text", "text": reply.text }]);
    let text = (!reply.text.is_empty()).then(|| json!({ "type": "model_output", "content": text }));
    let calls = reply.calls.iter().map(|call| {
        json!({ "type": "function_call", "id": call.id, "name": call.tool, "arguments": call.arguments })
    });
    let steps = thought(reply).into_iter().chain(text).chain(calls).chain(declined(reply));
    let mut body = interaction(reply);
    body["steps"] = steps.collect();
    body
}

pub(super) fn events(reply: &PlannedReply) -> Vec<Value> {
    let created = json!({ "id": reply.response_id, "model": "m", "status": "in_progress" });
    let mut events = vec![
        json!({ "event_type": "interaction.created", "interaction": created }),
        json!({ "event_type": "interaction.status_update", "interaction_id": reply.response_id,
            "status": "in_progress" }),
    ];
    let mut index = 0;
    let mut push = |step: Value, deltas: Vec<Value>| {
        events.push(json!({ "event_type": "step.start", "index": index, "step": step }));
        let delta = |delta: Value| json!({ "event_type": "step.delta", "index": index, "delta": delta });
        events.extend(deltas.into_iter().map(delta));
        events.push(json!({ "event_type": "step.stop", "index": index }));
        index += 1;
    };
    if let Some(thought) = thought(reply) {
        let delta = json!({ "type": "thought_signature", "signature": thought["signature"] });
        push(json!({ "type": "thought" }), vec![delta]);
    }
    if !reply.text.is_empty() {
        let deltas = pieces(&reply.text).into_iter().map(|text| json!({ "type": "text", "text": text }));
        push(json!({ "type": "model_output" }), deltas.collect());
    }
    for call in &reply.calls {
        let step = json!({ "type": "function_call", "id": call.id, "name": call.tool, "arguments": {} });
        let deltas = pieces(&call.text);
        let deltas = deltas.into_iter().map(|piece| json!({ "type": "arguments_delta", "arguments": piece }));
        push(step, deltas.collect());
    }
    if let Some(step) = declined(reply) {
        push(step, Vec::new());
    }
    events.push(json!({ "event_type": "interaction.completed", "interaction": interaction(reply) }));
    events
}
