//! Calls that a tool makes with [`CallContext::inner_call`]: they pass each stage, wait, and continue.

mod approvals;
mod decisions;
mod limits;
mod repetition;
mod stages;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tool_runtime::conversation::{InnerCallError, Request};
use tool_runtime::dispatch::ToolResult;
use tool_runtime::session::RunEnd;
use tool_runtime::{
    AssistantMessage, BuildError, CallContext, Registry, RegistryBuilder, Session, ToolCall, ToolOutput,
    tool, tools,
};

/// The effects of the inner tools, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Effects(Arc<Mutex<Vec<String>>>);

impl Effects {
    pub(crate) fn add(&self, effect: impl Into<String>) {
        self.0.lock().expect("no test panics with the lock").push(effect.into());
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().expect("no test panics with the lock").clone()
    }
}

/// Refunds an order.
#[tool(destructive, requires_approval)]
pub(crate) async fn refund(order: u32, #[state] effects: &Effects, #[context] call: &CallContext) -> Value {
    effects.add(format!("refund {order} {}", call.key().map(|key| key.to_string()).unwrap_or_default()));
    json!({ "refunded": order })
}

/// Charges an order.
#[tool(destructive)]
pub(crate) async fn charge(order: u32, #[state] effects: &Effects) -> Result<String, String> {
    effects.add(format!("charge {order}"));
    if order == 13 { Err("the card was declined".into()) } else { Ok(format!("charged {order}")) }
}

/// Exports an order, which takes a day.
#[tool(destructive)]
pub(crate) async fn export(order: u32, #[state] effects: &Effects) -> ToolOutput {
    effects.add(format!("export {order}"));
    ToolOutput::pending(format!("job {order}"))
}

/// Reads a long list.
#[tool(read_only)]
pub(crate) async fn list(#[state] effects: &Effects) -> Vec<u32> {
    effects.add("list");
    (0..1_000).collect()
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct InnerCall {
    tool: String,
    arguments: Value,
}

/// The registry of the inner tools.
struct Inner(Registry);

/// Makes the calls, one after the other, and returns the text of each result.
#[tool(resumable)]
async fn make_calls(
    calls: Vec<InnerCall>,
    #[state] inner: &Inner,
    #[context] call: &CallContext,
) -> Result<Vec<String>, InnerCallError> {
    made(calls, inner, call).await
}

/// Like `make_calls`, but it does not continue in a later run.
#[tool]
async fn make_calls_once(
    calls: Vec<InnerCall>,
    #[state] inner: &Inner,
    #[context] call: &CallContext,
) -> Result<Vec<String>, InnerCallError> {
    made(calls, inner, call).await
}

/// Makes the calls at the same time, and returns the text of each result.
#[tool(resumable)]
async fn make_calls_together(
    calls: Vec<InnerCall>,
    #[state] inner: &Inner,
    #[context] call: &CallContext,
) -> Result<Vec<String>, InnerCallError> {
    let made =
        calls.into_iter().map(|inner_call| call.inner_call(&inner.0, inner_call.tool, inner_call.arguments));
    let results = futures_util::future::join_all(made).await;
    results.into_iter().map(|result| Ok(text(&result?))).collect()
}

async fn made(
    calls: Vec<InnerCall>,
    inner: &Inner,
    call: &CallContext,
) -> Result<Vec<String>, InnerCallError> {
    let mut texts = Vec::new();
    for inner_call in calls {
        texts.push(text(&call.inner_call(&inner.0, inner_call.tool, inner_call.arguments).await?));
    }
    Ok(texts)
}

/// The text that a program reads: the message of a failure, or the output.
fn text(result: &ToolResult) -> String {
    result.failure().map_or_else(|| result.text().into_owned(), |failure| failure.message().to_owned())
}

/// The registry of a run.
fn registry(effects: &Effects) -> Result<Registry, BuildError> {
    registry_over(effects, |inner| inner)
}

/// The registry of a run, over a registry of inner tools that the closure changes.
fn registry_over(
    effects: &Effects,
    change: impl FnOnce(RegistryBuilder) -> RegistryBuilder,
) -> Result<Registry, BuildError> {
    builder_over(effects, change)?.build()
}

fn builder_over(
    effects: &Effects,
    change: impl FnOnce(RegistryBuilder) -> RegistryBuilder,
) -> Result<RegistryBuilder, BuildError> {
    let inner = Registry::builder().tools(tools![refund, charge, export, list]).state(effects.clone());
    let inner = Inner(change(inner).build()?);
    Ok(Registry::builder().tools(tools![make_calls, make_calls_once, make_calls_together]).state(inner))
}

/// A call of an inner tool.
fn inner(tool: &str, order: u32) -> Value {
    json!({ "tool": tool, "arguments": { "order": order } })
}

/// A session whose model makes these calls of `tool` in one reply, and answers then.
struct Scripted {
    calls: Vec<ToolCall>,
}

impl Scripted {
    fn new(tool: &str, calls: impl IntoIterator<Item = Value>) -> Self {
        let arguments = json!({ "calls": calls.into_iter().collect::<Vec<_>>() });
        Scripted { calls: vec![ToolCall::new("call_1", tool, arguments.to_string())] }
    }

    async fn run(&self, session: &mut Session, registry: &Registry) -> RunEnd {
        session.run(registry).complete(|request| self.complete(request)).await.expect("no error")
    }

    async fn complete(&self, request: Request) -> Result<AssistantMessage, std::io::Error> {
        let is_first = request.messages().len() == 1;
        Ok(if is_first {
            AssistantMessage::from_tool_calls(self.calls.clone())
        } else {
            AssistantMessage::from_text("Done.")
        })
    }
}

fn stored(session: &Session) -> Session {
    let text = serde_json::to_string(session).expect("a session can be stored");
    serde_json::from_str(&text).expect("a stored session")
}

/// The text of the result of the call of the model.
fn result(session: &Session) -> &str {
    session.messages()[2].text()
}

/// The ids of the calls that need an approval.
fn awaiting(session: &Session) -> Vec<String> {
    session.awaiting_approval().into_iter().map(|call| call.id).collect()
}
