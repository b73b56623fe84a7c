//! Calls that a tool makes.

use super::pending::{CallState, CallsRun};
use super::{FinishedCall, PendingCalls};
use crate::context::{CallContext, CallRecord, InnerRecord, LoggedInnerCall, Progress, RunContext};
use crate::dispatch::arguments_text;
use crate::fingerprint::Fingerprint;
use crate::message::{ToolCall, means_none};
use crate::outcome::CallError;
use crate::output::{ToolFailure, ToolResult};
use crate::registry::Registry;
use crate::tool::{Batch, Unfinished};
use serde::Serialize;
use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

impl CallContext {
    /// Calls a tool from inside this one, as the model would: validation, the hook, approval, queues, limits, the middleware of the
    /// registry and of the run, time limits, and events, whose [`outer_call`](crate::dispatch::CallEvent::outer_call) is this call.
    /// The arguments are a value that serializes as a JSON object, or a string with the text of one.
    ///
    /// The calls of a tool are numbered from 0, in the order of these method calls, and [run](crate::dispatch::CallKey) under the
    /// keys `{key of this call}/0/{number}`. They start when their futures are polled, and may run concurrently. A call that fails is
    /// an `Ok` with the error. Results are whole: [`max_result_bytes`](crate::RegistryBuilder::max_result_bytes) does not truncate
    /// them. They count in [`max_calls`](crate::registry::Policy::max_calls) of their tools, in
    /// [`Run::max_calls`](crate::session::Run::max_calls) and in the budgets of the run, and
    /// [`max_calls_per_reply`](crate::RegistryBuilder::max_calls_per_reply) limits them as if they were calls of one reply.
    ///
    /// In a [session](crate::Session), a call of a [`resumable`](crate::registry::Policy::resumable) tool waits together with its
    /// calls: if one of them needs an approval or a result, it is [pending](crate::Session::awaiting_approval) with an id of its own,
    /// this future returns [`InnerCallError::Waits`], and the tool ends, with any value. The next run runs the tool again from its
    /// beginning: the calls that it repeats return their results at once, and the decided ones run. The tool must repeat its calls, in
    /// the same order and with the same arguments: after the first other one, no call runs
    /// ([`InnerCallError::Diverged`]). In any other tool, and without a session, a call that needs an approval fails.
    ///
    /// With a [log](crate::session::Run::log), the calls are recorded like those of the model, and a resumable tool continues after a
    /// crash.
    ///
    /// The registry should not be the one of this call: a tool that waits for a permit of its own
    /// [`max_concurrency`](crate::RegistryBuilder::max_concurrency) waits forever. An inner session of the same tool would have the
    /// same keys.
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
        let mut made = MadeCall::new(self.clone(), registry, tool.into(), &arguments);
        let added = made.add();
        Box::pin(async move {
            added?;
            made.run().await
        })
    }
}

/// The future of an [inner call](CallContext::inner_call).
pub type InnerCallFuture = Pin<Box<dyn Future<Output = Result<ToolResult, InnerCallError>> + Send>>;

/// The reason why an [inner call](CallContext::inner_call) has no result in this run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InnerCallError {
    /// The call needs an approval, a result from elsewhere or the end of an earlier call, or the run has reached a limit or was
    /// cancelled. The tool should end: it runs again in a later run.
    #[non_exhaustive]
    Waits {
        /// The id of the call.
        id: String,
    },
    /// The tool has made another call here in an earlier run. This call did not run, and no further call of the tool does.
    #[non_exhaustive]
    Diverged {
        /// The number of the call among those of the tool, from 0.
        number: usize,
        /// The tool of the earlier call; empty if an earlier call of the tool has diverged.
        recorded: String,
        /// The tool of this call.
        tool: String,
    },
}

impl fmt::Display for InnerCallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InnerCallError::Waits { id } => write!(f, "the call `{id}` waits: another run continues it"),
            InnerCallError::Diverged { number, recorded, tool } if recorded.is_empty() => {
                write!(
                    f,
                    "call {number} of `{tool}` was not run: an earlier one differs from that of the earlier run"
                )
            }
            InnerCallError::Diverged { number, recorded, tool } if recorded == tool => write!(
                f,
                "call {number} of `{tool}` was not run: it had other arguments in the earlier run, so no further call runs"
            ),
            InnerCallError::Diverged { number, recorded, tool } => write!(
                f,
                "call {number} of `{tool}` was not run: it was one of `{recorded}` in the earlier run, so no further call runs"
            ),
        }
    }
}

impl Error for InnerCallError {}

/// The inner calls of a pending call, which continue in a later run.
#[derive(Clone, Debug)]
pub(super) struct InnerPending {
    /// The calls as the tool made them: a person may have edited their arguments.
    pub(super) made: Vec<Fingerprint>,
    pub(super) calls: PendingCalls,
}

/// The inner calls of a call that runs. `None` once its run has ended.
#[derive(Debug)]
struct KeptCalls(Mutex<Option<InnerPending>>);

impl KeptCalls {
    fn lock(&self) -> MutexGuard<'_, Option<InnerPending>> {
        // No code panics while it has the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CallState {
    /// The record of the inner calls for a run of the call.
    pub(super) fn start_inner_calls(&mut self) -> Arc<InnerRecord> {
        let inner = self.inner.take().map_or_else(InnerPending::default, |inner| *inner);
        Arc::new(InnerRecord::keeping(Arc::new(KeptCalls(Mutex::new(Some(inner))))))
    }

    /// Keeps the inner calls after a run of the call; whether they continue in a later run.
    pub(super) fn end_inner_calls(&mut self, record: &CallRecord) -> bool {
        let Some(kept) = record.inner_calls().and_then(|calls| calls.kept::<KeptCalls>()) else {
            return false;
        };
        let has_calls = |inner: &InnerPending| inner.has_begun() || record.waits_for_inner_call().is_some();
        self.inner = kept.lock().take().filter(has_calls).map(Box::new);
        true
    }

    /// The last events of the calls of the tool, which do not run any more.
    pub(super) fn skip_inner_calls(&self, id: &str, reason: &str) -> Vec<FinishedCall> {
        let Some(inner) = self.inner.as_deref() else { return Vec::new() };
        let mut skipped = inner.calls.clone().skip_calls(reason);
        std::iter::from_fn(|| Some(skipped.pop_unreported()?.made_by(id))).collect()
    }
}

impl InnerPending {
    /// Whether a call has begun: the first one may exceed the limit of the run.
    pub(super) fn has_begun(&self) -> bool {
        !self.made.is_empty()
    }
}

impl Default for InnerPending {
    fn default() -> Self {
        InnerPending { made: Vec::new(), calls: PendingCalls::empty() }
    }
}

/// A call that a tool makes.
struct MadeCall {
    context: CallContext,
    registry: Registry,
    call: ToolCall,
    position: usize,
    /// The reason why the call cannot run.
    failure: Option<ToolFailure>,
    kept: Option<Arc<KeptCalls>>,
    /// Whether later calls may begin.
    progress: Progress,
}

impl MadeCall {
    fn new(context: CallContext, registry: Registry, tool: String, arguments: &impl Serialize) -> Self {
        let (arguments, failure) = match arguments_text(&tool, arguments) {
            Ok(arguments) if means_none(&arguments) => ("{}".to_owned(), None),
            Ok(arguments) => (arguments, None),
            Err(error) => (String::new(), Some(error.into())),
        };
        let mut call = ToolCall::new("", tool, arguments);
        let is_barrier = registry.is_barrier(&call);
        let position =
            context.inner_calls.push(is_barrier, |position| format!("{}/{position}", context.id()));
        call.id = format!("{}/{position}", context.id());
        let kept = context.inner_calls.record().and_then(InnerRecord::kept);
        MadeCall { context, registry, call, position, failure, kept, progress: Progress::Ended }
    }

    /// Compares the call with that of an earlier run, and adds it if there is none.
    ///
    /// # Errors
    ///
    /// It is another call, or it begins in a later run.
    fn add(&mut self) -> Result<(), InnerCallError> {
        self.check()?;
        if self.kept_call().is_some() {
            return Ok(());
        }
        let is_allowed = self.registry.run_context().is_none_or(RunContext::count_inner_call);
        let Some(kept) = &self.kept else {
            if !is_allowed {
                let (tool, source) =
                    (self.call.name.clone(), "the run has reached its limit of calls".into());
                self.failure = Some(CallError::Unavailable { tool, source }.into());
            }
            return Ok(());
        };
        if let Some(inner) = kept.lock().as_mut().filter(|_| is_allowed) {
            inner.made.push(self.fingerprint());
            inner.calls.push(self.call.clone());
            return Ok(());
        }
        Err(self.waits())
    }

    /// # Errors
    ///
    /// This is not the call that an earlier run has made here, or an earlier call was not.
    fn check(&self) -> Result<(), InnerCallError> {
        let Some(record) = self.context.inner_calls.record() else { return Ok(()) };
        let recorded = match (self.kept_call(), record.logged(self.position)) {
            _ if record.has_diverged() => String::new(),
            (Some((made, _)), _) if made == self.fingerprint() => return Ok(()),
            (Some((_, tool)), _) => tool,
            (None, Some(logged)) if !self.is_logged(logged) => logged.tool.clone(),
            _ => return Ok(()),
        };
        record.set_diverged();
        let (number, tool) = (self.position, self.call.name.clone());
        Err(InnerCallError::Diverged { number, recorded, tool })
    }

    /// Whether the log has recorded this call.
    fn is_logged(&self, logged: &LoggedInnerCall) -> bool {
        let contained = self.registry.contained_call(&self.call);
        let call = contained.or(&self.call);
        let coerced = || self.registry.coerced_arguments(call);
        let has_arguments = |arguments: String| logged.has_arguments(&arguments);
        logged.tool == call.name
            && (logged.has_arguments(&call.arguments) || coerced().is_some_and(has_arguments))
    }

    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::new(&[&self.call.name, &self.call.arguments])
    }

    /// The call that an earlier run has made here, and the name of its tool.
    fn kept_call(&self) -> Option<(Fingerprint, String)> {
        let kept = self.kept.as_ref()?.lock();
        let InnerPending { made, calls } = kept.as_ref()?;
        Some((*made.get(self.position)?, calls.calls().get(self.position)?.name.clone()))
    }

    /// Runs the call, unless it has its result.
    async fn run(&mut self) -> Result<ToolResult, InnerCallError> {
        if let Some(failure) = self.failure.take() {
            return Ok(failure.into());
        }
        let Some(mut running) = RunningCall::start(self) else { return Err(self.waits()) };
        if running.state.result().is_none() {
            let unfinished = if self.kept.is_some() { Unfinished::Keep } else { Unfinished::Fail };
            let order = Some(self.context.inner_calls.order());
            let batch = Batch { order, unfinished, ..self.registry.new_batch(0) };
            let run = CallsRun { registry: &self.registry, batch: &batch, repeated: None };
            let record = CallRecord::default();
            running.state.prepare(&self.registry, &mut running.call);
            if self.kept.is_some() && self.registry.is_resumable(&running.call) {
                record.set_inner_calls(running.state.start_inner_calls());
            }
            run.run_call(self.position, &mut running.call, &mut running.state, record).await;
        }
        match running.state.result() {
            Some(message) => Ok(message.clone().into()),
            None => Err(self.waits()),
        }
    }

    /// The call waits, and so does the call of the tool.
    fn waits(&mut self) -> InnerCallError {
        self.progress = Progress::Waits;
        if let Some(record) = self.context.inner_calls.record() {
            record.set_waits_for(&self.call.id);
        }
        InnerCallError::Waits { id: self.call.id.clone() }
    }
}

impl Drop for MadeCall {
    fn drop(&mut self) {
        self.context.inner_calls.order().end(self.position, self.progress);
    }
}

/// A call that runs. When it is dropped, its state is kept.
struct RunningCall {
    call: ToolCall,
    state: CallState,
    position: usize,
    kept: Option<Arc<KeptCalls>>,
}

impl RunningCall {
    /// The call as an earlier run has left it. `None` if the call of the tool has ended.
    fn start(made: &MadeCall) -> Option<Self> {
        let (position, kept) = (made.position, made.kept.clone());
        let (call, state) = match &kept {
            Some(kept) => kept.lock().as_mut()?.calls.start(position)?,
            None => (made.call.clone(), CallState::default()),
        };
        Some(RunningCall { call, state, position, kept })
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        let Some(kept) = &self.kept else { return };
        if let Some(inner) = kept.lock().as_mut() {
            inner.calls.put_back(self.position, &mut self.call, &mut self.state);
        }
    }
}
