//! Truncated calls never run.

use crate::{assert_accepted, contents};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use tool_runtime::conversation::{PendingCalls, Received, ReplyWarning};
use tool_runtime::{AssistantMessage, CallError, Conversation, Registry, ToolCall, tool, tools};

/// Deletes all.
#[tool(requires_approval)]
fn delete_all() {}

/// The number of runs.
#[derive(Default)]
struct Runs(AtomicUsize);

/// Deletes matching files, or all.
#[tool]
fn delete(matching: Option<&str>, #[state] runs: &Runs) -> String {
    runs.0.fetch_add(1, Ordering::Relaxed);
    matching.unwrap_or("all").to_owned()
}

fn registry() -> Registry {
    Registry::builder().tools(tools![delete]).state(Runs::default()).build().expect("one tool")
}

fn call(id: &str, arguments: &Value) -> Value {
    json!({"id": id, "type": "function", "function": {"name": "delete", "arguments": arguments}})
}

fn truncated_choice(arguments: &Value) -> Value {
    json!({"index": 0, "finish_reason": "length", "message": {"role": "assistant", "content": null, "tool_calls": [
        call("whole", &json!("{\"matching\":\"a\"}")),
        call("cut", arguments),
    ]}})
}

fn is_truncated(error: Option<&CallError>) -> bool {
    matches!(error, Some(CallError::Truncated { tool, .. }) if tool == "delete")
}

#[tokio::test]
async fn a_truncated_call_does_not_run_but_a_complete_sibling_does() {
    for arguments in
        [json!("{\"matching\":\"b"), json!(""), json!(" "), json!("null"), json!("\"{}\""), Value::Null]
    {
        let reply: AssistantMessage =
            serde_json::from_value(truncated_choice(&arguments)).expect("a choice is read");
        let Received::ToolCalls(pending) = Conversation::new().user("Delete a and b.").receive(reply) else {
            panic!("it calls")
        };
        let chat = pending.dispatch(&registry()).await;
        assert_eq!(chat.messages()[2].text(), "a");
        assert_eq!(
            chat.messages()[3].text(),
            "Error: the call of `delete` was not run: the reply was truncated before the call was complete. Call \
             it again with shorter arguments or in a shorter reply.",
            "{arguments}"
        );
        assert_eq!(chat.warnings(), [ReplyWarning::Truncated]);
        assert_accepted(&chat);
    }
}

#[tokio::test]
async fn a_truncated_call_does_not_run_in_a_plain_dispatch() {
    let registry = registry();
    let message = truncated_choice(&json!(""))["message"].clone();
    let reply: AssistantMessage = serde_json::from_value(message).expect("a message is read");
    let reply = reply.with_finish_reason("length");
    let messages = registry.dispatch(&reply.tool_calls).await;
    assert_eq!(contents(&messages)[0], "a");
    assert!(is_truncated(messages[1].outcome().and_then(|outcome| outcome.error())));
    assert_eq!(
        messages[1].outcome().and_then(|outcome| outcome.error()).map(CallError::kind),
        Some("truncated")
    );
}

#[tokio::test]
async fn every_finish_reason_but_a_normal_end_means_truncation() {
    for (key, reason) in [
        ("finish_reason", "length"),
        ("finish_reason", "model_length"),
        ("finish_reason", "MAX_TOKENS"),
        ("finish_reason", "content_filter"),
        ("finish_reason", "insufficient_system_resource"),
        ("finish_reason", "MALFORMED_FUNCTION_CALL"),
        ("finish_reason", "a_reason_that_no_server_has"),
        ("done_reason", "length"),
    ] {
        let mut choice = truncated_choice(&json!(""));
        choice["finish_reason"] = Value::Null;
        choice[key] = json!(reason);
        if key != "finish_reason" {
            choice.as_object_mut().expect("an object").remove("finish_reason");
        }
        let reply: AssistantMessage = serde_json::from_value(choice).expect("a choice is read");
        assert_eq!(reply.finish_reason(), Some(reason));
        let messages = registry().dispatch(&reply.tool_calls).await;
        assert!(is_truncated(messages[1].outcome().and_then(|outcome| outcome.error())), "{key} {reason}");
    }
}

#[tokio::test]
async fn empty_arguments_of_a_complete_reply_mean_no_arguments() {
    let mut choice = truncated_choice(&json!(""));
    choice["finish_reason"] = json!("tool_calls");
    let response = json!({"id": "x", "choices": [choice], "usage": {}});
    let reply: AssistantMessage = serde_json::from_value(response).expect("a response is read");
    assert_eq!(contents(&registry().dispatch(&reply.tool_calls).await), ["a", "all"]);
}

#[tokio::test]
async fn incomplete_arguments_are_reported_as_truncated_without_a_finish_reason() {
    let message = truncated_choice(&json!("{\"matching\":\"b"))["message"].clone();
    let reply: AssistantMessage = serde_json::from_value(message).expect("a message is read");
    let messages = registry().dispatch(&reply.tool_calls).await;
    assert_eq!(
        contents(&messages)[1],
        "Error: the arguments of `delete` are truncated. Call it again with one complete JSON object.",
    );
}

#[tokio::test]
async fn truncation_is_kept_across_a_restart_and_an_approval() {
    let reply: AssistantMessage =
        serde_json::from_value(truncated_choice(&json!(""))).expect("a choice is read");
    let Received::ToolCalls(pending) = Conversation::new().user("Delete a and b.").receive(reply) else {
        panic!("it calls")
    };
    let stored = serde_json::to_string(&pending).expect("it is written");
    let mut pending: PendingCalls = serde_json::from_str(&stored).expect("it is read");
    assert_eq!(pending.reply().finish_reason(), Some("length"));
    pending.approve("cut").expect("it waits");
    let mut edited = pending.clone();
    let chat = pending.dispatch(&registry()).await;
    assert!(
        chat.messages()[3]
            .text()
            .starts_with("Error: the call of `delete` was not run: the reply was truncated")
    );
    // New arguments complete the call.
    edited.approve_with("cut", r#"{"matching":"b"}"#).expect("it waits");
    assert_eq!(edited.dispatch(&registry()).await.messages()[3].text(), "b");
}

#[tokio::test]
async fn a_truncated_call_does_not_await_approval() {
    let registry = Registry::new(tools![delete_all]).expect("one tool");
    let calls = vec![ToolCall::new("1", "delete_all", ""), ToolCall::new("2", "delete_all", "{}")];
    for (reason, expected) in [("length", 1), ("tool_calls", 2)] {
        let reply = AssistantMessage::from_tool_calls(calls.clone()).with_finish_reason(reason);
        let Received::ToolCalls(mut pending) = Conversation::new().receive(reply) else { panic!("it calls") };
        pending.run(&registry).await;
        assert_eq!(pending.awaiting_approval().len(), expected, "{reason}");
    }
}

#[test]
fn a_choice_with_a_message_of_another_role_is_rejected() {
    let choice = json!({"choices": [{"message": {"role": "user", "content": "x"}}]});
    let error = serde_json::from_value::<AssistantMessage>(choice).expect_err("the role is not `assistant`");
    assert_eq!(
        error.to_string(),
        "expected a reply of Chat Completions: expected a message of role `assistant`, got `user`"
    );
}

#[test]
fn errors_and_unknown_objects_are_not_read_as_empty_replies() {
    let error =
        |value: Value| serde_json::from_value::<AssistantMessage>(value).expect_err("no reply").to_string();
    for response in [
        json!({"error": {"message": "overloaded"}}),
        json!({"error": "overloaded"}),
        json!({"error": {"message": "overloaded"}, "choices": []}),
        json!({"object": "error", "message": "overloaded", "type": "ServerError", "code": 503}),
        json!({"detail": "overloaded"}),
        json!({"role": "assistant", "content": null, "error": {"message": "overloaded"}}),
        json!({"choices": [{"error": {"message": "overloaded"}, "finish_reason": "error", "message": {"content": "The"}}]}),
    ] {
        assert_eq!(error(response), "expected a reply, got an error: overloaded");
    }
    let good = json!({"choices": [{"message": {"role": "assistant", "content": "Hi."}}], "error": ""});
    let reply: AssistantMessage = serde_json::from_value(good).expect("an empty error is no error");
    assert_eq!(reply.text(), "Hi.");
    for other in [json!({}), json!({"choices": []}), json!({"text": "Hi."})] {
        let problem = format!("this is neither a message nor a response with `choices`: {other}");
        assert_eq!(error(other), format!("expected a reply of Chat Completions: {problem}"));
    }
}
