//! Sessions: how a run ends, decisions, storage, events, interruptions.

mod between_replies;
mod budgets;
mod decisions;
mod ends;
mod events;
mod graceful_stop;
mod hand_out;
mod identical_calls;
mod inboxes;
mod inner_sessions;
mod interruptions;
mod last_events;
mod late_decisions;
mod limits;
mod mapped_requests;
mod outside_results;
mod overflows;
mod progress_floods;
mod run_logs;
mod send_futures;
mod stops;
mod storage;
mod stores;
mod streaming;
mod typed_answers;
mod usage;
mod warnings;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tool_runtime::message::Message;
use tool_runtime::{AssistantMessage, Registry, Session, ToolCall, tool, tools};
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

/// Looks up an order.
#[tool(read_only)]
fn find(order: u32) -> String {
    format!("order {order}")
}

/// Refunds an order.
#[tool(destructive, requires_approval)]
fn refund(order: u32, #[state] ledger: &Ledger) -> String {
    ledger.add(format!("refund {order}"));
    format!("order {order} is refunded")
}

/// Ships an order.
#[tool]
async fn ship(order: u32, #[state] ledger: &Ledger) -> String {
    ledger.add(format!("ship {order}"));
    tokio::time::sleep(Duration::from_secs(3600)).await;
    format!("order {order} is shipped")
}

/// Looks for an order in the archive.
#[tool(read_only)]
async fn search(order: u32, #[state] ledger: &Ledger) -> String {
    ledger.add(format!("search {order}"));
    tokio::time::sleep(Duration::from_secs(3600)).await;
    format!("order {order} is in the archive")
}

fn shop() -> (Registry, Ledger) {
    let ledger = Ledger::default();
    let registry = Registry::builder().tools(tools![find, refund, ship, search]).state(ledger.clone());
    (registry.build().expect("four tools"), ledger)
}

fn asked() -> Session {
    Session::new().user("Go on.")
}

fn call(id: &str, tool: &str, order: u32) -> ToolCall {
    ToolCall::new(id, tool, format!(r#"{{"order":{order}}}"#))
}

fn calling(calls: impl IntoIterator<Item = ToolCall>) -> ScriptedReply {
    AssistantMessage::from_tool_calls(calls).into()
}

fn text_reply(text: &str) -> ScriptedReply {
    AssistantMessage::from_text(text).into()
}

fn model(replies: impl Into<Vec<ScriptedReply>>) -> ScriptedModel {
    ScriptedModel::new(replies.into())
}

/// The texts of the results, of finished and pending calls.
fn results(session: &Session) -> Vec<String> {
    let is_result = |message: &&Message| matches!(message, Message::Tool(_));
    let finished = session.messages().iter().filter(is_result).map(|message| message.text().to_owned());
    let pending = session.pending().into_iter().flat_map(|pending| {
        let result = |call: &ToolCall| pending.result_of(&call.id).map(|result| result.text().to_owned());
        pending.calls().iter().filter_map(result).collect::<Vec<_>>()
    });
    finished.chain(pending).collect()
}

/// The session after it was stored and loaded.
fn stored(session: &Session) -> Session {
    let text = serde_json::to_string(session).expect("it is stored");
    let loaded: Session = serde_json::from_str(&text).expect("it is loaded");
    assert_eq!(serde_json::to_string(&loaded).expect("it is stored"), text, "nothing is lost");
    loaded
}
