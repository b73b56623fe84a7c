//! The options of `#[tool(..)]` other than `name`, `description` and `crate`; `output_schemas.rs` has `output_schema`.

use crate::message_text;
use std::error::Error as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tool_runtime::registry::Annotations;
use tool_runtime::{CallContext, Registry, RunContext, ToolCall, tool, tools, toolset};

/// Never returns.
#[tool(timeout = "50ms")]
async fn waits() {
    std::future::pending::<()>().await;
}

/// Never returns, and changes nothing.
#[tool(timeout = "2s", read_only, idempotent)]
async fn waits_read_only() {
    std::future::pending::<()>().await;
}

/// Returns at once.
#[tool(timeout = "1m")]
async fn quick(n: u8) -> u8 {
    n
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_exceeds_its_time_limit_is_an_error() {
    let registry = Registry::new(tools![waits, waits_read_only, quick]).expect("a registry");
    let calls = [
        ToolCall::new("1", "waits", ""),
        ToolCall::new("2", "waits_read_only", ""),
        ToolCall::new("3", "quick", r#"{"n":3}"#),
    ];
    let messages = registry.dispatch(&calls).await;
    let contents = messages.iter().map(|message| message.content.as_str()).collect::<Vec<_>>();
    assert_eq!(
        contents,
        [
            "Error: the tool `waits` did not finish within 50 ms. It may have taken effect.",
            "Error: the tool `waits_read_only` did not finish within 2 s.",
            "3",
        ]
    );
}

static DROPPED: AtomicU32 = AtomicU32::new(0);

struct Dropped;

impl Drop for Dropped {
    fn drop(&mut self) {
        DROPPED.fetch_add(1, Ordering::SeqCst);
    }
}

/// Holds a value while it waits.
#[tool(timeout = "1s")]
async fn holds() {
    let _guard = Dropped;
    std::future::pending::<()>().await;
}

#[tokio::test(start_paused = true)]
async fn a_tool_is_dropped_by_its_time_limit_and_with_its_run() {
    message_text(tools![holds], "holds", "").await;
    assert_eq!(DROPPED.load(Ordering::SeqCst), 1, "its limit expired");
    let registry = Registry::new(tools![holds]).expect("a registry");
    let calls = [ToolCall::new("1", "holds", ""), ToolCall::new("2", "holds", "")];
    let dropped = tokio::time::timeout(Duration::from_millis(10), registry.dispatch(&calls)).await;
    assert!(dropped.is_err());
    assert_eq!(DROPPED.load(Ordering::SeqCst), 3, "the dispatch was dropped");
}

static RUNS: AtomicU32 = AtomicU32::new(0);

/// Counts, with a time limit.
#[tool(timeout = "1s")]
async fn counts() -> u32 {
    RUNS.fetch_add(1, Ordering::SeqCst)
}

/// Counts, on a thread.
#[tool(blocking)]
fn counts_on_a_thread() -> u32 {
    RUNS.fetch_add(1, Ordering::SeqCst)
}

#[test]
fn a_tool_that_needs_a_runtime_does_not_start_without_one() {
    let registry = Registry::new(tools![counts, counts_on_a_thread]).expect("a registry");
    let calls = [ToolCall::new("1", "counts", ""), ToolCall::new("2", "counts_on_a_thread", "")];
    let reasons = |messages: Vec<tool_runtime::ToolMessage>| {
        let reason = |message: &tool_runtime::ToolMessage| {
            let source = message.outcome()?.error()?.source()?.to_string();
            Some(format!("{} {source}", message.content))
        };
        messages.iter().map(|message| reason(message).unwrap_or_default()).collect::<Vec<_>>()
    };
    let messages = futures_util::FutureExt::now_or_never(registry.dispatch(&calls)).expect("nothing waits");
    assert_eq!(
        reasons(messages),
        [
            "Error: the tool `counts` is not available now. \
             a tool that has a time-out or is `blocking` needs a Tokio runtime",
            "Error: the tool `counts_on_a_thread` is not available now. \
             a tool that has a time-out or is `blocking` needs a Tokio runtime",
        ]
    );
    let without_time = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let messages = without_time.block_on(registry.dispatch(&calls[..1]));
    assert_eq!(
        reasons(messages),
        ["Error: the tool `counts` is not available now. \
             a time-out needs a Tokio runtime with `enable_time`",]
    );
    assert_eq!(RUNS.load(Ordering::SeqCst), 0, "none has run");
}

/// Returns the thread on which it runs.
#[tool(blocking)]
fn blocks(text: &str, #[arg(default)] panics: bool) -> Result<String, String> {
    assert!(!panics, "as planned");
    if text.is_empty() {
        return Err("no text".to_owned());
    }
    let here = std::thread::current().id();
    Ok(format!("{text} {here:?}"))
}

/// Blocks the threads of the tools while the test holds it.
static BLOCKED: Mutex<()> = Mutex::new(());
static STARTED: AtomicU32 = AtomicU32::new(0);

/// Waits for the test, with a limit: on the test's own thread, it would wait forever.
fn wait_until_released() {
    for _ in 0..200 {
        if BLOCKED.try_lock().is_ok() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Sleeps on its thread.
#[tool(blocking, timeout = "100ms")]
fn sleeps() {
    STARTED.fetch_add(1, Ordering::SeqCst);
    wait_until_released();
}

/// Sleeps. Its time limit can only expire if it runs on another thread.
#[tool(timeout = "100ms")]
fn sleeps_with_implicit_blocking() {
    wait_until_released();
}

#[tokio::test]
async fn a_blocking_tool_runs_on_another_thread() {
    let here = format!("a {:?}", std::thread::current().id());
    let contents = message_text(tools![blocks], "blocks", r#"{"text":"a"}"#).await;
    assert!(contents.starts_with("a ThreadId(") && contents != here, "{contents} {here}");
    assert_eq!(message_text(tools![blocks], "blocks", r#"{"text":""}"#).await, "Error: no text");
    let panicked = message_text(tools![blocks], "blocks", r#"{"text":"","panics":true}"#).await;
    assert_eq!(panicked, "Error: the tool `blocks` failed unexpectedly.");
    let invalid = message_text(tools![blocks], "blocks", r#"{"panics":1}"#).await;
    assert!(
        invalid.contains("`panics`: expected a boolean") && invalid.contains("`text` is missing"),
        "{invalid}"
    );
}

#[test]
fn the_limit_of_a_blocking_tool_expires_and_a_tool_without_a_thread_never_starts() {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    // While a blocking function runs, the paused time only advances by hand.
    let runtime = runtime.enable_time().start_paused(true).max_blocking_threads(1).build();
    let runtime = runtime.expect("a runtime");
    let late = |tool| format!("Error: the tool `{tool}` did not finish within 100 ms.");
    let limit = async || {
        while STARTED.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        tokio::time::advance(Duration::from_millis(101)).await;
    };
    runtime.block_on(async {
        let guard = BLOCKED.lock();
        // The first call has the only thread; the others wait for it.
        let begun = format!("{} It may have taken effect.", late("sleeps"));
        assert_eq!(tokio::join!(message_text(tools![sleeps], "sleeps", ""), limit()).0, begun);
        assert_eq!(tokio::join!(message_text(tools![sleeps], "sleeps", ""), limit()).0, late("sleeps"));
        let implicit =
            message_text(tools![sleeps_with_implicit_blocking], "sleeps_with_implicit_blocking", "");
        assert_eq!(tokio::join!(implicit, limit()).0, late("sleeps_with_implicit_blocking"));
        drop(guard);
    });
    drop(runtime);
    assert_eq!(STARTED.load(Ordering::SeqCst), 1, "the second call ended before it had a thread");
}

struct Greeter(&'static str);

#[toolset]
impl Greeter {
    /// Greets.
    #[tool(blocking)]
    fn greet(&self, name: &str, #[state] sign: &char, #[context] call: &CallContext) -> String {
        let number = call.run_context().get::<u64>().copied().unwrap_or_default();
        format!("{} {name}{sign} {} {} {number}", self.0, call.id(), call.tool())
    }
}

#[tokio::test]
async fn a_blocking_method_receives_state_context_and_self() {
    let registry = Registry::builder().toolset(Greeter("Hello")).state('?').build().expect("a registry");
    let call = ToolCall::new("call_1", "greet", r#"{"name":"Ada"}"#);
    let context = RunContext::new().state('!').state(7_u64);
    let messages = registry.with(&context).dispatch(&[call]).await;
    assert_eq!(messages[0].content, "Hello Ada! call_1 greet 7");
}

static DELETED: AtomicU32 = AtomicU32::new(0);

/// Deletes.
#[tool(destructive, idempotent, requires_approval, timeout = "500ms")]
async fn delete(path: &str) -> String {
    DELETED.fetch_add(1, Ordering::SeqCst);
    format!("{path} is gone")
}

#[tokio::test]
async fn dispatch_does_not_run_a_tool_that_requires_approval_without_a_hook() {
    let registry = Registry::new(tools![delete]).expect("a registry");
    let messages = registry.dispatch(&[ToolCall::new("1", "delete", r#"{"path":"x"}"#)]).await;
    assert_eq!(messages[0].content, "Error: the tool `delete` needs approval, which was not given.");
    assert_eq!(DELETED.load(Ordering::SeqCst), 0, "the tool did not run");
    assert_eq!(registry.call("delete", r#"{"path":"x"}"#).await.text(), "x is gone");
}

#[test]
fn the_registry_has_the_annotations_and_the_policy_of_a_tool() {
    let registry = Registry::new(tools![delete, waits_read_only, quick]).expect("a registry");
    let annotations = registry.tool("delete").expect("it is there").annotations;
    assert!(annotations.is_destructive() && annotations.is_idempotent() && !annotations.is_read_only());
    let policy = registry.tool("delete").expect("it is there").policy;
    assert!(policy.requires_approval);
    assert_eq!(policy.timeout, Some(Duration::from_millis(500)));
    let annotations = registry.tool("waits_read_only").expect("it is there").annotations;
    assert!(annotations.is_read_only() && !annotations.is_destructive());
    assert_eq!(registry.tool("quick").and_then(|tool| tool.policy.timeout), Some(Duration::from_secs(60)));
    assert_eq!(
        (
            registry.tool("nothing").map(|tool| tool.annotations),
            registry.tool("nothing").map(|tool| tool.policy)
        ),
        (None, None)
    );
}

/// Searches the web.
#[tool(read_only, destructive = false, idempotent = true, open_world)]
fn search_web() {}

/// Declares nothing.
#[tool]
fn declares_nothing() {}

#[test]
fn an_annotation_is_true_or_false_or_not_declared() {
    let registry = Registry::new(tools![search_web, declares_nothing]).expect("a registry");
    let annotations = registry.tool("search_web").expect("it is there").annotations;
    assert_eq!(annotations.read_only, Some(true));
    assert_eq!(annotations.destructive, Some(false));
    assert_eq!(annotations.idempotent, Some(true));
    assert_eq!(annotations.open_world, Some(true));
    assert!(!annotations.is_destructive() && annotations.is_open_world());
    let annotations = registry.tool("declares_nothing").expect("it is there").annotations;
    assert_eq!(annotations, Annotations::default());
    assert_eq!((annotations.destructive, annotations.open_world), (None, None));
    assert!(!annotations.is_read_only() && !annotations.is_idempotent());
    assert!(!annotations.is_destructive() && !annotations.is_open_world());
}

/// Asks a slow server.
#[tool(max_concurrency = 2)]
async fn ask() {}

/// Sends a letter.
#[tool(max_calls = 3)]
async fn send() {}

#[test]
fn max_concurrency_is_in_the_policy() {
    let registry = Registry::new(tools![ask, send]).expect("a registry");
    let policy = registry.tool("ask").expect("it is there").policy;
    assert_eq!((policy.max_concurrency, policy.max_calls), (Some(2), None));
}

#[test]
fn max_calls_is_in_the_policy() {
    let registry = Registry::new(tools![ask, send]).expect("a registry");
    let policy = registry.tool("send").expect("it is there").policy;
    assert_eq!((policy.max_concurrency, policy.max_calls), (None, Some(3)));
}

/// Has a name for people.
#[tool(title = "Weather forecast \u{2600}")]
fn forecast() {}

#[test]
fn a_title_is_for_the_program_and_not_in_the_request() {
    let registry = Registry::new(tools![forecast, quick]).expect("a registry");
    assert_eq!(registry.tool("forecast").and_then(|tool| tool.title), Some("Weather forecast \u{2600}"));
    assert_eq!(
        (
            registry.tool("quick").and_then(|tool| tool.title),
            registry.tool("nothing").and_then(|tool| tool.title)
        ),
        (None, None)
    );
    assert_eq!(
        registry.subset(["forecast"]).expect("it is there").tool("forecast").and_then(|tool| tool.title),
        registry.tool("forecast").and_then(|tool| tool.title)
    );
    let request = serde_json::to_string(registry.schemas()).expect("schemas are written");
    assert!(!request.contains("Weather forecast"), "{request}");
}

mod search {
    /// Searches.
    #[tool_runtime::tool(handle = Search)]
    pub(crate) fn search(text: &str) -> String {
        text.to_uppercase()
    }
}
use search::{Search, search};

/// Has the name of a primitive type, and a handle with another name.
#[tool(handle = Byte)]
fn u8(n: i16) -> i16 {
    n
}

#[tokio::test]
async fn a_handle_sets_the_name_of_the_generated_type() {
    assert_eq!(message_text(tools![Search], "search", r#"{"text":"a"}"#).await, "A");
    assert_eq!(search("b"), "B");
    assert_eq!(message_text(tools![Byte], "u8", r#"{"n":1}"#).await, "1");
    assert_eq!(u8(1), 1);
}
