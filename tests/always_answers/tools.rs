//! Tools of every behaviour.

use crate::limited_tools::{counted, sleeps_alone, sleeps_in_pairs};
use crate::running::{Running, Tenant};
use crate::silence::PLANNED;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;
use tool_runtime::registry::ToolList;
use tool_runtime::schemars::JsonSchema;
use tool_runtime::{CallContext, tool, tools};

/// The length of a long result, in bytes.
pub(crate) const LONG: usize = 1_000_000;

/// Returns its number and its tenant.
#[tool]
async fn succeeds(n: u32, #[state] tenant: &Tenant, #[context] call: &CallContext) -> String {
    let in_context = call.run_context().get::<Tenant>().map(|tenant| tenant.0);
    assert_eq!(in_context, Some(tenant.0), "one batch has one tenant");
    format!("{n} of {}", tenant.0)
}

/// Fails.
#[tool]
fn fails(n: u32) -> Result<(), String> {
    Err(format!("{n} failed"))
}

/// Panics before the first await.
#[tool]
async fn panics_at_once(#[state] running: &Arc<Running>) {
    let _working = running.runs.enter("panics_at_once");
    std::panic::panic_any(PLANNED);
}

/// Panics after an await.
#[tool]
async fn panics_after(ms: u64, #[state] running: &Arc<Running>) {
    let _working = running.runs.enter("panics_after");
    sleep(Duration::from_millis(ms)).await;
    std::panic::panic_any(PLANNED);
}

/// Sleeps.
#[tool]
async fn sleeps(ms: u64, #[state] running: &Arc<Running>) -> String {
    let _working = running.runs.enter("sleeps");
    sleep(Duration::from_millis(ms)).await;
    format!("slept {ms}")
}

/// Sleeps, and changes nothing.
#[tool(read_only)]
async fn sleeps_read_only(ms: u64, #[state] running: &Arc<Running>) -> String {
    let _working = running.runs.enter("sleeps_read_only");
    sleep(Duration::from_millis(ms)).await;
    format!("slept {ms}")
}

/// Sleeps, with a time limit of its own.
#[tool(timeout = "20ms")]
async fn sleeps_with_timeout(ms: u64, #[state] running: &Arc<Running>) -> String {
    let _working = running.runs.enter("sleeps_with_timeout");
    sleep(Duration::from_millis(ms)).await;
    format!("slept {ms}")
}

/// Never ends.
#[tool]
async fn hangs(#[state] running: &Arc<Running>) {
    let _working = running.runs.enter("hangs");
    std::future::pending::<()>().await;
}

/// Ends when it is cancelled.
#[tool]
async fn hangs_until_cancelled(
    #[state] running: &Arc<Running>,
    #[context] call: &CallContext,
) -> &'static str {
    let _working = running.runs.enter("hangs_until_cancelled");
    call.cancellation().cancelled().await;
    "stopped"
}

/// Reports progress after each step.
#[tool]
async fn reports(
    steps: u64,
    ms: u64,
    #[state] running: &Arc<Running>,
    #[context] call: &CallContext,
) -> String {
    let _working = running.runs.enter("reports");
    running.report(call, 0, steps, "begins");
    for step in 1..=steps {
        sleep(Duration::from_millis(ms)).await;
        running.report(call, step, steps, "a step");
    }
    format!("reported {steps}")
}

/// Fails in the first runs of a call.
#[tool]
async fn flaky(
    failures: u32,
    #[state] running: &Arc<Running>,
    #[context] call: &CallContext,
) -> Result<String, String> {
    match running.next_run(call) {
        run if run <= failures => Err(format!("failure {run}")),
        run => Ok(format!("run {run}")),
    }
}

/// Blocks its thread for a moment of real time, and reports progress.
#[tool(blocking)]
fn blocks(n: u32, #[state] running: &Arc<Running>, #[context] call: &CallContext) -> String {
    let _working = running.enter_thread();
    running.report(call, 0, None, "on a thread");
    std::thread::sleep(Duration::from_micros(u64::from(n % 500)));
    format!("blocked {n}")
}

/// Panics on a thread.
#[tool(blocking)]
fn panics_on_a_thread() {
    std::panic::panic_any(PLANNED);
}

/// Returns a very long text.
#[tool]
async fn returns_long() -> String {
    "0123456789".repeat(LONG / 10)
}

/// Returns a value that cannot be serialized as JSON.
#[tool]
async fn unserializable() -> BTreeMap<(u8, u8), u8> {
    BTreeMap::from([((1, 2), 3)])
}

/// A type that panics when it is deserialized or serialized.
#[derive(JsonSchema)]
struct Panicking {
    #[allow(dead_code, reason = "for the schema")]
    set: bool,
}

impl<'de> Deserialize<'de> for Panicking {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        serde_json::Value::deserialize(deserializer)?;
        std::panic::panic_any(PLANNED)
    }
}

impl Serialize for Panicking {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        std::panic::panic_any(PLANNED)
    }
}

/// Takes an argument whose decoder panics.
#[tool]
async fn decoder_panics(_value: Panicking) {}

/// Returns a value whose serializer panics.
#[tool]
async fn serializer_panics() -> Panicking {
    Panicking { set: true }
}

/// Requires approval.
#[tool(requires_approval)]
async fn needs_approval(n: u32) -> String {
    format!("approved {n}")
}

/// Waits at a barrier.
#[tool]
async fn meets(#[state] all: &Arc<tokio::sync::Barrier>) -> &'static str {
    all.wait().await;
    "met"
}

pub(crate) fn all() -> ToolList {
    tools![
        succeeds,
        fails,
        panics_at_once,
        panics_after,
        sleeps,
        sleeps_read_only,
        sleeps_with_timeout,
        sleeps_alone,
        sleeps_in_pairs,
        counted,
        reports,
        flaky,
        hangs,
        hangs_until_cancelled,
        blocks,
        panics_on_a_thread,
        returns_long,
        unserializable,
        decoder_panics,
        serializer_panics,
        needs_approval,
        meets,
    ]
}
