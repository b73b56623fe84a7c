//! How many tools run at once, who waits, and who does not.

use crate::contents;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::Instant;
use tool_runtime::dispatch::{CancellationToken, Decision};
use tool_runtime::registry::BuildErrorKind;
use tool_runtime::{
    BatchContext, CallContext, Registry, RegistryBuilder, ToolCall, ToolMessage, tool, tools,
};

/// How many are at work, and how many were at most.
#[derive(Default)]
struct AtWork {
    now: AtomicUsize,
    most: AtomicUsize,
}

struct Working<'a>(&'a AtWork);

impl AtWork {
    fn begin(&self) -> Working<'_> {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        Working(self)
    }
}

impl Drop for Working<'_> {
    fn drop(&mut self) {
        self.0.now.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Works for a second, and says when it began.
#[tool]
async fn works(#[state] at_work: &Arc<AtWork>, #[state] begun: &Instant) -> String {
    let _working = at_work.begin();
    let at = begun.elapsed().as_secs();
    tokio::time::sleep(Duration::from_secs(1)).await;
    format!("at {at}")
}

/// Panics after a second.
#[tool]
async fn panics() {
    tokio::time::sleep(Duration::from_secs(1)).await;
    panic!("as planned");
}

/// Takes too long.
#[tool(timeout = "1s")]
async fn lasts() {
    std::future::pending::<()>().await;
}

fn builder() -> (RegistryBuilder, Arc<AtWork>) {
    let at_work = Arc::<AtWork>::default();
    let registry = Registry::builder()
        .tools(tools![works, panics, lasts])
        .state(Arc::clone(&at_work))
        .state(Instant::now());
    (registry, at_work)
}

fn calls(tool: &str, number: usize) -> Vec<ToolCall> {
    (0..number).map(|index| ToolCall::new(index.to_string(), tool, "")).collect()
}

#[tokio::test(start_paused = true)]
async fn without_a_limit_all_run_at_once() {
    let (registry, at_work) = builder();
    let answers = registry.build().expect("a registry").dispatch(&calls("works", 200)).await;
    assert!(answers.iter().all(|answer| answer.content == "at 0"));
    assert_eq!(at_work.most.load(Ordering::SeqCst), 200);
}

#[tokio::test(start_paused = true)]
async fn no_more_than_the_limit_run_at_once_in_all_batches_clones_and_subsets() {
    let (registry, at_work) = builder();
    let registry = registry.max_concurrency(3).build().expect("a registry");
    let subset = registry.subset(["works"]).expect("it is there");
    let clone = registry.clone();
    let calls = calls("works", 5);
    let begun = Instant::now();
    let (first, second, third) =
        tokio::join!(registry.dispatch(&calls), subset.dispatch(&calls), clone.dispatch(&calls));
    assert_eq!(at_work.most.load(Ordering::SeqCst), 3);
    assert_eq!(begun.elapsed(), Duration::from_secs(5));
    // First come, first served.
    assert_eq!(contents(&first), ["at 0", "at 0", "at 0", "at 1", "at 1"]);
    assert_eq!(contents(&second), ["at 1", "at 2", "at 2", "at 2", "at 3"]);
    assert_eq!(contents(&third), ["at 3", "at 3", "at 4", "at 4", "at 4"]);
}

#[tokio::test(start_paused = true)]
async fn the_outcome_says_how_long_a_call_waited_and_how_long_it_took() {
    let (registry, _) = builder();
    let registry = registry.max_concurrency(2).build().expect("a registry");
    let times = |answer: &ToolMessage| {
        let outcome = answer.outcome().expect("it was dispatched");
        (outcome.queue_time().as_secs(), outcome.duration().as_secs())
    };
    let answers = registry.dispatch(&calls("works", 5)).await;
    assert_eq!(answers.iter().map(times).collect::<Vec<_>>(), [(0, 1), (0, 1), (1, 2), (1, 2), (2, 3)]);
}

#[tokio::test(start_paused = true)]
async fn to_wait_for_a_turn_is_not_in_the_time_of_a_tool() {
    let (registry, _) = builder();
    let registry =
        registry.max_concurrency(1).timeout(Duration::from_millis(1500)).build().expect("a registry");
    let answers = registry.dispatch(&calls("works", 4)).await;
    assert_eq!(contents(&answers), ["at 0", "at 1", "at 2", "at 3"]);
}

#[tokio::test(start_paused = true)]
async fn a_place_is_free_again_however_its_call_ended() {
    let (registry, _) = builder();
    let registry = registry.max_concurrency(1).build().expect("a registry");
    let answered = |calls: Vec<ToolCall>, seconds| {
        let registry = registry.clone();
        async move { tokio::time::timeout(Duration::from_secs(seconds), registry.dispatch(&calls)).await.is_ok() }
    };
    for tool in ["works", "panics", "lasts"] {
        assert!(answered(calls(tool, 2), 3).await, "after {tool}");
    }
    assert!(!answered(calls("works", 3), 1).await, "the program gives it up");
    let begun = Instant::now();
    assert!(answered(calls("works", 1), 3).await);
    assert_eq!(begun.elapsed(), Duration::from_secs(1), "it did not wait");
}

#[tokio::test(start_paused = true)]
async fn a_tools_own_time_goes_before_that_of_the_registry() {
    /// Has no time of its own.
    #[tool(read_only)]
    async fn waits() {
        std::future::pending::<()>().await;
    }
    let (registry, _) = builder();
    let registry =
        registry.tools(tools![waits]).timeout(Duration::from_secs(20)).build().expect("a registry");
    let answers =
        registry.dispatch(&[ToolCall::new("1", "waits", ""), ToolCall::new("2", "lasts", "")]).await;
    assert_eq!(
        contents(&answers),
        [
            "Error: the tool `waits` did not finish within 20 s.",
            "Error: the tool `lasts` did not finish within 1 s. It may have taken effect."
        ]
    );
    assert_eq!(registry.policy("waits").and_then(|policy| policy.timeout), Some(Duration::from_secs(20)));
}

struct PanicsWhenDropped;

impl Drop for PanicsWhenDropped {
    fn drop(&mut self) {
        panic!("as planned");
    }
}

/// Takes too long, and panics when it is given up.
#[tool(timeout = "1s")]
async fn lasts_and_panics() {
    let _held = PanicsWhenDropped;
    std::future::pending::<()>().await;
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_panics_when_it_is_given_up_fails_alone() {
    let (registry, _) = builder();
    let registry = registry.tools(tools![lasts_and_panics]).max_concurrency(2).build().expect("a registry");
    let calls = [ToolCall::new("1", "lasts_and_panics", ""), ToolCall::new("2", "works", "")];
    for _ in 0..3 {
        let answers = registry.dispatch(&calls).await;
        assert_eq!(
            answers[0].content,
            "Error: the tool `lasts_and_panics` did not finish within 1 s. It may have taken effect."
        );
        assert!(answers[1].content.as_str().starts_with("at "), "{:?}", answers[1]);
    }
}

#[tokio::test(start_paused = true)]
async fn tools_that_panic_when_their_batch_is_dropped_end_nothing_else() {
    let (registry, at_work) = builder();
    let registry = registry.tools(tools![lasts_and_panics]).build().expect("a registry");
    let calls = ["lasts_and_panics", "works", "lasts_and_panics"].map(|tool| ToolCall::new("1", tool, ""));
    let dropped = tokio::time::timeout(Duration::from_millis(500), registry.dispatch(&calls)).await;
    assert!(dropped.is_err(), "it is given up, and no panic comes out of it");
    assert_eq!(at_work.now.load(Ordering::SeqCst), 0, "the other was dropped as well");
}

#[tokio::test(start_paused = true)]
async fn the_outcome_says_whether_a_tool_has_begun() {
    let (registry, _) = builder();
    let registry = registry
        .max_concurrency(1)
        .before_call(|call| async move {
            if call.context().id() == "denied" { Decision::deny("no") } else { Decision::Run }
        })
        .build()
        .expect("a registry");
    let token = CancellationToken::new();
    let batch = BatchContext::new().cancellation(token.clone());
    let calls = [
        ToolCall::new("denied", "works", ""),
        ToolCall::new("2", "works", ""),
        ToolCall::new("3", "lasts", ""),
        ToolCall::new("4", "works", ""),
        ToolCall::new("5", "works", "{"),
    ];
    let cancelling = async {
        tokio::time::sleep(Duration::from_millis(1500)).await;
        token.cancel();
    };
    let (answers, ()) = tokio::join!(registry.dispatch_with(&calls, &batch), cancelling);
    let begun: Vec<bool> = answers.iter().filter_map(|answer| Some(answer.outcome()?.has_begun())).collect();
    assert_eq!(begun, [false, true, true, false, false]);
}

#[tokio::test(start_paused = true)]
async fn a_call_by_hand_has_its_time_and_its_place_in_the_queue() {
    let (registry, at_work) = builder();
    let registry = registry.max_concurrency(1).build().expect("a registry");
    assert_eq!(registry.call("lasts", "").await.expect_err("it lasts").kind(), "timeout");
    let (first, second) = tokio::join!(registry.call("works", ""), registry.call("works", ""));
    assert_eq!((first.expect("it works"), second.expect("it works")), ("at 1".to_owned(), "at 2".to_owned()));
    assert_eq!(at_work.most.load(Ordering::SeqCst), 1);
}

/// Waits on its thread for the other tool.
#[tool(blocking)]
fn blocks(#[state] met: &Arc<std::sync::Barrier>) -> &'static str {
    met.wait();
    "met"
}

/// Lets the thread go on, from the task of the dispatch.
#[tool]
async fn goes_on(#[state] met: &Arc<std::sync::Barrier>, #[context] call: &CallContext) -> String {
    tokio::task::yield_now().await;
    let met = Arc::clone(met);
    let waited = tokio::task::spawn_blocking(move || met.wait()).await;
    format!("{} {}", call.id(), waited.is_ok())
}

#[tokio::test]
async fn blocking_tools_hold_up_neither_each_other_nor_the_rest() {
    let met = Arc::new(std::sync::Barrier::new(5));
    let registry = Registry::builder().tools(tools![blocks, goes_on]).state(met).build().expect("a registry");
    let mut calls = calls("blocks", 4);
    calls.push(ToolCall::new("last", "goes_on", ""));
    let answers = tokio::time::timeout(Duration::from_secs(20), registry.dispatch(&calls)).await;
    assert_eq!(contents(&answers.expect("they all meet")), ["met", "met", "met", "met", "last true"]);
}

#[test]
fn a_limit_of_nothing_is_refused() {
    let error = Registry::builder()
        .timeout(Duration::ZERO)
        .approval_timeout(Duration::ZERO)
        .max_concurrency(0)
        .max_output_bytes(0)
        .max_calls_per_batch(0)
        .build()
        .expect_err("nothing could be answered");
    assert_eq!(
        error.to_string(),
        "the registry cannot be built: `timeout` must be more than 0; leave it out for no limit; \
         `approval_timeout` must be more than 0; leave it out for no limit; \
         `max_concurrency` must be more than 0; leave it out for no limit; \
         `max_output_bytes` must be more than 0; leave it out for no limit; \
         `max_calls_per_batch` must be more than 0; leave it out for no limit"
    );
    assert!(matches!(error.errors()[2], BuildErrorKind::ZeroLimit { limit: "max_concurrency", .. }));
}

#[tokio::test]
async fn a_limit_of_any_size_is_taken() {
    let (registry, _) = builder();
    let registry = registry
        .timeout(Duration::MAX)
        .max_concurrency(usize::MAX)
        .max_output_bytes(usize::MAX)
        .max_calls_per_batch(usize::MAX)
        .build()
        .expect("a registry");
    assert_eq!(registry.dispatch(&calls("nothing", 1)).await.len(), 1);
    assert_eq!(contents(&registry.dispatch(&calls("works", 1)).await), ["at 0"]);
}
