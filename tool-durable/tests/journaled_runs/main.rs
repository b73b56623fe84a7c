//! Runs of a session with a journal: after a crash, the same conversation, and no second effect.

mod approvals;
mod calls;
mod changed_messages;
mod errors;
mod inner_calls;
mod many_records;
#[path = "../memory_journal.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod memory_journal;
mod order_and_events;
mod questions;
mod replies;
mod same_conversation;
mod two_runs;

use memory_journal::MemoryJournal;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tool_runtime::session::RunEnd;
use tool_runtime::{
    AssistantMessage, CallContext, Registry, RunContext, Session, ToolCall, ToolOutput, tool, tools,
};
use tool_runtime_durable::DurableRun as _;
use tool_runtime_testing::{ScriptedModel, ScriptedReply};

/// The effects of tools, in order.
#[derive(Clone, Default)]
struct Ledger(Arc<Mutex<Vec<String>>>);

impl Ledger {
    fn add(&self, entry: impl Into<String>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(entry.into());
    }

    fn entries(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The time that a tool takes after its effect.
#[derive(Clone, Copy)]
struct Work(Duration);

/// Looks up an order.
#[tool(read_only)]
async fn find(order: u32, #[state] ledger: &Ledger, #[state] work: &Work) -> String {
    ledger.add(format!("find {order}"));
    tokio::time::sleep(work.0).await;
    format!("order {order}")
}

/// Charges an order.
#[tool(destructive)]
async fn charge(
    order: u32,
    #[state] ledger: &Ledger,
    #[state] work: &Work,
    #[context] call: &CallContext,
) -> Result<String, String> {
    ledger.add(format!("charge {order} {}", call.idempotency_key().unwrap_or_default()));
    tokio::time::sleep(work.0).await;
    if order == 13 { Err("the card is declined".to_owned()) } else { Ok(format!("order {order} is charged")) }
}

/// Writes a label.
#[tool(idempotent)]
async fn label(order: u32, #[state] ledger: &Ledger, #[state] work: &Work) -> ToolOutput {
    ledger.add(format!("label {order}"));
    tokio::time::sleep(work.0).await;
    ToolOutput::new().with_text(format!("label {order}")).with_image("image/png", b"png").with_artifact(order)
}

/// Refunds an order.
#[tool(destructive, requires_approval)]
async fn refund(order: u32, #[state] ledger: &Ledger, #[state] work: &Work) -> String {
    ledger.add(format!("refund {order}"));
    tokio::time::sleep(work.0).await;
    format!("order {order} is refunded")
}

/// Prints a report, which takes an hour.
#[tool]
fn report(#[state] ledger: &Ledger) -> ToolOutput {
    ledger.add("report");
    ToolOutput::pending("report-1")
}

/// One process: its tools work until `work` is over.
fn registry(ledger: &Ledger, work: Duration) -> Registry {
    Registry::builder()
        .tools(tools![find, charge, label, refund, report])
        .state(ledger.clone())
        .state(Work(work))
        .build()
        .expect("five tools")
        .with(&RunContext::new().run_id("order-7"))
}

/// A tool that finishes.
const SHORT: Duration = Duration::from_millis(10);
/// A tool that is interrupted.
const LONG: Duration = Duration::from_secs(3600);
/// The time of a process until it ends.
const LIFE: Duration = Duration::from_secs(60);

fn calls<const N: usize>(calls: [(&str, u32); N]) -> AssistantMessage {
    let call = |(position, (tool, order)): (usize, (&str, u32))| {
        ToolCall::new(format!("call_{position}"), tool, format!(r#"{{"order":{order}}}"#))
    };
    AssistantMessage::from_tool_calls(calls.into_iter().enumerate().map(call))
}

fn model<const N: usize>(replies: [AssistantMessage; N]) -> ScriptedModel {
    ScriptedModel::new(replies.map(ScriptedReply::from))
}

fn done() -> AssistantMessage {
    AssistantMessage::from_text("Done.")
}

/// A process that ends while it runs the session, which it does not store.
async fn crash(session: &Session, registry: &Registry, journal: &MemoryJournal, model: &ScriptedModel) {
    let mut session = session.clone();
    let run = session.run(registry).journal(journal).complete(|request| model.complete(request));
    let ended = tokio::time::timeout(LIFE, run).await;
    assert!(ended.is_err(), "the process ends before the run does: {ended:?}");
}

async fn run(
    session: &mut Session,
    registry: &Registry,
    journal: &MemoryJournal,
    model: &ScriptedModel,
) -> RunEnd {
    let run = session.run(registry).journal(journal);
    run.complete(|request| model.complete(request)).await.expect("the run ends")
}

/// The texts of the results, in order.
fn results(session: &Session) -> Vec<String> {
    let messages = session.messages().iter();
    let results = messages.filter(|message| matches!(message, tool_runtime::message::Message::Tool(_)));
    results.map(|message| message.text().to_owned()).collect()
}
