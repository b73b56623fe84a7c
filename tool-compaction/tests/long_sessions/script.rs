//! The replies of a random model.

use crate::program::handles;
use fastrand::Rng;
use serde_json::json;
use tool_runtime::message::{Message, Usage};
use tool_runtime::{AssistantMessage, ToolCall};
use tool_runtime_testing::ScriptedReply;

const TOO_LONG: &str = r#"{"error":{"message":"the maximum context length is 8192 tokens"}}"#;

/// A script, whose replies take at most `tokens` each.
pub(crate) fn replies(rng: &mut Rng, count: usize, tokens: u64) -> Vec<ScriptedReply> {
    let mut replies = Vec::new();
    for number in 0..count {
        let usage = Usage::new(rng.u64(0..=tokens / 2), rng.u64(0..=tokens / 2));
        replies.push(match rng.u32(0..100) {
            0..12 => AssistantMessage::from_text(format!("Answer {number}.")).with_usage(usage).into(),
            12..18 => ScriptedReply::error(TOO_LONG),
            18..30 => read_result(number, usage),
            _ => {
                let calls =
                    (0..rng.usize(1..4)).map(|position| call(rng, number, position)).collect::<Vec<_>>();
                AssistantMessage::from_tool_calls(calls).with_usage(usage).into()
            }
        });
    }
    replies
}

fn call(rng: &mut Rng, number: usize, position: usize) -> ToolCall {
    let order = number * 10 + position;
    let (tool, arguments) = match rng.u32(0..12) {
        0..4 => ("read", json!({ "lines": rng.usize(0..400) })),
        4..6 => ("rows", json!({ "count": rng.usize(0..200) })),
        6..8 => ("build", json!({ "errors": rng.usize(0..200) })),
        8..10 => ("charge", json!({ "order": order })),
        10 => ("delegate", json!({ "question": format!("Question {order}?") })),
        _ => ("refund", json!({ "order": order })),
    };
    ToolCall::new(format!("call_{order}"), tool, arguments.to_string())
}

/// Reads the first stored result that the request names, from its start.
fn read_result(number: usize, usage: Usage) -> ScriptedReply {
    ScriptedReply::from_fn(move |request| {
        let texts = request.messages().iter().map(Message::text);
        let handle = texts.flat_map(handles).next().unwrap_or_else(|| "none".to_owned());
        let call =
            ToolCall::new(format!("read_{number}"), "read_result", json!({ "handle": handle }).to_string());
        AssistantMessage::from_tool_calls([call]).with_usage(usage)
    })
}
