//! One message per call, in call order, with the call's id.

use crate::{contents, message_text};
use std::sync::Arc;
use std::time::Duration;
use tool_runtime::{CallError, Registry, ToolCall, ToolMessage, tool, tools};

/// Look up the weather.
#[tool]
async fn get_weather(city: &str, #[arg(default = 0)] days: u8) -> Result<String, String> {
    tokio::task::yield_now().await;
    if city == "Atlantis" {
        Err("no such city".to_owned())
    } else {
        Ok(format!("{city} in {days} days: sunny"))
    }
}

/// The time of day.
#[tool]
fn now() -> &'static str {
    "12:00"
}

/// Panics at once.
#[tool]
fn panics(#[arg(default)] message: String) {
    assert!(!message.is_empty(), "a secret");
    panic!("{message}")
}

/// Panics after an await.
#[tool]
async fn panics_later() {
    tokio::task::yield_now().await;
    panic!("a later secret")
}

fn registry() -> Registry {
    Registry::new(tools![get_weather, now, panics, panics_later]).expect("different names")
}

/// Returns the number; larger numbers return earlier.
#[tool]
async fn echo(number: u32) -> u32 {
    tokio::time::sleep(Duration::from_millis(u64::from(1_000 - number))).await;
    number
}

#[tokio::test(start_paused = true)]
async fn results_are_in_call_order_for_any_number_of_calls() {
    let registry = Registry::new(tools![echo]).expect("different names");
    for number in [0, 1, 2, 29, 30, 31, 32, 33, 100, 500, 1_000] {
        let call = |at| ToolCall::new(format!("call_{at}"), "echo", format!(r#"{{"number":{at}}}"#));
        let calls: Vec<ToolCall> = (0..number).map(call).collect();
        let begun = tokio::time::Instant::now();
        let messages = registry.dispatch(&calls).await;
        assert!(begun.elapsed() <= Duration::from_millis(1_001), "{number} calls run concurrently");
        let expected: Vec<(String, String)> =
            (0..number).map(|at| (format!("call_{at}"), at.to_string())).collect();
        let got = messages.iter().map(|message| (message.tool_call_id.clone(), message.content.to_string()));
        assert_eq!(got.collect::<Vec<_>>(), expected, "{number} calls");
    }
}

#[tokio::test]
async fn every_call_gets_one_message_in_call_order_with_its_id() {
    let calls = [
        ToolCall::new("a", "get_weather", r#"{"city":"Beijing"}"#),
        ToolCall::new("b", "nonsense", "{}"),
        ToolCall::new("c", "get_weather", "{"),
        ToolCall::new("d", "panics", ""),
        ToolCall::new("e", "get_weather", r#"{"city":"Atlantis"}"#),
        ToolCall::new("f", "panics_later", ""),
        ToolCall::new("", "now", ""),
        ToolCall::new("a", "now", "null"),
    ];
    let messages = registry().dispatch(&calls).await;
    let ids: Vec<&str> = messages.iter().map(|message| message.tool_call_id.as_str()).collect();
    assert_eq!(ids, ["a", "b", "c", "d", "e", "f", "", "a"]);
    assert_eq!(
        contents(&messages),
        [
            "Beijing in 0 days: sunny",
            "Error: there is no tool `nonsense`. Available: `get_weather`, `now`, `panics` and `panics_later`.",
            "Error: the arguments of `get_weather` are truncated. Call it again with one complete JSON object.",
            "Error: the tool `panics` failed unexpectedly.",
            "Error: no such city",
            "Error: the tool `panics_later` failed unexpectedly.",
            "12:00",
            "12:00",
        ]
    );
}

#[tokio::test]
async fn no_calls_get_no_messages() {
    assert!(registry().dispatch(&[]).await.is_empty());
}

#[tokio::test]
async fn a_message_serializes_with_its_role_id_and_content() {
    let messages = registry().dispatch(&[ToolCall::new("call_1", "now", "{}")]).await;
    assert_eq!(
        serde_json::to_string(&messages).expect("messages serialize"),
        r#"[{"role":"tool","tool_call_id":"call_1","content":"12:00"}]"#
    );
}

#[tokio::test]
async fn the_error_of_an_unknown_tool_suggests_the_most_similar_name() {
    assert_eq!(
        message_text(tools![get_weather, now], "get_wether", r#"{"city":"Beijing"}"#).await,
        "Error: there is no tool `get_wether`. Call `get_weather` instead: {\"name\": \"get_weather\", \
         \"arguments\": {\"city\":\"Beijing\"}}"
    );
    assert_eq!(
        message_text(tools![get_weather], "Get-Weather", "{}").await,
        "Error: there is no tool `Get-Weather`. Call `get_weather` instead."
    );
    assert_eq!(
        message_text(tools![], "now", "").await,
        "Error: there is no tool `now`. No tool is available."
    );
}

#[tokio::test]
async fn the_error_of_an_unknown_tool_truncates_a_long_name() {
    let name = "x".repeat(1_000_000);
    let message = message_text(tools![now], &name, "").await;
    assert_eq!(message, format!("Error: there is no tool `{}…`. Available: `now`.", "x".repeat(80)));
}

#[tokio::test]
async fn the_panic_message_is_in_the_outcome_and_not_in_the_content() {
    let messages =
        registry().dispatch(&[ToolCall::new("1", "panics", r#"{"message":"password: 123"}"#)]).await;
    assert_eq!(messages[0].content, "Error: the tool `panics` failed unexpectedly.");
    let outcome = messages[0].outcome().expect("a dispatched call has an outcome");
    assert!(outcome.error().is_some());
    match outcome.error() {
        Some(CallError::Panicked { tool, source: Some(source), .. }) => {
            assert_eq!((&**tool, &*source.to_string()), ("panics", "password: 123"));
        }
        other => panic!("expected a panic, got {other:?}"),
    }
}

struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("again");
    }
}

/// Panics with a payload that panics when it is dropped.
#[tool]
fn panics_with_a_bomb() {
    std::panic::panic_any(Bomb);
}

#[tokio::test]
async fn a_panic_payload_that_panics_when_it_is_dropped_is_an_error_of_its_call() {
    let registry = Registry::new(tools![panics_with_a_bomb, now]).expect("different names");
    let calls = [ToolCall::new("1", "panics_with_a_bomb", ""), ToolCall::new("2", "now", "")];
    match tokio::spawn(async move { registry.dispatch(&calls).await }).await {
        Ok(messages) => {
            assert_eq!(
                contents(&messages),
                ["Error: the tool `panics_with_a_bomb` failed unexpectedly.", "12:00"]
            );
        }
        Err(error) => {
            // Dropping the error in the test's thread would hang.
            std::mem::forget(error);
            panic!("the panic left dispatch");
        }
    }
}

#[tokio::test]
async fn the_outcome_reports_success() {
    let messages = registry().dispatch(&[ToolCall::new("1", "now", "")]).await;
    let outcome = messages[0].outcome().expect("a dispatched call has an outcome");
    assert!(outcome.error().is_none() && outcome.error().is_none());
    assert!(ToolMessage::new("1", "created").outcome().is_none());
}

/// Waits for the other calls.
#[tool]
async fn meets() -> &'static str {
    static BARRIER: std::sync::LazyLock<tokio::sync::Barrier> =
        std::sync::LazyLock::new(|| tokio::sync::Barrier::new(40));
    BARRIER.wait().await;
    "met"
}

#[tokio::test]
async fn the_calls_of_a_reply_run_concurrently() {
    let calls: Vec<ToolCall> = (0..40).map(|index| ToolCall::new(index.to_string(), "meets", "")).collect();
    let registry = Registry::new(tools![meets]).expect("one tool");
    let messages = tokio::time::timeout(Duration::from_secs(20), registry.dispatch(&calls))
        .await
        .expect("all calls meet");
    assert!(messages.iter().all(|message| message.content == "met"));
}

#[tokio::test]
async fn a_registry_can_be_cloned_and_shared_between_tasks() {
    fn is_send_and_sync<T: Send + Sync + Clone + 'static>(_: &T) {}
    let registry = registry();
    is_send_and_sync(&registry);
    let calls = Arc::new([ToolCall::new("1", "now", "")]);
    let other = registry.clone();
    let task = tokio::spawn(async move { other.dispatch(&*calls).await });
    assert_eq!(contents(&task.await.expect("the task ends")), ["12:00"]);
}

#[tokio::test]
async fn registry_call_runs_one_tool() {
    let registry = registry();
    let result = registry.call("get_weather", r#"{"city":"Beijing"}"#).await;
    assert_eq!((result.text().as_ref(), result.is_error()), ("Beijing in 0 days: sunny", false));
    let result = registry.call("get_weather", serde_json::json!({"city": "Atlantis"})).await;
    assert_eq!((result.text().as_ref(), result.error_kind()), ("Error: no such city", Some("returned")));
    let failure = result.into_result().expect_err("there is no such city");
    assert!(matches!(failure.error(), Some(CallError::Returned { .. })));
    assert_eq!(failure.to_string(), "no such city");
    assert_eq!(registry.call("x", "").await.error_kind(), Some("unknown_tool"));
    assert_eq!(registry.call("now", "[").await.error_kind(), Some("not_json"));
    assert_eq!(registry.call("panics", "").await.error_kind(), Some("panic"));
}

#[tokio::test]
async fn the_function_of_a_tool_can_be_called_directly() {
    assert_eq!(get_weather("Beijing", 1).await.as_deref(), Ok("Beijing in 1 days: sunny"));
    assert_eq!(now(), "12:00");
}

#[test]
fn dispatch_needs_no_tokio_runtime() {
    use std::task::{Context, Poll, Waker};
    let registry = registry();
    let calls = [ToolCall::new("1", "now", "")];
    let mut dispatch = std::pin::pin!(registry.dispatch(&calls));
    match dispatch.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(messages) => assert_eq!(contents(&messages), ["12:00"]),
        Poll::Pending => panic!("no tool awaits"),
    }
}
