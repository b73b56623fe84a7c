//! The tools of the tests.

use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tool_runtime::conversation::InnerCallError;
use tool_runtime::dispatch::{Decision, UserAnswer};
use tool_runtime::{CallContext, Registry, ToolOutput, tool, tools};

/// The number of orders, and whether a call of `wait` has ended.
#[derive(Clone, Default)]
pub(crate) struct Effects {
    pub(crate) orders: Arc<AtomicUsize>,
    pub(crate) dropped: Arc<AtomicUsize>,
}

/// Adds two numbers.
#[tool(read_only, title = "Sum")]
fn add(
    /// The first number.
    a: i64,
    #[arg(default = 0)] b: i64,
) -> i64 {
    a + b
}

/// Orders a shirt.
#[tool(destructive, timeout = "5s")]
fn order(#[state] effects: &Effects, size: &str, key: Option<&str>) -> String {
    effects.orders.fetch_add(1, Ordering::SeqCst);
    format!("ordered in size {size}, with a key: {}", key.is_some())
}

/// Pays. A person approves each payment.
#[tool(requires_approval)]
fn pay(amount: u32) -> String {
    format!("paid {amount}")
}

/// Tags a page.
#[tool(idempotent)]
fn tag(page: &str, tags: BTreeMap<String, String>) -> usize {
    page.len() + tags.into_keys().count()
}

/// Counts.
#[tool(read_only)]
fn count(#[context] call: &CallContext, steps: u64, bytes: usize) -> u64 {
    for step in 1..=steps {
        call.progress(step, Some(steps), "x".repeat(bytes));
    }
    steps
}

/// Pays twice.
#[tool(resumable)]
async fn pay_twice(#[context] call: &CallContext) -> Result<String, InnerCallError> {
    let payments = Registry::new(tools![pay]).expect("one tool");
    let (one, two) = futures_util::join!(
        call.inner_call(&payments, "pay", json!({"amount": 1})),
        call.inner_call(&payments, "pay", json!({"amount": 2})),
    );
    Ok(format!("{}; {}", one?.text(), two?.text()))
}

/// Asks for a size.
#[tool(read_only)]
async fn ask_size(#[context] call: &CallContext) -> Result<String, InnerCallError> {
    let schema = json!({"type": "object", "properties": {"size": {"type": "string"}}, "required": ["size"]});
    Ok(match call.ask("Which size?", schema).await? {
        UserAnswer::Accepted(answer) => answer["size"].to_string(),
        other => format!("{other:?}"),
    })
}

/// Starts a job.
#[tool(read_only)]
fn start_job() -> ToolOutput {
    ToolOutput::pending("job 7")
}

/// Waits without an end.
#[tool(read_only)]
async fn wait(#[state] effects: &Effects) {
    struct CountDrop(Effects);
    impl Drop for CountDrop {
        fn drop(&mut self) {
            self.0.dropped.fetch_add(1, Ordering::SeqCst);
        }
    }
    let _count = CountDrop(effects.clone());
    std::future::pending::<()>().await;
}

/// Panics.
#[tool(read_only)]
fn crash() {
    panic!("a secret")
}

pub(crate) fn registry(effects: &Effects) -> Registry {
    Registry::builder()
        .tools(tools![add, ask_size, count, crash, order, pay, pay_twice, start_job, tag, wait])
        .state(effects.clone())
        .before_call(|call| async move {
            match call.tool() {
                "order" => Decision::RunWith(json!({"size": "M", "key": "sk-secret"})),
                _ => Decision::Undecided,
            }
        })
        .build()
        .expect("the tools are valid")
}
