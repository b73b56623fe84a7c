//! Calls that await an approval, and calls that have one.

use super::{A, Runs, after_restart, delete, pending, registry, slow};
use crate::contents_of;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tool_runtime::conversation::{NotPendingError, PendingCalls};
use tool_runtime::dispatch::{Decision, ProposedCall};
use tool_runtime::{Registry, RunContext, tool, tools};

#[tokio::test]
async fn only_calls_that_would_run_await_approval() {
    let (registry, runs) = registry();
    let mut calls = pending(&[
        ("1", "quick", "{}"),
        ("2", "delete", A),
        ("3", "delete", "{\"pat"),
        ("4", "delete", r#"{"town":"x"}"#),
        ("5", "delete", r#"{"path":"b"}"#),
        ("6", "nothing", "{}"),
    ]);
    calls.run(&registry).await;
    let shown: Vec<(String, String)> =
        calls.awaiting_approval().into_iter().map(|call| (call.id, call.arguments)).collect();
    assert_eq!(shown, [("2".to_owned(), A.to_owned()), ("5".to_owned(), r#"{"path":"b"}"#.to_owned())]);
    calls.approve("2").expect("it waits");
    assert_eq!(calls.awaiting_approval().len(), 1);
    calls.deny("5", "the user wants to keep it").expect("it waits");
    assert!(calls.awaiting_approval().is_empty());
    assert_eq!(runs.deleted.load(Ordering::Relaxed), 0);
    let chat = calls.dispatch(&registry).await;
    assert_eq!(contents_of(&chat)[3], "a is deleted");
    assert!(contents_of(&chat)[4].starts_with("Error: the arguments of `delete` are truncated."));
    assert!(contents_of(&chat)[5].starts_with("Error: invalid arguments for `delete`"));
    assert_eq!(contents_of(&chat)[6], "Error: the user wants to keep it");
    assert_eq!(runs.deleted.load(Ordering::Relaxed), 1);
}

#[tokio::test(start_paused = true)]
async fn an_approval_is_valid_for_one_run() {
    /// Pays, and waits for the bank.
    #[tool(requires_approval)]
    async fn pay(#[state] runs: &Arc<Runs>) {
        runs.deleted.fetch_add(1, Ordering::Relaxed);
        tokio::time::sleep(Duration::from_secs(3600)).await;
    }

    let runs = Arc::new(Runs::default());
    let registry = Registry::builder().tools(tools![pay]).state(Arc::clone(&runs)).build().expect("one tool");
    let mut calls = pending(&[("1", "pay", "{}")]);
    calls.approve("1").expect("it waits");
    assert!(calls.is_approved("1") && calls.awaiting_approval().is_empty());
    assert!(tokio::time::timeout(Duration::from_secs(1), calls.run(&registry)).await.is_err());
    assert_eq!(runs.deleted.load(Ordering::Relaxed), 1);
    assert!(!calls.is_approved("1"));
    assert!(matches!(calls.approve("1"), Err(NotPendingError::HasBegun { .. })));
    let chat = after_restart(&calls).dispatch(&registry).await;
    assert_eq!(
        contents_of(&chat)[2],
        "Error: `pay` was interrupted. It may have taken effect: check whether it did."
    );
    assert_eq!(runs.deleted.load(Ordering::Relaxed), 1, "it does not run again");
}

#[tokio::test(start_paused = true)]
async fn an_approved_call_that_has_not_started_stays_approved() {
    let runs = Arc::new(Runs::default());
    let queued = Registry::builder().tools(tools![slow, delete]).state(Arc::clone(&runs)).max_concurrency(1);
    let asked = Registry::builder().tools(tools![slow, delete]).state(Arc::clone(&runs)).before_call(
        |call| async move {
            if call.tool() == "delete" {
                std::future::pending::<()>().await;
            }
            Decision::Undecided
        },
    );
    for registry in [queued.build().expect("two tools"), asked.build().expect("two tools")] {
        let mut calls = pending(&[("1", "slow", "{}"), ("2", "delete", A)]);
        calls.approve("2").expect("it waits");
        assert!(tokio::time::timeout(Duration::from_secs(1), calls.run(&registry)).await.is_err());
        assert!(calls.is_approved("2"), "it was in the queue, or before the hook");
        assert_eq!(runs.deleted.load(Ordering::Relaxed), 0);
    }
}

#[tokio::test]
async fn calls_over_the_limit_of_a_reply_do_not_await_approval() {
    let registry = Registry::builder().tools(tools![delete]).state(Arc::new(Runs::default()));
    let registry = registry.max_calls_per_reply(1).build().expect("one tool");
    let mut calls = pending(&[("1", "delete", A), ("2", "delete", A)]);
    calls.run(&registry).await;
    let shown: Vec<String> = calls.awaiting_approval().into_iter().map(|call| call.id).collect();
    assert_eq!(shown, ["1"], "the second call is over the limit");
}

#[tokio::test]
async fn a_call_with_state_of_the_run_awaits_approval_with_valid_arguments() {
    /// The user who asks.
    struct User;

    /// Greets.
    #[tool(requires_approval)]
    fn greet(name: &str, #[state] _user: &User) -> String {
        name.to_owned()
    }

    let registry = Registry::builder().tools(tools![greet]).state_per_run::<User>().lenient_arguments(true);
    let registry = registry.build().expect("one tool").with(&RunContext::new().state(User));
    let mut calls =
        pending(&[("1", "greet", "```json\n{'name':'Ada'}\n```"), ("2", "greet", r#"{"nam":"Ada"}"#)]);
    calls.run(&registry).await;
    let shown: Vec<String> = calls.awaiting_approval().into_iter().map(|call| call.arguments).collect();
    assert_eq!(shown, [r#"{"name": "Ada"}"#]);
}

#[tokio::test]
async fn a_call_that_awaits_approval_has_its_repaired_arguments() {
    let registry = Registry::builder()
        .tools(tools![delete])
        .state(Arc::new(Runs::default()))
        .lenient_arguments(true)
        .build()
        .expect("one tool");
    let mut pending = pending(&[("1", "delete", "```json\n{'path': 'a',}\n```")]);
    pending.run(&registry).await;
    assert_eq!(pending.awaiting_approval()[0].arguments, r#"{"path": "a"}"#);
    pending.approve("1").expect("it waits");
    let chat = pending.dispatch(&registry).await;
    assert_eq!(contents_of(&chat)[2], "a is deleted");
    let written = serde_json::to_value(&chat).expect("it is written");
    assert_eq!(
        written[1]["tool_calls"][0]["function"]["arguments"], r#"{"path": "a"}"#,
        "the history has the repaired arguments"
    );
}

#[tokio::test]
async fn a_call_without_approval_does_not_run() {
    let (registry, runs) = registry();
    let chat = pending(&[("1", "delete", A)]).dispatch(&registry).await;
    assert_eq!(contents_of(&chat)[2], "Error: the tool `delete` needs approval, which was not given.");
    assert_eq!(runs.deleted.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn an_approval_is_valid_only_for_the_approved_tool_and_arguments() {
    let (registry, runs) = registry();
    let mut calls = pending(&[("1", "delete", A)]);
    calls.approve("1").expect("it waits");
    let approved = serde_json::to_string(&calls).expect("it is written");
    for (was, is) in [("\\\"a\\\"", "\\\"/\\\""), ("\"delete\"", "\"shred\"")] {
        let altered = approved.replace(was, is);
        assert_ne!(altered, approved);
        let calls: PendingCalls = serde_json::from_str(&altered).expect("it is read");
        let chat = calls.dispatch(&registry).await;
        assert!(contents_of(&chat)[2].ends_with("needs approval, which was not given."), "{altered}");
        assert_eq!(runs.deleted.load(Ordering::Relaxed), 0);
    }
    let calls: PendingCalls = serde_json::from_str(&approved).expect("it is read");
    assert_eq!(contents_of(&calls.dispatch(&registry).await)[2], "a is deleted");
}

#[tokio::test]
async fn the_hook_may_deny_an_approved_call() {
    let registry = |decision: fn() -> Decision| {
        let registry = Registry::builder().tools(tools![delete]).state(Arc::new(Runs::default()));
        let hook = move |call: ProposedCall| async move {
            assert!(call.is_approved(), "the hook sees the approval");
            decision()
        };
        registry.before_call(hook).build().expect("one tool")
    };
    let mut calls = pending(&[("1", "delete", A)]);
    calls.approve("1").expect("it waits");
    let denied = calls.clone().dispatch(&registry(|| Decision::Deny("not today".into()))).await;
    assert_eq!(contents_of(&denied)[2], "Error: not today");
    let undecided = calls.dispatch(&registry(|| Decision::Undecided)).await;
    assert_eq!(contents_of(&undecided)[2], "a is deleted");
}
