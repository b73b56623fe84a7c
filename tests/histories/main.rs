//! Histories from elsewhere: what is wrong with them is found, and mended with the least change.

mod classics;
mod finding;
mod generated;
mod mutations;
mod repairing;
#[path = "../recorded_traffic/rows.rs"]
mod rows;
mod ruled_out;
mod trimming;
mod whatever;

use serde_json::{Value, json};
use tool_runtime::history::{Violation, ViolationKind, validate};
use tool_runtime::message::Message;
use tool_runtime::{AssistantMessage, ToolCall, ToolMessage};

/// A seed that can be given, and is printed.
pub(crate) fn seed(test: &str) -> u64 {
    let seed = std::env::var("HISTORIES_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..));
    println!("{test}: HISTORIES_SEED={seed}");
    seed
}

pub(crate) fn user(text: &str) -> Message {
    Message::user(text)
}

pub(crate) fn saying(text: &str) -> Message {
    AssistantMessage::saying(text).into()
}

/// A reply that calls the tool `f` with each of these ids.
pub(crate) fn calling(ids: &[&str]) -> Message {
    AssistantMessage::calling(ids.iter().map(|id| ToolCall::new(*id, "f", "{}")).collect()).into()
}

pub(crate) fn answer(id: &str) -> Message {
    ToolMessage::new(id, format!("result of {id}")).into()
}

pub(crate) fn read(messages: Value) -> Vec<Message> {
    serde_json::from_value(messages).expect("they are messages")
}

pub(crate) fn written(message: &Message) -> String {
    serde_json::to_string(message).expect("it is written")
}

pub(crate) fn violations(messages: &[Message]) -> Vec<Violation> {
    validate(messages).err().map_or_else(Vec::new, |violations| violations.to_vec())
}

/// Place, id and rule of each violation.
pub(crate) fn found(messages: &[Message]) -> Vec<(usize, String, ViolationKind)> {
    violations(messages)
        .into_iter()
        .map(|violation| (violation.index, violation.id, violation.kind))
        .collect()
}

/// What a strict server says of these messages, by a check that shares no code with ours.
pub(crate) fn refusal(messages: &[Message]) -> Option<String> {
    let refusal = examples::provider_rules::check(&json!({ "messages": messages })).err()?;
    (!messages.is_empty()).then(|| refusal.to_string())
}
