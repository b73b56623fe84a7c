//! Invalid histories: violations are found, and repaired with as few changes as possible.

mod generated;
mod known_errors;
mod mutations;
mod pairs;
mod random_lists;
mod repairing;
#[path = "../recorded_traffic/rows.rs"]
mod rows;
mod trimming;
mod validation;

use serde_json::{Value, json};
use tool_runtime::history::{Violation, ViolationKind, validate};
use tool_runtime::message::Message;
use tool_runtime::wire::{Anthropic, ChatCompletions, RequestParts, Wire};
use tool_runtime::{AssistantMessage, ToolCall, ToolMessage};
use tool_runtime_testing::check_request;

/// The number of random histories of each test, from `HISTORIES_ROUNDS` or by default.
pub(crate) fn rounds() -> usize {
    std::env::var("HISTORIES_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(5_000)
}

/// The seed of a test, from the environment or random. It is printed.
pub(crate) fn seed(test: &str) -> u64 {
    let seed = std::env::var("HISTORIES_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..));
    println!("{test}: HISTORIES_SEED={seed}");
    seed
}

pub(crate) fn user(text: &str) -> Message {
    Message::user(text)
}

pub(crate) fn text_reply(text: &str) -> Message {
    AssistantMessage::from_text(text).into()
}

/// A reply that calls the tool `f` with each of these ids.
pub(crate) fn calling(ids: &[&str]) -> Message {
    AssistantMessage::from_tool_calls(ids.iter().map(|id| ToolCall::new(*id, "f", "{}"))).into()
}

pub(crate) fn tool_message(id: &str) -> Message {
    ToolMessage::new(id, format!("result of {id}")).into()
}

pub(crate) fn read(messages: Value) -> Vec<Message> {
    serde_json::from_value(messages).expect("they are messages")
}

pub(crate) fn written(message: &Message) -> String {
    serde_json::to_string(message).expect("the message serializes")
}

pub(crate) fn violations(messages: &[Message]) -> Vec<Violation> {
    validate(messages).err().map_or_else(Vec::new, |error| error.violations().to_vec())
}

/// Index, id and kind of each violation.
pub(crate) fn found(messages: &[Message]) -> Vec<(usize, String, ViolationKind)> {
    violations(messages)
        .into_iter()
        .map(|violation| (violation.index, violation.id, violation.kind))
        .collect()
}

/// The error of a strict server for these messages, by a check that shares no code with `history`.
pub(crate) fn rejection(messages: &[Message]) -> Option<String> {
    let rejection = check_request(&ChatCompletions::new(), &json!({ "messages": messages })).err()?;
    (!messages.is_empty()).then(|| rejection.to_string())
}

/// The error of Anthropic for these messages, written on its wire.
pub(crate) fn rejection_by_anthropic(messages: &[Message]) -> Option<String> {
    let body = Anthropic::new().write(&RequestParts::new(messages)).expect("they are written");
    let body = serde_json::to_value(body).expect("it is JSON");
    let rejection = check_request(&Anthropic::new(), &body).err()?;
    body["messages"].get(0).map(|_| rejection.to_string())
}
