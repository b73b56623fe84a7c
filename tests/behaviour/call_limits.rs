//! Limits of single tools and of runs: `max_concurrency`, `max_calls`, allowed tools.

use crate::contents;
use futures_util::FutureExt as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::Instant;
use tool_runtime::conversation::Received;
use tool_runtime::dispatch::{CallError, Decision, Outcome};
use tool_runtime::{
    AssistantMessage, Conversation, DynamicTool, Registry, RunContext, ToolCall, ToolMessage, tool, tools,
};

/// Works for a second, and returns the second of its start.
#[tool(max_concurrency = 1)]
async fn work(#[state] begun: &Instant) -> u64 {
    let at = begun.elapsed().as_secs();
    tokio::time::sleep(Duration::from_secs(1)).await;
    at
}

/// Searches the web.
#[tool(max_calls = 2)]
async fn search(query: &str) -> String {
    format!("found {query}")
}

/// The time of day.
#[tool]
async fn now(#[state] begun: &Instant) -> u64 {
    begun.elapsed().as_secs()
}

fn calls(tools: &[&str]) -> Vec<ToolCall> {
    let call = |(index, tool): (usize, &&str)| {
        ToolCall::new(index.to_string(), *tool, if *tool == "search" { r#"{"query":"x"}"# } else { "{}" })
    };
    tools.iter().enumerate().map(call).collect()
}

fn registry() -> Registry {
    let builder = Registry::builder().tools(tools![work, search, now]).state(Instant::now());
    builder.build().expect("the tools are valid")
}

const REACHED: &str = "Error: not run: `search` may be called only 2 times, and this limit is reached.";

#[tokio::test(start_paused = true)]
async fn calls_of_a_busy_tool_wait_and_others_do_not() {
    let registry = registry();
    let subset = registry.subset(["work"]).expect("it has the tool");
    let (first, second) = (calls(&["work", "work", "now", "work"]), calls(&["work"]));
    let (messages, others) = tokio::join!(registry.dispatch(&first), subset.dispatch(&second));
    assert_eq!(contents(&messages), ["0", "1", "0", "2"]);
    assert_eq!(contents(&others), ["3"], "a subset shares the limit");
    let queue_time = |message: &ToolMessage| message.outcome().map(|outcome| outcome.queue_time().as_secs());
    assert_eq!(messages.iter().map(queue_time).collect::<Vec<_>>(), [Some(0), Some(1), Some(0), Some(2)]);
}

#[tokio::test(start_paused = true)]
async fn a_waiting_call_of_a_busy_tool_takes_no_permit_of_the_registry() {
    let builder = Registry::builder().tools(tools![work, search, now]).state(Instant::now());
    let registry = builder.max_concurrency(2).build().expect("the tools are valid");
    let messages = registry.dispatch(&calls(&["work", "work", "now", "now"])).await;
    assert_eq!(contents(&messages), ["0", "1", "0", "0"]);
}

#[tokio::test]
async fn calls_beyond_max_calls_are_an_error() {
    let registry = registry();
    let mut four = calls(&["search", "search", "search", "now"]);
    four[0].arguments = "{}".to_owned(); // an invalid call does not count
    let messages = registry.dispatch(&four).await;
    assert!(messages[0].is_error());
    assert_eq!(contents(&messages)[1..], ["found x", "found x", "0"]);
    let messages = registry.dispatch(&calls(&["search", "search", "search"])).await;
    assert_eq!(contents(&messages), ["found x", "found x", REACHED], "each dispatch counts on its own");
    let error = messages[2].outcome().and_then(Outcome::error).expect("it did not run");
    assert!(matches!(error, CallError::ToolCallLimit { limit: 2, .. }) && error.kind() == "call_limit");
}

#[tokio::test]
async fn a_run_context_counts_the_calls_of_all_its_dispatches() {
    let context = RunContext::new();
    let registry = registry();
    let bound = registry.with(&context);
    assert_eq!(contents(&bound.dispatch(&calls(&["search"])).await), ["found x"]);
    let same = registry.with(&context.clone());
    assert_eq!(contents(&same.dispatch(&calls(&["search", "search"])).await), ["found x", REACHED]);
    assert_eq!(
        bound.call("search", serde_json::json!({"query": "x"})).await.error_kind(),
        Some("call_limit")
    );
    // A clone that is changed has its own count from then on; another context starts at zero.
    let changed = registry.with(&context.clone().state(1_u8));
    assert_eq!(contents(&changed.dispatch(&calls(&["search"])).await), [REACHED]);
    let fresh = registry.with(&RunContext::new());
    assert_eq!(contents(&fresh.dispatch(&calls(&["search"])).await), ["found x"]);
}

#[tokio::test]
async fn a_call_that_is_denied_does_not_count() {
    let registry = Registry::builder()
        .tools(tools![search])
        .before_call(|call| async move {
            if call.context().id() == "0" { Decision::Deny("no".into()) } else { Decision::Run }
        })
        .build()
        .expect("one tool");
    let messages = registry.dispatch(&calls(&["search", "search", "search", "search"])).await;
    assert_eq!(contents(&messages), ["Error: no", "found x", "found x", REACHED]);
}

#[tokio::test]
async fn a_call_that_is_tried_again_counts_once() {
    let registry = Registry::builder()
        .tools(tools![search])
        .around_call(|call| async move {
            let _ = call.run().await;
            call.run().await
        })
        .build()
        .expect("one tool");
    let messages = registry.dispatch(&calls(&["search", "search", "search"])).await;
    assert_eq!(contents(&messages), ["found x", "found x", REACHED]);
}

#[tokio::test]
async fn a_tool_that_is_not_allowed_does_not_run() {
    let registry = registry();
    let context = RunContext::new().allowed_tools(["now", "search"]);
    let messages = registry.with(&context).dispatch(&calls(&["work", "now"])).await;
    assert_eq!(
        contents(&messages),
        ["Error: the tool `work` may not be called now. Available: `now` and `search`.", "0"]
    );
    assert_eq!(messages[0].error_kind(), Some("not_allowed"));
    let none = registry.with(&RunContext::new().allowed_tools([""; 0]));
    assert_eq!(
        contents(&none.dispatch(&calls(&["now"])).await),
        ["Error: the tool `now` may not be called now. No tool is available."]
    );
}

#[tokio::test]
async fn a_renamed_tool_is_allowed_by_both_names() {
    let parameters = serde_json::json!({"type": "object"});
    let tool = DynamicTool::new("clock.now", "", parameters, |_| async { Ok::<_, String>("12:00") });
    let today =
        DynamicTool::new("clock.today", "", serde_json::json!({}), |_| async { Ok::<_, String>("Monday") });
    let registry = Registry::builder().rename_invalid_names(true).dynamic(tool).dynamic(today).build();
    let registry = registry.expect("two tools");
    for name in ["clock.now", "clock_now"] {
        let registry = registry.with(&RunContext::new().allowed_tools([name]));
        assert_eq!(contents(&registry.dispatch(&calls(&["clock_now"])).await), ["12:00"]);
        assert_eq!(registry.call(name, ()).await.text(), "12:00", "the original name finds the tool");
    }
    let other = registry.with(&RunContext::new().allowed_tools(["clock.today", "clock.nwo"]));
    assert_eq!(
        other.call("clock.now", ()).await.text(),
        "Error: the tool `clock_now` may not be called now. Available: `clock_today`."
    );
}

/// Needs approval.
#[tool(requires_approval)]
async fn delete() {}

/// Needs approval, once.
#[tool(requires_approval, max_calls = 1)]
async fn format_disk() {}

#[tokio::test]
async fn no_approval_is_asked_beyond_max_calls() {
    let registry = Registry::new(tools![format_disk]).expect("one tool").with(&RunContext::new());
    let reply = AssistantMessage::from_tool_calls(calls(&["format_disk"]));
    let Received::ToolCalls(mut pending) = Conversation::new().user("Format.").receive(reply) else {
        panic!("it calls")
    };
    pending.run(&registry).await;
    assert_eq!(pending.awaiting_approval().len(), 1);
    assert!(!registry.call("format_disk", ()).await.is_error());
    pending.run(&registry).await;
    assert_eq!(pending.awaiting_approval().len(), 0);
}

#[tokio::test]
async fn a_run_asks_no_person_about_a_call_beyond_max_calls() {
    let registry = Registry::new(tools![format_disk]).expect("one tool").with(&RunContext::new());
    assert!(!registry.call("format_disk", ()).await.is_error());
    let reply = AssistantMessage::from_tool_calls(calls(&["format_disk"]));
    let Received::ToolCalls(mut pending) = Conversation::new().user("Format.").receive(reply) else {
        panic!("it calls")
    };
    pending.run(&registry).await;
    assert_eq!(pending.result_of("0").and_then(ToolMessage::error_kind), Some("call_limit"));
}

#[tokio::test]
async fn a_call_that_begins_again_after_a_second_approval_counts_once() {
    /// Needs approval, once, and never ends the first time.
    #[tool(requires_approval, max_calls = 1)]
    async fn pay(#[state] attempts: &AtomicUsize) {
        if attempts.fetch_add(1, Ordering::Relaxed) == 0 {
            std::future::pending::<()>().await;
        }
    }
    let registry =
        Registry::builder().tools(tools![pay]).state(AtomicUsize::new(0)).build().expect("one tool");
    let registry = registry.with(&RunContext::new());
    let reply = AssistantMessage::from_tool_calls(calls(&["pay"]));
    let Received::ToolCalls(mut pending) = Conversation::new().user("Pay.").receive(reply) else {
        panic!("it calls")
    };
    pending.approve("0").expect("it waits");
    assert!(pending.run(&registry).now_or_never().is_none(), "it is dropped while the tool runs");
    pending.set_not_begun("0").expect("it has begun");
    pending.run(&registry).await;
    assert_eq!(pending.awaiting_approval().len(), 1, "it needs another approval");
    pending.approve("0").expect("it waits");
    pending.run(&registry).await;
    assert_eq!(pending.result_of("0").map(ToolMessage::text), Some("ok"));
}

#[tokio::test]
async fn no_approval_is_asked_for_a_tool_that_is_not_allowed() {
    let registry = Registry::new(tools![delete]).expect("one tool");
    let reply = AssistantMessage::from_tool_calls(calls(&["delete"]));
    let Received::ToolCalls(mut pending) = Conversation::new().user("Delete.").receive(reply) else {
        panic!("it calls")
    };
    pending.run(&registry).await;
    assert_eq!(pending.awaiting_approval().len(), 1);
    pending.run(&registry.with(&RunContext::new().allowed_tools(["other"]))).await;
    assert_eq!(pending.awaiting_approval().len(), 0);
}
