//! Inputs of which the library keeps a part, and one call in many items.

use super::{Row, block_on, row};
use std::sync::Mutex;
use tool_runtime::stream::ReplyAssembler;
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

/// The start of an item of one call.
fn start(input: &str) -> String {
    let call = format!(r#"{{"type":"tool_use","id":"c","name":"f","input":{input}}}"#);
    format!(r#"{{"type":"content_block_start","index":2,"content_block":{call}}}"#)
}

/// A piece of its arguments, which is the text of a JSON string.
fn piece(json: &str) -> String {
    let delta = format!(r#"{{"type":"input_json_delta","partial_json":"{json}"}}"#);
    format!(r#"{{"type":"content_block_delta","index":2,"delta":{delta}}}"#)
}

/// Many items of one call, of which the first has large arguments: in its start, before a piece that follows the end, or in a
/// piece, before items with empty pieces.
fn items_of_one_call(bytes: usize, is_in_start: bool) -> Vec<String> {
    let (large, small) = ("x".repeat(bytes / 2), start("{}"));
    let smalls = std::iter::repeat_n(small.clone(), bytes / 2 / small.len());
    let end = r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#.to_owned();
    if is_in_start {
        let first = start(&format!(r#"{{"a":"{large}"}}"#));
        return [first].into_iter().chain(smalls).chain([end, piece(r#"{\"a\":\"y"#)]).collect();
    }
    let first = [start("{}"), piece(&format!(r#"{{\"a\":\"{large}\"}}"#))];
    let smalls = smalls.flat_map(|start| [start, piece("")]);
    first.into_iter().chain(smalls).chain([end]).collect()
}

pub(super) fn rows() -> Vec<Row> {
    let items = [("start", true), ("piece", false)].map(|(name, is_in_start)| {
        row(
            format!("chunk of a stream, items, {name}"),
            move |bytes| items_of_one_call(bytes, is_in_start),
            |events| events.iter().map(String::len).sum(),
            |events| {
                let mut assembler = ReplyAssembler::new().wire(wire::by_name("anthropic").expect("a wire"));
                for event in events {
                    let _ = assembler.push(event).count();
                }
                assert_eq!(assembler.finish().expect("a reply").tool_calls.len(), 1);
            },
        )
    });
    let others = [
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
                for name in ["chat_completions", "anthropic", "responses", "gemini", "ollama"] {
                    let error = wire::by_name(name).expect("a wire").read_reply(&body).expect_err("an error");
                    assert!(error.to_string().len() < 10_000, "{name}");
                }
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
    ];
    items.into_iter().chain(others).collect()
}
