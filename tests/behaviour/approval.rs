//! The hook of `before_call`, and tools that require approval.

mod run_with;
mod time_limit;

use crate::contents;
use serde_json::json;
use std::error::Error as _;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tool_runtime::dispatch::{Decision, ProposedCall};
use tool_runtime::registry::{BuildErrorKind, ToolList};
use tool_runtime::{
    CallError, DynamicTool, Registry, RunContext, ToolCall, ToolMessage, ToolOutput, tool, tools,
};

/// The number of tools that ran in one test.
#[derive(Default)]
struct Runs(AtomicU32);

/// Deletes a file.
#[tool(destructive, requires_approval, timeout = "5s")]
async fn delete(path: &str, #[state] runs: &Arc<Runs>) -> String {
    runs.0.fetch_add(1, Ordering::SeqCst);
    format!("{path} is gone")
}

/// Deletes a file on a thread.
#[tool(blocking, requires_approval)]
fn delete_on_a_thread(path: &str, #[state] runs: &Arc<Runs>) -> String {
    runs.0.fetch_add(1, Ordering::SeqCst);
    format!("{path} is gone, on a thread")
}

/// Reads a file.
#[tool(read_only)]
fn read(path: &str, #[state] runs: &Arc<Runs>) -> String {
    runs.0.fetch_add(1, Ordering::SeqCst);
    format!("in {path}")
}

fn all() -> ToolList {
    tools![delete, delete_on_a_thread, read]
}

/// Dispatches the calls with this hook, and counts the tools that ran.
async fn dispatch_with_hook<F: Future<Output = Decision> + Send + 'static>(
    hook: impl Fn(ProposedCall) -> F + Send + Sync + 'static,
    calls: &[ToolCall],
) -> (Vec<ToolMessage>, u32) {
    let runs = Arc::<Runs>::default();
    let registry = Registry::builder().tools(all()).state(Arc::clone(&runs)).before_call(hook).build();
    let messages = registry.expect("a registry").dispatch(calls).await;
    (messages, runs.0.load(Ordering::SeqCst))
}

fn calls() -> [ToolCall; 3] {
    [
        ToolCall::new("1", "delete", r#"{"path":"a"}"#),
        ToolCall::new("2", "delete_on_a_thread", r#"{"path":"b"}"#),
        ToolCall::new("3", "read", r#"{"path":"c"}"#),
    ]
}

#[tokio::test]
async fn a_tool_that_requires_approval_runs_if_the_hook_returns_run() {
    let (messages, runs) = dispatch_with_hook(|_| async { Decision::Run }, &calls()).await;
    assert_eq!(contents(&messages), ["a is gone", "b is gone, on a thread", "in c"]);
    assert_eq!(runs, 3);
}

#[tokio::test]
async fn an_undecided_hook_does_not_approve_a_call() {
    let (messages, runs) = dispatch_with_hook(|_| async { Decision::Undecided }, &calls()).await;
    assert_eq!(
        contents(&messages),
        [
            "Error: the tool `delete` needs approval, which was not given.",
            "Error: the tool `delete_on_a_thread` needs approval, which was not given.",
            "in c"
        ]
    );
    assert_eq!(runs, 1);
}

#[tokio::test]
async fn a_denied_call_does_not_run_and_other_calls_do() {
    let hook = |call: ProposedCall| async move {
        if call.annotations().is_destructive() { Decision::Deny("not today".into()) } else { Decision::Run }
    };
    let (messages, runs) = dispatch_with_hook(hook, &calls()).await;
    assert_eq!(contents(&messages), ["Error: not today", "b is gone, on a thread", "in c"]);
    assert_eq!(runs, 2);
    let error = messages[0].outcome().and_then(|outcome| outcome.error());
    assert!(matches!(error, Some(CallError::Denied { reason, .. }) if reason == "not today"), "{error:?}");
    let (messages, _) = dispatch_with_hook(|_| async { Decision::Deny(String::new()) }, &calls()).await;
    assert_eq!(messages[2].content, "Error: the call of `read` was denied.");
}

#[tokio::test]
async fn a_call_with_a_result_of_the_hook_does_not_run() {
    let hook = |call: ProposedCall| async move {
        match call.tool() {
            "read" => Decision::Respond("from the cache".into()),
            _ => Decision::Respond(ToolOutput::from("as if").with_artifact(7_u8)),
        }
    };
    let (messages, runs) = dispatch_with_hook(hook, &calls()).await;
    assert_eq!(contents(&messages), ["as if", "as if", "from the cache"]);
    assert_eq!(runs, 0);
    assert_eq!(messages[0].artifact(), Some(&7_u8));
    assert!(
        messages.iter().all(|message| message
            .outcome()
            .is_some_and(|it| it.error().is_none() && it.responded_by_hook()))
    );
    let (messages, _) = dispatch_with_hook(|_| async { Decision::Run }, &calls()).await;
    assert!(
        messages.iter().all(|message| message.outcome().is_some_and(|outcome| !outcome.responded_by_hook()))
    );
}

#[tokio::test]
async fn the_hook_receives_the_tool_its_time_limit_the_arguments_and_the_context() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let registry = {
        let seen = Arc::clone(&seen);
        Registry::builder()
            .tools(all())
            .state(Arc::<Runs>::default())
            .timeout(Duration::from_secs(60))
            .before_call(move |call| {
                let user = call.context().run_context().get::<&str>().copied();
                let seen_now = format!(
                    "{} {:?} {} {} {user:?}",
                    call.tool(),
                    call.policy().timeout,
                    call.arguments(),
                    call.context().id()
                );
                seen.lock().expect("no test panics with it").push(seen_now);
                async { Decision::Undecided }
            })
            .build()
            .expect("a registry")
    };
    let context = RunContext::new().state("Ada");
    let calls =
        [ToolCall::new("1", "delete", r#" {"path":"a"} "#), ToolCall::new("", "read", r#"{"path": "c"}"#)];
    registry.with(&context).dispatch(&calls).await;
    assert_eq!(
        *seen.lock().expect("no test panics with it"),
        [r#"delete Some(5s) {"path":"a"} 1 Some("Ada")"#, r#"read Some(60s) {"path": "c"}  Some("Ada")"#,]
    );
}

/// Adds numbers.
#[tool]
fn sum(#[arg(default)] numbers: Vec<i64>) -> i64 {
    numbers.iter().sum()
}

#[tokio::test]
async fn the_hook_receives_the_coerced_arguments() {
    let registry = Registry::builder()
        .tools(tools![sum])
        .lenient_arguments(true)
        .before_call(|call| async move { Decision::Deny(call.arguments().into()) })
        .build()
        .expect("a registry");
    let calls = [
        ToolCall::new("1", "sum", r#"{"numbers": "[1,2]",}"#),
        ToolCall::new("2", "sum", ""),
        ToolCall::new("3", "sum", "null"),
    ];
    let messages = registry.dispatch(&calls).await;
    assert_eq!(contents(&messages), [r#"Error: {"numbers": [1, 2]}"#, "Error: {}", "Error: {}"]);
    assert!(messages[0].outcome().is_some_and(|outcome| !outcome.coercions().is_empty()));
}

#[tokio::test]
async fn the_hook_does_not_receive_calls_that_cannot_run() {
    let hook = |call: ProposedCall| async move { panic!("called for {}", call.tool()) };
    let calls = [
        ToolCall::new("1", "delete", "{}"),
        ToolCall::new("2", "delete_on_a_thread", "{"),
        ToolCall::new("3", "nothing", "{}"),
    ];
    let (messages, runs) = dispatch_with_hook(hook, &calls).await;
    assert_eq!(
        contents(&messages),
        [
            "Error: invalid arguments for `delete`: `path` is missing. Call it again, but add `path`.",
            "Error: the arguments of `delete_on_a_thread` are truncated. Call it again with one complete JSON \
             object.",
            "Error: there is no tool `nothing`. Available: `delete`, `delete_on_a_thread` and `read`.",
        ]
    );
    assert_eq!(runs, 0);
}

#[tokio::test]
async fn a_hook_that_panics_denies_the_call_and_the_model_does_not_receive_the_panic_message() {
    let immediately = |_| -> std::future::Ready<Decision> { panic!("a secret") };
    let (messages, runs) = dispatch_with_hook(immediately, &calls()).await;
    assert_eq!(runs, 0);
    for message in &messages {
        assert!(message.content.as_str().ends_with("was not run: the approval check failed."), "{message:?}");
        let error = message.outcome().and_then(|outcome| outcome.error()).expect("it failed");
        assert_eq!(
            (error.kind(), error.source().expect("the panic message").to_string()),
            ("hook_panic", "a secret".to_owned())
        );
    }
    let later = |_| async {
        tokio::task::yield_now().await;
        panic!("a secret")
    };
    assert_eq!(dispatch_with_hook(later, &calls()).await.1, 0);
}

struct PanicsWhenDropped;

impl Drop for PanicsWhenDropped {
    fn drop(&mut self) {
        panic!("as planned");
    }
}

#[tokio::test(start_paused = true)]
async fn a_hook_that_panics_when_it_is_dropped_after_its_limit_is_reported_as_late() {
    let registry = Registry::builder()
        .tools(tools![delete])
        .state(Arc::<Runs>::default())
        .before_call(|_| async {
            let _guard = PanicsWhenDropped;
            std::future::pending().await
        })
        .build()
        .expect("a registry");
    let messages = registry.dispatch(&[ToolCall::new("1", "delete", r#"{"path":"a"}"#)]).await;
    assert_eq!(
        contents(&messages),
        ["Error: the tool `delete` was not run: the approval check did not finish within 5 s."]
    );
}

#[tokio::test(start_paused = true)]
async fn the_time_limit_of_a_tool_starts_after_its_approval() {
    /// Takes four of its five seconds.
    #[tool(timeout = "5s")]
    async fn works() -> &'static str {
        tokio::time::sleep(Duration::from_secs(4)).await;
        "done"
    }
    let registry = Registry::builder().tools(tools![works]).before_call(|_| async {
        tokio::time::sleep(Duration::from_secs(4)).await;
        Decision::Run
    });
    let registry = registry.measure_durations(true).build().expect("a registry");
    let messages = registry.dispatch(&[ToolCall::new("1", "works", "")]).await;
    assert_eq!(messages[0].content, "done");
    assert_eq!(messages[0].outcome().map(|outcome| outcome.duration().as_secs()), Some(8));
}

#[tokio::test]
async fn the_handler_of_a_dynamic_tool_is_not_called_before_approval() {
    let runs = Arc::<Runs>::default();
    let tool = {
        let runs = Arc::clone(&runs);
        DynamicTool::new("delete", "", json!({"type": "object"}), move |_| {
            runs.0.fetch_add(1, Ordering::SeqCst);
            async { Ok::<_, String>("gone") }
        })
    };
    let registry = Registry::builder().dynamic(tool.requires_approval()).build().expect("a registry");
    let messages = registry.dispatch(&[ToolCall::new("1", "delete", "{}")]).await;
    assert_eq!(contents(&messages), ["Error: the tool `delete` needs approval, which was not given."]);
    assert_eq!(runs.0.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn registry_call_does_not_call_the_hook() {
    let registry = Registry::builder()
        .tools(all())
        .state(Arc::<Runs>::default())
        .before_call(|_| async { Decision::Deny("no".into()) })
        .build()
        .expect("a registry");
    assert_eq!(registry.call("delete", r#"{"path":"a"}"#).await.text(), "a is gone");
    assert_eq!(registry.call("delete_on_a_thread", r#"{"path":"a"}"#).await.text(), "a is gone, on a thread");
}

#[test]
fn a_second_hook_is_a_build_error() {
    let error = Registry::builder()
        .before_call(|_| async { Decision::Deny("no".into()) })
        .before_call(|_| async { Decision::Run })
        .build()
        .expect_err("two hooks");
    assert!(matches!(error.errors(), [BuildErrorKind::SecondHook]), "{error}");
}

#[tokio::test(start_paused = true)]
async fn no_tool_runs_if_the_dispatch_is_dropped_during_the_hook() {
    let runs = Arc::<Runs>::default();
    let registry = Registry::builder()
        .tools(all())
        .state(Arc::clone(&runs))
        .max_concurrency(1)
        .before_call(|call| async move {
            if call.context().id() == "slow" {
                tokio::time::sleep(Duration::from_secs(3)).await;
            }
            Decision::Run
        })
        .build()
        .expect("a registry");
    let call = |id: &str| [ToolCall::new(id, "read", r#"{"path":"a"}"#)];
    let slow = call("slow");
    assert!(tokio::time::timeout(Duration::from_secs(1), registry.dispatch(&slow)).await.is_err());
    tokio::time::sleep(Duration::from_secs(9)).await;
    assert_eq!(runs.0.load(Ordering::SeqCst), 0);
    assert_eq!(contents(&registry.dispatch(&call("quick")).await), ["in a"]);
}

#[tokio::test]
async fn a_subset_calls_the_same_hook() {
    let registry = Registry::builder()
        .tools(all())
        .state(Arc::<Runs>::default())
        .before_call(|_| async { Decision::Deny("no".into()) })
        .build()
        .expect("a registry");
    let subset = registry.subset(["read"]).expect("it is there");
    let messages = subset.dispatch(&[ToolCall::new("1", "read", r#"{"path":"a"}"#)]).await;
    assert_eq!(contents(&messages), ["Error: no"]);
}
