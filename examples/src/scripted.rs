//! The scripts of the examples. A script is the same on every wire.

pub mod approval;
pub mod coding_agent;
pub mod planner;
pub mod search;
pub mod streaming;
pub mod subagent;
pub mod weather;

use serde_json::Value;
use tool_runtime::conversation::Request;
use tool_runtime::message::Message;
use tool_runtime::{AssistantMessage, ToolCall};
use tool_runtime_testing::ScriptedReply;

/// A reply with these calls: id, tool and arguments.
fn calls<const N: usize>(calls: [(&str, &str, Value); N]) -> AssistantMessage {
    let calls = calls.map(|(id, tool, arguments)| ToolCall::new(id, tool, arguments.to_string()));
    AssistantMessage::from_tool_calls(calls)
}

/// An answer that depends on the texts of the tool results so far.
fn answer(text: fn(&[&str]) -> String) -> ScriptedReply {
    ScriptedReply::from_fn(move |request: &Request| {
        let results = request.messages().iter().filter(|message| matches!(message, Message::Tool(_)));
        AssistantMessage::from_text(text(&results.map(Message::text).collect::<Vec<_>>()))
    })
}
