//! A reply that reached its limit of length: what was cut off never runs.

use crate::contents;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use tool_runtime::conversation::{PendingCalls, ReplyWarning, Turn};
use tool_runtime::{AssistantMessage, CallError, Conversation, Registry, ToolCall, tool, tools};

/// Deletes all.
#[tool(requires_approval)]
fn delete_all() {}

/// How often it was run.
#[derive(Default)]
struct Runs(AtomicUsize);

/// Deletes what matches, or all.
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

fn cut_off(arguments: &Value) -> Value {
    json!({"index": 0, "finish_reason": "length", "message": {"role": "assistant", "content": null, "tool_calls": [
        call("whole", &json!("{\"matching\":\"a\"}")),
        call("cut", arguments),
    ]}})
}

fn is_cut_off(error: Option<&CallError>) -> bool {
    matches!(error, Some(CallError::Truncated { tool, .. }) if tool == "delete")
}

#[tokio::test]
async fn a_call_that_was_cut_off_does_not_run_and_its_valid_sibling_does() {
    for arguments in
        [json!("{\"matching\":\"b"), json!(""), json!(" "), json!("null"), json!("\"{}\""), Value::Null]
    {
        let reply: AssistantMessage = serde_json::from_value(cut_off(&arguments)).expect("a choice is read");
        let Turn::Calls(pending) = Conversation::new().user("Delete a and b.").reply(reply) else {
            panic!("it calls")
        };
        let chat = pending.dispatch(&registry()).await;
        assert_eq!(chat.messages()[2].text(), "a");
        assert_eq!(
            chat.messages()[3].text(),
            "Error: the call of `delete` was cut off before it was complete, and not run, since the reply was cut \
             short. Call it again with less in one reply.",
            "{arguments}"
        );
        assert_eq!(chat.warnings(), [ReplyWarning::CutShort]);
        examples::provider_rules::check(&json!({ "messages": chat })).expect("a strict server takes it");
    }
}

#[tokio::test]
async fn without_a_conversation_it_does_not_run_either() {
    let registry = registry();
    let message = cut_off(&json!(""))["message"].clone();
    let reply: AssistantMessage = serde_json::from_value(message).expect("a message is read");
    let reply = reply.with_finish_reason("length").echo(tool_runtime::message::Echo::Minimal);
    let answers = registry.dispatch(&reply.tool_calls).await;
    assert_eq!(contents(&answers)[0], "a");
    assert!(is_cut_off(answers[1].outcome().and_then(|outcome| outcome.error())));
    assert_eq!(
        answers[1].outcome().and_then(|outcome| outcome.error()).map(CallError::kind),
        Some("truncated")
    );
}

#[tokio::test]
async fn a_reply_is_cut_short_by_whatever_name() {
    for (key, reason) in [
        ("finish_reason", "length"),
        ("finish_reason", "model_length"),
        ("finish_reason", "MAX_TOKENS"),
        ("finish_reason", "content_filter"),
        ("finish_reason", "insufficient_system_resource"),
        ("finish_reason", "MALFORMED_FUNCTION_CALL"),
        ("done_reason", "length"),
    ] {
        let mut choice = cut_off(&json!(""));
        choice["finish_reason"] = Value::Null;
        choice[key] = json!(reason);
        if key != "finish_reason" {
            choice.as_object_mut().expect("an object").remove("finish_reason");
        }
        let reply: AssistantMessage = serde_json::from_value(choice).expect("a choice is read");
        assert_eq!(reply.finish_reason(), Some(reason));
        let answers = registry().dispatch(&reply.tool_calls).await;
        assert!(is_cut_off(answers[1].outcome().and_then(|outcome| outcome.error())), "{key} {reason}");
    }
}

#[tokio::test]
async fn empty_arguments_of_a_reply_that_came_to_its_end_mean_none() {
    let mut choice = cut_off(&json!(""));
    choice["finish_reason"] = json!("tool_calls");
    let response = json!({"id": "x", "choices": [choice], "usage": {}});
    let reply: AssistantMessage = serde_json::from_value(response).expect("a response is read");
    assert_eq!(contents(&registry().dispatch(&reply.tool_calls).await), ["a", "all"]);
}

#[tokio::test]
async fn arguments_that_end_too_early_are_said_to_be_cut_off_also_where_no_reason_is_known() {
    let message = cut_off(&json!("{\"matching\":\"b"))["message"].clone();
    let reply: AssistantMessage = serde_json::from_value(message).expect("a message is read");
    let answers = registry().dispatch(&reply.tool_calls).await;
    assert_eq!(
        contents(&answers)[1],
        "Error: the arguments of `delete` are not valid JSON (EOF while parsing a string at column 14): they are truncated. \
         Send one JSON object.",
    );
}

#[tokio::test]
async fn that_it_was_cut_off_outlives_a_restart_and_an_approval_does_not_make_it_whole() {
    let reply: AssistantMessage = serde_json::from_value(cut_off(&json!(""))).expect("a choice is read");
    let Turn::Calls(pending) = Conversation::new().user("Delete a and b.").reply(reply) else {
        panic!("it calls")
    };
    let saved = serde_json::to_string(&pending).expect("it is written");
    let mut pending: PendingCalls = serde_json::from_str(&saved).expect("it is read");
    assert_eq!(pending.reply().finish_reason(), Some("length"));
    pending.approve("cut").expect("it waits");
    let mut edited = pending.clone();
    let chat = pending.dispatch(&registry()).await;
    assert!(chat.messages()[3].text().starts_with("Error: the call of `delete` was cut off"));
    // A person may complete it.
    edited.approve_with("cut", r#"{"matching":"b"}"#).expect("it waits");
    assert_eq!(edited.dispatch(&registry()).await.messages()[3].text(), "b");
}

#[test]
fn nobody_is_asked_to_approve_what_was_cut_off() {
    let registry = Registry::new(tools![delete_all]).expect("one tool");
    let calls = vec![ToolCall::new("1", "delete_all", ""), ToolCall::new("2", "delete_all", "{}")];
    let asked = |reason| match Conversation::new()
        .reply(AssistantMessage::calling(calls.clone()).with_finish_reason(reason))
    {
        Turn::Calls(pending) => pending.awaiting_approval(&registry).len(),
        Turn::Answer(_) => panic!("it calls"),
    };
    assert_eq!((asked("length"), asked("tool_calls")), (1, 2));
}

#[test]
fn a_choice_with_the_message_of_another_role_is_no_reply() {
    let choice = json!({"choices": [{"message": {"role": "user", "content": "x"}}]});
    let error = serde_json::from_value::<AssistantMessage>(choice).expect_err("it is no reply");
    assert_eq!(error.to_string(), "expected a message of role `assistant`, got `user`");
}

#[test]
fn what_is_no_reply_is_not_read_as_an_empty_one() {
    let error =
        |value: Value| serde_json::from_value::<AssistantMessage>(value).expect_err("no reply").to_string();
    for told in [
        json!({"error": {"message": "overloaded"}}),
        json!({"error": "overloaded"}),
        json!({"error": {"message": "overloaded"}, "choices": []}),
        json!({"object": "error", "message": "overloaded", "type": "ServerError", "code": 503}),
        json!({"detail": "overloaded"}),
        json!({"role": "assistant", "content": null, "error": {"message": "overloaded"}}),
        json!({"choices": [{"error": {"message": "overloaded"}, "finish_reason": "error", "message": {"content": "The"}}]}),
    ] {
        assert_eq!(error(told), "expected a reply, got an error: overloaded");
    }
    let good = json!({"choices": [{"message": {"role": "assistant", "content": "Hi."}}], "error": ""});
    let reply: AssistantMessage = serde_json::from_value(good).expect("no error is none");
    assert_eq!(reply.text(), "Hi.");
    for other in [json!({}), json!({"choices": []}), json!({"output": []})] {
        let expected = format!("expected a reply, or a response with one in its `choices`, got {other}");
        assert_eq!(error(other), expected);
    }
}
