//! Calls that a tool makes.

mod error;
mod kept;
mod made_call;

pub use error::InnerCallError;
pub(super) use kept::InnerPending;

use crate::context::{CallContext, RunContext};
use crate::output::ToolResult;
use crate::registry::Registry;
pub(super) use made_call::MadeCall;
use serde::Serialize;
use std::pin::Pin;

impl CallContext {
    /// Calls a tool from inside this one, as the model would: validation, the hook, approval, queues, limits, the middleware of the
    /// registry and of the run, time limits, and events, whose [`outer_call`](crate::dispatch::CallEvent::outer_call) is this call.
    /// The arguments are a value that serializes as a JSON object, or a string with the text of one.
    ///
    /// The calls of a tool are numbered from 0, in the order of these method calls. Each has the [key](crate::dispatch::CallKey)
    /// `{key of this call}/0/{number}`. They start when their futures are polled, and may run concurrently. A call that fails
    /// returns `Ok` with its error. Results are whole: [`max_result_bytes`](crate::RegistryBuilder::max_result_bytes) does not
    /// truncate them. They count in [`max_calls`](crate::registry::Policy::max_calls) of their tools, in
    /// [`Run::max_calls`](crate::session::Run::max_calls) and in the budgets of the run, and
    /// [`max_calls_per_reply`](crate::RegistryBuilder::max_calls_per_reply) limits them as if they were calls of one reply.
    ///
    /// In a [session](crate::Session), a call of a [`resumable`](crate::registry::Policy::resumable) tool waits together with its
    /// calls: if one of them needs an approval or a result, it is [pending](crate::Session::awaiting_approval) with an id of its
    /// own, this future returns [`InnerCallError::Waits`], and the tool should return; the runtime ignores its value. If the tool
    /// makes further calls instead, they run as well. The next run runs the tool again from its beginning: the calls that it
    /// repeats return their results at once, and the decided ones run. The tool must repeat its calls, in the same order and with
    /// the same arguments: after the first call that differs, no further call runs ([`InnerCallError::Diverged`]). If the tool
    /// fails before it has repeated all of them, its error lists the calls of the earlier runs for the model. In any other tool,
    /// and without a session, a call that needs an approval fails.
    ///
    /// With a [log](crate::session::Run::log), the calls are recorded like those of the model, and a resumable tool continues
    /// after a crash.
    ///
    /// The registry should not be the one of this call: a tool that waits for a permit of its own
    /// [`max_concurrency`](crate::RegistryBuilder::max_concurrency) waits forever. A tool should not make inner calls and run an
    /// inner [session](crate::Session) as well: their calls would have the same keys. Await or drop each future: a later
    /// call of an [exclusive](crate::registry::Policy::exclusive) tool waits for it.
    ///
    /// ```
    /// use tool_runtime::conversation::InnerCallError;
    /// use tool_runtime::{CallContext, Registry, Session, tool, tools};
    /// # use tool_runtime::{AssistantMessage, ToolCall};
    /// # use tool_runtime::conversation::Request;
    /// # async fn complete(request: Request) -> Result<AssistantMessage, std::io::Error> {
    /// #     Ok(match request.messages().len() {
    /// #         1 => AssistantMessage::from_tool_calls(vec![ToolCall::new("call_1", "refund_all", r#"{"orders":[7,8]}"#)]),
    /// #         _ => AssistantMessage::from_text("Done."),
    /// #     })
    /// # }
    ///
    /// /// Refunds an order.
    /// #[tool(destructive, requires_approval)]
    /// fn refund(order: u32) -> String {
    ///     format!("order {order} is refunded")
    /// }
    ///
    /// struct Shop(Registry);
    ///
    /// /// Refunds several orders.
    /// #[tool(resumable)]
    /// async fn refund_all(
    ///     orders: Vec<u32>,
    ///     #[state] shop: &Shop,
    ///     #[context] call: &CallContext,
    /// ) -> Result<String, InnerCallError> {
    ///     let mut texts = Vec::new();
    ///     for order in orders {
    ///         let result = call.inner_call(&shop.0, "refund", serde_json::json!({ "order": order })).await?;
    ///         // The person has denied it, or it has failed.
    ///         if let Some(failure) = result.failure() {
    ///             return Ok(format!("{}. Then order {order}: {failure}", texts.join(", ")));
    ///         }
    ///         texts.push(result.text().into_owned());
    ///     }
    ///     Ok(texts.join(", "))
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let shop = Shop(Registry::new(tools![refund])?);
    /// let registry = Registry::builder().tools(tools![refund_all]).state(shop).build()?;
    /// let mut session = Session::new().user("Refund the orders 7 and 8.");
    /// for waiting in ["call_1/0", "call_1/1"] {
    ///     let _ = session.run(&registry).complete(complete).await?;
    ///     assert_eq!(session.awaiting_approval()[0].id, waiting);
    ///     session.approve(waiting)?;
    /// }
    /// let _ = session.run(&registry).complete(complete).await?;
    /// assert_eq!(session.messages()[2].text(), "order 7 is refunded, order 8 is refunded");
    /// # Ok(())
    /// # }
    /// ```
    pub fn inner_call(
        &self,
        registry: &Registry,
        tool: impl Into<String>,
        arguments: impl Serialize,
    ) -> InnerCallFuture {
        let registry = registry.with(&RunContext::for_inner_calls(self));
        let adding = self.inner_calls.lock_adding();
        let mut made = MadeCall::new(self.clone(), registry, tool.into(), &arguments);
        let added = made.add();
        drop(adding);
        Box::pin(async move {
            added?;
            made.run().await
        })
    }
}

/// The future of an [inner call](CallContext::inner_call).
pub type InnerCallFuture = Pin<Box<dyn Future<Output = Result<ToolResult, InnerCallError>> + Send>>;
