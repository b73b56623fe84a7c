//! The assertions of `tool-runtime-testing` on sessions: when they pass, and the messages of those that fail.

use serde_json::json;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tool_runtime::session::RunEnd;
use tool_runtime::{AssistantMessage, Registry, Session, ToolCall, ToolOutput, tool, tools};
use tool_runtime_testing::{ScriptedModel, ScriptedReply, assert_called, assert_valid, called_tools};

/// Looks up an order.
#[tool(read_only)]
fn find(order: u32) -> Result<String, String> {
    if order == 0 { Err("there is no order 0".to_owned()) } else { Ok(format!("order {order}")) }
}

/// Refunds an order.
#[tool(destructive, requires_approval)]
fn refund(order: u32, reason: Option<&str>) -> String {
    format!("order {order} is refunded: {}", reason.unwrap_or("no reason"))
}

/// Starts a report.
#[tool]
fn start_report() -> ToolOutput {
    ToolOutput::pending("report-1")
}

fn registry() -> Registry {
    Registry::new(tools![find, refund, start_report]).expect("the tools have different names")
}

fn calls<const N: usize>(calls: [(&str, &str, &str); N]) -> AssistantMessage {
    AssistantMessage::from_tool_calls(calls.map(|(id, tool, arguments)| ToolCall::new(id, tool, arguments)))
}

async fn run<R: Into<ScriptedReply>>(session: &mut Session, replies: impl IntoIterator<Item = R>) -> RunEnd {
    let model = ScriptedModel::new(replies);
    session
        .run(&registry())
        .complete(|request| model.complete(request))
        .await
        .expect("the script has the replies")
}

/// A session that waits for an approval and for a result, after an exchange that is complete.
async fn waiting() -> Session {
    let mut session = Session::new().system("You run a shop.").user("Refund orders 7 and 8.");
    let found = calls([("call_1", "find", r#"{"order":7}"#), ("call_1", "find", r#"{"order":0}"#)]);
    let refunds = calls([
        ("call_1", "refund", r#"{ "reason": "late", "order": 7 }"#),
        ("call_2", "refund", r#"{"order":8}"#),
        ("call_3", "start_report", "{}"),
    ]);
    assert_eq!(run(&mut session, [found, refunds]).await, RunEnd::NeedsApproval);
    session
}

/// The message of a panic.
fn message_of(assertion: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(assertion)).expect_err("the assertion fails");
    panic.downcast_ref::<String>().cloned().unwrap_or_default()
}

#[tokio::test]
async fn calls_count_in_every_state() {
    let mut session = waiting().await;
    let called = ["find", "find", "refund", "refund", "start_report"];
    assert_eq!(called_tools(&session), called);
    assert_called(&session, "find", json!({"order": 7}));
    assert_called(&session, "find", json!({"order": 0})); // it failed
    assert_called(&session, "refund", json!({"order": 7, "reason": "late"})); // it waits
    assert_valid(&session);

    let [first, second] = &session.awaiting_approval()[..] else { panic!("two calls wait") };
    session.deny(&first.id, "it was on time").expect("it waits");
    session.approve_with(&second.id, json!({"order": 9})).expect("it waits");
    assert_valid(&session);
    assert_eq!(run(&mut session, [AssistantMessage::from_text("")]).await, RunEnd::NeedsResult);
    session.push_user("Never mind.");
    assert_eq!(run(&mut session, [AssistantMessage::from_text("Good.")]).await, RunEnd::Answered);
    assert_eq!(called_tools(&session), called);
    assert_called(&session, "refund", json!({"order": 7, "reason": "late"})); // it was denied
    assert_called(&session, "refund", json!({"order": 9})); // as approved
    assert_valid(&session);
}

#[tokio::test]
async fn the_failure_lists_the_calls_there_are() {
    let session = waiting().await;
    assert_eq!(
        message_of(|| assert_called(&session, "refund", json!({"order": 9}))),
        "there is no call of `refund` with {\"order\":9}; the calls of the session:
  find {\"order\":7}
  find {\"order\":0}
  refund { \"reason\": \"late\", \"order\": 7 }
  refund {\"order\":8}
  start_report {}"
    );
    assert_eq!(
        message_of(|| assert_called(&Session::new(), "refund", json!({}))),
        "there is no call of `refund` with {}; the calls of the session: none"
    );
    // Neither another tool with these arguments nor a part of the arguments is enough.
    message_of(|| assert_called(&session, "start_report", json!({"order": 7})));
    message_of(|| assert_called(&session, "refund", json!({"order": 7})));
}

#[tokio::test]
async fn every_kind_of_session_is_valid() {
    assert_valid(&Session::new());
    assert_valid(&Session::new().system("You run a shop."));
    assert_valid(&Session::new().user(""));
    let declined = ScriptedReply::refusal("I cannot help with that.");
    let empty = ScriptedReply::from(AssistantMessage::from_text(""));
    for reply in [declined, empty, AssistantMessage::from_text("Hello!").into()] {
        let mut session = Session::new().user("Hello!");
        let _ = run(&mut session, [reply]).await;
        assert_valid(&session);
    }
    let odd = calls([("", "find", "[1"), ("call 1", "no such tool", "{}"), ("", "", "")]);
    let mut session = Session::new().user("Hello!");
    let _ = run(&mut session, [odd, AssistantMessage::from_text("Hello!")]).await;
    assert_valid(&session);
}
