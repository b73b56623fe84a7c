//! Calls that are ready to run, and the middleware around them.

use super::{Registry, RegistryBuilder};
use crate::context::{CallContext, CallEvents, CallRecord, LoggedInnerCall, RunContext};
use crate::message::ToolCall;
use crate::outcome::CallError;
use crate::output::{ToolFailure, ToolResult};
use crate::tool::{Annotations, Approval, Batch, Call, IncomingCall, Policy, ToolEntry};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// A call with valid arguments that is approved and has left the queue. The middleware of
/// [`around_call`](RegistryBuilder::around_call) receives it and [runs](ReadyCall::run) it.
///
/// It owns its data, so it can be cloned, stored, and sent to another task.
#[derive(Clone)]
pub struct ReadyCall {
    pub(crate) owned: Arc<OwnedCall>,
    /// The position of the next middleware.
    pub(crate) next: usize,
}

impl ReadyCall {
    /// The context of the call: its id, its run context and its key. The tool receives another one each time it runs, with a
    /// cancellation token of its own.
    #[must_use]
    pub fn context(&self) -> &CallContext {
        let owned = &self.owned;
        let without_run = |call: &Call<'_>| Call { all_runs: None, ..*call }.context();
        owned.context.get_or_init(|| Box::new(owned.with_call(&owned.record, without_run)))
    }

    /// The id of the call.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.owned.call.id
    }

    /// The name of the tool.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.owned.tool.name
    }

    /// The annotations of the tool: whether it changes nothing, for example.
    #[must_use]
    pub fn annotations(&self) -> Annotations {
        self.owned.tool.options.annotations
    }

    /// The policy of the tool: its time limit, for example.
    #[must_use]
    pub fn policy(&self) -> Policy {
        self.owned.tool.policy()
    }

    /// The arguments that the tool receives: the text of one JSON object, after coercion.
    #[must_use]
    pub fn arguments(&self) -> &str {
        &self.owned.call.arguments
    }

    /// The arguments that the hook received, before [`Decision::RunWith`](crate::dispatch::Decision::RunWith) replaced them:
    /// the text of one JSON object, after coercion.
    #[must_use]
    pub fn proposed_arguments(&self) -> &str {
        self.owned.proposed.as_deref().unwrap_or_else(|| self.arguments())
    }

    /// Whether the call starts while its reply is received. A [`RunLog`](crate::session::RunLog) has not recorded the reply
    /// then: if the process ends, the model may call other tools instead. In a run with a log, only calls of `read_only`
    /// tools without `max_calls` start early.
    #[must_use]
    pub fn is_early(&self) -> bool {
        self.owned.batch.is_early
    }

    /// Whether the [log](crate::session::Run::log) of the run or middleware around this one records the call, so that this one need
    /// not.
    #[must_use]
    pub fn is_logged(&self) -> bool {
        self.owned.registry.run_log().is_some() || self.owned.is_logged.load(Ordering::Relaxed)
    }

    /// Declares that this middleware records the call: [`is_logged`](ReadyCall::is_logged) is true for the middleware inside of it.
    pub fn set_logged(&self) {
        self.owned.is_logged.store(true, Ordering::Relaxed);
    }

    /// Declares that the call was not run now, for a reason of the program: its store cannot be used, for example.
    /// [`Registry::run_handed_out`] then returns [`CallEnd::NotBegun`](crate::dispatch::CallEnd::NotBegun) in place of the result, so
    /// that the call can run later.
    pub fn set_not_begun(&self) {
        self.owned.record.set_stays_pending();
    }

    /// Whether the call has ended without its result, since one of its [inner calls](CallContext::inner_call) waits. A later run
    /// continues it, and middleware must not keep the failure that [`run`](ReadyCall::run) returns.
    #[must_use]
    pub fn waits_for_inner_call(&self) -> bool {
        self.owned.record.waits_for_inner_call().is_some()
    }

    /// Sets the [inner calls](CallContext::inner_call) that a log has recorded, in an earlier run of this call: number, tool and
    /// arguments of each. If the tool makes another call in place of one of these, no further call runs.
    pub fn set_recorded_inner_calls(&self, calls: impl IntoIterator<Item = (usize, String, String)>) {
        let logged =
            calls.into_iter().map(|(number, tool, arguments)| (number, LoggedInnerCall { tool, arguments }));
        self.owned.record.set_logged_inner_calls(logged.collect());
    }

    /// Whether a run of the tool has begun.
    pub(crate) fn has_begun(&self) -> bool {
        self.owned.record.has_begun()
    }

    /// Ends the call, which [was not run](ReadyCall::set_not_begun) since its log has failed. It stays pending in a session.
    pub(crate) fn stay_pending(&self) -> ToolResult {
        self.set_not_begun();
        ToolFailure::from(CallError::Cancelled { tool: self.tool().to_owned() }).into()
    }

    /// Declares that the call has its result: if the token of the run context is cancelled from now on, the call waits for
    /// its middleware and keeps the result, instead of ending as cancelled.
    ///
    /// For middleware that awaits a store after [`run`](ReadyCall::run): the events of the call, the history and the store then
    /// have the same result. A time limit of the call, and a dropped dispatch, still end it.
    pub fn keep_result(&self) {
        self.owned.record.set_keeps_result();
    }
}

impl fmt::Debug for ReadyCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadyCall")
            .field("id", &self.id())
            .field("tool", &self.tool())
            .field("arguments", &self.proposed_arguments())
            .finish_non_exhaustive()
    }
}

/// A [`Call`] that owns its data, for threads and middleware.
pub(crate) struct OwnedCall {
    pub(crate) registry: Registry,
    tool: Arc<ToolEntry>,
    /// With the arguments for the tool.
    call: ToolCall,
    /// The arguments before a hook replaced them, if it has.
    proposed: Option<String>,
    /// Without the context, which the registry has.
    batch: Batch<'static>,
    position: usize,
    approval: Approval,
    is_contained: bool,
    events: Option<Arc<CallEvents>>,
    /// The record of all runs.
    pub(crate) record: CallRecord,
    /// Whether middleware records the call.
    is_logged: AtomicBool,
    /// Boxed, since most middleware does not read it.
    context: OnceLock<Box<CallContext>>,
}

impl OwnedCall {
    pub(crate) fn new(registry: &Registry, call: &Call<'_>) -> Self {
        let IncomingCall { batch, position, call: tool_call, approval, is_contained, .. } = *call.incoming;
        OwnedCall {
            registry: registry.clone(),
            tool: Arc::clone(call.tool),
            call: ToolCall::new(&tool_call.id, &tool_call.name, call.incoming.object()),
            proposed: call.incoming.record.run_with().map(|_| call.incoming.proposed_object().to_owned()),
            batch: batch.without_context(),
            position,
            approval,
            is_contained,
            events: call.events.cloned(),
            record: call.incoming.record.for_all_runs(),
            is_logged: AtomicBool::new(false),
            context: OnceLock::new(),
        }
    }

    pub(crate) fn batch(&self) -> Batch<'_> {
        Batch { context: self.registry.run_context(), ..self.batch }
    }

    /// The input of one run of the call.
    pub(crate) fn incoming<'a>(&'a self, batch: &'a Batch<'a>, record: &'a CallRecord) -> IncomingCall<'a> {
        let OwnedCall { call, position, approval, is_contained, .. } = self;
        let incoming = IncomingCall::new(batch, *position, call, *approval, record);
        IncomingCall { is_contained: *is_contained, ..incoming }
    }

    /// One run of the call.
    pub(crate) fn call<'a>(&'a self, incoming: &'a IncomingCall<'a>) -> Call<'a> {
        Call { all_runs: Some(&self.record), ..Call::new(&self.tool, incoming, self.events.as_ref()) }
    }

    /// Calls a closure with a run of the call that has this record.
    pub(crate) fn with_call<T>(&self, record: &CallRecord, run: impl FnOnce(&Call<'_>) -> T) -> T {
        let batch = self.batch();
        run(&self.call(&self.incoming(&batch, record)))
    }
}

/// Middleware around the run of a call.
#[derive(Clone)]
pub(crate) struct Layer(Arc<dyn Fn(ReadyCall) -> RunningCall + Send + Sync>);

/// The middleware of one run of a session.
#[derive(Clone, Default)]
pub(crate) struct RunLayers {
    /// Outside of that of the registry.
    pub(crate) outer: Vec<Layer>,
    /// Inside of that of the registry.
    pub(crate) inner: Vec<Layer>,
}

impl RunLayers {
    /// The context with this middleware, inside of the middleware that it has.
    pub(crate) fn add_to(self, context: RunContext) -> RunContext {
        if self.outer.is_empty() && self.inner.is_empty() {
            return context;
        }
        let mut layers = context.middleware::<RunLayers>().cloned().unwrap_or_default();
        layers.outer.extend(self.outer);
        layers.inner.extend(self.inner);
        context.with_middleware(layers)
    }
}

pub(crate) type RunningCall = Pin<Box<dyn Future<Output = ToolResult> + Send>>;

impl Layer {
    pub(crate) fn new<F: Future<Output = ToolResult> + Send + 'static>(
        layer: impl Fn(ReadyCall) -> F + Send + Sync + 'static,
    ) -> Self {
        Layer(Arc::new(move |call| Box::pin(layer(call))))
    }

    pub(crate) fn run(&self, call: ReadyCall) -> RunningCall {
        (self.0)(call)
    }
}

impl RegistryBuilder {
    /// Adds middleware around each call: it receives the [`ReadyCall`], runs it, and returns the result. Default: none.
    ///
    /// - The middleware that is added first is the outermost: it receives the result of the second one.
    /// - It runs after validation, approval and the queue of [`max_concurrency`](RegistryBuilder::max_concurrency). The call
    ///   counts towards that limit until the middleware ends, however often it runs.
    /// - [`ReadyCall::run`] may be called never, once or several times. Each run has the time limit of the tool;
    ///   [`call_timeout`](RegistryBuilder::call_timeout) limits the whole call.
    /// - A panic in it is an error of this call.
    /// - It is dropped when the token of the run context is cancelled, the dispatch is dropped or `call_timeout` expires:
    ///   code after `call.run().await` does not execute, except after a cancellation that follows
    ///   [`keep_result`](ReadyCall::keep_result). A listener of [`RunContext::on_event`](crate::RunContext::on_event)
    ///   receives the end of each call.
    /// - A closure must own what its future uses: clone an `Arc` in it for each call, as in `before_call`.
    /// - It applies to [`dispatch`](super::Registry::dispatch) and [`call`](super::Registry::call), but not to calls that fail
    ///   before they run: unknown tools, truncated calls, invalid arguments, missing or denied approval, exceeded limits.
    /// - [`max_result_bytes`](RegistryBuilder::max_result_bytes) truncates the result after the middleware.
    ///
    /// ```
    /// use tool_runtime::dispatch::ReadyCall;
    /// use tool_runtime::{Registry, ToolCall, tool, tools};
    ///
    /// /// Looks up a customer.
    /// #[tool]
    /// fn find_customer(name: &str) -> String {
    ///     format!("{name}, card 4111-1111-1111-1111")
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = Registry::builder()
    ///     .tools(tools![find_customer])
    ///     .around_call(|call: ReadyCall| async move {
    ///         let result = call.run().await;
    ///         result.map_text(|text| text.replace("4111-1111-1111-1111", "[card]"))
    ///     })
    ///     .build()?;
    /// let messages = registry.dispatch(&[ToolCall::new("call_1", "find_customer", r#"{"name":"Ada"}"#)]).await;
    /// assert_eq!(messages[0].content, "Ada, card [card]");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Test middleware with [`Registry::call`](super::Registry::call). The [guide](crate::guide::middleware) has
    /// recipes: retries, a cache, redaction, marks around untrusted text, recording.
    pub fn around_call<L, F>(mut self, layer: L) -> Self
    where
        L: Fn(ReadyCall) -> F + Send + Sync + 'static,
        F: Future<Output = ToolResult> + Send + 'static,
    {
        self.layers.push(Layer::new(layer));
        self
    }

    /// Adds middleware outside of all that [`around_call`](RegistryBuilder::around_call) adds, before or after: it receives the result
    /// that the model would read. Of several, the one that is added last is the outermost.
    ///
    /// ```
    /// use tool_runtime::dispatch::ReadyCall;
    /// use tool_runtime::{Registry, ToolCall, tool, tools};
    ///
    /// /// Greets the user.
    /// #[tool]
    /// fn hello() -> String {
    ///     "hello".into()
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = Registry::builder()
    ///     .tools(tools![hello])
    ///     .around_call_outermost(|call: ReadyCall| async move { call.run().await.map_text(|text| format!("<{text}>")) })
    ///     .around_call(|call: ReadyCall| async move { call.run().await.map_text(|text| text.to_uppercase()) })
    ///     .build()?;
    /// let messages = registry.dispatch(&[ToolCall::new("call_1", "hello", "{}")]).await;
    /// assert_eq!(messages[0].content, "<HELLO>");
    /// # Ok(())
    /// # }
    /// ```
    pub fn around_call_outermost<L, F>(mut self, layer: L) -> Self
    where
        L: Fn(ReadyCall) -> F + Send + Sync + 'static,
        F: Future<Output = ToolResult> + Send + 'static,
    {
        self.layers.insert(0, Layer::new(layer));
        self
    }
}
