//! Eight kinds of calls. Their argument `order` names the effect.

use crate::ledger::{What, nonce, wait_for_release, write};
use std::ops::Range;
use std::time::Duration;
use tool_runtime::{BuildError, CallContext, Registry, ToolOutput, tool, tools};

async fn effect(order: &str, call: &CallContext, millis: Range<u64>) -> String {
    let (key, nonce) = (call.idempotency_key().unwrap_or_default(), nonce());
    write(What::Begun, order, &key, &nonce);
    tokio::time::sleep(Duration::from_millis(fastrand::u64(millis))).await;
    write(What::Done, order, &key, &nonce);
    format!("done {order} {nonce}")
}

/// Looks up an order.
#[tool(read_only)]
async fn look(order: &str, #[context] call: &CallContext) -> String {
    effect(order, call, 2..30).await
}

/// Charges an order, with an idempotency key.
#[tool(destructive, idempotent)]
async fn charge(order: &str, #[context] call: &CallContext) -> String {
    effect(order, call, 2..40).await
}

/// Ships an order.
#[tool(destructive)]
async fn ship(order: &str, #[context] call: &CallContext) -> String {
    effect(order, call, 2..40).await
}

/// Fails after its effect.
#[tool(destructive)]
async fn decline(order: &str, #[context] call: &CallContext) -> Result<String, String> {
    Err(effect(order, call, 2..30).await.replace("done", "declined"))
}

/// Moves an order, slowly.
#[tool(destructive)]
async fn relocate(order: &str, #[context] call: &CallContext) -> String {
    effect(order, call, 100..400).await
}

/// Stores an order, when the test allows it.
#[tool(destructive)]
async fn hold(order: &str, #[context] call: &CallContext) -> String {
    let (key, nonce) = (call.idempotency_key().unwrap_or_default(), nonce());
    write(What::Begun, order, &key, &nonce);
    wait_for_release().await;
    write(What::Done, order, &key, &nonce);
    format!("done {order} {nonce}")
}

/// Refunds an order, if a person approves.
#[tool(destructive, requires_approval)]
async fn refund(order: &str, #[context] call: &CallContext) -> String {
    effect(order, call, 2..60).await
}

/// Changes an order, which a person edits first.
#[tool(destructive, requires_approval)]
async fn change(order: &str, #[context] call: &CallContext) -> String {
    effect(order, call, 2..40).await
}

/// Asks a supplier, whose answer comes later.
#[tool(destructive)]
async fn ask(order: &str, #[context] call: &CallContext) -> ToolOutput {
    ToolOutput::pending(effect(order, call, 2..30).await)
}

/// Does nothing that the ledger has.
#[tool(read_only)]
fn nothing(order: &str) -> usize {
    order.len()
}

/// Does nothing that the ledger has, as a tool with effects.
#[tool(destructive)]
fn nothing_destructive(order: &str) -> usize {
    order.len()
}

/// Returns a text of so many bytes.
#[tool(read_only)]
fn long_text(bytes: usize) -> String {
    "x".repeat(bytes)
}

pub(crate) fn registry() -> Result<Registry, BuildError> {
    let tools = tools![
        look,
        charge,
        ship,
        decline,
        relocate,
        hold,
        refund,
        change,
        ask,
        nothing,
        nothing_destructive,
        long_text
    ];
    Registry::builder().tools(tools).max_result_bytes(usize::MAX).build()
}

/// The tools of the next version of the program: `look` is missing, `ship` needs an approval, and `charge` has another parameter.
pub(crate) mod next {
    use tool_runtime::{BuildError, CallContext, Registry, tool, tools};

    /// Ships an order, if a person approves.
    #[tool(destructive, requires_approval)]
    async fn ship(order: &str, #[context] call: &CallContext) -> String {
        super::effect(order, call, 2..40).await
    }

    /// Charges an order by its number.
    #[tool(destructive)]
    fn charge(number: u32) -> u32 {
        number
    }

    pub(crate) fn registry() -> Result<Registry, BuildError> {
        use super::{ask, change, decline, refund, relocate};
        Registry::new(tools![ship, charge, decline, relocate, refund, change, ask])
    }
}
