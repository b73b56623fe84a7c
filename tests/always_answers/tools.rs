//! Tools that do everything that a tool can do.

use crate::silence::PLANNED;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::sleep;
use tool_runtime::registry::ToolList;
use tool_runtime::schemars::JsonSchema;
use tool_runtime::{CallContext, tool, tools};

/// The bytes of a long result.
pub(crate) const LONG: usize = 10_000_000;

/// Which batch it is.
pub(crate) struct Tenant(pub(crate) usize);

/// How many tools are at work.
#[derive(Default)]
pub(crate) struct AtWork {
    futures: AtomicUsize,
    /// How many of them there were at most.
    most: AtomicUsize,
    threads: AtomicUsize,
}

struct Working<'a>(&'a AtomicUsize);

impl AtWork {
    pub(crate) fn futures(&self) -> usize {
        self.futures.load(Ordering::SeqCst)
    }

    pub(crate) fn most_futures(&self) -> usize {
        self.most.load(Ordering::SeqCst)
    }

    /// A body on a thread may outlive its call, but it ends.
    pub(crate) fn wait_for_threads(&self) {
        for _ in 0..10_000 {
            if self.threads.load(Ordering::SeqCst) == 0 {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        panic!("a body on a thread never ends");
    }

    fn begin(&self) -> Working<'_> {
        let working = Working::new(&self.futures);
        self.most.fetch_max(self.futures(), Ordering::SeqCst);
        working
    }
}

impl<'a> Working<'a> {
    fn new(counted: &'a AtomicUsize) -> Self {
        counted.fetch_add(1, Ordering::SeqCst);
        Working(counted)
    }
}

impl Drop for Working<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Says its number and its tenant.
#[tool]
async fn succeeds(n: u32, #[state] tenant: &Tenant, #[context] call: &CallContext) -> String {
    let in_context = call.batch().get::<Tenant>().map(|tenant| tenant.0);
    assert_eq!(in_context, Some(tenant.0), "one batch has one tenant");
    format!("{n} of {}", tenant.0)
}

/// Fails.
#[tool]
fn fails(n: u32) -> Result<(), String> {
    Err(format!("{n} failed"))
}

/// Panics before it waits.
#[tool]
async fn panics_at_once(#[state] at_work: &Arc<AtWork>) {
    let _working = at_work.begin();
    std::panic::panic_any(PLANNED);
}

/// Panics after it has been waiting.
#[tool]
async fn panics_after(ms: u64, #[state] at_work: &Arc<AtWork>) {
    let _working = at_work.begin();
    sleep(Duration::from_millis(ms)).await;
    std::panic::panic_any(PLANNED);
}

/// Sleeps.
#[tool]
async fn sleeps(ms: u64, #[state] at_work: &Arc<AtWork>) -> String {
    let _working = at_work.begin();
    sleep(Duration::from_millis(ms)).await;
    format!("slept {ms}")
}

/// Sleeps, and changes nothing.
#[tool(read_only)]
async fn sleeps_read_only(ms: u64, #[state] at_work: &Arc<AtWork>) -> String {
    let _working = at_work.begin();
    sleep(Duration::from_millis(ms)).await;
    format!("slept {ms}")
}

/// Sleeps, and has a time of its own.
#[tool(timeout = "20ms")]
async fn sleeps_in_its_time(ms: u64, #[state] at_work: &Arc<AtWork>) -> String {
    let _working = at_work.begin();
    sleep(Duration::from_millis(ms)).await;
    format!("slept {ms}")
}

/// Never ends.
#[tool]
async fn hangs(#[state] at_work: &Arc<AtWork>) {
    let _working = at_work.begin();
    std::future::pending::<()>().await;
}

/// Ends when it is cancelled.
#[tool]
async fn hangs_until_cancelled(
    #[state] at_work: &Arc<AtWork>,
    #[context] call: &CallContext,
) -> &'static str {
    let _working = at_work.begin();
    call.cancellation().cancelled().await;
    "stopped"
}

/// Blocks its thread for a real moment.
#[tool(blocking)]
fn blocks(n: u32, #[state] at_work: &Arc<AtWork>) -> String {
    let _working = Working::new(&at_work.threads);
    std::thread::sleep(Duration::from_micros(u64::from(n % 500)));
    format!("blocked {n}")
}

/// Panics on a thread.
#[tool(blocking)]
fn panics_on_a_thread() {
    std::panic::panic_any(PLANNED);
}

/// Says more than anybody would read.
#[tool]
async fn returns_long() -> String {
    "0123456789".repeat(LONG / 10)
}

/// Cannot be written as JSON.
#[tool]
async fn unwritable() -> BTreeMap<(u8, u8), u8> {
    BTreeMap::from([((1, 2), 3)])
}

/// Panics where it is read or written.
#[derive(JsonSchema)]
struct Trap {
    #[allow(dead_code, reason = "for the schema")]
    set: bool,
}

impl<'de> Deserialize<'de> for Trap {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        serde_json::Value::deserialize(deserializer)?;
        std::panic::panic_any(PLANNED)
    }
}

impl Serialize for Trap {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        std::panic::panic_any(PLANNED)
    }
}

/// Takes what panics where it is read.
#[tool]
async fn takes_a_trap(_trap: Trap) {}

/// Returns what panics where it is written.
#[tool]
async fn returns_a_trap() -> Trap {
    Trap { set: true }
}

/// Needs a yes.
#[tool(requires_approval)]
async fn needs_approval(n: u32) -> String {
    format!("approved {n}")
}

/// Meets as many as were told.
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
        sleeps_in_its_time,
        hangs,
        hangs_until_cancelled,
        blocks,
        panics_on_a_thread,
        returns_long,
        unwritable,
        takes_a_trap,
        returns_a_trap,
        needs_approval,
        meets,
    ]
}
