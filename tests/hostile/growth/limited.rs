//! Inputs of which the library keeps a part.

use super::{Row, block_on, row};
use std::sync::Mutex;
use tool_runtime::wire::{self, Wire as _};
use tool_runtime::{AssistantMessage, CallContext, Registry, Session, ToolCall, tool, tools};
use tracing_subscriber::util::SubscriberInitExt as _;

/// Returns the text.
#[tool]
fn repeat(text: String) -> String {
    text
}

/// Sends data without waiting for the listener.
#[tool]
fn send(values: usize, #[context] call: &CallContext) {
    (0..values).for_each(|_| call.emit("a".repeat(VALUE)));
}

/// The bytes of a value that `send` sends.
const VALUE: usize = 1_000;

pub(super) fn rows() -> Vec<Row> {
    vec![
        row(
            "text in a span",
            |bytes| serde_json::json!({ "text": "a\n".repeat(bytes / 2) }).to_string(),
            String::len,
            |arguments| {
                let _spans = tracing_subscriber::registry().set_default();
                let registry = Registry::builder().tools(tools![repeat]).trace_content(true).build();
                let calls = [ToolCall::new("c", "repeat", arguments)];
                assert!(!block_on(registry.expect("a tool").dispatch(&calls))[0].is_error());
            },
        ),
        row(
            "text that an error quotes",
            |bytes| serde_json::json!({ "error": { "message": "a\n".repeat(bytes / 2) } }).to_string(),
            String::len,
            |body| {
                for name in
                    ["chat_completions", "anthropic", "responses", "gemini", "gemini_interactions", "ollama"]
                {
                    let error = wire::by_name(name).expect("a wire").read_reply(&body).expect_err("an error");
                    assert!(error.to_string().len() < 10_000, "{name}");
                }
            },
        ),
        row(
            "text that an error quotes, bedrock",
            |bytes| serde_json::json!({ "message": "a\n".repeat(bytes / 2) }).to_string(),
            String::len,
            |body| {
                let error = wire::Bedrock::new().read_reply(&body).expect_err("an error");
                assert!(error.to_string().len() < 10_000);
            },
        ),
        row(
            "progress and data that wait for a listener",
            |bytes| bytes,
            |bytes| *bytes,
            |bytes| {
                let registry = Registry::new(tools![send]).expect("a tool");
                let arguments = format!(r#"{{"values":{}}}"#, bytes / VALUE);
                let calls = AssistantMessage::from_tool_calls([ToolCall::new("c", "send", arguments)]);
                let replies = Mutex::new(vec![AssistantMessage::from_text("Done."), calls]);
                let (mut session, mut count) = (Session::new().user("?"), 0);
                let run = session.run(&registry).on_event(|_| count += 1);
                let next = |_| {
                    std::future::ready(
                        replies.lock().expect("no panic").pop().ok_or("two replies are enough"),
                    )
                };
                let _ = block_on(run.complete(next)).expect("it ends");
                assert!(count > bytes / VALUE);
            },
        ),
    ]
}
