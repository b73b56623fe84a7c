//! The context of a run.

#[cfg(doc)]
use super::CallContext;
use super::question::Asker;
use super::{AllowedTools, BegunCalls, Budget, CallEvent, CallKey, Pauses, StartGate};
use crate::panics::catch_panic;
use crate::state::{Shared, State as _, States};
use std::fmt;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The data that a program attaches to calls: application state such as a user or a tenant, a cancellation token, listeners,
/// limits. It belongs to one or more [runs of a session](crate::Session::run), to the dispatches of a program with a loop of
/// its own, or to a request of an MCP client.
///
/// [`Registry::with`](crate::Registry::with) binds it to a registry; only calls of the bound registry see it. Clones
/// share their data, and count the calls of [`max_calls`](crate::registry::Policy::max_calls) together. A clone that is
/// changed afterwards has its own copy.
///
/// ```
/// use tool_runtime::{Registry, RunContext, ToolCall, tool, tools};
///
/// struct User(String);
///
/// /// Who is asking.
/// #[tool]
/// fn who_am_i(#[state] user: &User) -> String {
///     user.0.clone()
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = Registry::builder().tools(tools![who_am_i]).state_per_run::<User>().build()?;
/// let context = RunContext::new().state(User("Ada".to_owned()));
/// let messages = registry.with(&context).dispatch(&[ToolCall::new("call_1", "who_am_i", "{}")]).await;
/// assert_eq!(messages[0].content, "Ada");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct RunContext(pub(super) Arc<Data>);

/// A clone of a context that is changed copies it.
#[derive(Clone, Default)]
pub(super) struct Data {
    pub(super) states: States,
    pub(super) cancellation: Option<CancellationToken>,
    pub(super) time_to_finish: Option<Duration>,
    pub(super) run_id: Option<Arc<str>>,
    pub(super) reply_number: Option<u64>,
    pub(super) allowed_tools: Option<AllowedTools>,
    pub(super) listeners: Vec<Listener>,
    /// `None` if all listeners receive events at once.
    pub(super) start_gate: Option<StartGate>,
    pub(super) begun_calls: BegunCalls,
    /// The budgets of the runs of sessions.
    pub(super) budgets: Vec<Budget>,
    /// `None`: nobody can be asked in this process.
    pub(super) asker: Option<Asker>,
    /// The pauses of the calls whose tools make the calls of this context.
    pub(super) outer_pauses: Vec<Arc<Pauses>>,
    /// The middleware of a run, whose type is in `registry`.
    pub(super) middleware: Option<Shared>,
    /// The log of a run, which is middleware around all other.
    pub(super) run_log: Option<Shared>,
    /// The number of inner calls that the run allows; `None` for any number. A call that starts while its reply is received takes
    /// one.
    pub(super) max_inner_calls: Option<Arc<AtomicUsize>>,
    /// The id of the call that makes the calls of this context.
    pub(super) outer_call: Option<Arc<str>>,
    /// The context of the program, without the additions of a session.
    pub(super) program: Option<RunContext>,
}

impl RunContext {
    /// Creates an empty context.
    #[must_use]
    pub fn new() -> Self {
        RunContext::default()
    }

    /// The empty context of calls for which none is bound. It is shared, so no call may be counted in it.
    pub(crate) fn none() -> &'static Self {
        static NONE: LazyLock<RunContext> = LazyLock::new(RunContext::new);
        &NONE
    }

    pub(super) fn data(&mut self) -> &mut Data {
        Arc::make_mut(&mut self.0)
    }

    /// Attaches a value. It replaces an attached value of the same type, and calls use it instead of the
    /// registry's state of that type. An `Arc<T>` also serves parameters `#[state] x: &T`.
    #[must_use]
    pub fn state<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.data().states.insert(value);
        self
    }

    /// Sets the token that cancels the run. Default: none.
    ///
    /// When the token is cancelled, the dispatch returns:
    ///
    /// - Calls that have finished, or that finish when the token wakes them, keep their results.
    /// - Every other call gets the message `Error: cancelled before it finished`, and its future is dropped.
    /// - A `blocking` function that has begun continues on its thread, unless it checks the token of its
    ///   [`CallContext`](super::CallContext).
    ///
    /// ```
    /// use tool_runtime::dispatch::CancellationToken;
    /// use tool_runtime::{Registry, RunContext, ToolCall, tool, tools};
    ///
    /// /// Waits for a response that never arrives.
    /// #[tool]
    /// async fn wait() {
    ///     std::future::pending::<()>().await;
    /// }
    ///
    /// /// The time of day.
    /// #[tool]
    /// async fn now() -> &'static str {
    ///     "12:00"
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let token = CancellationToken::new();
    /// let context = RunContext::new().cancellation(token.clone());
    /// let registry = Registry::new(tools![wait, now])?.with(&context);
    /// let calls = [ToolCall::new("call_1", "wait", "{}"), ToolCall::new("call_2", "now", "{}")];
    /// let (messages, ()) = tokio::join!(registry.dispatch(&calls), async { token.cancel() });
    /// assert_eq!(messages[0].content, "Error: cancelled before it finished");
    /// assert_eq!(messages[1].content, "12:00");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn cancellation(mut self, token: CancellationToken) -> Self {
        self.data().cancellation = Some(token);
        self
    }

    /// Lets the calls that have begun and may have an effect finish after a cancellation, within this time: those of tools that
    /// are not `read_only`. Default: none, and they are dropped at once.
    ///
    /// A call that finishes in time keeps its result, in its events, the history and the journal. The
    /// [token](super::CallContext::cancellation) of such a call is not cancelled before the time has passed, and not at all if the
    /// tool has finished: it does not stop tasks that the tool has spawned. It needs a Tokio runtime; without one, the calls are
    /// dropped at once.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tool_runtime::dispatch::CancellationToken;
    /// use tool_runtime::{Registry, RunContext, ToolCall, tool, tools};
    ///
    /// /// Sends a letter.
    /// #[tool]
    /// async fn send() -> &'static str {
    ///     tokio::time::sleep(Duration::from_millis(20)).await;
    ///     "sent"
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let token = CancellationToken::new();
    /// let context = RunContext::new().cancellation(token.clone()).finish_effects(Duration::from_secs(30));
    /// let registry = Registry::new(tools![send])?.with(&context);
    /// let calls = [ToolCall::new("call_1", "send", "{}")];
    /// let (messages, ()) = tokio::join!(registry.dispatch(&calls), async { token.cancel() });
    /// assert_eq!(messages[0].content, "sent");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn finish_effects(mut self, within: Duration) -> Self {
        self.data().time_to_finish = Some(within);
        self
    }

    /// Adds a listener, which receives each [`CallEvent`] as it happens: a call starts, reports progress, emits data,
    /// needs approval, finishes. Default: none.
    ///
    /// The listener runs in the task or on the thread of the tool, and must not block: use a channel to send events to
    /// other tasks. The events of a call arrive one after the other, in their order: if a listener is busy on one thread,
    /// that thread also sends the events that arrive meanwhile, for up to 0.1 seconds. At most 16 MiB of progress and data
    /// wait: [`CallStatus::EventsSkipped`](crate::dispatch::CallStatus::EventsSkipped) reports the others. A panic in a listener
    /// is ignored.
    ///
    /// ```
    /// use std::sync::mpsc;
    /// use tool_runtime::dispatch::CallStatus;
    /// use tool_runtime::{CallContext, Registry, RunContext, ToolCall, tool, tools};
    ///
    /// /// Exports the pages.
    /// #[tool]
    /// async fn export(#[context] call: &CallContext) {
    ///     call.progress(1, 2, "page 1");
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let (sender, events) = mpsc::channel();
    /// let context = RunContext::new().on_event(move |event| drop(sender.send(event.clone())));
    /// let registry = Registry::new(tools![export])?.with(&context);
    /// registry.dispatch(&[ToolCall::new("call_1", "export", "{}")]).await;
    /// let events: Vec<CallStatus> = events.try_iter().map(|event| event.status).collect();
    /// assert!(matches!(
    ///     &events[..],
    ///     [CallStatus::Started { .. }, CallStatus::Progress { done: 1, .. }, CallStatus::Finished { .. }]
    /// ));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn on_event(mut self, listener: impl Fn(&CallEvent) + Send + Sync + 'static) -> Self {
        self.data().listeners.push(Listener(Arc::new(listener)));
        self
    }

    /// Sets the tools that calls of this run may use, by name. Default: all. A call of another tool gets an error that
    /// lists these; a name that no tool has is left out. The request still has all tools: use
    /// [`Request::allowed_tools`](crate::conversation::Request::allowed_tools) as well.
    ///
    /// With a search (`RegistryBuilder::search`), list the tools that it may find: `search_tools` and `call_tool` follow
    /// from them.
    ///
    /// ```
    /// use tool_runtime::{Registry, RunContext, ToolCall, tool, tools};
    ///
    /// /// The time of day.
    /// #[tool]
    /// fn now() {}
    ///
    /// /// Turns the light on.
    /// #[tool]
    /// fn light() {}
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = Registry::new(tools![now, light])?;
    /// let context = RunContext::new().allowed_tools(["now"]);
    /// let messages = registry.with(&context).dispatch(&[ToolCall::new("call_1", "light", "{}")]).await;
    /// assert_eq!(messages[0].content, "Error: the tool `light` may not be called now. Available: `now`.");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn allowed_tools<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.data().allowed_tools = Some(AllowedTools::new(names));
        self
    }

    /// Counts the calls of [`max_calls`](crate::registry::Policy::max_calls) together with another context. Default: a new
    /// context, and a clone that is changed, count on their own.
    ///
    /// ```
    /// use tool_runtime::{Registry, RunContext, ToolCall, tool, tools};
    ///
    /// /// Sends a report.
    /// #[tool(max_calls = 1)]
    /// fn send_report() {}
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = Registry::new(tools![send_report])?;
    /// let connection = RunContext::new();
    /// for expected in ["ok", "Error: not run: `send_report` may be called only once, and this limit is reached."] {
    ///     let request = RunContext::new().run_id("a-request").count_calls_with(&connection);
    ///     let messages = registry.with(&request).dispatch(&[ToolCall::new("call_1", "send_report", "{}")]).await;
    ///     assert_eq!(messages[0].content, expected);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn count_calls_with(self, other: &RunContext) -> Self {
        self.counting_in(&other.0.begun_calls)
    }

    /// Sets the id of the run, which is part of the [`CallKey`](super::CallKey) of each call. Default: none, and calls have
    /// no key. Use one id for all replies that are numbered together: usually those of one session or conversation, also
    /// after a restart of the program.
    ///
    /// A crash loses the replies of a run that were not stored, and later replies have their numbers again. So a program that
    /// stores a session only after each run records the replies ([`RunLog`](crate::session::RunLog)) under one id for the
    /// session, or uses another id after each user message, as `examples/shop` does.
    ///
    /// Do not end an id with two numbers after slashes, as in `orders/2024/11`: it is the id of an inner session of the run
    /// `orders` ([`child_run_context`](super::CallContext::child_run_context)), and is removed with that run. Use
    /// `orders-2024-11`.
    #[must_use]
    pub fn run_id(mut self, id: impl Into<String>) -> Self {
        self.data().run_id = Some(id.into().into());
        self
    }

    /// Sets the number of the reply, which is part of the [`CallKey`](super::CallKey) of each call. Default: in
    /// [`PendingCalls`](crate::conversation::PendingCalls), the number of replies before it. A
    /// [`Session`](crate::Session) counts its replies itself.
    ///
    /// [`dispatch`](crate::Registry::dispatch) and [`dispatch_stream`](crate::Registry::dispatch_stream) do not know the
    /// number and use 0: set it for each reply, otherwise calls of different replies have the same key. Also set it for each
    /// reply after [`trim`](crate::Conversation::trim) or another change has removed replies. A context with a number
    /// belongs to one reply.
    #[must_use]
    pub fn reply_number(mut self, number: u64) -> Self {
        self.data().reply_number = Some(number);
        self
    }

    /// The key of the call at this position of the reply with this number. `None` if the context has no
    /// [`run_id`](RunContext::run_id).
    ///
    /// ```
    /// use tool_runtime::RunContext;
    ///
    /// let key = RunContext::new().run_id("order-7").key(2, 0);
    /// assert_eq!(key.map(|key| key.to_string()).as_deref(), Some("order-7/2/0"));
    /// assert_eq!(RunContext::new().key(2, 0), None);
    /// ```
    #[must_use]
    pub fn key(&self, reply: u64, position: usize) -> Option<CallKey> {
        Some(CallKey { run_id: self.id_of_run()?.to_owned(), reply, position })
    }

    /// Returns the attached value of this type, if any.
    #[must_use]
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        T::find(&self.0.states)
    }

    pub(crate) fn states(&self) -> &States {
        &self.0.states
    }

    pub(crate) fn token(&self) -> Option<&CancellationToken> {
        self.0.cancellation.as_ref()
    }

    /// Whether the context adds no step to its calls: it has no cancellation token, no listener, no middleware and no log.
    pub(crate) fn is_direct(&self) -> bool {
        let data = &*self.0;
        let has_layers = data.middleware.is_some() || data.run_log.is_some();
        data.cancellation.is_none() && data.listeners.is_empty() && !has_layers
    }

    pub(crate) fn listeners(&self) -> &[Listener] {
        &self.0.listeners
    }

    /// Sends an event to all listeners.
    pub(crate) fn send(&self, event: &CallEvent) {
        for listener in &self.0.listeners {
            // The panic hook of the process has reported it.
            let _ = catch_panic(|| listener.call(event));
        }
    }

    /// The time in which calls with effects may finish after a cancellation.
    pub(crate) fn time_to_finish(&self) -> Option<Duration> {
        self.0.time_to_finish
    }

    pub(crate) fn start_gate(&self) -> Option<&StartGate> {
        self.0.start_gate.as_ref()
    }

    pub(crate) fn with_start_gate(mut self, gate: StartGate) -> Self {
        self.data().start_gate = Some(gate);
        self
    }

    /// A context for a run of a session, which changes it.
    pub(crate) fn for_run(&self) -> Self {
        let mut context = self.clone();
        context.data().program = Some(self.clone());
        context
    }

    /// The middleware of the run.
    pub(crate) fn middleware<L: 'static>(&self) -> Option<&L> {
        self.0.middleware.as_ref()?.downcast_ref()
    }

    pub(crate) fn with_middleware<L: Send + Sync + 'static>(mut self, layers: L) -> Self {
        self.data().middleware = Some(Arc::new(layers));
        self
    }

    /// The log of the run.
    pub(crate) fn run_log<L: 'static>(&self) -> Option<&L> {
        self.0.run_log.as_ref()?.downcast_ref()
    }

    pub(crate) fn with_run_log<L: Send + Sync + 'static>(mut self, layer: L) -> Self {
        self.data().run_log = Some(Arc::new(layer));
        self
    }

    /// The same context for a call that the log does not record.
    pub(crate) fn without_log(&self) -> Self {
        let mut context = self.clone().counting_in(&self.0.begun_calls);
        context.data().run_log = None;
        context
    }

    pub(super) fn outer_call(&self) -> Option<String> {
        self.0.outer_call.as_deref().map(str::to_owned)
    }

    /// The context of the program.
    pub(super) fn program(&self) -> &Self {
        self.0.program.as_ref().unwrap_or(self)
    }

    pub(crate) fn allowed(&self) -> Option<&AllowedTools> {
        self.0.allowed_tools.as_ref()
    }

    pub(crate) fn id_of_run(&self) -> Option<&str> {
        self.0.run_id.as_deref()
    }

    pub(crate) fn number_of_reply(&self) -> Option<u64> {
        self.0.reply_number
    }

    /// A token that is cancelled together with the run. Cancelling it does not cancel the run.
    ///
    /// ```
    /// use tool_runtime::RunContext;
    /// use tool_runtime::dispatch::CancellationToken;
    ///
    /// let token = CancellationToken::new();
    /// let child = RunContext::new().cancellation(token.clone()).child_token();
    /// token.cancel();
    /// assert!(child.is_cancelled());
    /// ```
    #[must_use]
    pub fn child_token(&self) -> CancellationToken {
        self.token().map_or_else(CancellationToken::new, CancellationToken::child_token)
    }
}

impl fmt::Debug for RunContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunContext")
            .field("states", &self.0.states)
            .field("run_id", &self.0.run_id)
            .field("is_cancelled", &self.token().is_some_and(CancellationToken::is_cancelled))
            .finish_non_exhaustive()
    }
}

/// A function that receives events.
#[derive(Clone)]
pub(crate) struct Listener(Arc<dyn Fn(&CallEvent) + Send + Sync>);

impl Listener {
    pub(super) fn call(&self, event: &CallEvent) {
        (self.0)(event);
    }
}
