//! Middleware around calls: `around_call`.

mod other_tasks;
mod recorded_results;

use crate::contents;
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::Instant;
use tool_runtime::dispatch::{CancellationToken, Decision, Outcome, ReadyCall, ToolResult};
use tool_runtime::{
    CallContext, CallError, Registry, RegistryBuilder, RunContext, ToolCall, ToolOutput, tool, tools,
};

/// The number of runs.
#[derive(Clone, Default)]
struct Runs(Arc<AtomicUsize>);

impl Runs {
    fn add(&self) -> usize {
        self.0.fetch_add(1, Ordering::SeqCst) + 1
    }

    fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// Fails until its third run.
#[tool(idempotent)]
async fn flaky(#[state] runs: &Runs) -> Result<String, String> {
    tokio::task::yield_now().await;
    match runs.add() {
        run @ 0..3 => Err(format!("failure {run}")),
        run => Ok(format!("run {run}")),
    }
}

/// Repeats a text.
#[tool]
async fn echo(text: &str, #[arg(default = 1)] times: usize) -> String {
    text.repeat(times)
}

/// Sleeps.
#[tool(timeout = "1s")]
async fn sleep(seconds: u64, #[state] runs: &Runs) {
    runs.add();
    tokio::time::sleep(Duration::from_secs(seconds)).await;
}

/// Blocks a thread.
#[tool(blocking)]
fn block(#[state] runs: &Runs) -> String {
    format!("run {} on a thread", runs.add())
}

/// Panics.
#[tool]
async fn panics() {
    panic!("as planned");
}

/// Asks a person first.
#[tool(requires_approval)]
async fn delete(path: &str) -> String {
    format!("{path} is gone")
}

/// Returns an image and an artifact.
#[tool]
async fn draw() -> ToolOutput {
    ToolOutput::new().with_text("a cat").with_image("image/png", [1, 2, 3]).with_artifact(7_u8)
}

/// Returns the state of its cancellation token later.
#[tool]
async fn watches(#[context] call: &CallContext, #[state] tokens: &Mutex<Vec<CancellationToken>>) {
    tokens.lock().expect("no panic").push(call.cancellation());
    std::future::pending::<()>().await;
}

fn builder(runs: &Runs) -> RegistryBuilder {
    Registry::builder().tools(tools![flaky, echo, sleep, block, panics, delete, draw]).state(runs.clone())
}

fn built(builder: RegistryBuilder) -> Registry {
    builder.build().expect("the tools are valid")
}

fn call(tool: &str, arguments: &str) -> [ToolCall; 1] {
    [ToolCall::new("call_1", tool, arguments)]
}

/// The content of the message of one call.
async fn content(registry: &Registry, tool: &str, arguments: &str) -> String {
    contents(&registry.dispatch(&call(tool, arguments)).await)[0].to_owned()
}

async fn retry(call: ReadyCall) -> ToolResult {
    loop {
        let result = call.run().await;
        if !result.is_error() {
            return result;
        }
    }
}

#[tokio::test]
async fn the_middleware_that_is_added_first_is_the_outermost() {
    let append = |suffix: &'static str| {
        move |call: ReadyCall| async move { call.run().await.map_text(|text| format!("{text}{suffix}")) }
    };
    let registry = built(
        builder(&Runs::default()).around_call(append("a")).around_call(append("b")).around_call(append("c")),
    );
    assert_eq!(content(&registry, "echo", r#"{"text":"_"}"#).await, "_cba");
    assert_eq!(registry.call("echo", json!({"text": "_"})).await.text(), "_cba");
}

#[tokio::test]
async fn a_call_can_run_again_before_the_queue_continues() {
    let runs = Runs::default();
    let order = Arc::<Mutex<Vec<String>>>::default();
    let ran = Arc::clone(&order);
    let registry = built(builder(&runs).max_concurrency(1).around_call(retry).around_call(move |call| {
        ran.lock().expect("no panic").push(call.tool().to_owned());
        async move { call.run().await }
    }));
    let calls = [ToolCall::new("1", "flaky", "{}"), ToolCall::new("2", "echo", r#"{"text":"x"}"#)];
    assert_eq!(contents(&registry.dispatch(&calls).await), ["run 3", "x"]);
    assert_eq!(*order.lock().expect("no panic"), ["flaky", "flaky", "flaky", "echo"]);
}

#[tokio::test(start_paused = true)]
async fn each_run_has_the_time_limit_of_the_tool() {
    let runs = Runs::default();
    let begun = Instant::now();
    let registry = built(builder(&runs).around_call(|call| async move {
        let first = call.run().await;
        assert_eq!(first.error_kind(), Some("timeout"));
        call.run().await
    }));
    let message = content(&registry, "sleep", r#"{"seconds":9}"#).await;
    assert_eq!(message, "Error: the tool `sleep` did not finish within 1 s. It may have taken effect.");
    assert_eq!((runs.count(), begun.elapsed().as_secs()), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn the_call_timeout_limits_the_whole_call() {
    let runs = Runs::default();
    let begun = Instant::now();
    let registry = built(
        builder(&runs).around_call(retry).call_timeout(Duration::from_millis(3_500)).max_concurrency(1),
    );
    let calls =
        [ToolCall::new("1", "sleep", r#"{"seconds":9}"#), ToolCall::new("2", "echo", r#"{"text":"x"}"#)];
    let messages = registry.dispatch(&calls).await;
    assert_eq!(
        contents(&messages),
        ["Error: the tool `sleep` did not finish within 3.5 s. It may have taken effect.", "x"]
    );
    assert_eq!((runs.count(), begun.elapsed().as_millis()), (4, 3_500));
    assert!(messages[0].outcome().is_some_and(Outcome::has_begun));

    // A middleware that never runs the call has no effect.
    let registry =
        built(builder(&runs).around_call(|_| std::future::pending()).call_timeout(Duration::from_secs(1)));
    let message = content(&registry, "echo", r#"{"text":"x"}"#).await;
    assert_eq!(message, "Error: the tool `echo` did not finish within 1 s.");
}

#[tokio::test(start_paused = true)]
async fn the_call_timeout_also_limits_calls_without_middleware() {
    let registry = built(builder(&Runs::default()).call_timeout(Duration::from_millis(300)));
    let message = content(&registry, "sleep", r#"{"seconds":9}"#).await;
    assert_eq!(message, "Error: the tool `sleep` did not finish within 300 ms. It may have taken effect.");
    let error = builder(&Runs::default()).call_timeout(Duration::ZERO).build().expect_err("it is zero");
    assert!(error.to_string().contains("call_timeout"), "{error}");
}

#[tokio::test]
async fn a_result_can_be_replaced_without_a_run() {
    let runs = Runs::default();
    let registry = built(builder(&runs).around_call(|call| async move {
        match call.tool() {
            "flaky" => ToolResult::ok(json!({"cached": true})),
            _ => ToolResult::error("the service is closed"),
        }
    }));
    let messages = registry
        .dispatch(&[ToolCall::new("1", "flaky", "{}"), ToolCall::new("2", "echo", r#"{"text":"x"}"#)])
        .await;
    assert_eq!(contents(&messages), [r#"{"cached":true}"#, "Error: the service is closed"]);
    assert_eq!(messages[1].error_kind(), Some("returned"));
    assert_eq!(runs.count(), 0);
    for message in &messages {
        assert!(!message.outcome().expect("it was dispatched").has_begun());
    }
}

#[tokio::test]
async fn a_panic_in_middleware_is_an_error_of_its_call_alone() {
    let kinds = Arc::<Mutex<Vec<String>>>::default();
    let seen = Arc::clone(&kinds);
    let registry = built(
        builder(&Runs::default())
            .max_concurrency(1)
            .around_call(move |call| {
                let seen = Arc::clone(&seen);
                async move {
                    let result = call.run().await;
                    seen.lock().expect("no panic").extend(result.error_kind().map(str::to_owned));
                    result
                }
            })
            .around_call(|call| {
                assert_ne!(call.arguments(), r#"{"text":"at once"}"#, "as planned");
                async move {
                    let result = call.run().await;
                    assert_ne!(call.arguments(), r#"{"text":"later"}"#, "as planned");
                    result
                }
            }),
    );
    let calls = [
        ToolCall::new("1", "echo", r#"{"text":"at once"}"#),
        ToolCall::new("2", "echo", r#"{"text":"later"}"#),
        ToolCall::new("3", "panics", ""),
        ToolCall::new("4", "echo", r#"{"text":"never"}"#),
    ];
    let messages = registry.dispatch(&calls).await;
    assert_eq!(
        contents(&messages),
        [
            "Error: the tool `echo` failed unexpectedly.",
            "Error: the tool `echo` failed unexpectedly.",
            "Error: the tool `panics` failed unexpectedly.",
            "never"
        ]
    );
    assert_eq!(*kinds.lock().expect("no panic"), ["panic", "panic", "panic"]);
    let has_begun = |index: usize| messages[index].outcome().is_some_and(Outcome::has_begun);
    assert_eq!([has_begun(0), has_begun(1), has_begun(2)], [false, true, true]);
}

#[tokio::test]
async fn a_call_can_run_in_another_task_and_twice_at_the_same_time() {
    let runs = Runs::default();
    let registry = built(builder(&runs).around_call(|call| async move {
        let (first, second) = tokio::join!(tokio::spawn(call.run()), call.run());
        let first = first.expect("it does not panic");
        ToolResult::ok(format!("{} and {}", first.text(), second.text()))
    }));
    let message = content(&registry, "block", "{}").await;
    assert!(message.contains("run 1 on a thread") && message.contains("run 2 on a thread"), "{message}");
    assert_eq!(runs.count(), 2);
}

#[tokio::test]
async fn calls_that_do_not_run_pass_no_middleware() {
    let calls = Arc::<Mutex<Vec<String>>>::default();
    let seen = Arc::clone(&calls);
    let registry = built(
        builder(&Runs::default())
            .before_call(|call| async move {
                if call.tool() == "draw" { Decision::Respond("no".into()) } else { Decision::Undecided }
            })
            .around_call(move |call| {
                seen.lock().expect("no panic").push(format!("{} {}", call.tool(), call.arguments()));
                async move { call.run().await }
            }),
    );
    let reply = [
        ToolCall::new("1", "unknown", "{}"),
        ToolCall::new("2", "echo", r#"{"text":1}"#),
        ToolCall::new("3", "delete", r#"{"path":"x"}"#),
        ToolCall::new("4", "draw", ""),
        ToolCall::new("5", "panics", "null"),
    ];
    let messages = registry.dispatch(&reply).await;
    assert!(messages[3].outcome().is_some_and(Outcome::responded_by_hook));
    assert_eq!(*calls.lock().expect("no panic"), ["panics {}"]);
}

#[tokio::test]
async fn middleware_sees_the_coerced_arguments() {
    let registry = built(
        builder(&Runs::default())
            .lenient_arguments(true)
            .around_call(|call| async move { ToolResult::ok(call.arguments()) }),
    );
    assert_eq!(
        content(&registry, "echo", r#"{"text":"x","times":"2",}"#).await,
        r#"{"text": "x", "times": 2}"#
    );
}

#[tokio::test]
async fn images_and_the_artifact_pass_through_a_change_of_the_text() {
    let registry = built(
        builder(&Runs::default())
            .around_call(|call| async move { call.run().await.map_text(|text| text.replace("cat", "dog")) }),
    );
    let message = registry.dispatch(&call("draw", "{}")).await.remove(0);
    assert_eq!(message.content, "a dog");
    assert_eq!(message.content.parts().map(<[_]>::len), Some(2));
    assert_eq!(message.artifact::<u8>(), Some(&7));
}

#[tokio::test]
async fn the_program_finds_the_original_error_after_a_change_of_its_message() {
    let registry = built(builder(&Runs::default()).around_call(|call| async move {
        call.run().await.map_text(|text| text.replace("failure", "problem"))
    }));
    let message = registry.dispatch(&call("flaky", "{}")).await.remove(0);
    assert_eq!(message.content, "Error: problem 1");
    let error = message.outcome().and_then(Outcome::error).expect("it failed");
    assert!(matches!(error, CallError::Returned { message, .. } if message == "failure 1"), "{error:?}");
}

#[tokio::test]
async fn a_run_that_is_dropped_cancels_its_token() {
    let tokens = Arc::<Mutex<Vec<CancellationToken>>>::default();
    let registry = Registry::builder()
        .tools(tools![watches])
        .state(Arc::clone(&tokens))
        .around_call(|call| async move {
            tokio::select! {
                biased;
                _ = call.run() => unreachable!("it never ends"),
                () = tokio::task::yield_now() => {}
            }
            assert!(!call.context().cancellation().is_cancelled(), "the call itself goes on");
            ToolResult::ok("given up")
        })
        .build()
        .expect("one tool");
    assert_eq!(content(&registry, "watches", "{}").await, "given up");
    let tokens = tokens.lock().expect("no panic");
    assert!(tokens.len() == 1 && tokens[0].is_cancelled());
}

#[tokio::test]
async fn cancelling_the_run_ends_middleware() {
    let kept = Arc::<Mutex<Option<ReadyCall>>>::default();
    let keep = Arc::clone(&kept);
    let token = CancellationToken::new();
    let registry = built(builder(&Runs::default()).max_concurrency(1).around_call(move |call| {
        keep.lock().expect("no panic").replace(call);
        std::future::pending()
    }))
    .with(&RunContext::new().cancellation(token.clone()));
    let calls = call("echo", r#"{"text":"x"}"#);
    let (messages, ()) = tokio::join!(registry.dispatch(&calls), async { token.cancel() });
    assert_eq!(contents(&messages), ["Error: cancelled before it finished"]);
    // A run after the cancellation is cancelled too.
    let call = kept.lock().expect("no panic").take().expect("it was kept");
    assert!(call.context().cancellation().is_cancelled());
    assert_eq!(call.run().await.text(), "Error: cancelled before it finished");
}

#[tokio::test]
async fn a_dropped_dispatch_frees_the_queue() {
    let runs = Runs::default();
    let registry = built(builder(&runs).max_concurrency(1).around_call(|call| async move {
        if call.tool() == "flaky" {
            std::future::pending::<()>().await;
        }
        call.run().await
    }));
    let first = call("flaky", "{}");
    let waiting = tokio::time::timeout(Duration::from_millis(1), registry.dispatch(&first)).await;
    assert!(waiting.is_err(), "it never ends");
    assert_eq!(content(&registry, "echo", r#"{"text":"x"}"#).await, "x");
}
