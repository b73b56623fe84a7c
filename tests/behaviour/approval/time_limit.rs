//! The time limit of the `before_call` hook.

use super::{Runs, all, calls, delete, dispatch_with_hook, sum};
use crate::contents;
use std::error::Error as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tool_runtime::dispatch::Decision;
use tool_runtime::{Registry, RegistryBuilder, ToolCall, tool, tools};

#[tokio::test(start_paused = true)]
async fn a_hook_that_exceeds_the_time_limit_of_the_tool_denies_the_call() {
    let slow = |_| async {
        tokio::time::sleep(Duration::from_secs(7)).await;
        Decision::Run
    };
    let begun = tokio::time::Instant::now();
    let (messages, runs) = dispatch_with_hook(slow, &calls()).await;
    assert_eq!(
        contents(&messages),
        [
            "Error: the tool `delete` was not run: the approval check did not finish within 5 s.",
            "b is gone, on a thread",
            "in c"
        ]
    );
    assert_eq!((runs, begun.elapsed().as_secs()), (2, 7));
}

#[tokio::test(start_paused = true)]
async fn the_approval_timeout_may_exceed_the_time_limit_of_the_tool() {
    let runs = Arc::<Runs>::default();
    let registry = Registry::builder()
        .tools(all())
        .state(Arc::clone(&runs))
        .timeout(Duration::from_secs(1))
        .approval_timeout(Duration::from_secs(3_600))
        .before_call(|call| async move {
            tokio::time::sleep(Duration::from_secs(if call.tool() == "read" { 4_000 } else { 3_000 })).await;
            Decision::Run
        })
        .build()
        .expect("a registry");
    let calls =
        [ToolCall::new("1", "delete", r#"{"path":"a"}"#), ToolCall::new("2", "read", r#"{"path":"a"}"#)];
    assert_eq!(
        contents(&registry.dispatch(&calls).await),
        ["a is gone", "Error: the tool `read` was not run: the approval check did not finish within 3600 s."]
    );
    assert_eq!(runs.0.load(Ordering::SeqCst), 1);
}

/// The message of a call of `delete`, which has a time limit of 5 s.
async fn delete_message(registry: RegistryBuilder) -> String {
    let registry = registry.tools(tools![delete]).state(Arc::<Runs>::default()).build().expect("a registry");
    let calls = [ToolCall::new("1", "delete", r#"{"path":"a"}"#)];
    registry.dispatch(&calls).await.remove(0).content.to_string()
}

#[tokio::test]
async fn the_time_limit_cannot_interrupt_a_hook_that_does_not_await() {
    let registry = Registry::builder().approval_timeout(Duration::from_millis(5)).before_call(|_| async {
        std::thread::sleep(Duration::from_millis(20));
        Decision::Run
    });
    assert_eq!(delete_message(registry).await, "a is gone");
}

#[tokio::test]
async fn a_hook_that_awaits_after_its_time_limit_is_late() {
    let registry = Registry::builder().approval_timeout(Duration::from_millis(5)).before_call(|_| async {
        std::thread::sleep(Duration::from_millis(20));
        std::future::pending().await
    });
    let late = "Error: the tool `delete` was not run: the approval check did not finish within 5 ms.";
    assert_eq!(delete_message(registry).await, late);
}

#[tokio::test(start_paused = true)]
async fn the_time_limit_of_the_tool_is_that_of_its_hook_even_if_the_registry_has_another() {
    let registry =
        Registry::builder().timeout(Duration::from_millis(1500)).before_call(|_| std::future::pending());
    let late = "Error: the tool `delete` was not run: the approval check did not finish within 5 s.";
    assert_eq!(delete_message(registry).await, late);
}

/// Blocks the task of its call.
#[tool]
fn computes() -> &'static str {
    std::thread::sleep(Duration::from_millis(150));
    "computed"
}

#[tokio::test]
async fn a_decision_in_time_counts_even_if_another_tool_blocked_the_task() {
    let registry = Registry::builder()
        .tools(tools![delete, computes])
        .state(Arc::<Runs>::default())
        .approval_timeout(Duration::from_millis(100))
        .before_call(|call| async move {
            if call.tool() == "delete" {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            Decision::Run
        })
        .build()
        .expect("a registry");
    let calls = [ToolCall::new("1", "delete", r#"{"path":"a"}"#), ToolCall::new("2", "computes", "")];
    assert_eq!(contents(&registry.dispatch(&calls).await), ["a is gone", "computed"]);
}

#[test]
fn an_approval_timeout_without_a_runtime_is_an_error_with_the_reason() {
    let registry = Registry::builder()
        .tools(tools![sum])
        .approval_timeout(Duration::from_secs(1))
        .before_call(|_| async { Decision::Run })
        .build()
        .expect("a registry");
    let calls = [ToolCall::new("1", "sum", "")];
    let messages = futures_util::FutureExt::now_or_never(registry.dispatch(&calls)).expect("nothing waits");
    assert_eq!(contents(&messages), ["Error: the tool `sum` is not available now."]);
    let reason = messages[0].outcome().and_then(|outcome| outcome.error()?.source()).map(ToString::to_string);
    assert_eq!(reason.as_deref(), Some("a time-out needs a Tokio runtime"));
}
