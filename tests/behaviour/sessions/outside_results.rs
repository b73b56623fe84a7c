//! Results that come later.

use super::{Ledger, asked, calling, model, results, stored, text_reply};
use serde_json::json;
use tool_runtime::conversation::NotPendingError;
use tool_runtime::message::Message;
use tool_runtime::session::RunEnd;
use tool_runtime::{DynamicTool, Registry, ToolCall, ToolOutput, tool, tools};

/// Starts a job.
#[tool]
fn start_job(name: &str, #[state] ledger: &Ledger) -> ToolOutput {
    ledger.add(name);
    ToolOutput::pending(format!("job-{name}"))
}

fn registry() -> (Registry, Ledger) {
    let ledger = Ledger::default();
    let parameters = json!({
        "type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"],
    });
    let builder = Registry::builder().tools(tools![start_job]).state(ledger.clone());
    let dialog = DynamicTool::external("show_dialog", "Asks the user in the browser.", parameters);
    (builder.dynamic(dialog).build().expect("two tools"), ledger)
}

#[tokio::test]
async fn a_job_is_started_once_and_its_result_comes_later() {
    let (registry, ledger) = registry();
    let model = model([calling([ToolCall::new("a", "start_job", r#"{"name":"x"}"#)]), text_reply("Done.")]);
    let mut session = asked();
    for _ in 0..3 {
        let end = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
        assert_eq!(end, RunEnd::NeedsResult);
        session = stored(&session);
    }
    assert_eq!(ledger.entries(), ["x"]);
    let waiting = session.awaiting_result();
    assert_eq!((&*waiting[0].id, waiting[0].ticket.as_deref()), ("a", Some("job-x")));
    assert_eq!(waiting[0].arguments, r#"{"name":"x"}"#);
    session.provide_result("a", ToolOutput::pending("job-x-2")).expect("it waits");
    assert_eq!(session.awaiting_result()[0].ticket.as_deref(), Some("job-x-2"));
    session.provide_result("a", json!({"rows": 3})).expect("it waits");
    let end = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!((end, results(&session)), (RunEnd::Answered, vec![r#"{"rows":3}"#.to_owned()]));
}

#[tokio::test]
async fn the_arguments_of_a_tool_that_runs_elsewhere_are_validated() {
    let (registry, _) = registry();
    let calls = [
        ToolCall::new("a", "show_dialog", r#"{"titel":"Sure?"}"#),
        ToolCall::new("b", "show_dialog", r#"{"title":"Sure?"}"#),
    ];
    let model = model([calling(calls)]);
    let mut session = asked();
    let end = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!(end, RunEnd::NeedsResult);
    assert!(results(&session)[0].contains("`title` is missing"), "{:?}", results(&session));
    let waiting = session.awaiting_result();
    assert_eq!(waiting.len(), 1);
    assert_eq!((&*waiting[0].id, &waiting[0].ticket), ("b", &None));
}

#[tokio::test]
async fn a_tool_that_runs_elsewhere_can_need_an_approval_first() {
    let transfer = DynamicTool::external("transfer", "Transfers money.", json!({"type": "object"}));
    let registry = Registry::builder().dynamic(transfer.requires_approval()).build().expect("one tool");
    let model = model([calling([ToolCall::new("a", "transfer", "{}")])]);
    let mut session = asked();
    let end = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!(end, RunEnd::NeedsApproval);
    session.approve("a").expect("it waits");
    let end = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!((end, session.awaiting_result().len()), (RunEnd::NeedsResult, 1));
    // It has been started elsewhere, with these arguments.
    assert!(matches!(session.approve("a"), Err(NotPendingError::NeedsResult { .. })));
    assert!(matches!(session.approve_with("a", json!({"x": 1})), Err(NotPendingError::NeedsResult { .. })));
    session.deny("a", "the bank is closed").expect("it waits");
    assert_eq!(results(&session), ["Error: the bank is closed"]);
}

#[tokio::test]
async fn a_dispatch_does_not_wait_for_the_result() {
    let (registry, _) = registry();
    let calls = [ToolCall::new("a", "show_dialog", r#"{"title":"Sure?"}"#)];
    let messages = registry.dispatch(&calls).await;
    assert_eq!(
        messages[0].content,
        "Error: the result of `show_dialog` comes later. Do not call it again to get the result."
    );
    assert_eq!(messages[0].error_kind(), Some("needs_result"));
    let result = registry.call("start_job", json!({"name": "y"})).await;
    assert_eq!(result.error_kind(), Some("needs_result"));
}

#[test]
fn a_pending_output_is_stored_with_its_ticket() {
    let stored = serde_json::to_string(&ToolOutput::pending("job-1")).expect("it is stored");
    assert_eq!(stored, r#"{"pending":"job-1"}"#);
    let loaded: ToolOutput = serde_json::from_str(&stored).expect("it is loaded");
    assert_eq!(loaded.ticket(), Some("job-1"));
}

#[tokio::test]
async fn a_tool_message_of_another_process_can_be_the_result() {
    let (registry, _) = registry();
    for (message, text, kind) in [
        (tool_runtime::ToolMessage::new("x", "three rows"), "three rows", None),
        (tool_runtime::ToolMessage::error("x", "no rows"), "Error: no rows", Some("returned")),
    ] {
        let model = model([calling([ToolCall::new("a", "start_job", r#"{"name":"x"}"#)])]);
        let mut session = asked();
        let _ = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
        session.provide_result("a", message).expect("it waits");
        let Some(Message::Tool(result)) = session.messages().last() else { panic!("there is a result") };
        assert_eq!((result.text(), result.error_kind(), &*result.tool_call_id), (text, kind, "a"));
    }
}
