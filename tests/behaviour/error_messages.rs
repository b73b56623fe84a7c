//! Error messages for the model.

use crate::answer;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;
use tool_runtime::dispatch::{CancellationToken, Decision};
use tool_runtime::{BatchContext, Registry, RegistryBuilder, ToolCall, ToolError, tool, tools};

/// Look up the weather.
#[tool]
async fn get_weather(city: &str, #[arg(default = 0)] days: u8) -> Result<String, String> {
    if days > 7 { Err(format!("{days} days are too far ahead")) } else { Ok(format!("{city}: sunny")) }
}

/// The time of day.
#[tool]
fn now() -> &'static str {
    "12:00"
}

/// Panics.
#[tool]
async fn panics() {
    panic!("a secret");
}

/// Never returns.
#[tool(timeout = "5s")]
async fn waits() {
    std::future::pending::<()>().await;
}

/// Never returns, and changes nothing.
#[tool(timeout = "5s", read_only)]
async fn waits_read_only() {
    std::future::pending::<()>().await;
}

/// Deletes everything.
#[tool(destructive, requires_approval)]
async fn delete() -> &'static str {
    "gone"
}

/// Cannot be serialized as JSON.
#[tool]
fn unserializable() -> BTreeMap<(u8, u8), u8> {
    BTreeMap::from([((1, 2), 3)])
}

async fn contents_of_calls(registry: RegistryBuilder, calls: &[ToolCall]) -> Vec<String> {
    let registry = registry.build().expect("a registry");
    registry.dispatch(calls).await.iter().map(|answer| answer.content.to_string()).collect()
}

#[tokio::test]
async fn unknown_tool() {
    assert_eq!(
        answer(tools![get_weather, now], "get_wether", r#"{"city":"Beijing"}"#).await,
        "Error: there is no tool `get_wether`; did you mean `get_weather`? Available: `get_weather`, `now`."
    );
}

#[tokio::test]
async fn unknown_tool_lists_at_most_twenty_names() {
    let tool = |n: usize| {
        tool_runtime::DynamicTool::new(format!("tool_{n:02}"), "", serde_json::Value::Null, |_| async {
            Ok::<_, String>(())
        })
    };
    let registry = (0..25).fold(Registry::builder(), |registry, n| registry.dynamic(tool(n)));
    let contents = contents_of_calls(registry, &[ToolCall::new("1", "x", "")]).await;
    let names: Vec<String> = (0..20).map(|n| format!("`tool_{n:02}`")).collect();
    assert_eq!(
        contents,
        [format!("Error: there is no tool `x`. Available: {} and 5 more.", names.join(", "))]
    );
}

#[tokio::test]
async fn arguments_that_are_not_json() {
    assert_eq!(
        answer(tools![get_weather], "get_weather", r#"{"city":"Beijing" "days":1}"#).await,
        "Error: the arguments of `get_weather` are not valid JSON (expected `,` or `}` at column 19). \
         Send one JSON object."
    );
}

#[tokio::test]
async fn arguments_that_are_not_one_object() {
    assert_eq!(
        answer(tools![get_weather], "get_weather", r#"["Beijing"]"#).await,
        "Error: the arguments of `get_weather` must be one JSON object, not an array."
    );
}

#[tokio::test]
async fn all_invalid_arguments_at_once() {
    assert_eq!(
        answer(tools![get_weather], "get_weather", r#"{"days":"tomorrow","town":"Beijing"}"#).await,
        "Error: invalid arguments for `get_weather`: `days`: expected u8, got string \"tomorrow\"; \
         `city` is missing; `town` is not an argument, did you mean `city`? (it takes `city` and `days`)"
    );
}

#[tokio::test]
async fn returned_error() {
    assert_eq!(
        answer(tools![get_weather], "get_weather", r#"{"city":"Beijing","days":9}"#).await,
        "Error: 9 days are too far ahead"
    );
}

#[derive(Debug)]
struct Disconnected;

impl fmt::Display for Disconnected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no connection to db.internal:5432")
    }
}
impl std::error::Error for Disconnected {}
impl ToolError for Disconnected {
    fn for_model(&self) -> String {
        "the database does not answer; try again later".to_owned()
    }
}

/// Counts the users.
#[tool]
async fn count_users() -> Result<u32, Disconnected> {
    Err(Disconnected)
}

#[tokio::test]
async fn returned_tool_error() {
    assert_eq!(
        answer(tools![count_users], "count_users", "").await,
        "Error: the database does not answer; try again later"
    );
}

#[tokio::test]
async fn panic_without_its_message() {
    assert_eq!(answer(tools![panics], "panics", "").await, "Error: the tool `panics` failed unexpectedly.");
}

#[tokio::test]
async fn result_that_cannot_be_serialized() {
    assert_eq!(
        answer(tools![unserializable], "unserializable", "").await,
        "Error: the result of `unserializable` cannot be written as JSON: key must be a string."
    );
}

#[tokio::test(start_paused = true)]
async fn expired_time_limit_with_its_duration_and_possible_effect() {
    assert_eq!(
        answer(tools![waits], "waits", "").await,
        "Error: the tool `waits` did not finish within 5 s. It may have taken effect."
    );
    assert_eq!(
        answer(tools![waits_read_only], "waits_read_only", "").await,
        "Error: the tool `waits_read_only` did not finish within 5 s."
    );
}

#[tokio::test(start_paused = true)]
async fn cancelled_call() {
    let registry = Registry::new(tools![waits]).expect("a registry");
    let token = CancellationToken::new();
    let batch = BatchContext::new().cancellation(token.clone());
    let calls = [ToolCall::new("1", "waits", "")];
    let cancelling = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        token.cancel();
    };
    let (answers, ()) = tokio::join!(registry.dispatch_with(&calls, &batch), cancelling);
    assert_eq!(answers[0].content, "Error: cancelled before it finished");
}

#[tokio::test]
async fn denied_or_skipped_call_with_its_reason() {
    let registry = Registry::builder()
        .tools(tools![delete])
        .before_call(|_| async { Decision::deny("skipped by user") });
    let contents = contents_of_calls(registry, &[ToolCall::new("1", "delete", "{}")]).await;
    assert_eq!(contents, ["Error: skipped by user"]);
}

#[tokio::test]
async fn call_without_approval() {
    assert_eq!(
        answer(tools![delete], "delete", "").await,
        "Error: the tool `delete` needs approval, which was not given."
    );
}

#[tokio::test(start_paused = true)]
async fn hook_that_panics_or_is_late() {
    let hook = |call: tool_runtime::dispatch::ProposedCall| async move {
        assert_ne!(call.tool(), "panics", "a secret of the hook");
        std::future::pending().await
    };
    let registry = Registry::builder()
        .tools(tools![panics, waits])
        .before_call(hook)
        .timeout(Duration::from_millis(1500));
    let contents =
        contents_of_calls(registry, &[ToolCall::new("1", "panics", ""), ToolCall::new("2", "waits", "")])
            .await;
    assert_eq!(
        contents,
        [
            "Error: the tool `panics` was not run: the approval check failed.",
            "Error: the tool `waits` was not run: the approval check did not finish within 5 s.",
        ]
    );
}

struct User(&'static str);

/// Returns the user.
#[tool]
fn who_am_i(#[state] user: &User) -> &'static str {
    user.0
}

#[tokio::test]
async fn missing_batch_state() {
    let registry = Registry::builder().tools(tools![who_am_i]).batch_state::<User>();
    let contents = contents_of_calls(registry, &[ToolCall::new("1", "who_am_i", "")]).await;
    assert_eq!(contents, ["Error: the tool `who_am_i` is not available now."]);
}

#[tokio::test]
async fn calls_over_the_limit_of_a_reply() {
    let registry = Registry::builder().tools(tools![now]).max_calls_per_batch(2);
    let call = |id: &str| ToolCall::new(id, "now", "");
    let over = "Error: not run: a reply may have at most 2 calls. Call it again in another reply if it is still needed.";
    let contents = contents_of_calls(registry, &[call("1"), call("2"), call("3"), call("4")]).await;
    assert_eq!(contents, ["12:00", "12:00", over, over]);
}
