//! The replies in the formats of the providers: bodies of responses, and events of streams.

mod bedrock;
mod gemini_interactions;

use super::planned_reply::{PlannedReply, ReplyKind};
use serde_json::{Value, json};

/// The body of the response.
pub(crate) fn body(wire: &str, reply: &PlannedReply) -> Value {
    match wire {
        "anthropic" => anthropic(reply),
        "responses" => responses(reply),
        "gemini" => gemini(reply),
        "gemini_interactions" => gemini_interactions::body(reply),
        "bedrock" => bedrock::body(reply),
        "ollama" => ollama(reply),
        _ => chat_completions(reply),
    }
}

/// The text after `data:` of each event, or a frame as an object with its type.
pub(crate) fn events(wire: &str, reply: &PlannedReply) -> Vec<String> {
    let events = match wire {
        "anthropic" => anthropic_events(reply),
        "responses" => responses_events(reply),
        "gemini" => gemini_events(reply),
        "gemini_interactions" => gemini_interactions::events(reply),
        "bedrock" => bedrock::events(reply),
        "ollama" => ollama_lines(reply),
        _ => chat_completions_events(reply),
    };
    let mut events: Vec<String> = events.iter().map(Value::to_string).collect();
    if wire == "chat_completions" {
        events.push("[DONE]".to_owned());
    }
    events
}

/// The text in pieces of seven letters.
fn pieces(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    letters.chunks(7).map(|piece| piece.iter().collect()).collect()
}

fn text_or_null(text: &str) -> Value {
    if text.is_empty() { Value::Null } else { json!(text) }
}

fn is_truncated(reply: &PlannedReply) -> bool {
    matches!(reply.kind, ReplyKind::Truncated | ReplyKind::TruncatedCalls)
}

const REFUSAL: &str = "I do not do this.";

fn chat_completions(reply: &PlannedReply) -> Value {
    let calls: Vec<Value> = reply
        .calls
        .iter()
        .map(|call| {
            json!({ "id": call.id, "type": "function", "function": { "name": call.tool, "arguments": call.text } })
        })
        .collect();
    let mut message = json!({ "role": "assistant", "content": text_or_null(&reply.text) });
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    if reply.kind == ReplyKind::Refusal {
        message["refusal"] = json!(REFUSAL);
    }
    let choice = json!({ "index": 0, "message": message, "finish_reason": finish_reason(reply) });
    let mut body = json!({ "id": reply.response_id, "model": "m", "choices": [choice] });
    if let Some((input, output)) = reply.usage {
        body["usage"] = json!({ "prompt_tokens": input, "completion_tokens": output });
    }
    body
}

fn finish_reason(reply: &PlannedReply) -> &'static str {
    match reply.kind {
        _ if is_truncated(reply) => "length",
        ReplyKind::Calls => "tool_calls",
        ReplyKind::Filtered => "content_filter",
        _ => "stop",
    }
}

fn chat_completions_events(reply: &PlannedReply) -> Vec<Value> {
    let delta = |delta: Value| json!({ "id": reply.response_id, "model": "m", "choices": [{ "index": 0, "delta": delta }] });
    let mut events = vec![delta(json!({ "role": "assistant", "content": "" }))];
    events.extend(pieces(&reply.text).into_iter().map(|piece| delta(json!({ "content": piece }))));
    if reply.kind == ReplyKind::Refusal {
        events.push(delta(json!({ "refusal": REFUSAL })));
    }
    for (index, call) in reply.calls.iter().enumerate() {
        let head = json!({ "index": index, "id": call.id, "type": "function",
            "function": { "name": call.tool, "arguments": "" } });
        events.push(delta(json!({ "tool_calls": [head] })));
        for piece in pieces(&call.text) {
            let piece = json!({ "index": index, "function": { "arguments": piece } });
            events.push(delta(json!({ "tool_calls": [piece] })));
        }
    }
    events.push(json!({ "id": reply.response_id,
        "choices": [{ "index": 0, "delta": {}, "finish_reason": finish_reason(reply) }] }));
    if let Some((input, output)) = reply.usage {
        let usage = json!({ "prompt_tokens": input, "completion_tokens": output });
        events.push(json!({ "id": reply.response_id, "choices": [], "usage": usage }));
    }
    events
}

fn stop_reason(reply: &PlannedReply) -> &'static str {
    match reply.kind {
        _ if is_truncated(reply) => "max_tokens",
        ReplyKind::Calls => "tool_use",
        ReplyKind::Refusal | ReplyKind::Filtered => "refusal",
        ReplyKind::Paused => "pause_turn",
        _ => "end_turn",
    }
}

fn anthropic(reply: &PlannedReply) -> Value {
    let text = (!reply.text.is_empty()).then(|| json!({ "type": "text", "text": reply.text }));
    let calls = reply
        .calls
        .iter()
        .map(|call| json!({ "type": "tool_use", "id": call.id, "name": call.tool, "input": call.arguments }));
    let blocks: Vec<Value> = text.into_iter().chain(calls).collect();
    let mut body = json!({ "id": reply.response_id, "type": "message", "role": "assistant", "model": "m",
        "content": blocks, "stop_reason": stop_reason(reply) });
    if let Some((input, output)) = reply.usage {
        body["usage"] = json!({ "input_tokens": input, "output_tokens": output });
    }
    body
}

fn anthropic_events(reply: &PlannedReply) -> Vec<Value> {
    let mut message = json!({ "id": reply.response_id, "type": "message", "role": "assistant", "model": "m", "content": [] });
    if let Some((input, _)) = reply.usage {
        message["usage"] = json!({ "input_tokens": input, "output_tokens": 1 });
    }
    let mut events = vec![json!({ "type": "message_start", "message": message })];
    let mut index = 0;
    let mut push = |head: Value, deltas: Vec<Value>| {
        events.push(json!({ "type": "content_block_start", "index": index, "content_block": head }));
        events.extend(
            deltas
                .into_iter()
                .map(|delta| json!({ "type": "content_block_delta", "index": index, "delta": delta })),
        );
        events.push(json!({ "type": "content_block_stop", "index": index }));
        index += 1;
    };
    if !reply.text.is_empty() {
        let deltas =
            pieces(&reply.text).into_iter().map(|text| json!({ "type": "text_delta", "text": text }));
        push(json!({ "type": "text", "text": "" }), deltas.collect());
    }
    for call in &reply.calls {
        let head = json!({ "type": "tool_use", "id": call.id, "name": call.tool, "input": {} });
        let deltas = pieces(&call.text);
        let deltas =
            deltas.into_iter().map(|piece| json!({ "type": "input_json_delta", "partial_json": piece }));
        push(head, deltas.collect());
    }
    let mut end = json!({ "type": "message_delta", "delta": { "stop_reason": stop_reason(reply) } });
    if let Some((input, output)) = reply.usage {
        end["usage"] = json!({ "input_tokens": input, "output_tokens": output });
    }
    events.push(end);
    events.push(json!({ "type": "message_stop" }));
    events
}

/// The items of a response.
fn items(reply: &PlannedReply) -> Vec<Value> {
    let message = |part: Value| {
        json!({ "type": "message", "id": format!("message_{}", reply.response_id), "role": "assistant",
            "status": "completed", "content": [part] })
    };
    let text = match reply.kind {
        ReplyKind::Refusal => Some(message(json!({ "type": "refusal", "refusal": REFUSAL }))),
        _ if reply.text.is_empty() => None,
        _ => Some(message(json!({ "type": "output_text", "text": reply.text, "annotations": [] }))),
    };
    let calls = reply.calls.iter().enumerate().map(|(index, call)| {
        json!({ "type": "function_call", "id": format!("item_{index}_{}", reply.response_id), "call_id": call.id,
            "name": call.tool, "arguments": call.text, "status": "completed" })
    });
    text.into_iter().chain(calls).collect()
}

fn responses(reply: &PlannedReply) -> Value {
    let mut body =
        json!({ "id": reply.response_id, "object": "response", "model": "m", "output": items(reply) });
    let incomplete = match reply.kind {
        _ if is_truncated(reply) => Some("max_output_tokens"),
        ReplyKind::Filtered => Some("content_filter"),
        _ => None,
    };
    body["status"] = json!(if incomplete.is_some() { "incomplete" } else { "completed" });
    if let Some(reason) = incomplete {
        body["incomplete_details"] = json!({ "reason": reason });
    }
    if let Some((input, output)) = reply.usage {
        body["usage"] = json!({ "input_tokens": input, "output_tokens": output });
    }
    body
}

fn responses_events(reply: &PlannedReply) -> Vec<Value> {
    let created = json!({ "id": reply.response_id, "model": "m", "status": "in_progress", "output": [] });
    let mut events = vec![json!({ "type": "response.created", "response": created })];
    for (index, item) in items(reply).into_iter().enumerate() {
        let mut head = item.clone();
        let is_call = item["type"] == "function_call";
        let (field, empty) = if is_call { ("arguments", json!("")) } else { ("content", json!([])) };
        head[field] = empty;
        head["status"] = json!("in_progress");
        events.push(json!({ "type": "response.output_item.added", "output_index": index, "item": head }));
        let text = item["arguments"].as_str().or_else(|| item["content"][0]["text"].as_str());
        let kind = if is_call { "function_call_arguments" } else { "output_text" };
        for piece in pieces(text.unwrap_or_default()) {
            events.push(json!({ "type": format!("response.{kind}.delta"), "output_index": index,
                "item_id": item["id"], "delta": piece }));
        }
        events.push(json!({ "type": "response.output_item.done", "output_index": index, "item": item }));
    }
    let body = responses(reply);
    let end = if body["status"] == "completed" { "response.completed" } else { "response.incomplete" };
    events.push(json!({ "type": end, "response": body }));
    events
}

fn gemini_part(tool: &str, id: &str, arguments: &Value) -> Value {
    let mut call = json!({ "name": tool, "args": arguments });
    if !id.is_empty() {
        call["id"] = json!(id);
    }
    json!({ "functionCall": call })
}

fn gemini_chunk(reply: &PlannedReply, parts: &[Value], is_last: bool) -> Value {
    let mut candidate = json!({ "index": 0, "content": { "role": "model", "parts": parts } });
    let mut chunk = json!({ "modelVersion": "m", "responseId": reply.response_id });
    if is_last {
        candidate["finishReason"] = json!(match reply.kind {
            _ if is_truncated(reply) => "MAX_TOKENS",
            ReplyKind::Refusal | ReplyKind::Filtered => "SAFETY",
            _ => "STOP",
        });
        if let Some((input, output)) = reply.usage {
            chunk["usageMetadata"] = json!({ "promptTokenCount": input, "candidatesTokenCount": output });
        }
    }
    chunk["candidates"] = json!([candidate]);
    chunk
}

fn gemini_parts(reply: &PlannedReply) -> Vec<Value> {
    reply.calls.iter().map(|call| gemini_part(call.tool, &call.id, &call.arguments)).collect()
}

fn gemini(reply: &PlannedReply) -> Value {
    let text = (!reply.text.is_empty()).then(|| json!({ "text": reply.text }));
    let parts: Vec<Value> = text.into_iter().chain(gemini_parts(reply)).collect();
    gemini_chunk(reply, &parts, true)
}

fn gemini_events(reply: &PlannedReply) -> Vec<Value> {
    let texts = pieces(&reply.text).into_iter().map(|text| json!({ "text": text }));
    let mut events: Vec<Value> =
        texts.chain(gemini_parts(reply)).map(|part| gemini_chunk(reply, &[part], false)).collect();
    events.push(gemini_chunk(reply, &[], true));
    events
}

fn ollama_line(reply: &PlannedReply, text: &str, calls: &[Value], is_last: bool) -> Value {
    let mut line =
        json!({ "model": "m", "message": { "role": "assistant", "content": text }, "done": is_last });
    if !calls.is_empty() {
        line["message"]["tool_calls"] = json!(calls);
    }
    if is_last {
        line["done_reason"] = json!(match reply.kind {
            _ if is_truncated(reply) => "length",
            ReplyKind::Refusal | ReplyKind::Filtered => "content_filter",
            _ => "stop",
        });
        if let Some((input, output)) = reply.usage {
            (line["prompt_eval_count"], line["eval_count"]) = (json!(input), json!(output));
        }
    }
    line
}

fn ollama_calls(reply: &PlannedReply) -> Vec<Value> {
    let calls = reply.calls.iter().map(|call| {
        let mut written = json!({ "function": { "name": call.tool, "arguments": call.arguments } });
        if !call.id.is_empty() {
            written["id"] = json!(call.id);
        }
        written
    });
    calls.collect()
}

fn ollama(reply: &PlannedReply) -> Value {
    ollama_line(reply, &reply.text, &ollama_calls(reply), true)
}

fn ollama_lines(reply: &PlannedReply) -> Vec<Value> {
    let texts = pieces(&reply.text).into_iter().map(|text| ollama_line(reply, &text, &[], false));
    let calls = ollama_calls(reply).into_iter().map(|call| ollama_line(reply, "", &[call], false));
    texts.chain(calls).chain([ollama_line(reply, "", &[], true)]).collect()
}
