//! The tools of the program. Each writes the beginning and the end of its effect to the ledger.

use crate::ledger::{Entry, Ledger};
use crate::run::Scope;
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;
use tool_runtime::{CallContext, Registry, ToolOutput, tool, tools};

/// The number of calls of `notify` that may run.
pub(crate) const MAX_NOTIFICATIONS: usize = 2;

/// The panic of a tool.
pub(crate) const PLANNED: &str = "as planned";

#[derive(Serialize)]
struct Order<'a> {
    order: &'a str,
    is_open: bool,
}

fn begin(order: &str, ledger: &Ledger, call: &CallContext) {
    let key = call.idempotency_key().expect("the context has a run id");
    ledger.write(Entry::Begun { order: order.to_owned(), key });
}

fn end(order: &str, ledger: &Ledger) {
    ledger.write(Entry::Done { order: order.to_owned() });
}

async fn take_effect(order: &str, ms: u64, ledger: &Ledger, call: &CallContext) {
    begin(order, ledger, call);
    tokio::time::sleep(Duration::from_millis(ms)).await;
    end(order, ledger);
}

/// Finds an order.
#[tool(read_only)]
async fn find_order(
    order: &str,
    ms: u64,
    #[state] ledger: &Ledger,
    #[context] call: &CallContext,
) -> serde_json::Value {
    take_effect(order, ms, ledger, call).await;
    serde_json::json!(Order { order, is_open: true })
}

/// Sets the address of an order.
#[tool(idempotent)]
async fn set_address(order: &str, ms: u64, #[state] ledger: &Ledger, #[context] call: &CallContext) {
    take_effect(order, ms, ledger, call).await;
}

/// Exports an order as a file. It takes long.
#[tool(idempotent)]
async fn export(order: &str, ms: u64, #[state] ledger: &Ledger, #[context] call: &CallContext) -> ToolOutput {
    take_effect(order, ms, ledger, call).await;
    let output = ToolOutput::new().with_text(format!("exported {order}"));
    output.with_file("order.csv", "text/csv", order).with_artifact(order.to_owned())
}

/// Raises the limit of an order.
#[tool(idempotent, requires_approval)]
async fn raise_limit(
    order: &str,
    ms: u64,
    #[state] ledger: &Ledger,
    #[context] call: &CallContext,
) -> String {
    take_effect(order, ms, ledger, call).await;
    format!("raised {order}")
}

/// Refunds an order.
#[tool(destructive)]
async fn refund(order: &str, ms: u64, #[state] ledger: &Ledger, #[context] call: &CallContext) -> String {
    take_effect(order, ms, ledger, call).await;
    format!("refunded {order}")
}

/// Pays money for an order.
#[tool(destructive, requires_approval)]
async fn pay_out(order: &str, ms: u64, #[state] ledger: &Ledger, #[context] call: &CallContext) -> String {
    take_effect(order, ms, ledger, call).await;
    format!("paid {order}")
}

/// Prints a label. It blocks its thread, which continues after an interruption of the run.
#[tool(blocking)]
fn print_label(order: &str, ms: u64, #[state] ledger: &Ledger, #[context] call: &CallContext) -> String {
    begin(order, ledger, call);
    std::thread::sleep(Duration::from_millis(ms));
    end(order, ledger);
    format!("printed {order}")
}

/// Notifies the customer.
#[tool(destructive, max_calls = 2)]
async fn notify(order: &str, ms: u64, #[state] ledger: &Ledger, #[context] call: &CallContext) -> String {
    take_effect(order, ms, ledger, call).await;
    format!("notified {order}")
}

/// Opens the page of an order in a browser, which sends the result later.
#[tool(destructive)]
async fn ask_browser(
    order: &str,
    ms: u64,
    #[state] ledger: &Ledger,
    #[context] call: &CallContext,
) -> ToolOutput {
    take_effect(order, ms, ledger, call).await;
    ToolOutput::pending(order)
}

/// Writes to a service that then rejects the order.
#[tool(destructive)]
async fn decline(
    order: &str,
    ms: u64,
    #[state] ledger: &Ledger,
    #[context] call: &CallContext,
) -> Result<String, String> {
    take_effect(order, ms, ledger, call).await;
    Err(format!("declined {order}"))
}

/// Never returns.
#[tool(destructive, timeout = "15ms")]
async fn hang(order: &str, ms: u64, #[state] ledger: &Ledger, #[context] call: &CallContext) {
    take_effect(order, ms, ledger, call).await;
    std::future::pending::<()>().await;
}

/// Panics after its effect.
#[tool(destructive)]
async fn fail(order: &str, ms: u64, #[state] ledger: &Ledger, #[context] call: &CallContext) {
    take_effect(order, ms, ledger, call).await;
    std::panic::panic_any(PLANNED);
}

/// Handles the return of an order in an inner session, which continues after an interruption.
#[tool(idempotent)]
async fn handle_return(
    order: &str,
    ms: u64,
    #[state] ledger: &Ledger,
    #[state] scope: &Arc<Scope>,
    #[context] call: &CallContext,
) -> String {
    begin(order, ledger, call);
    tokio::time::sleep(Duration::from_millis(ms)).await;
    let _ = scope.run_inner(order, &call.child_run_context()).await;
    end(order, ledger);
    format!("handled {order}")
}

/// The tools of a session.
pub(crate) fn registry(scope: &Arc<Scope>) -> Registry {
    let tools = tools![
        find_order,
        set_address,
        export,
        raise_limit,
        refund,
        pay_out,
        print_label,
        notify,
        ask_browser,
        decline,
        hang,
        fail,
        handle_return,
    ];
    let registry = Registry::builder().tools(tools).state(scope.ledger.clone()).state(Arc::clone(scope));
    registry.build().expect("the tools are valid")
}
