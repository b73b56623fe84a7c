//! Compaction in runs of sessions.

use super::{bytes, session};
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use tool_runtime::conversation::Request;
use tool_runtime::message::Message;
use tool_runtime::session::RunEnd;
use tool_runtime::{AssistantMessage, Registry, RunContext, ToolCall, tool, tools};
use tool_runtime_compaction::{Compaction, Spill, SpillResults as _};

/// Returns 9,000 numbered lines.
#[tool(read_only)]
fn read_log() -> String {
    let lines: Vec<String> = (1..=9_000).map(|line| format!("request {line}\n")).collect();
    lines.concat()
}

#[tokio::test]
async fn a_stored_result_is_read_after_its_message_is_removed() {
    let spill = Spill::memory().above(2_000);
    let registry =
        Registry::builder().tools(tools![read_log]).spill(spill).build().expect("the tool is valid");
    let registry = registry.with(&RunContext::new().run_id("s"));
    let task = format!("Read the log. {}", "Be exact. ".repeat(150));
    let mut session = session(vec![Message::user(task)]);
    let replies = AtomicUsize::new(0);
    let complete = |request: Request| {
        let number = replies.fetch_add(1, Ordering::Relaxed);
        let calls = |name: &str, arguments: &str| {
            AssistantMessage::from_tool_calls([ToolCall::new(format!("call_{number}"), name, arguments)])
        };
        let reply = match number {
            0 => calls("read_log", "{}"),
            2 => {
                let texts: Vec<&str> = request.messages().iter().map(Message::text).collect();
                let summary = "Earlier messages were removed.\n\nStored results, which read_result reads by their \
                               handles:\n- read_log: \"1\"";
                assert_eq!(texts[1..], [summary, "Done.", "Find request 4500."]);
                calls("read_result", r#"{"handle":"1","search":"request 4500"}"#)
            }
            _ => AssistantMessage::from_text("Done."),
        };
        async { Ok::<_, io::Error>(reply) }
    };
    let end = session.run(&registry).complete(&complete).await.expect("the run ends");
    assert_eq!(end, RunEnd::Answered);
    session.push_user("Find request 4500.");
    let compaction = Compaction::above(3_000, bytes).down_to(400).keep_replies(1);
    let end = session.run(&registry).compact(compaction).complete(&complete).await.expect("the run ends");
    assert_eq!(end, RunEnd::Answered);
    let found = session.messages().iter().any(|message| message.text().starts_with("4500: request 4500\n"));
    assert!(found, "{:?}", session.messages());
}

#[tokio::test]
async fn a_run_with_closures_that_borrow_can_be_spawned() {
    fn is_send<F: Send>(future: F) -> F {
        future
    }
    let registry = Registry::new(tools![]).expect("there are no tools");
    let exchange = || [Message::user("a"), Message::assistant("b".repeat(100))];
    let mut session = session([exchange(), exchange(), exchange()].into_iter().flatten().collect());
    session.push_user("c");
    let (limit, summary, mut removed) = (40, "short".to_owned(), 0);
    let compaction = Compaction::above(limit, bytes)
        .keep_replies(1)
        .pin(|message| message.text() == summary)
        .summarise(|_| async { Ok::<_, io::Error>(summary.clone()) })
        .on_compacted(|trimmed| removed += trimmed.removed.len());
    let complete = |_: Request| async { Ok::<_, io::Error>(AssistantMessage::from_text("d")) };
    let end =
        is_send(session.run(&registry).compact(compaction).complete(complete)).await.expect("the run ends");
    assert_eq!(end, RunEnd::Answered);
    assert_eq!(removed, 4);
}
