//! Calls that are approved with other arguments.

use super::{A, after_restart, pending, registry};
use crate::contents_of;
use serde_json::json;
use tool_runtime::conversation::{NotPendingError, Received};
use tool_runtime::{AssistantMessage, Conversation, Registry, ToolCall, ToolMessage, tool, tools};

#[tokio::test]
async fn edited_arguments_run_and_are_in_the_history() {
    let (registry, _) = registry();
    let mut calls = pending(&[("1", "delete", A), ("2", "delete", "{\"path\":"), ("3", "delete", A)]);
    calls.approve_with("1", r#"{"path":"a.bak"}"#).expect("it waits");
    calls.approve_with("2", r#"{"path":"b"}"#).expect("it waits");
    calls.approve_with("3", r#"{"path":7}"#).expect("it waits");
    let chat = after_restart(&calls).dispatch(&registry).await;
    assert_eq!(contents_of(&chat)[2..4], ["a.bak is deleted", "b is deleted"]);
    assert!(contents_of(&chat)[4].starts_with("Error: invalid arguments for `delete`: `path`"));
    let written = serde_json::to_value(&chat).expect("it is written");
    let arguments = |index: usize| &written[1]["tool_calls"][index]["function"]["arguments"];
    assert_eq!((arguments(0), arguments(1)), (&json!(r#"{"path":"a.bak"}"#), &json!(r#"{"path":"b"}"#)));
}

#[tokio::test]
async fn edited_arguments_of_a_custom_call_are_in_the_history_after_a_restart() {
    let (registry, _) = registry();
    let call =
        json!({"id": "1", "type": "custom", "custom": {"name": "delete", "input": "{\"path\":\"old\"}"}});
    let reply = serde_json::from_value(json!({"content": null, "tool_calls": [call]})).expect("it is read");
    let Received::ToolCalls(mut calls) = Conversation::new().user("Go on.").receive(reply) else {
        panic!("it calls")
    };
    calls.approve_with("1", A).expect("it waits");
    let chat = after_restart(&calls).dispatch(&registry).await;
    assert_eq!(contents_of(&chat)[2], "a is deleted");
    let written = serde_json::to_value(&chat).expect("it is written");
    assert_eq!(written[1]["tool_calls"][0]["custom"], json!({"name": "delete", "input": A}));
}

/// The tool would receive a rounded number.
#[test]
fn a_number_that_json_cannot_hold_is_not_approved() {
    #[derive(serde::Serialize)]
    struct Edit {
        path: u128,
    }
    let mut calls = pending(&[("1", "delete", A)]);
    let error =
        calls.approve_with("1", Edit { path: u128::from(u64::MAX) + 2 }).expect_err("it is too large");
    assert!(matches!(error, NotPendingError::NotSerializable { .. }), "{error}");
    assert!(!calls.is_approved("1") && calls.calls()[0].arguments == A, "nothing has changed");
}

#[tokio::test]
async fn an_error_of_middleware_does_not_reopen_an_edit() {
    /// Notes a number.
    #[tool]
    fn note(n: u8) -> u8 {
        n
    }
    let inner = Registry::new(tools![note]).expect("one tool");
    let registry = Registry::builder()
        .tools(tools![note])
        .around_call(move |call| {
            let inner = inner.clone();
            async move {
                let _ = call.run().await;
                inner.call("note", r#"{"n":"many"}"#).await
            }
        })
        .build()
        .expect("one tool");
    let reply = AssistantMessage::from_tool_calls(vec![ToolCall::new("1", "note", r#"{"n":1}"#)]);
    let Received::ToolCalls(mut pending) = Conversation::new().user("Note.").receive(reply) else {
        panic!("it calls")
    };
    pending.approve_with("1", r#"{"n":2}"#).expect("it waits");
    pending.run(&registry).await;
    assert!(pending.awaiting_approval().is_empty(), "its own arguments are valid");
    assert_eq!(pending.result_of("1").and_then(ToolMessage::error_kind), Some("invalid_arguments"));
}
