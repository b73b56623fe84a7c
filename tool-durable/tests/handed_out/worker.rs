//! The worker: it reads calls from its input, runs each key once, and writes their ends to its output.

use crate::ledger::{self, Entry};
use crate::plan::Plan;
use crate::round::Settings;
use serde::{Deserialize, Serialize};
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::task::JoinSet;
use tool_runtime::dispatch::{CallEnd, HandedOutCall};
use tool_runtime::{CallContext, Registry, tool, tools};
use tool_runtime_durable::{FileJournal, OpenError, record_calls};

/// The beginning of a line with the end of a call. The test harness prints other lines.
pub(crate) const END: &str = "end ";

/// The end of a call, as the worker sends it.
#[derive(Serialize, Deserialize)]
pub(crate) struct SentEnd {
    pub(crate) id: String,
    pub(crate) end: CallEnd,
}

/// The place of the effects.
pub(crate) struct Shop {
    pub(crate) folder: PathBuf,
    pub(crate) plan: Plan,
}

impl Shop {
    async fn act(&self, order: u32, call: &CallContext) -> String {
        tokio::time::sleep(self.plan.work(order)).await;
        let key = call.idempotency_key().unwrap_or_default();
        ledger::append(&self.folder, &Entry::Effect { key, tool: call.tool().to_owned(), order });
        tokio::time::sleep(self.plan.work(order + 1)).await;
        format!("{} of {order} is done", call.tool())
    }
}

/// Charges an order.
#[tool(destructive)]
async fn charge(order: u32, #[state] shop: &Shop, #[context] call: &CallContext) -> String {
    shop.act(order, call).await
}

/// Refunds an order.
#[tool(destructive, requires_approval)]
async fn refund(order: u32, #[state] shop: &Shop, #[context] call: &CallContext) -> String {
    shop.act(order, call).await
}

/// Writes a label.
#[tool(idempotent)]
async fn label(order: u32, #[state] shop: &Shop, #[context] call: &CallContext) -> String {
    shop.act(order, call).await
}

/// Looks up an order.
#[tool(read_only)]
async fn find(order: u32, #[state] shop: &Shop, #[context] call: &CallContext) -> String {
    shop.act(order, call).await
}

/// The tools. The agent has their definitions only.
pub(crate) fn builder(settings: &Settings) -> tool_runtime::RegistryBuilder {
    let shop = Shop { folder: settings.folder.clone(), plan: Plan::new(settings.seed) };
    Registry::builder().tools(tools![charge, refund, label, find]).state(shop)
}

pub(crate) async fn run(settings: &Settings) {
    let journal = open(settings).await;
    ledger::append(&settings.folder, &Entry::Worker { process: std::process::id() });
    let recording = record_calls(&journal, |error| eprintln!("{error}"));
    let registry = builder(settings).around_call(recording).build().expect("four tools");
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let mut running = JoinSet::new();
    // The input ends with the agent. Calls that run then finish: the next worker has their results.
    while let Ok(Some(line)) = lines.next_line().await {
        let call: HandedOutCall = serde_json::from_str(&line).expect("a call");
        let registry = registry.clone();
        running.spawn(async move {
            let end = registry.run_handed_out(&call).await;
            let sent = serde_json::to_string(&SentEnd { id: call.id, end }).expect("an end is JSON");
            // The agent may be gone.
            let _ =
                writeln!(std::io::stdout().lock(), "\n{END}{sent}").and_then(|()| std::io::stdout().flush());
        });
    }
    running.join_all().await;
}

/// Opens the journal, once the worker of an agent that was killed has ended.
async fn open(settings: &Settings) -> FileJournal {
    loop {
        match FileJournal::open(settings.folder.join("journal")) {
            Err(OpenError::InUse { .. }) => tokio::time::sleep(Duration::from_millis(2)).await,
            opened => return opened.expect("the journal is valid"),
        }
    }
}
