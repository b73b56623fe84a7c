//! A batch that is ended early, or given up.

use crate::contents;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;
use tokio::time::Instant;
use tool_runtime::dispatch::{CancellationToken, Decision};
use tool_runtime::{BatchContext, CallContext, DynamicTool, Registry, ToolCall, ToolMessage, tool, tools};

const CANCELLED: &str = "Error: cancelled before it finished";

/// Takes so many seconds.
#[tool]
async fn takes(seconds: u64) -> String {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    format!("{seconds} s")
}

/// Stops in good order when it is cancelled.
#[tool]
async fn stops(#[context] call: &CallContext) -> &'static str {
    call.cancellation().cancelled().await;
    "stopped half way"
}

/// Says how many were started.
#[tool]
async fn counts(#[state] started: &Arc<AtomicU32>) -> u32 {
    started.fetch_add(1, Ordering::SeqCst) + 1
}

/// Gives its token away, and panics.
#[tool]
async fn panics(#[state] given: &mpsc::Sender<CancellationToken>, #[context] call: &CallContext) {
    let _ = given.send(call.cancellation());
    panic!("as planned");
}

/// The same on a thread.
#[tool(blocking)]
fn panics_on_a_thread(#[state] given: &mpsc::Sender<CancellationToken>, #[context] call: &CallContext) {
    let _ = given.send(call.cancellation());
    panic!("as planned");
}

#[tokio::test]
async fn what_a_tool_left_at_work_learns_that_it_panicked() {
    for tool in ["panics", "panics_on_a_thread"] {
        let (given, taken) = mpsc::channel::<CancellationToken>();
        let registry = Registry::builder()
            .tools(tools![panics, panics_on_a_thread])
            .state(given)
            .build()
            .expect("a registry");
        let answers = registry.dispatch(&[ToolCall::new("1", tool, "")]).await;
        assert_eq!(contents(&answers), [format!("Error: the tool `{tool}` failed unexpectedly.")]);
        let left = taken.recv().expect("the tool gave its token away");
        assert!(left.is_cancelled(), "{tool}");
    }
}

/// The answers to a batch that is cancelled after so many seconds, and after how many they were there.
async fn cancelled_after(registry: &Registry, calls: &[ToolCall], seconds: u64) -> (Vec<ToolMessage>, u64) {
    let token = CancellationToken::new();
    let batch = BatchContext::new().cancellation(token.clone());
    let begun = Instant::now();
    let cancelling = async {
        tokio::time::sleep(Duration::from_secs(seconds)).await;
        token.cancel();
    };
    let (answers, ()) = tokio::join!(registry.dispatch_with(calls, &batch), cancelling);
    (answers, begun.elapsed().as_secs())
}

fn take(id: &str, seconds: u64) -> ToolCall {
    ToolCall::new(id, "takes", format!(r#"{{"seconds":{seconds}}}"#))
}

#[tokio::test(start_paused = true)]
async fn finished_calls_keep_their_results_and_the_rest_is_answered_at_once() {
    let registry = Registry::new(tools![takes]).expect("a registry");
    let calls =
        [take("a", 1), take("b", 100), ToolCall::new("c", "nothing", ""), take("d", 3), take("e", 1000)];
    let (answers, seconds) = cancelled_after(&registry, &calls, 5).await;
    assert_eq!(
        contents(&answers),
        ["1 s", CANCELLED, "Error: there is no tool `nothing`. Available: `takes`.", "3 s", CANCELLED]
    );
    assert_eq!(seconds, 5);
    let ids: Vec<&str> = answers.iter().map(|answer| &*answer.tool_call_id).collect();
    assert_eq!(ids, ["a", "b", "c", "d", "e"]);
    let kind = |answer: &ToolMessage| Some(answer.outcome()?.error()?.kind());
    assert_eq!(kind(&answers[1]), Some("cancelled"));
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_answers_when_it_is_woken_by_its_token_keeps_its_answer() {
    let registry = Registry::new(tools![takes, stops]).expect("a registry");
    let calls = [ToolCall::new("1", "stops", ""), take("2", 9)];
    let (answers, seconds) = cancelled_after(&registry, &calls, 2).await;
    assert_eq!((contents(&answers), seconds), (vec!["stopped half way", CANCELLED], 2));
}

#[tokio::test]
async fn in_a_batch_that_is_cancelled_already_nothing_starts() {
    let started = Arc::<AtomicU32>::default();
    let registry =
        Registry::builder().tools(tools![counts]).state(Arc::clone(&started)).build().expect("a registry");
    let token = CancellationToken::new();
    token.cancel();
    let batch = BatchContext::new().cancellation(token);
    let answers = registry.dispatch_with(&[ToolCall::new("1", "counts", "")], &batch).await;
    assert_eq!(contents(&answers), [CANCELLED]);
    assert_eq!(started.load(Ordering::SeqCst), 0);
    let answers = registry.dispatch(&[ToolCall::new("1", "counts", "")]).await;
    assert_eq!(contents(&answers), ["1"], "the next batch is another");
}

#[tokio::test]
async fn in_a_batch_that_is_cancelled_already_nobody_is_asked() {
    let registry = Registry::builder()
        .tools(tools![takes])
        .before_call(|_| async { panic!("nobody should be asked") })
        .build()
        .expect("a registry");
    let token = CancellationToken::new();
    token.cancel();
    let answers = registry.dispatch_with(&[take("1", 1)], &BatchContext::new().cancellation(token)).await;
    assert_eq!(contents(&answers), [CANCELLED]);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_waits_for_its_turn_or_its_approval_is_cancelled_and_never_starts() {
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
    let (answers, seconds) = cancelled_after(&registry, &calls, 3).await;
    assert_eq!((contents(&answers), seconds), (vec![CANCELLED; 3], 3));
    assert_eq!(started.load(Ordering::SeqCst), 0);
    let queued = |answer: &ToolMessage| answer.outcome().map(|outcome| outcome.queue_time().as_secs());
    assert_eq!(answers.iter().map(queued).collect::<Vec<_>>(), [Some(0), Some(3), Some(0)]);
    let answers = registry.dispatch(&calls[1..2]).await;
    assert_eq!(contents(&answers), ["1"], "its place is free again");
}

/// Waits for the gate.
#[tool]
async fn passes(#[state] gate: &Arc<tokio::sync::Semaphore>) -> &'static str {
    let _passed = gate.acquire().await;
    "passed"
}

#[tokio::test]
async fn of_a_large_batch_all_that_are_done_keep_their_results() {
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
    let batch = BatchContext::new().cancellation(token.clone());
    let cancelling = async {
        tokio::time::sleep(Duration::from_millis(10)).await;
        gate.add_permits(500);
        token.cancel();
    };
    let dispatching = tokio::spawn({
        let registry = registry.clone();
        async move { registry.dispatch_with(&calls, &batch).await }
    });
    cancelling.await;
    let answers = dispatching.await.expect("it ends");
    let passed = answers.iter().filter(|answer| answer.content == "passed").count();
    assert_eq!((passed, answers[500].content.as_str()), (500, CANCELLED));
}

/// Cancels the token that it is given, which is its own.
#[tool]
async fn cancels(#[context] call: &CallContext) -> bool {
    call.cancellation().cancel();
    call.cancellation().is_cancelled()
}

#[tokio::test(start_paused = true)]
async fn a_tool_cannot_cancel_its_batch() {
    let registry = Registry::new(tools![takes, cancels]).expect("a registry");
    let calls = [ToolCall::new("1", "cancels", ""), take("2", 1)];
    let (answers, _) = cancelled_after(&registry, &calls, 5).await;
    assert_eq!(contents(&answers), ["true", "1 s"]);
    let answers = registry.dispatch(&calls).await;
    assert_eq!(contents(&answers), ["true", "1 s"]);
}

#[tokio::test(start_paused = true)]
async fn the_handler_of_a_dynamic_tool_can_have_the_token() {
    let tool = DynamicTool::with_context("waits", "", serde_json::Value::Null, |_, call| async move {
        call.cancellation().cancelled().await;
        Err::<(), _>(format!("call {} was stopped", call.id()))
    });
    let registry = Registry::builder().dynamic(tool).build().expect("a registry");
    let (answers, _) = cancelled_after(&registry, &[ToolCall::new("7", "waits", "")], 2).await;
    assert_eq!(contents(&answers), ["Error: call 7 was stopped"]);
}

/// Gives its token away and never ends.
#[tool(timeout = "2s")]
async fn gives_its_token(
    #[state] given: &mpsc::SyncSender<CancellationToken>,
    #[context] call: &CallContext,
) {
    let _ = given.send(call.cancellation());
    std::future::pending::<()>().await;
}

#[tokio::test(start_paused = true)]
async fn what_a_tool_has_called_learns_that_the_call_was_given_up() {
    let (sender, given) = mpsc::sync_channel::<CancellationToken>(9);
    let registry =
        Registry::builder().tools(tools![gives_its_token]).state(sender).build().expect("a registry");
    let calls = [ToolCall::new("1", "gives_its_token", "")];
    registry.dispatch(&calls).await;
    assert!(given.recv().is_ok_and(|token| token.is_cancelled()), "its time is over");
    let dropped = tokio::time::timeout(Duration::from_secs(1), registry.dispatch(&calls)).await;
    assert!(dropped.is_err() && given.recv().is_ok_and(|token| token.is_cancelled()), "it was dropped");
}

/// Looks at its token again and again.
#[tool]
async fn looks_at_its_token(#[context] call: &CallContext) -> &'static str {
    let cancellation = call.cancellation();
    while !cancellation.is_cancelled() {
        tokio::task::yield_now().await;
    }
    "stopped half way"
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_that_stops_in_good_order_is_heard_whoever_cancels_it_and_when() {
    let registry = Registry::new(tools![stops, looks_at_its_token]).expect("a registry");
    let calls =
        ["stops", "looks_at_its_token", "looks_at_its_token"].map(|tool| ToolCall::new("1", tool, ""));
    for _ in 0..2_000 {
        let token = CancellationToken::new();
        let batch = BatchContext::new().cancellation(token.clone());
        let (registry, calls) = (registry.clone(), calls.clone());
        let begun = Arc::new(tokio::sync::Notify::new());
        let dispatching = {
            let begun = Arc::clone(&begun);
            tokio::spawn(async move {
                let mut dispatching = std::pin::pin!(registry.dispatch_with(&calls, &batch));
                let first = futures_util::poll!(dispatching.as_mut());
                begun.notify_one();
                match first {
                    std::task::Poll::Ready(answers) => answers,
                    std::task::Poll::Pending => dispatching.await,
                }
            })
        };
        begun.notified().await;
        token.cancel();
        let answers = dispatching.await.expect("it ends");
        assert_eq!(contents(&answers), ["stopped half way"; 3]);
    }
}

/// Where a body on a thread tells its test how it ended.
type Ended = mpsc::SyncSender<&'static str>;

fn until_cancelled(call: &CallContext, ended: &Ended) -> &'static str {
    let cancellation = call.cancellation();
    // Not for ever: a test that fails should end.
    let stopped = (0..2_000).any(|_| {
        std::thread::sleep(Duration::from_millis(5));
        cancellation.is_cancelled()
    });
    let how = if stopped { "stopped" } else { "not stopped" };
    let _ = ended.send(how);
    how
}

/// Works on a thread until it is told to stop.
#[tool(blocking)]
fn works(#[state] ended: &Ended, #[context] call: &CallContext) -> &'static str {
    until_cancelled(call, ended)
}

/// Works on a thread until it is told to stop, and has little time.
#[tool(timeout = "30ms")]
fn works_for_a_moment(#[state] ended: &Ended, #[context] call: &CallContext) -> &'static str {
    until_cancelled(call, ended)
}

fn working() -> (Registry, mpsc::Receiver<&'static str>) {
    let (sender, receiver) = mpsc::sync_channel(9);
    let registry = Registry::builder().tools(tools![works, works_for_a_moment]).state::<Ended>(sender);
    (registry.build().expect("a registry"), receiver)
}

#[tokio::test]
async fn a_body_on_a_thread_is_told_that_its_batch_is_cancelled() {
    let (registry, ended) = working();
    let token = CancellationToken::new();
    let batch = BatchContext::new().cancellation(token.clone());
    let calls = [ToolCall::new("1", "works", "")];
    let cancelling = async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        token.cancel();
    };
    let (answers, ()) = tokio::join!(registry.dispatch_with(&calls, &batch), cancelling);
    assert_eq!(contents(&answers), [CANCELLED]);
    assert_eq!(ended.recv(), Ok("stopped"));
}

#[tokio::test]
async fn a_body_on_a_thread_is_told_that_its_time_is_over() {
    let (registry, ended) = working();
    let answers = registry.dispatch(&[ToolCall::new("1", "works_for_a_moment", "")]).await;
    assert_eq!(
        contents(&answers),
        ["Error: the tool `works_for_a_moment` did not finish within 30 ms. It may have taken effect."]
    );
    assert_eq!(ended.recv(), Ok("stopped"));
}

#[tokio::test]
async fn a_body_on_a_thread_is_told_that_the_dispatch_was_dropped() {
    let (registry, ended) = working();
    let calls = [ToolCall::new("1", "works", "")];
    let given_up = tokio::time::timeout(Duration::from_millis(30), registry.dispatch(&calls)).await;
    assert!(given_up.is_err());
    assert_eq!(ended.recv(), Ok("stopped"));
}

/// Leaves a token that outlives it.
#[tool(blocking)]
fn leaves(#[state] left: &mpsc::SyncSender<CancellationToken>, #[context] call: &CallContext) {
    let _ = left.send(call.cancellation());
}

/// Leaves a token, and has failed.
#[tool]
async fn leaves_and_fails(
    #[state] left: &mpsc::SyncSender<CancellationToken>,
    #[context] call: &CallContext,
) -> Result<(), String> {
    let _ = left.send(call.cancellation());
    Err("and was done all the same".to_owned())
}

#[tokio::test]
async fn what_a_finished_tool_has_left_at_work_is_not_cancelled() {
    let (sender, left) = mpsc::sync_channel::<CancellationToken>(9);
    let registry = Registry::builder().tools(tools![leaves, leaves_and_fails]).state(sender);
    let registry = registry.build().expect("a registry");
    for tool in ["leaves", "leaves_and_fails"] {
        registry.dispatch(&[ToolCall::new("1", tool, "")]).await;
        assert!(!left.recv().expect("it ran").is_cancelled(), "{tool}");
    }
}
