//! `#[tool(timeout, blocking, requires_approval, read_only, destructive, idempotent, handle)]`.

use crate::answer;
use std::time::Duration;
use tool_runtime::{Registry, ToolCall, tool, tools};

/// Waits for ever.
#[tool(timeout = "50ms")]
async fn waits() {
    std::future::pending::<()>().await;
}

/// Waits for ever, and changes nothing.
#[tool(timeout = "2s", read_only, idempotent)]
async fn waits_read_only() {
    std::future::pending::<()>().await;
}

/// Is quick.
#[tool(timeout = "1m")]
async fn quick(n: u8) -> u8 {
    n
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_outlives_its_time_is_answered() {
    let registry = Registry::new(tools![waits, waits_read_only, quick]).expect("whole");
    let calls = [
        ToolCall::new("1", "waits", ""),
        ToolCall::new("2", "waits_read_only", ""),
        ToolCall::new("3", "quick", r#"{"n":3}"#),
    ];
    let answers = registry.dispatch(&calls).await;
    let said = answers.iter().map(|answer| &*answer.content).collect::<Vec<_>>();
    assert_eq!(
        said,
        [
            "Error: the tool `waits` did not finish within 50 ms. It may have taken effect.",
            "Error: the tool `waits_read_only` did not finish within 2 s.",
            "3",
        ]
    );
}

#[test]
fn a_time_without_a_runtime_is_an_error_not_a_panic() {
    let registry = Registry::new(tools![quick, blocks]).expect("whole");
    let calls = [ToolCall::new("1", "quick", r#"{"n":3}"#), ToolCall::new("2", "blocks", r#"{"text":"a"}"#)];
    let answers = futures_util::FutureExt::now_or_never(registry.dispatch(&calls)).expect("nothing waits");
    assert_eq!(answers[0].content, "Error: the tool `quick` cannot run: it needs a Tokio runtime.");
    assert_eq!(answers[1].content, "Error: the tool `blocks` cannot run: it needs a Tokio runtime.");
}

/// Says on which thread it runs.
#[tool(blocking)]
fn blocks(text: &str, #[arg(default)] panics: bool) -> Result<String, String> {
    assert!(!panics, "as it was told");
    if text.is_empty() {
        return Err("nothing to say".to_owned());
    }
    let here = std::thread::current().id();
    Ok(format!("{text} {here:?}"))
}

/// Sleeps on its thread.
#[tool(blocking, timeout = "20ms")]
fn sleeps() {
    std::thread::sleep(Duration::from_millis(500));
}

#[tokio::test]
async fn a_blocking_tool_runs_on_a_thread_of_its_own() {
    let here = format!("a {:?}", std::thread::current().id());
    let said = answer(tools![blocks], "blocks", r#"{"text":"a"}"#).await;
    assert!(said.starts_with("a ThreadId(") && said != here, "{said} {here}");
    assert_eq!(answer(tools![blocks], "blocks", r#"{"text":""}"#).await, "Error: nothing to say");
    let panicked = answer(tools![blocks], "blocks", r#"{"text":"","panics":true}"#).await;
    assert_eq!(panicked, "Error: the tool `blocks` failed unexpectedly.");
    let refused = answer(tools![blocks], "blocks", r#"{"panics":1}"#).await;
    assert!(
        refused.contains("`panics`: expected a boolean") && refused.contains("`text` is missing"),
        "{refused}"
    );
}

#[tokio::test]
async fn a_blocking_tool_that_outlives_its_time_is_answered_before_it_ends() {
    let started = std::time::Instant::now();
    let said = answer(tools![sleeps], "sleeps", "").await;
    assert_eq!(said, "Error: the tool `sleeps` did not finish within 20 ms. It may have taken effect.");
    assert!(started.elapsed() < Duration::from_millis(400), "the thread was waited for");
}

/// Deletes.
#[tool(destructive, idempotent, requires_approval, timeout = "500ms")]
fn delete(path: &str) -> String {
    format!("{path} is gone")
}

#[tokio::test]
async fn a_tool_that_needs_approval_is_not_run_by_dispatch() {
    let registry = Registry::new(tools![delete]).expect("whole");
    let answers = registry.dispatch(&[ToolCall::new("1", "delete", r#"{"path":"x"}"#)]).await;
    assert_eq!(answers[0].content, "Error: the tool `delete` needs approval, which was not given.");
    assert_eq!(registry.call("delete", r#"{"path":"x"}"#).await.expect("by hand"), "x is gone");
}

#[test]
fn hints_are_read_from_the_registry() {
    let registry = Registry::new(tools![delete, waits_read_only, quick]).expect("whole");
    let hints = registry.hints("delete").expect("it is there");
    assert!(hints.destructive && hints.idempotent && hints.requires_approval && !hints.read_only);
    assert_eq!(hints.timeout, Some(Duration::from_millis(500)));
    assert!(registry.hints("waits_read_only").is_some_and(|hints| hints.read_only && !hints.destructive));
    assert_eq!(registry.hints("quick").and_then(|hints| hints.timeout), Some(Duration::from_secs(60)));
    assert_eq!(registry.hints("nothing"), None);
}

mod search {
    /// Searches.
    #[tool_runtime::tool(handle = Search)]
    pub(crate) fn search(text: &str) -> String {
        text.to_uppercase()
    }
}
use search::{Search, search};

/// Is named like a type, and its own is named otherwise.
#[tool(handle = Byte)]
fn u8(n: i16) -> i16 {
    n
}

#[tokio::test]
async fn a_handle_names_the_type_so_that_a_module_keeps_its_name() {
    assert_eq!(answer(tools![Search], "search", r#"{"text":"a"}"#).await, "A");
    assert_eq!(search("b"), "B");
    assert_eq!(answer(tools![Byte], "u8", r#"{"n":1}"#).await, "1");
    assert_eq!(u8(1), 1);
}
