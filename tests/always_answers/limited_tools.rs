//! Tools with limits of their own, and the check that their permits are free.

use crate::FOREVER;
use crate::ending::Ending;
use crate::running::{Running, Tenant};
use crate::settings::Settings;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;
use tool_runtime::dispatch::Outcome;
use tool_runtime::{DynamicTool, Registry, RunContext, ToolCall, ToolMessage, tool};

/// The limits of one tool.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ToolLimits {
    pub(crate) max_concurrency: Option<usize>,
    pub(crate) max_calls: Option<usize>,
}

impl ToolLimits {
    const fn new(max_concurrency: Option<usize>, max_calls: Option<usize>) -> Self {
        ToolLimits { max_concurrency, max_calls }
    }

    /// The limits of a function; none of a function without limits.
    pub(crate) fn of_function(tool: &str) -> Self {
        match tool {
            "sleeps_alone" => Self::new(Some(1), None),
            "sleeps_in_pairs" => Self::new(Some(2), Some(3)),
            "counted" => Self::new(None, Some(2)),
            _ => Self::default(),
        }
    }
}

/// The names of all tools with limits. Each takes `ms` and sleeps.
pub(crate) const NAMES: [&str; 4] = ["sleeps_alone", "sleeps_in_pairs", "counted", "dynamic"];

async fn sleep_as(tool: &str, ms: u64, running: &Running) -> String {
    let _working = running.runs.enter(tool);
    sleep(Duration::from_millis(ms)).await;
    format!("slept {ms}")
}

/// Sleeps, one call at a time.
#[tool(max_concurrency = 1)]
pub(crate) async fn sleeps_alone(ms: u64, #[state] running: &Arc<Running>) -> String {
    sleep_as("sleeps_alone", ms, running).await
}

/// Sleeps, two calls at a time.
#[tool(max_concurrency = 2, max_calls = 3)]
pub(crate) async fn sleeps_in_pairs(ms: u64, #[state] running: &Arc<Running>) -> String {
    sleep_as("sleeps_in_pairs", ms, running).await
}

/// Sleeps, twice in a batch.
#[tool(max_calls = 2)]
pub(crate) async fn counted(ms: u64, #[state] running: &Arc<Running>) -> String {
    sleep_as("counted", ms, running).await
}

/// A dynamic tool with these limits.
pub(crate) fn dynamic(limits: ToolLimits, running: &Arc<Running>) -> DynamicTool {
    let running = Arc::clone(running);
    let parameters = json!({
        "type": "object",
        "properties": { "ms": { "type": "integer" } },
        "required": ["ms"],
    });
    let mut tool = DynamicTool::with_context("dynamic", "Sleeps.", parameters, move |arguments, call| {
        let running = Arc::clone(&running);
        async move {
            assert_eq!(call.tool(), "dynamic");
            let ms = arguments.get("ms").and_then(Value::as_u64).ok_or("no duration")?;
            Ok::<_, String>(sleep_as("dynamic", ms, &running).await)
        }
    });
    if let Some(calls) = limits.max_concurrency {
        tool = tool.max_concurrency(calls);
    }
    if let Some(calls) = limits.max_calls {
        tool = tool.max_calls(calls);
    }
    tool
}

/// As many calls as the tool has permits start without a wait.
pub(crate) async fn assert_all_permits_are_free(registry: &Registry, settings: &Settings) {
    for tool in NAMES {
        let Some(permits) = settings.limits_of(tool).max_concurrency else { continue };
        let permits = permits.min(settings.max_concurrency.unwrap_or(usize::MAX));
        let calls = (0..permits).map(|_| async {
            // Each has its own batch, because of `max_calls`.
            let registry = registry.with(&RunContext::new().state(Tenant(0)));
            registry.dispatch(&[ToolCall::new("1", tool, r#"{"ms":4}"#)]).await
        });
        // Calls that wait for a leaked permit would never end.
        let ended = tokio::time::timeout(FOREVER, futures_util::future::join_all(calls)).await;
        let messages = ended.unwrap_or_default().concat();
        assert_eq!(messages.len(), permits, "a permit of `{tool}` is not free");
        let queue_time = |message: &ToolMessage| message.outcome().map(Outcome::queue_time);
        assert!(
            messages.iter().all(|message| queue_time(message) == Some(Duration::ZERO)),
            "a permit of `{tool}` is not free"
        );
        let expected = Ending::output("slept 4");
        let is_expected = |message: &ToolMessage| {
            expected.matches(message.error_kind(), message.text(), settings.max_bytes())
        };
        assert!(messages.iter().all(is_expected), "{messages:?}");
    }
}
