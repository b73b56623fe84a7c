//! Streamed replies, through the public API.

#![allow(clippy::needless_pass_by_value, reason = "what is written in place is not borrowed as well")]

mod any_chunks;
mod any_pieces;
mod any_stream;
mod any_style;
mod early_calls;
mod events;
mod fields;
mod in_a_conversation;
mod interrupted;
mod interrupted_dispatch;
mod logged_tools;
mod mutated_streams;
mod quirks;
mod stated_calls;
#[path = "../hostile/events.rs"]
mod stream_events;

use serde_json::{Value, json};
use std::collections::HashSet;
use tool_runtime::stream::{Chunk, ReplyAssembler, ReplyEvent};
use tool_runtime::{AssistantMessage, ToolCall};

/// A chunk with these pieces of calls.
fn calls(pieces: &[Value]) -> Value {
    delta(json!({ "tool_calls": pieces }))
}

fn delta(delta: Value) -> Value {
    json!({ "id": "1", "object": "chat.completion.chunk", "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] })
}

fn finish(reason: &str) -> Value {
    json!({ "id": "1", "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] })
}

/// A complete call of `get_weather`, in one piece.
fn complete_call(index: usize, city: &str) -> Value {
    let arguments = json!({ "city": city }).to_string();
    json!({ "index": index, "id": format!("call_{index}"), "function": { "name": "get_weather", "arguments": arguments } })
}

/// The reply of a stream without errors.
fn assembled<C: Into<Chunk>>(chunks: impl IntoIterator<Item = C>) -> AssistantMessage {
    let mut reply = ReplyAssembler::new();
    for chunk in chunks {
        reply.push(chunk);
    }
    reply.into_reply().expect("the stream has no errors")
}

/// The calls of a stream without errors: id, name and arguments of each. An id that does not come from the server is
/// empty.
fn called<C: Into<Chunk>>(chunks: impl IntoIterator<Item = C>) -> Vec<[String; 3]> {
    let chunks: Vec<Chunk> = chunks.into_iter().map(Into::into).collect();
    let sent = format!("{chunks:?}");
    let calls = assembled(chunks).tool_calls;
    let ids: HashSet<&str> = calls.iter().map(|call| &*call.id).collect();
    assert!(ids.len() == calls.len() && !ids.contains(""), "the ids are not unique: {calls:?}");
    let from_server = |id: String| if sent.contains(&id) { id } else { String::new() };
    calls.into_iter().map(|call| [from_server(call.id), call.name, call.arguments]).collect()
}

/// The events of a stream, each as a short text.
fn event_log<C: Into<Chunk>>(chunks: impl IntoIterator<Item = C>) -> Vec<String> {
    let mut reply = ReplyAssembler::new();
    let mut event_log = Vec::new();
    for chunk in chunks {
        event_log.extend(reply.push(chunk).map(describe));
    }
    event_log.extend(reply.push_end().map(describe));
    event_log
}

fn describe(event: ReplyEvent<'_>) -> String {
    match event {
        ReplyEvent::Text(piece) => format!("text {piece}"),
        ReplyEvent::Reasoning(piece) => format!("reasoning {piece}"),
        ReplyEvent::CallAnnounced { index, tool, .. } => format!("{index} started {tool}"),
        ReplyEvent::CallArguments { index, arguments, piece, .. } => {
            assert!(arguments.ends_with(piece), "{piece} is not the end of {arguments}");
            format!("{index} {arguments}")
        }
        ReplyEvent::CallComplete { index, call: ToolCall { name, arguments, .. }, .. } => {
            format!("{index} complete {name}({arguments})")
        }
        ReplyEvent::Finished { reason, .. } => format!("finished {}", reason.unwrap_or("without a reason")),
        ReplyEvent::Interrupted(error) => format!("failed: {error}"),
        other => panic!("an unknown event: {other:?}"),
    }
}
