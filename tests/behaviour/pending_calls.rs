//! Calls that wait for a run, a restart or a result from outside. The modules show approvals and edits.

mod approvals;
mod edits;

use crate::{assert_accepted, contents_of, messages_on};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tool_runtime::conversation::{NotPendingError, PendingCalls, Received};
use tool_runtime::dispatch::CancellationToken;
use tool_runtime::history::validate;
use tool_runtime::wire::ChatCompletions;
use tool_runtime::{AssistantMessage, CallError, Conversation, Registry, RunContext, ToolCall, tool, tools};

/// The number of runs of each tool.
#[derive(Default)]
struct Runs {
    quick: AtomicUsize,
    slow: AtomicUsize,
    deleted: AtomicUsize,
}

/// Returns at once.
#[tool]
async fn quick(#[state] runs: &Arc<Runs>) -> &'static str {
    runs.quick.fetch_add(1, Ordering::Relaxed);
    "quick"
}

/// Takes an hour. It may run again after an interruption.
#[tool(read_only)]
async fn slow(#[state] runs: &Arc<Runs>) -> &'static str {
    runs.slow.fetch_add(1, Ordering::Relaxed);
    tokio::time::sleep(Duration::from_secs(3600)).await;
    "slow"
}

/// Deletes a file.
#[tool(requires_approval)]
async fn delete(path: &str, #[state] runs: &Arc<Runs>) -> String {
    runs.deleted.fetch_add(1, Ordering::Relaxed);
    format!("{path} is deleted")
}

/// Deletes a file, and its disk.
#[tool(requires_approval)]
async fn shred(path: &str, #[state] runs: &Arc<Runs>) -> String {
    delete(path, runs).await
}

fn registry() -> (Registry, Arc<Runs>) {
    let runs = Arc::new(Runs::default());
    let registry = Registry::builder().tools(tools![quick, slow, delete, shred]).state(Arc::clone(&runs));
    (registry.build().expect("four tools"), runs)
}

fn pending(calls: &[(&str, &str, &str)]) -> PendingCalls {
    let calls = calls.iter().map(|(id, name, arguments)| ToolCall::new(*id, *name, *arguments));
    let reply = AssistantMessage::from_tool_calls(calls);
    match Conversation::new().user("Go on.").receive(reply) {
        Received::ToolCalls(pending) => pending,
        Received::Answer(_) => panic!("it calls"),
    }
}

fn ids(pending: &PendingCalls) -> Vec<&str> {
    pending.without_result().map(|call| &*call.id).collect()
}

fn after_restart(pending: &PendingCalls) -> PendingCalls {
    let stored = serde_json::to_string(pending).expect("it is written");
    let read: PendingCalls = serde_json::from_str(&stored).expect("it is read");
    assert_eq!(serde_json::to_string(&read).expect("it is written"), stored, "the state is unchanged");
    read
}

/// Arguments of `delete`.
const A: &str = r#"{"path":"a"}"#;

#[tokio::test(start_paused = true)]
async fn a_dropped_run_keeps_finished_results_and_does_not_repeat_their_calls() {
    let (registry, runs) = registry();
    let mut pending = pending(&[("1", "quick", "{}"), ("2", "slow", "{}"), ("3", "quick", "{}")]);
    let dropped = tokio::time::timeout(Duration::from_secs(1), pending.run(&registry)).await;
    assert!(dropped.is_err(), "the client disconnected");
    assert_eq!(ids(&pending), ["2"]);
    assert_eq!(pending.result_of("1").map(|result| result.content.as_str()), Some("quick"));
    assert!(pending.result_of("2").is_none());

    let mut pending = pending.into_conversation().expect_err("one has no answer");
    pending.run(&registry).await;
    let chat = pending.into_conversation().expect("each has its answer");
    assert_eq!(contents_of(&chat), ["Go on.", "", "quick", "slow", "quick"]);
    assert_eq!((runs.quick.load(Ordering::Relaxed), runs.slow.load(Ordering::Relaxed)), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn a_restart_keeps_approvals_and_results() {
    let (registry, runs) = registry();
    let mut calls = pending(&[
        ("1", "quick", "{}"),
        ("2", "delete", A),
        ("3", "nowhere!", "{\"cut"),
        ("4", "slow", "{}"),
        ("5", "slow", "{}"),
    ]);
    calls.approve("2").expect("it waits");
    calls.provide_result("5", "by hand").expect("it waits");
    assert_eq!(ids(&after_restart(&calls)), ["1", "2", "3", "4"]);
    let mut calls = after_restart(&calls);
    assert_eq!((&*calls.calls()[2].name, &*calls.calls()[2].arguments), ("nowhere!", "{\"cut"));
    assert!(tokio::time::timeout(Duration::from_secs(1), calls.run(&registry)).await.is_err());
    assert_eq!(ids(&after_restart(&calls)), ["4"]);
    let chat = after_restart(&calls).dispatch(&registry).await;
    assert_eq!(contents_of(&chat)[2..4], ["quick", "a is deleted"]);
    assert!(contents_of(&chat)[4].starts_with("Error: there is no tool `nowhere!`"));
    assert_eq!(contents_of(&chat)[5..], ["slow", "by hand"]);
    let count = |runs: &AtomicUsize| runs.load(Ordering::Relaxed);
    assert_eq!((count(&runs.quick), count(&runs.deleted), count(&runs.slow)), (1, 1, 2));
    assert_accepted(&chat);
}

#[test]
fn reasoning_is_kept_across_a_restart() {
    let reply: AssistantMessage = serde_json::from_value(json!({
        "content": null, "reasoning_content": "Hm.",
        "tool_calls": [{"id": "1", "function": {"name": "quick", "arguments": "{}"}, "extra_content": {"x": 1}}],
    }))
    .expect("it is read");
    let Received::ToolCalls(pending) = Conversation::new().user("?").receive(reply) else {
        panic!("it calls")
    };
    let chat = after_restart(&pending).skip_calls("skipped");
    let chat = messages_on(&ChatCompletions::new().keep_reasoning(true), chat.messages());
    assert_eq!(chat[1]["reasoning_content"], "Hm.");
    assert_eq!(chat[1]["tool_calls"][0]["extra_content"], json!({"x": 1}));
}

#[test]
fn invalid_stored_calls_are_rejected() {
    let stored =
        serde_json::to_value(pending(&[("1", "quick", "{}"), ("2", "quick", "{}")])).expect("written");
    let error = |change: &dyn Fn(&mut Value)| {
        let mut stored = stored.clone();
        change(&mut stored);
        serde_json::from_value::<PendingCalls>(stored).expect_err("the state is invalid").to_string()
    };
    assert_eq!(
        error(&|stored| drop(stored["calls"].as_array_mut().expect("an array").pop())),
        "the reply has 2 calls and 1 stored states: these are not pending calls",
    );
    assert_eq!(
        error(&|stored| stored["calls"][0]["result"] = json!({"tool_call_id": "2", "content": ""})),
        "the tool message `2` does not belong to the call `1`: these are not pending calls",
    );
    assert_eq!(
        error(&|stored| stored["reply"]["tool_calls"][1]["id"] = json!("1")),
        "two calls have the same id: these are not pending calls",
    );
    assert_eq!(
        error(&|stored| stored["reply"]["tool_calls"][1]["id"] = json!("")),
        "a call has no id: these are not pending calls",
    );
    assert!(
        error(&|stored| stored["messages"] = json!([{"role": "tool", "tool_call_id": "x", "content": ""}]))
            .starts_with("providers reject these messages: messages[0]: a tool message without tool calls"),
    );
    assert!(
        error(&|stored| *stored = json!({ "messages": stored["messages"] }))
            .contains("missing field `reply`")
    );
}

#[test]
fn the_remaining_calls_can_be_skipped() {
    let mut pending = pending(&[("1", "quick", "{}"), ("2", "delete", A)]);
    pending.provide_result("1", "quick").expect("it waits");
    let chat = pending.skip_calls("skipped by user").user("Wait, not yet.");
    assert_eq!(contents_of(&chat)[2..], ["quick", "Error: skipped by user", "Wait, not yet."]);
    validate(chat.messages()).expect("it is valid");
}

#[test]
fn the_conversation_before_pending_calls_can_be_read() {
    let pending = after_restart(&pending(&[("1", "quick", "{}")]));
    assert_eq!(contents_of(pending.conversation()), ["Go on."]);
    assert_eq!(pending.reply().tool_calls, pending.calls());
}

#[test]
fn the_error_of_an_unknown_id_lists_a_few_pending_calls() {
    let error = |number: usize| {
        let ids: Vec<_> = (0..number).map(|id| id.to_string()).collect();
        let calls: Vec<_> = ids.iter().map(|id| (&**id, "quick", "{}")).collect();
        let mut pending = pending(&calls);
        pending.deny("0", "no").expect("it waits");
        pending.deny("x", "no").expect_err("there is no such call").to_string()
    };
    assert_eq!(error(1), "no pending call has the id `x`: no call is pending");
    assert_eq!(error(3), "no pending call has the id `x`: the pending calls are `1`, `2`");
    assert_eq!(
        error(9),
        "no pending call has the id `x`: the pending calls are `1`, `2`, `3`, `4`, `5` and 3 more"
    );
}

#[test]
fn unknown_and_finished_calls_cannot_be_changed() {
    let mut pending = pending(&[("1", "quick", "{}")]);
    let unknown = pending.approve("2").expect_err("there is no such call");
    assert!(matches!(&unknown, NotPendingError::UnknownId { id, .. } if id == "2"));
    assert_eq!(unknown.to_string(), "no pending call has the id `2`: the pending calls are `1`");
    pending.approve("1").expect("it waits");
    pending.deny("1", "").expect("it waits");
    assert_eq!(
        pending.result_of("1").map(|result| result.content.as_str()),
        Some("Error: the call of `quick` was denied.")
    );
    assert!(!pending.is_approved("1"));
    for result in [
        pending.deny("1", "no"),
        pending.provide_result("1", "x"),
        pending.approve("1"),
        pending.approve_with("1", "{}"),
    ] {
        assert!(matches!(result, Err(NotPendingError::HasResult { .. })), "{result:?}");
    }
}

#[test]
fn a_skipped_call_has_a_denied_outcome() {
    let chat = pending(&[("1", "quick", "{}")]).skip_calls("the office is closed");
    let tool_runtime::message::Message::Tool(answer) = &chat.messages()[2] else {
        panic!("expected a tool message")
    };
    let error = answer.outcome().and_then(|outcome| outcome.error()).expect("the call did not run");
    assert_eq!((error.kind(), error.to_string().as_str()), ("denied", "the office is closed"));
    assert!(matches!(error, CallError::Denied { tool, .. } if tool == "quick"));
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_run_gives_every_call_a_result() {
    let token = CancellationToken::new();
    let registry = registry().0.with(&RunContext::new().cancellation(token.clone()));
    let calls = pending(&[("1", "quick", "{}"), ("2", "slow", "{}")]);
    let (chat, ()) = tokio::join!(calls.dispatch(&registry), async { token.cancel() });
    assert_eq!(contents_of(&chat)[2..], ["quick", "Error: cancelled before it finished"]);
}

#[tokio::test]
async fn the_limit_of_a_reply_counts_calls_with_provided_results() {
    let registry = Registry::builder().tools(tools![quick]).state(Arc::new(Runs::default()));
    let registry = registry.max_calls_per_reply(2).build().expect("one tool");
    let mut calls = pending(&[("1", "quick", "{}"), ("2", "quick", "{}"), ("3", "quick", "{}")]);
    calls.provide_result("1", "by hand").expect("it waits");
    let chat = calls.dispatch(&registry).await;
    assert_eq!(contents_of(&chat)[2..4], ["by hand", "quick"]);
    assert!(contents_of(&chat)[4].starts_with("Error: not run: a reply may have at most 2 calls"));
}
