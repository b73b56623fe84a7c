//! The tools of the rounds, and the store of their long results.

use crate::program::World;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tool_runtime::message::Usage;
use tool_runtime::{AssistantMessage, CallContext, Registry, Session, tool, tools};
use tool_runtime_compaction::{ResultStore, Spill, SpillResults, StoreFuture};
use tool_runtime_testing::ScriptedModel;

/// Reads lines of a file.
#[tool(read_only)]
async fn read(lines: usize, #[state] world: &World) -> String {
    world.send_during_call();
    tokio::task::yield_now().await;
    (0..lines).map(|line| format!("{line}: größe {}", line * 7919 % 1000)).collect::<Vec<_>>().join("\n")
}

/// Lists the rows of a table.
#[tool(read_only)]
fn rows(count: usize) -> serde_json::Value {
    (0..count).map(|row| serde_json::json!({ "id": row, "name": format!("row {row}") })).collect()
}

/// Builds the project.
#[tool(idempotent)]
async fn build(errors: usize, #[state] world: &World) -> Result<String, String> {
    tokio::task::yield_now().await;
    world.send_during_call();
    Err("error: unused variable\n".repeat(errors + 1))
}

/// Charges an order.
#[tool(destructive)]
async fn charge(order: u64, #[state] world: &World) -> String {
    world.charge(order);
    tokio::task::yield_now().await;
    format!("order {order} is charged")
}

/// Refunds an order.
#[tool(destructive, requires_approval)]
async fn refund(order: u64, #[state] world: &World) -> String {
    world.charge(order);
    tokio::task::yield_now().await;
    format!("order {order} is refunded")
}

/// Asks another model.
#[tool(read_only)]
async fn delegate(question: &str, #[state] world: &World, #[context] call: &CallContext) -> String {
    let reply = AssistantMessage::from_text("It is so.").with_usage(Usage::new(world.reply_tokens(), 0));
    let model = ScriptedModel::new([reply]);
    let Ok(registry) = Registry::new(tools![]) else { return String::new() };
    let mut session = Session::new().user(question);
    let run = session.run(&registry.with(&call.child_run_context()));
    let ended = run.complete(|request| model.complete(request)).await;
    world.add("inner session");
    ended.map_or_else(|error| error.to_string(), |end| end.to_string())
}

/// A store in memory, whose texts the test reads.
#[derive(Clone, Default)]
pub(crate) struct Texts(Arc<Mutex<HashMap<(String, String), String>>>);

impl Texts {
    fn texts(&self) -> std::sync::MutexGuard<'_, HashMap<(String, String), String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.texts().is_empty()
    }
}

impl ResultStore for Texts {
    fn add<'a>(&'a self, run_id: &'a str, text: &'a str) -> StoreFuture<'a, String> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            let handle = (self.texts().len() + 1).to_string();
            self.texts().insert((run_id.to_owned(), handle.clone()), text.to_owned());
            Ok(handle)
        })
    }

    fn read<'a>(&'a self, run_id: &'a str, handle: &'a str) -> StoreFuture<'a, Option<String>> {
        let text = self.texts().get(&(run_id.to_owned(), handle.to_owned())).cloned();
        Box::pin(async move { Ok(text) })
    }

    fn remove_run<'a>(&'a self, run_id: &'a str) -> StoreFuture<'a, ()> {
        self.texts().retain(|(id, _), _| id != run_id);
        Box::pin(async { Ok(()) })
    }
}

pub(crate) fn registry(world: &World, spill: &Spill) -> Registry {
    let tools = tools![read, rows, build, charge, refund, delegate];
    let registry = Registry::builder().tools(tools).state(world.clone()).spill(spill.clone()).build();
    registry.expect("the tools are valid")
}
