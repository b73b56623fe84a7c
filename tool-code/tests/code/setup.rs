//! A shop, whose tools the programs call.

use serde::Serialize;
use serde_json::{Value, json};
use std::future::{Ready, ready};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tool_runtime::conversation::Request;
use tool_runtime::session::RunEnd;
use tool_runtime::{
    AssistantMessage, BuildError, Registry, RegistryBuilder, RunContext, Session, ToolCall, tool, tools,
};
use tool_runtime_code::{CodeTool, Limits};

/// The effects of the tools, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Effects(Arc<Mutex<Vec<String>>>);

impl Effects {
    pub(crate) fn add(&self, effect: impl Into<String>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(effect.into());
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Order {
    id: u32,
    /// In cents.
    total: u32,
    paid: bool,
}

/// The orders of a customer.
#[tool(read_only, output_schema)]
pub(crate) fn list_orders(
    /// The number of the customer.
    customer: u32,
) -> Vec<Order> {
    (0..3).map(|n| Order { id: customer * 10 + n, total: 1_000 * (n + 1), paid: n == 0 }).collect()
}

/// Sends a reminder for an order.
#[tool(destructive)]
pub(crate) fn remind(order: u32, #[state] effects: &Effects) -> Result<String, String> {
    effects.add(format!("remind {order}"));
    if order % 10 == 9 { Err(format!("order {order} is locked")) } else { Ok(format!("reminded {order}")) }
}

/// Refunds an order.
#[tool(destructive, requires_approval)]
pub(crate) fn refund(order: u32, euros: u32, #[state] effects: &Effects) -> Value {
    effects.add(format!("refund {order} {euros}"));
    json!({ "order": order, "refunded": euros })
}

pub(crate) fn shop(effects: &Effects) -> RegistryBuilder {
    Registry::builder().tools(tools![list_orders, remind, refund]).state(effects.clone())
}

pub(crate) fn registry(effects: &Effects) -> Result<Registry, BuildError> {
    Registry::builder().dynamic(CodeTool::new(shop(effects).build()?).tool()).build()
}

/// The text that the model reads after this program, and the effects.
pub(crate) async fn run(code: &str) -> (String, Vec<String>) {
    let effects = Effects::default();
    // The machine may be busy.
    let limits = Limits::default().compute_time(Duration::from_secs(300));
    let code_tool = CodeTool::new(shop(&effects).build().expect("valid tools")).limits(limits);
    let registry = Registry::builder().dynamic(code_tool.tool()).build().expect("a valid tool");
    let result = registry.call("run_code", json!({ "code": code })).await;
    (result.text().into_owned(), effects.all())
}

/// A model that sends this program in its first reply, and answers then.
pub(crate) struct Scripted(pub(crate) String);

impl Scripted {
    pub(crate) fn new(code: impl Into<String>) -> Self {
        Scripted(code.into())
    }

    pub(crate) async fn run(&self, session: &mut Session, registry: &Registry) -> RunEnd {
        session.run(registry).complete(|request| self.complete(&request)).await.expect("no error")
    }

    pub(crate) fn complete(&self, request: &Request) -> Ready<Result<AssistantMessage, std::io::Error>> {
        ready(Ok(match request.messages().len() {
            1 => AssistantMessage::from_tool_calls([ToolCall::new(
                "call_1",
                "run_code",
                json!({ "code": self.0 }).to_string(),
            )]),
            _ => AssistantMessage::from_text("Done."),
        }))
    }
}

pub(crate) fn stored(session: &Session) -> Session {
    let text = serde_json::to_string(session).expect("a session can be stored");
    serde_json::from_str(&text).expect("a stored session")
}

pub(crate) fn with_id(registry: &Registry, id: &str) -> Registry {
    registry.with(&RunContext::new().run_id(id))
}

/// Waits.
#[tool]
async fn slow(id: u32, ms: u64) -> u32 {
    tokio::time::sleep(Duration::from_millis(ms)).await;
    id
}

/// Returns a large number.
#[tool]
fn large() -> Value {
    json!({ "id": 9_007_199_254_740_993_u64 })
}

pub(crate) fn slow_registry() -> Registry {
    let inner = Registry::new(tools![slow, large]).expect("valid tools");
    Registry::builder().dynamic(CodeTool::new(inner).tool()).build().expect("a valid tool")
}
