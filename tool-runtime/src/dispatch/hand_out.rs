//! Calls that other processes run.

use super::{Ended, EndedCall};
#[cfg(doc)]
use crate::context::RunContext;
use crate::context::{BegunCalls, CallKey, CallRecord};
use crate::message::ToolCall;
use crate::outcome::CallError;
use crate::output::ToolResult;
use crate::registry::Registry;
use crate::tool::{Annotations, Approval, Call, IncomingCall, Place, Policy};
use serde::{Deserialize, Serialize};

/// An approved call that any process can run under its key: see [`Run::hand_out_calls`](crate::session::Run::hand_out_calls) and
/// [`Registry::run_handed_out`]. Serialize it to send it to a worker.
///
/// Its arguments may have secrets that [`Decision::RunWith`](crate::dispatch::Decision::RunWith) has added; its `Debug` text does
/// not contain the arguments.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HandedOutCall {
    /// The key of the call. A store or an engine that runs each key once runs the call once.
    pub key: CallKey,
    /// The id of the call.
    pub id: String,
    /// The name of the tool.
    pub tool: String,
    /// The arguments that the tool receives: the text of one JSON object.
    pub arguments: String,
    /// The properties that the tool declares, for the queue or the engine: a call that may have begun runs again only if they
    /// [allow](Annotations::may_repeat) it. Otherwise its end is [`CallEnd::Interrupted`].
    #[serde(default)]
    pub annotations: Annotations,
    /// The policy of the tool in the process that hands the call out, for example its time limit.
    /// [`run_handed_out`](Registry::run_handed_out) applies that of its own registry.
    #[serde(default)]
    pub policy: Policy,
}

impl HandedOutCall {
    /// A call that the program has approved itself, with no annotations and no policy.
    #[must_use]
    pub fn new(
        key: CallKey,
        id: impl Into<String>,
        tool: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        let (id, tool, arguments) = (id.into(), tool.into(), arguments.into());
        HandedOutCall {
            key,
            id,
            tool,
            arguments,
            annotations: Annotations::default(),
            policy: Policy::default(),
        }
    }
}

impl std::fmt::Debug for HandedOutCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let HandedOutCall { key, id, tool, .. } = self;
        f.debug_struct("HandedOutCall")
            .field("key", key)
            .field("id", id)
            .field("tool", tool)
            .finish_non_exhaustive()
    }
}

/// How a call ended that was [handed out](HandedOutCall). Serialize it to send it back.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CallEnd {
    /// The call has its result, or failed.
    Finished(ToolResult),
    /// The result comes later: the tool returned [`ToolOutput::pending`](crate::ToolOutput::pending), or it
    /// [runs elsewhere](crate::DynamicTool::external).
    #[non_exhaustive]
    NeedsResult {
        /// The ticket of the tool; `None` if the tool runs elsewhere.
        ticket: Option<String>,
    },
    /// The call did not begin: the worker was stopped, or cannot record it. It is still handed out.
    NotBegun,
    /// The call began and has no result: the worker was cancelled, or its process has ended.
    Interrupted,
}

impl<R: Into<ToolResult>> From<R> for CallEnd {
    fn from(result: R) -> Self {
        CallEnd::Finished(result.into())
    }
}

impl Registry {
    /// Runs an approved call under its key, in place of the process that has received it from the model.
    ///
    /// The call has the steps of this registry after the decision: validation, the queue of `max_concurrency`, middleware, time
    /// limits, and the size of the result. The [`before_call`](crate::RegistryBuilder::before_call) hook does not run, and
    /// `max_calls` does not count, since the process that hands the call out has done both. The bound [`RunContext`] has the state,
    /// the cancellation token and the listeners; the key replaces its run id and number of the reply, so that
    /// [`idempotency_key`](crate::CallContext::idempotency_key) is the same in each process.
    ///
    /// It does not recognize a call that it has run before: run each key once.
    ///
    /// ```
    /// use tool_runtime::dispatch::{CallEnd, HandedOutCall};
    /// use tool_runtime::{CallContext, Registry, RunContext, tool, tools};
    ///
    /// /// Refunds an order.
    /// #[tool(destructive, requires_approval)]
    /// async fn refund(order: u32, #[context] call: &CallContext) -> String {
    ///     format!("order {order} is refunded ({})", call.idempotency_key().unwrap_or_default())
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = Registry::new(tools![refund])?;
    /// let key = RunContext::new().run_id("order-7").key(2, 0).ok_or("a run id")?;
    /// let call = HandedOutCall::new(key, "call_1", "refund", r#"{"order":7}"#); // usually read from a queue
    /// let CallEnd::Finished(result) = registry.run_handed_out(&call).await else { return Ok(()) };
    /// assert_eq!(result.text(), "order 7 is refunded (order-7/2/0)");
    /// # Ok(())
    /// # }
    /// ```
    pub async fn run_handed_out(&self, handed_out: &HandedOutCall) -> CallEnd {
        let HandedOutCall { key, id, tool, arguments, .. } = handed_out;
        let context = self.run_context().cloned().unwrap_or_default();
        let registry = self
            .with(&context.run_id(&key.run_id).reply_number(key.reply).counting_in(&BegunCalls::default()));
        let (call, record) = (ToolCall::new(id, tool, arguments), CallRecord::default());
        let batch = registry.new_batch(key.reply);
        let incoming = IncomingCall::new(&batch, key.position, &call, Approval::Bypassed, &record);
        let ended = registry.run_call(&incoming).await;
        if record.stays_pending() { CallEnd::NotBegun } else { ended.into_end(&registry) }
    }
}

impl EndedCall {
    fn into_end(self, registry: &Registry) -> CallEnd {
        match self.ended {
            Ended::NeedsResult { ticket, .. } => CallEnd::NeedsResult { ticket },
            Ended::Cancelled if self.outcome.has_begun => CallEnd::Interrupted,
            Ended::Cancelled => CallEnd::NotBegun,
            _ => CallEnd::Finished(self.into_result(registry)),
        }
    }
}

impl Call<'_> {
    /// The end of a call that another process runs; `None` if this one runs it.
    pub(super) fn hand_out(&self) -> Option<Ended> {
        let IncomingCall { batch, position, call, .. } = *self.incoming;
        if batch.place == Place::ThisProcess {
            return None;
        }
        let Some(key) = batch.context.and_then(|context| context.key(batch.reply, position)) else {
            let (tool, source) = (
                self.tool.name.to_string(),
                "a call without a run id cannot be handed out: set `RunContext::run_id`".into(),
            );
            return Some(CallError::Unavailable { tool, source }.into());
        };
        Some(Ended::HandedOut(Box::new(HandedOutCall {
            key,
            id: call.id.clone(),
            tool: self.tool.name.to_string(),
            arguments: self.incoming.object().to_owned(),
            annotations: self.tool.options.annotations,
            policy: self.tool.policy(),
        })))
    }
}
