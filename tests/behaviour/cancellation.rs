//! Cancelled and dropped dispatches.

use crate::contents;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;
use tokio::time::Instant;
use tool_runtime::dispatch::{CancellationToken, Decision};
use tool_runtime::{CallContext, DynamicTool, Registry, RunContext, ToolCall, ToolMessage, tool, tools};

const CANCELLED: &str = "Error: cancelled before it finished";

/// Takes this number of seconds.
#[tool]
async fn takes(seconds: u64) -> String {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    format!("{seconds} s")
}

/// Returns a result when it is cancelled.
#[tool]
async fn stops(#[context] call: &CallContext) -> &'static str {
    call.cancellation().cancelled().await;
    "stopped half way"
}

/// Returns the number of started calls.
#[tool]
async fn counts(#[state] started: &Arc<AtomicU32>) -> u32 {
    started.fetch_add(1, Ordering::SeqCst) + 1
}

/// Sends its token to the test, and panics.
#[tool]
async fn panics(#[state] tokens: &mpsc::Sender<CancellationToken>, #[context] call: &CallContext) {
    let _ = tokens.send(call.cancellation());
    panic!("as planned");
}

/// Sends its token to the test, and panics, on a thread.
#[tool(blocking)]
fn panics_on_a_thread(#[state] tokens: &mpsc::Sender<CancellationToken>, #[context] call: &CallContext) {
    let _ = tokens.send(call.cancellation());
    panic!("as planned");
}

#[tokio::test]
async fn the_token_of_a_call_is_cancelled_when_the_tool_panics() {
    for tool in ["panics", "panics_on_a_thread"] {
        let (sender, receiver) = mpsc::channel::<CancellationToken>();
        let registry = Registry::builder()
            .tools(tools![panics, panics_on_a_thread])
            .state(sender)
            .build()
            .expect("a registry");
        let messages = registry.dispatch(&[ToolCall::new("1", tool, "")]).await;
        assert_eq!(contents(&messages), [format!("Error: the tool `{tool}` failed unexpectedly.")]);
        let token = receiver.recv().expect("the tool sent its token");
        assert!(token.is_cancelled(), "{tool}");
    }
}

/// Dispatches calls that are cancelled after this number of seconds. Returns the messages and the elapsed seconds.
async fn cancelled_after(registry: &Registry, calls: &[ToolCall], seconds: u64) -> (Vec<ToolMessage>, u64) {
    let token = CancellationToken::new();
    let registry = registry.with(&RunContext::new().cancellation(token.clone()));
    let begun = Instant::now();
    let cancelling = async {
        tokio::time::sleep(Duration::from_secs(seconds)).await;
        token.cancel();
    };
    let (messages, ()) = tokio::join!(registry.dispatch(calls), cancelling);
    (messages, begun.elapsed().as_secs())
}

fn take(id: &str, seconds: u64) -> ToolCall {
    ToolCall::new(id, "takes", format!(r#"{{"seconds":{seconds}}}"#))
}

#[tokio::test(start_paused = true)]
async fn finished_calls_keep_their_results_and_other_calls_are_cancelled_at_once() {
    let registry = Registry::new(tools![takes]).expect("a registry");
    let calls =
        [take("a", 1), take("b", 100), ToolCall::new("c", "nothing", ""), take("d", 3), take("e", 1000)];
    let (messages, seconds) = cancelled_after(&registry, &calls, 5).await;
    assert_eq!(
        contents(&messages),
        ["1 s", CANCELLED, "Error: there is no tool `nothing`. Available: `takes`.", "3 s", CANCELLED]
    );
    assert_eq!(seconds, 5);
    let ids: Vec<&str> = messages.iter().map(|message| &*message.tool_call_id).collect();
    assert_eq!(ids, ["a", "b", "c", "d", "e"]);
    assert_eq!(messages[1].error_kind(), Some("cancelled"));
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_finishes_when_its_token_wakes_it_keeps_its_result() {
    let registry = Registry::new(tools![takes, stops]).expect("a registry");
    let calls = [ToolCall::new("1", "stops", ""), take("2", 9)];
    let (messages, seconds) = cancelled_after(&registry, &calls, 2).await;
    assert_eq!((contents(&messages), seconds), (vec!["stopped half way", CANCELLED], 2));
}

#[tokio::test]
async fn no_tool_starts_in_a_cancelled_run() {
    let started = Arc::<AtomicU32>::default();
    let registry =
        Registry::builder().tools(tools![counts]).state(Arc::clone(&started)).build().expect("a registry");
    let token = CancellationToken::new();
    token.cancel();
    let context = RunContext::new().cancellation(token);
    let messages = registry.with(&context).dispatch(&[ToolCall::new("1", "counts", "")]).await;
    assert_eq!(contents(&messages), [CANCELLED]);
    assert_eq!(started.load(Ordering::SeqCst), 0);
    let messages = registry.dispatch(&[ToolCall::new("1", "counts", "")]).await;
    assert_eq!(contents(&messages), ["1"], "the next dispatch is not cancelled");
}

#[tokio::test]
async fn the_hook_is_not_called_in_a_cancelled_run() {
    let registry = Registry::builder()
        .tools(tools![takes])
        .before_call(|_| async { panic!("the hook must not be called") })
        .build()
        .expect("a registry");
    let token = CancellationToken::new();
    token.cancel();
    let messages = registry.with(&RunContext::new().cancellation(token)).dispatch(&[take("1", 1)]).await;
    assert_eq!(contents(&messages), [CANCELLED]);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_that_waits_in_the_queue_or_for_approval_never_starts() {
    let started = Arc::<AtomicU32>::default();
    let registry = Registry::builder()
        .tools(tools![takes, counts])
        .state(Arc::clone(&started))
        .max_concurrency(1)
        .before_call(|call| async move {
            if call.context().id() == "never" { std::future::pending().await } else { Decision::Run }
        })
        .build()
        .expect("a registry");
    let calls = [take("1", 9), ToolCall::new("2", "counts", ""), ToolCall::new("never", "counts", "")];
    let (messages, seconds) = cancelled_after(&registry, &calls, 3).await;
    assert_eq!((contents(&messages), seconds), (vec![CANCELLED; 3], 3));
    assert_eq!(started.load(Ordering::SeqCst), 0);
    let queued = |message: &ToolMessage| message.outcome().map(|outcome| outcome.queue_time().as_secs());
    assert_eq!(messages.iter().map(queued).collect::<Vec<_>>(), [Some(0), Some(3), Some(0)]);
    let messages = registry.dispatch(&calls[1..2]).await;
    assert_eq!(contents(&messages), ["1"], "its permit is free again");
}

/// Waits for the gate.
#[tool]
async fn passes(#[state] gate: &Arc<tokio::sync::Semaphore>) -> &'static str {
    let _passed = gate.acquire().await;
    "passed"
}

#[tokio::test]
async fn all_finished_calls_of_a_large_reply_keep_their_results() {
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let registry = Registry::builder()
        .tools(tools![passes, takes])
        .state(Arc::clone(&gate))
        .build()
        .expect("a registry");
    let mut calls: Vec<ToolCall> =
        (0..500).map(|index| ToolCall::new(index.to_string(), "passes", "")).collect();
    calls.push(take("last", 1_000));
    let token = CancellationToken::new();
    let context = RunContext::new().cancellation(token.clone());
    let cancelling = async {
        tokio::time::sleep(Duration::from_millis(10)).await;
        gate.add_permits(500);
        token.cancel();
    };
    let dispatching = tokio::spawn({
        let registry = registry.clone();
        async move { registry.with(&context).dispatch(&calls).await }
    });
    cancelling.await;
    let messages = dispatching.await.expect("it ends");
    let passed = messages.iter().filter(|message| message.content == "passed").count();
    assert_eq!((passed, messages[500].content.as_str()), (500, CANCELLED));
}

/// Cancels its own token.
#[tool]
async fn cancels(#[context] call: &CallContext) -> bool {
    call.cancellation().cancel();
    call.cancellation().is_cancelled()
}

#[tokio::test(start_paused = true)]
async fn a_tool_cannot_cancel_its_run() {
    let registry = Registry::new(tools![takes, cancels]).expect("a registry");
    let calls = [ToolCall::new("1", "cancels", ""), take("2", 1)];
    let (messages, _) = cancelled_after(&registry, &calls, 5).await;
    assert_eq!(contents(&messages), ["true", "1 s"]);
    let messages = registry.dispatch(&calls).await;
    assert_eq!(contents(&messages), ["true", "1 s"]);
}

#[tokio::test(start_paused = true)]
async fn the_handler_of_a_dynamic_tool_can_use_the_token() {
    let tool = DynamicTool::with_context("waits", "", serde_json::Value::Null, |_, call| async move {
        call.cancellation().cancelled().await;
        Err::<(), _>(format!("call {} was stopped", call.id()))
    });
    let registry = Registry::builder().dynamic(tool).build().expect("a registry");
    let (messages, _) = cancelled_after(&registry, &[ToolCall::new("7", "waits", "")], 2).await;
    assert_eq!(contents(&messages), ["Error: call 7 was stopped"]);
}

/// Sends its token to the test, and never returns.
#[tool(timeout = "2s")]
async fn sends_its_token(
    #[state] tokens: &mpsc::SyncSender<CancellationToken>,
    #[context] call: &CallContext,
) {
    let _ = tokens.send(call.cancellation());
    std::future::pending::<()>().await;
}

#[tokio::test(start_paused = true)]
async fn the_token_of_a_call_is_cancelled_by_its_time_limit_and_by_a_dropped_dispatch() {
    let (sender, tokens) = mpsc::sync_channel::<CancellationToken>(9);
    let registry =
        Registry::builder().tools(tools![sends_its_token]).state(sender).build().expect("a registry");
    let calls = [ToolCall::new("1", "sends_its_token", "")];
    registry.dispatch(&calls).await;
    assert!(tokens.recv().is_ok_and(|token| token.is_cancelled()), "its limit expired");
    let dropped = tokio::time::timeout(Duration::from_secs(1), registry.dispatch(&calls)).await;
    assert!(dropped.is_err() && tokens.recv().is_ok_and(|token| token.is_cancelled()), "it was dropped");
}

/// Polls its token.
#[tool]
async fn polls_its_token(#[context] call: &CallContext) -> &'static str {
    let cancellation = call.cancellation();
    while !cancellation.is_cancelled() {
        tokio::task::yield_now().await;
    }
    "stopped half way"
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_that_returns_on_cancellation_keeps_its_result_whenever_another_thread_cancels() {
    let registry = Registry::new(tools![stops, polls_its_token]).expect("a registry");
    let calls = ["stops", "polls_its_token", "polls_its_token"].map(|tool| ToolCall::new("1", tool, ""));
    for _ in 0..2_000 {
        let token = CancellationToken::new();
        let context = RunContext::new().cancellation(token.clone());
        let (registry, calls) = (registry.with(&context), calls.clone());
        let begun = Arc::new(tokio::sync::Notify::new());
        let dispatching = {
            let begun = Arc::clone(&begun);
            tokio::spawn(async move {
                let mut dispatching = std::pin::pin!(registry.dispatch(&calls));
                let first = futures_util::poll!(dispatching.as_mut());
                begun.notify_one();
                match first {
                    std::task::Poll::Ready(messages) => messages,
                    std::task::Poll::Pending => dispatching.await,
                }
            })
        };
        begun.notified().await;
        token.cancel();
        let messages = dispatching.await.expect("it ends");
        assert_eq!(contents(&messages), ["stopped half way"; 3]);
    }
}

/// Sends to the test that a blocking function has begun, and how it ended.
type Progress = tokio::sync::mpsc::UnboundedSender<&'static str>;

fn until_cancelled(call: &CallContext, progress: &Progress) -> &'static str {
    let _ = progress.send("begun");
    let cancellation = call.cancellation();
    // Bounded, so that a failing test ends.
    let stopped = (0..2_000).any(|_| {
        std::thread::sleep(Duration::from_millis(5));
        cancellation.is_cancelled()
    });
    let how = if stopped { "stopped" } else { "not stopped" };
    let _ = progress.send(how);
    how
}

/// Works on a thread until it is cancelled.
#[tool(blocking)]
fn works(#[state] progress: &Progress, #[context] call: &CallContext) -> &'static str {
    until_cancelled(call, progress)
}

/// Works on a thread until it is cancelled, with a short time limit.
#[tool(timeout = "30ms")]
fn works_with_timeout(#[state] progress: &Progress, #[context] call: &CallContext) -> &'static str {
    until_cancelled(call, progress)
}

fn working() -> (Registry, tokio::sync::mpsc::UnboundedReceiver<&'static str>) {
    let (sender, receiver) = tokio::sync::mpsc::unbounded_channel();
    let registry = Registry::builder().tools(tools![works, works_with_timeout]).state::<Progress>(sender);
    (registry.build().expect("a registry"), receiver)
}

#[tokio::test]
async fn the_token_of_a_blocking_function_is_cancelled_with_its_run() {
    let (registry, mut progress) = working();
    let token = CancellationToken::new();
    let registry = registry.with(&RunContext::new().cancellation(token.clone()));
    let calls = [ToolCall::new("1", "works", "")];
    let cancelling = async {
        assert_eq!(progress.recv().await, Some("begun"));
        token.cancel();
    };
    let (messages, ()) = tokio::join!(registry.dispatch(&calls), cancelling);
    assert_eq!(contents(&messages), [CANCELLED]);
    assert_eq!(progress.recv().await, Some("stopped"));
}

// While a blocking function runs, the paused time only advances by hand.
#[tokio::test(start_paused = true)]
async fn the_token_of_a_blocking_function_is_cancelled_by_its_time_limit() {
    let (registry, mut progress) = working();
    let calls = [ToolCall::new("1", "works_with_timeout", "")];
    let waiting = async {
        assert_eq!(progress.recv().await, Some("begun"));
        tokio::time::advance(Duration::from_millis(31)).await;
    };
    let (messages, ()) = tokio::join!(registry.dispatch(&calls), waiting);
    assert_eq!(
        contents(&messages),
        ["Error: the tool `works_with_timeout` did not finish within 30 ms. It may have taken effect."]
    );
    assert_eq!(progress.recv().await, Some("stopped"));
}

#[tokio::test]
async fn the_token_of_a_blocking_function_is_cancelled_by_a_dropped_dispatch() {
    let (registry, mut progress) = working();
    let calls = [ToolCall::new("1", "works", "")];
    tokio::select! {
        messages = registry.dispatch(&calls) => panic!("the function works until it is cancelled: {messages:?}"),
        begun = progress.recv() => assert_eq!(begun, Some("begun")),
    }
    assert_eq!(progress.recv().await, Some("stopped"));
}

/// Sends its token to the test.
#[tool(blocking)]
fn sends_its_token_from_a_thread(
    #[state] tokens: &mpsc::SyncSender<CancellationToken>,
    #[context] call: &CallContext,
) {
    let _ = tokens.send(call.cancellation());
}

/// Sends its token to the test, and fails.
#[tool]
async fn sends_its_token_and_fails(
    #[state] tokens: &mpsc::SyncSender<CancellationToken>,
    #[context] call: &CallContext,
) -> Result<(), String> {
    let _ = tokens.send(call.cancellation());
    Err("failed".to_owned())
}

#[tokio::test]
async fn the_token_of_a_finished_call_is_not_cancelled() {
    let (sender, tokens) = mpsc::sync_channel::<CancellationToken>(9);
    let registry = Registry::builder()
        .tools(tools![sends_its_token_from_a_thread, sends_its_token_and_fails])
        .state(sender);
    let registry = registry.build().expect("a registry");
    for tool in ["sends_its_token_from_a_thread", "sends_its_token_and_fails"] {
        registry.dispatch(&[ToolCall::new("1", tool, "")]).await;
        assert!(!tokens.recv().expect("it ran").is_cancelled(), "{tool}");
    }
}
