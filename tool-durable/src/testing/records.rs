//! The records of the rules, and large ones.

use super::expected::finished;
use super::{Checked, Store};
use crate::journal::{Journal, JournalCall, JournalReply};
use serde_json::json;
use std::collections::BTreeMap;
use tool_runtime::dispatch::{ToolFailure, ToolResult};
use tool_runtime::message::{Content, Part, Usage};
use tool_runtime::session::MessageChanges;
use tool_runtime::{AssistantMessage, RunContext, ToolCall, ToolMessage, ToolOutput};

/// Text that is escaped in JSON, in SQL or in patterns, or that takes several bytes.
const UNUSUAL_TEXT: &str =
    "'\"`\\/%_*?[]{}$1:a;--\n\r\t\0\u{7f}\u{2028}Grüße e\u{301}\u{e9} 注文 👩\u{200d}🚀 \u{202e}";

pub(super) fn call(run_id: &str, reply: u64, position: usize) -> Checked<JournalCall> {
    let key = RunContext::new().run_id(run_id).key(reply, position);
    Ok(JournalCall {
        key: key.ok_or("a run context with a run id has no key")?,
        id: format!("call_{position}"),
        tool: "charge".to_owned(),
        // As the model wrote it.
        arguments: format!(r#"{{ "order":"{reply}" , "cents":1.0, "cents_again":{position} }}"#),
    })
}

/// Another call with the same key.
pub(super) fn other_call(call: &JournalCall) -> JournalCall {
    let (id, tool, arguments) = ("call_other".to_owned(), "refund".to_owned(), "{}".to_owned());
    JournalCall { key: call.key.clone(), id, tool, arguments }
}

pub(super) fn result(text: &str) -> ToolResult {
    ToolResult::ok(text)
}

/// A result of each kind.
pub(super) fn results() -> Vec<ToolResult> {
    let value = json!({ "b": [1, 2.5, null], "a": { "id": u64::MAX, "rate": 0.1 }, "text": UNUSUAL_TEXT });
    let parts = ToolOutput::new()
        .with_text(UNUSUAL_TEXT)
        .with_json(&value)
        .with_image("image/png", [0, 0x89, b'P', 0xff])
        .with_file("orders.pdf", "application/pdf", [0, 1, 2]);
    vec![
        ToolResult::ok(UNUSUAL_TEXT),
        ToolResult::ok(""),
        ToolResult::ok(ToolOutput::new().with_json(&value)),
        ToolResult::ok(parts),
        ToolResult::ok(ToolOutput::pending("report-2026")),
        ToolResult::error(UNUSUAL_TEXT),
        ToolFailure::new("the service is down").with_kind("circuit_open").into(),
        ToolFailure::interrupted("charge").into(),
    ]
}

pub(super) fn reply(run_id: &str, number: u64, text: &str) -> JournalReply {
    JournalReply {
        run_id: run_id.to_owned(),
        number,
        user_text: "Charge my orders.".to_owned(),
        results: Vec::new(),
        arguments: BTreeMap::new(),
        changes: None,
        message: AssistantMessage::from_text(text),
    }
}

/// A reply with a value in each field.
pub(super) fn full_reply(run_id: &str, number: u64) -> Checked<JournalReply> {
    // Only a reply that is read has further fields.
    let message = json!({
        "role": "assistant",
        "content": UNUSUAL_TEXT,
        "reasoning_content": "The orders are open.",
        "tool_calls": [
            { "id": "call_0", "function": { "name": "charge", "arguments": "{ \"cents\":1.0 }" }, "extra_content": { "a": 1 } },
        ],
    });
    let message: AssistantMessage = serde_json::from_value(message)
        .map_err(|error| format!("the reply of the rule is not valid: {error}"))?;
    let mut message = message.with_usage(Usage::new(120, 8)).with_finish_reason("tool_calls");
    message.tool_calls.push(ToolCall::new("call_1", UNUSUAL_TEXT, "not JSON"));
    let parts = [Part::text(UNUSUAL_TEXT), Part::image("image/png", [0, 0xff])];
    let results = vec![
        ToolMessage::new("call_a", UNUSUAL_TEXT).with_tool("charge"),
        ToolMessage::error("call_b", "the order is closed"),
        ToolMessage::new("call_c", Content::from_parts(parts)),
    ];
    let arguments = [("call_a", r#"{ "cents":2.0 }"#), (UNUSUAL_TEXT, UNUSUAL_TEXT)];
    let arguments = arguments.map(|(id, arguments)| (id.to_owned(), arguments.to_owned())).into();
    let (run_id, user_text) = (run_id.to_owned(), UNUSUAL_TEXT.to_owned());
    let changes = json!({
        "messages_before": 7,
        "user_text": UNUSUAL_TEXT,
        "replaced": { "start": 2, "end": 5 },
        "replacement": [{ "role": "user", "content": UNUSUAL_TEXT }],
        "resets_limits": true,
    });
    let changes: MessageChanges = serde_json::from_value(changes)
        .map_err(|error| format!("the changes of the rule are not valid: {error}"))?;
    Ok(JournalReply { run_id, number, user_text, results, arguments, changes: Some(changes), message })
}

pub(super) async fn large_records_are_kept<J: Journal>(store: &Store<'_, J>) -> Checked {
    const LENGTH: usize = 1 << 20;
    let run_id = store.run_ids.add("large");
    let text = "Grüße, ".repeat(LENGTH / "Grüße, ".len());
    let mut call = call(&run_id, 0, 0)?;
    call.arguments = json!({ "text": text }).to_string();
    let result = result(&text);
    store.first.begin(&call).returns(&None).await?;
    store.first.finish(&call.key, &result).await?;
    store.second.find(&call.key).returns(&Some(finished(&call, &result))).await?;
    store.second.begin(&call).returns(&Some(finished(&call, &result))).await?;

    let mut reply = reply(&run_id, 0, &text);
    reply.user_text = text;
    store.first.record_reply(&reply).returns(&true).await?;
    store.second.find_reply(&run_id, 0).returns(&Some(reply)).await
}
