//! Concurrency of calls, the queue, and time limits.

use crate::contents;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::Instant;
use tool_runtime::dispatch::{CancellationToken, Decision};
use tool_runtime::registry::BuildErrorKind;
use tool_runtime::{CallContext, Registry, RegistryBuilder, RunContext, ToolCall, ToolMessage, tool, tools};

/// The number of running tools, and its maximum.
#[derive(Default)]
struct Running {
    now: AtomicUsize,
    max: AtomicUsize,
}

struct RunGuard<'a>(&'a Running);

impl Running {
    fn begin(&self) -> RunGuard<'_> {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.max.fetch_max(now, Ordering::SeqCst);
        RunGuard(self)
    }
}

impl Drop for RunGuard<'_> {
    fn drop(&mut self) {
        self.0.now.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Works for a second, and returns the time of its start.
#[tool]
async fn works(#[state] running: &Arc<Running>, #[state] begun: &Instant) -> String {
    let _working = running.begin();
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

fn builder() -> (RegistryBuilder, Arc<Running>) {
    let running = Arc::<Running>::default();
    let registry = Registry::builder()
        .tools(tools![works, panics, lasts])
        .state(Arc::clone(&running))
        .state(Instant::now());
    (registry, running)
}

fn calls(tool: &str, number: usize) -> Vec<ToolCall> {
    (0..number).map(|index| ToolCall::new(index.to_string(), tool, "")).collect()
}

#[tokio::test(start_paused = true)]
async fn without_a_limit_all_calls_run_concurrently() {
    let (registry, running) = builder();
    let messages = registry.build().expect("a registry").dispatch(&calls("works", 200)).await;
    assert!(messages.iter().all(|message| message.content == "at 0"));
    assert_eq!(running.max.load(Ordering::SeqCst), 200);
}

#[tokio::test(start_paused = true)]
async fn max_concurrency_applies_to_all_dispatches_clones_and_subsets() {
    let (registry, running) = builder();
    let registry = registry.max_concurrency(3).build().expect("a registry");
    let subset = registry.subset(["works"]).expect("it is there");
    let clone = registry.clone();
    let calls = calls("works", 5);
    let begun = Instant::now();
    let (first, second, third) =
        tokio::join!(registry.dispatch(&calls), subset.dispatch(&calls), clone.dispatch(&calls));
    assert_eq!(running.max.load(Ordering::SeqCst), 3);
    assert_eq!(begun.elapsed(), Duration::from_secs(5));
    // First in, first out.
    assert_eq!(contents(&first), ["at 0", "at 0", "at 0", "at 1", "at 1"]);
    assert_eq!(contents(&second), ["at 1", "at 2", "at 2", "at 2", "at 3"]);
    assert_eq!(contents(&third), ["at 3", "at 3", "at 4", "at 4", "at 4"]);
}

/// Adds its id to the order.
#[tool]
async fn notes(#[state] order: &Arc<Mutex<Vec<usize>>>, #[context] call: &CallContext) {
    let id: usize = call.id().parse().expect("a number");
    // Later calls are faster.
    tokio::time::sleep(Duration::from_secs(100 - id as u64)).await;
    order.lock().expect("no panic").push(id);
}

#[tokio::test(start_paused = true)]
async fn with_a_limit_of_one_the_calls_run_in_the_order_of_the_reply() {
    let order = Arc::<Mutex<Vec<usize>>>::default();
    let registry = Registry::builder().tools(tools![notes]).state(Arc::clone(&order)).max_concurrency(1);
    registry.build().expect("one tool").dispatch(&calls("notes", 70)).await;
    assert_eq!(*order.lock().expect("no panic"), (0..70).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn the_outcome_has_the_queue_time_and_the_duration() {
    let (registry, _) = builder();
    let registry = registry.max_concurrency(2).measure_durations(true).build().expect("a registry");
    let times = |message: &ToolMessage| {
        let outcome = message.outcome().expect("it was dispatched");
        (outcome.queue_time().as_secs(), outcome.duration().as_secs())
    };
    let messages = registry.dispatch(&calls("works", 5)).await;
    assert_eq!(messages.iter().map(times).collect::<Vec<_>>(), [(0, 1), (0, 1), (1, 2), (1, 2), (2, 3)]);
}

#[tokio::test(start_paused = true)]
async fn the_time_limit_does_not_include_the_wait_in_the_queue() {
    let (registry, _) = builder();
    let registry =
        registry.max_concurrency(1).timeout(Duration::from_millis(1500)).build().expect("a registry");
    let messages = registry.dispatch(&calls("works", 4)).await;
    assert_eq!(contents(&messages), ["at 0", "at 1", "at 2", "at 3"]);
}

#[tokio::test(start_paused = true)]
async fn a_permit_is_released_however_its_call_ends() {
    let (registry, _) = builder();
    let registry = registry.max_concurrency(1).build().expect("a registry");
    let completes = |calls: Vec<ToolCall>, seconds| {
        let registry = registry.clone();
        async move { tokio::time::timeout(Duration::from_secs(seconds), registry.dispatch(&calls)).await.is_ok() }
    };
    for tool in ["works", "panics", "lasts"] {
        assert!(completes(calls(tool, 2), 3).await, "after {tool}");
    }
    assert!(!completes(calls("works", 3), 1).await, "the program drops it");
    let begun = Instant::now();
    assert!(completes(calls("works", 1), 3).await);
    assert_eq!(begun.elapsed(), Duration::from_secs(1), "it did not wait");
}

#[tokio::test(start_paused = true)]
async fn the_time_limit_of_a_tool_takes_precedence_over_that_of_the_registry() {
    /// Has no time limit of its own.
    #[tool(read_only)]
    async fn waits() {
        std::future::pending::<()>().await;
    }
    let (registry, _) = builder();
    let registry =
        registry.tools(tools![waits]).timeout(Duration::from_secs(20)).build().expect("a registry");
    let messages =
        registry.dispatch(&[ToolCall::new("1", "waits", ""), ToolCall::new("2", "lasts", "")]).await;
    assert_eq!(
        contents(&messages),
        [
            "Error: the tool `waits` did not finish within 20 s.",
            "Error: the tool `lasts` did not finish within 1 s. It may have taken effect."
        ]
    );
    assert_eq!(registry.tool("waits").and_then(|tool| tool.policy.timeout), Some(Duration::from_secs(20)));
}

struct PanicsWhenDropped;

impl Drop for PanicsWhenDropped {
    fn drop(&mut self) {
        panic!("as planned");
    }
}

/// Takes too long, and panics when it is dropped.
#[tool(timeout = "1s")]
async fn lasts_and_panics() {
    let _guard = PanicsWhenDropped;
    std::future::pending::<()>().await;
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_panics_when_it_is_dropped_does_not_affect_other_calls() {
    let (registry, _) = builder();
    let registry = registry.tools(tools![lasts_and_panics]).max_concurrency(2).build().expect("a registry");
    let calls = [ToolCall::new("1", "lasts_and_panics", ""), ToolCall::new("2", "works", "")];
    for _ in 0..3 {
        let messages = registry.dispatch(&calls).await;
        assert_eq!(
            messages[0].content,
            "Error: the tool `lasts_and_panics` did not finish within 1 s. It may have taken effect."
        );
        assert!(messages[1].content.as_str().starts_with("at "), "{:?}", messages[1]);
    }
}

#[tokio::test(start_paused = true)]
async fn panics_of_dropped_tools_do_not_leave_a_dropped_dispatch() {
    let (registry, running) = builder();
    let registry = registry.tools(tools![lasts_and_panics]).build().expect("a registry");
    let calls = ["lasts_and_panics", "works", "lasts_and_panics"].map(|tool| ToolCall::new("1", tool, ""));
    let dropped = tokio::time::timeout(Duration::from_millis(500), registry.dispatch(&calls)).await;
    assert!(dropped.is_err(), "it is dropped, and no panic leaves it");
    assert_eq!(running.now.load(Ordering::SeqCst), 0, "the other tool was dropped as well");
}

#[tokio::test(start_paused = true)]
async fn the_outcome_reports_whether_a_tool_has_begun() {
    let (registry, _) = builder();
    let token = CancellationToken::new();
    let registry = registry
        .max_concurrency(1)
        .before_call(|call| async move {
            if call.context().id() == "denied" { Decision::Deny("no".into()) } else { Decision::Run }
        })
        .build()
        .expect("a registry")
        .with(&RunContext::new().cancellation(token.clone()));
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
    let (messages, ()) = tokio::join!(registry.dispatch(&calls), cancelling);
    let begun: Vec<bool> =
        messages.iter().filter_map(|message| Some(message.outcome()?.has_begun())).collect();
    assert_eq!(begun, [false, true, true, false, false]);
}

#[tokio::test(start_paused = true)]
async fn registry_call_uses_the_time_limit_and_the_queue() {
    let (registry, running) = builder();
    let registry = registry.max_concurrency(1).build().expect("a registry");
    assert_eq!(registry.call("lasts", "").await.error_kind(), Some("timeout"));
    let (first, second) = tokio::join!(registry.call("works", ""), registry.call("works", ""));
    assert_eq!([first.text(), second.text()], ["at 1", "at 2"]);
    assert_eq!(running.max.load(Ordering::SeqCst), 1);
}

/// Waits on its thread for the other tool.
#[tool(blocking)]
fn blocks(#[state] met: &Arc<std::sync::Barrier>) -> &'static str {
    met.wait();
    "met"
}

/// Releases the threads, from the task of the dispatch.
#[tool]
async fn goes_on(#[state] met: &Arc<std::sync::Barrier>, #[context] call: &CallContext) -> String {
    tokio::task::yield_now().await;
    let met = Arc::clone(met);
    let waited = tokio::task::spawn_blocking(move || met.wait()).await;
    format!("{} {}", call.id(), waited.is_ok())
}

#[tokio::test]
async fn blocking_tools_delay_neither_each_other_nor_other_tools() {
    let met = Arc::new(std::sync::Barrier::new(5));
    let registry = Registry::builder().tools(tools![blocks, goes_on]).state(met).build().expect("a registry");
    let mut calls = calls("blocks", 4);
    calls.push(ToolCall::new("last", "goes_on", ""));
    let messages = tokio::time::timeout(Duration::from_secs(20), registry.dispatch(&calls)).await;
    assert_eq!(contents(&messages.expect("they all meet")), ["met", "met", "met", "met", "last true"]);
}

#[test]
fn a_limit_of_zero_is_a_build_error() {
    let error = Registry::builder()
        .timeout(Duration::ZERO)
        .approval_timeout(Duration::ZERO)
        .max_concurrency(0)
        .max_result_bytes(0)
        .max_calls_per_reply(0)
        .build()
        .expect_err("all limits are zero");
    assert_eq!(
        error.to_string(),
        "the registry cannot be built: `timeout` must be more than 0; leave it out for no limit; \
         `approval_timeout` must be more than 0; leave it out for no limit; \
         `max_concurrency` must be more than 0; leave it out for no limit; \
         `max_result_bytes` must be more than 0; leave it out for no limit; \
         `max_calls_per_reply` must be more than 0; leave it out for no limit"
    );
    assert!(matches!(error.errors()[2], BuildErrorKind::ZeroLimit { limit: "max_concurrency", .. }));
}

#[tokio::test]
async fn the_largest_limits_are_accepted() {
    let (registry, _) = builder();
    let registry = registry
        .timeout(Duration::MAX)
        .max_concurrency(usize::MAX)
        .max_result_bytes(usize::MAX)
        .max_calls_per_reply(usize::MAX)
        .build()
        .expect("a registry");
    assert_eq!(registry.dispatch(&calls("nothing", 1)).await.len(), 1);
    assert_eq!(contents(&registry.dispatch(&calls("works", 1)).await), ["at 0"]);
}

#[tokio::test(start_paused = true)]
async fn durations_are_measured_for_listeners_and_on_request() {
    let (registry, _) = builder();
    let registry = registry.build().expect("a registry");
    let seconds = async |registry: Registry| {
        let messages = registry.dispatch(&calls("works", 1)).await;
        messages[0].outcome().expect("it was dispatched").duration().as_secs()
    };
    assert_eq!(seconds(registry.clone()).await, 0);
    assert_eq!(seconds(registry.with(&RunContext::new().on_event(|_| {}))).await, 1);
    let (registry, _) = builder();
    assert_eq!(seconds(registry.measure_durations(true).build().expect("a registry")).await, 1);
}
