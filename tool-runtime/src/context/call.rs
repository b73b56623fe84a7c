//! The context of a call.

use super::{CallEvents, CallKey, CallStatus, InnerCalls, Pauses, RunContext};
use serde::Serialize;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// The context of one call. A tool receives it with a parameter `#[context] call: &CallContext`.
///
/// ```
/// use tool_runtime::{CallContext, RunContext, tool};
///
/// struct Tenant(&'static str);
///
/// /// Opens a ticket.
/// #[tool]
/// fn open_ticket(title: &str, #[context] call: &CallContext) -> String {
///     let tenant = call.run_context().get::<Tenant>().map_or("nobody", |tenant| tenant.0);
///     format!("{title} (by {tenant}, call {})", call.id())
/// }
///
/// // Unit tests create it with `new`.
/// let call = CallContext::new("call_1", "open_ticket").with_run_context(RunContext::new().state(Tenant("Acme")));
/// assert_eq!(open_ticket("No heating", &call), "No heating (by Acme, call call_1)");
/// ```
#[derive(Clone, Debug)]
pub struct CallContext {
    pub(crate) id: String,
    pub(crate) tool: String,
    pub(crate) run: RunContext,
    pub(crate) cancellation: CancellationToken,
    pub(crate) reply: u64,
    pub(crate) position: usize,
    pub(crate) events: Option<Arc<CallEvents>>,
    pub(crate) inner_calls: InnerCalls,
    pub(crate) pauses: Arc<Pauses>,
}

impl CallContext {
    /// Creates the context of a call of this tool, with this id and with an empty run context.
    #[must_use]
    pub fn new(id: impl Into<String>, tool: impl Into<String>) -> Self {
        CallContext {
            id: id.into(),
            tool: tool.into(),
            run: RunContext::new(),
            cancellation: CancellationToken::new(),
            reply: 0,
            position: 0,
            events: None,
            inner_calls: InnerCalls::default(),
            pauses: Arc::default(),
        }
    }

    /// Sets the run context of the call.
    #[must_use]
    pub fn with_run_context(mut self, run: RunContext) -> Self {
        self.cancellation = run.child_token();
        self.reply = run.number_of_reply().unwrap_or_default();
        self.events = CallEvents::new(&run, &self.id, &self.tool);
        self.run = run;
        self
    }

    /// The id of the call, as in its [`ToolCall`](crate::ToolCall). It may differ from that of the server, since empty and
    /// repeated ids are replaced. Empty in [`Registry::call`](crate::Registry::call).
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The name of the called tool.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The cancellation token of the call. Pass it to the functions that the tool calls, or check it to stop early.
    ///
    /// The token is cancelled when the call ends before its tool has finished: the token of the run context was cancelled,
    /// the time limit expired, the dispatch was dropped, the tool panicked, or the call was not approved. It is also
    /// cancelled when the run is cancelled after the tool has finished, for tasks that the tool spawned. Cancelling the
    /// token does not cancel the run.
    ///
    /// When the run is cancelled, a future that finishes at its next poll keeps its result; otherwise it is dropped.
    /// The function of a `blocking` tool can only be stopped with this token.
    ///
    /// ```
    /// use tool_runtime::{CallContext, tool};
    ///
    /// /// Counts the primes below a limit.
    /// #[tool(timeout = "10s")]
    /// fn count_primes(limit: u64, #[context] call: &CallContext) -> Option<usize> {
    ///     let cancellation = call.cancellation();
    ///     let is_prime = |n: u64| (2..).take_while(|d| d * d <= n).all(|d| n % d != 0);
    ///     (2..limit).map(|n| (!cancellation.is_cancelled()).then(|| usize::from(is_prime(n)))).sum()
    /// }
    ///
    /// let call = CallContext::new("call_1", "count_primes");
    /// assert_eq!(count_primes(10, &call), Some(4));
    /// ```
    #[must_use]
    pub fn cancellation(&self) -> CancellationToken {
        self.cancellation.clone()
    }

    /// The run context of the call. In a run of a [`Session`](crate::Session), this is the one that the program has
    /// bound. For a call inside the tool, use [`inner_call`](CallContext::inner_call), and for a session
    /// [`child_run_context`](CallContext::child_run_context): with this context, they would have the keys of the calls of the run.
    #[must_use]
    pub fn run_context(&self) -> &RunContext {
        self.run.program()
    }

    /// A context for an inner [`Session`](crate::Session), or for dispatches of the tool; for single calls, use
    /// [`inner_call`](CallContext::inner_call). It has the state of the run context, its
    /// [`on_question`](RunContext::on_question), and a token that is cancelled together with the call. If the run context has a
    /// [`run_id`](RunContext::run_id), the run id of the new one is the [`key`](CallContext::key) of this call, so that its calls
    /// have keys of their own.
    ///
    /// Set the [`reply_number`](RunContext::reply_number) for each dispatch of the tool: otherwise the calls of its dispatches have
    /// the same keys. An inner session numbers its replies itself.
    ///
    /// It has no listeners and no middleware, allows all tools, and its calls do not count in the limits of the run context. A
    /// tool adds those of the run with [`inherit_listeners`](RunContext::inherit_listeners),
    /// [`inherit_middleware`](RunContext::inherit_middleware), [`inherit_allowed_tools`](RunContext::inherit_allowed_tools) and
    /// [`inherit_call_counts`](RunContext::inherit_call_counts).
    ///
    /// ```
    /// use tool_runtime::{CallContext, RunContext};
    ///
    /// let context = RunContext::new().run_id("order-7").reply_number(2).state("Ada").allowed_tools(["research"]);
    /// let call = CallContext::new("call_1", "research").with_run_context(context);
    /// let inner = CallContext::new("call_1", "find").with_run_context(call.child_run_context());
    /// assert_eq!(inner.run_context().get::<&str>(), Some(&"Ada"));
    /// assert_eq!(inner.key().map(|key| key.to_string()).as_deref(), Some("order-7/2/0/0/0"));
    /// ```
    #[must_use]
    pub fn child_run_context(&self) -> RunContext {
        self.run.inner(self)
    }

    /// Reports progress to the listeners of the run context ([`RunContext::on_event`]): the completed amount, the whole
    /// amount if it is known, and a description for people. Without listeners, and after the call has ended, it does
    /// nothing. As with [`emit`](CallContext::emit), an async tool that sends many events awaits between them.
    ///
    /// ```
    /// use tool_runtime::{CallContext, tool};
    ///
    /// /// Imports the files.
    /// #[tool]
    /// async fn import(files: Vec<String>, #[context] call: &CallContext) {
    ///     for (done, file) in (0..).zip(&files) {
    ///         call.progress(done, files.len() as u64, format!("reading {file}"));
    ///     }
    ///     call.progress(files.len() as u64, None, "building the index");
    /// }
    /// ```
    pub fn progress(&self, done: u64, total: impl Into<Option<u64>>, text: impl Into<String>) {
        if let Some(events) = &self.events {
            events.send(CallStatus::Progress { done, total: total.into(), text: text.into() });
        }
    }

    /// Sends data to the listeners of the run context ([`RunContext::on_event`]), as
    /// [`CallStatus::Emitted`](crate::dispatch::CallStatus::Emitted): for example rows, pieces of text, or the events of an inner
    /// [`Session`](crate::Session). The model does not receive it.
    ///
    /// Without listeners, and after the call has ended, it does nothing, and does not serialize the data. If the data cannot be
    /// written as JSON, the listeners receive the text of the error instead, as a string.
    ///
    /// The listener of a session's run ([`Run::on_event`](crate::session::Run::on_event)) receives the data in the task of
    /// the run: whenever the tool awaits, and after it has ended. 16 MiB can wait; the rest is
    /// [skipped](crate::dispatch::CallStatus::EventsSkipped). So an async tool that sends more than 10,000 values, or long ones,
    /// awaits between them: `tokio::task::yield_now().await` after every 1,000 values is enough.
    ///
    /// ```
    /// use std::sync::mpsc;
    /// use serde_json::json;
    /// use tool_runtime::{CallContext, RunContext, tool};
    ///
    /// /// Finds the primes below a limit.
    /// #[tool]
    /// fn primes(limit: u64, #[context] call: &CallContext) -> usize {
    ///     let primes = (2..limit).filter(|n| (2..*n).all(|d| n % d != 0));
    ///     primes.inspect(|prime| call.emit(json!({ "prime": prime }))).count()
    /// }
    ///
    /// let (sender, events) = mpsc::channel();
    /// let context = RunContext::new().on_event(move |event| drop(sender.send(serde_json::to_value(event))));
    /// assert_eq!(primes(4, &CallContext::new("call_1", "primes").with_run_context(context)), 2);
    /// let expected = json!({ "id": "call_1", "tool": "primes", "status": "emitted", "data": { "prime": 2 } });
    /// assert_eq!(events.recv()??, expected);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn emit(&self, data: impl Serialize) {
        if let Some(events) = self.events.as_ref().filter(|events| !events.has_ended()) {
            let data = serde_json::to_value(data).unwrap_or_else(|error| error.to_string().into());
            events.send(CallStatus::Emitted { data });
        }
    }

    /// Begins the time limits of the call again: that of the tool, and that of the registry. For a tool that shows signs of life,
    /// such as the progress of another server; limit the number of times.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tool_runtime::{CallContext, tool};
    ///
    /// /// Copies the pages.
    /// #[tool(timeout = "10s")]
    /// async fn copy_pages(pages: u16, #[context] call: &CallContext) {
    ///     for _ in 0..pages.min(100) {
    ///         tokio::time::sleep(Duration::from_secs(5)).await; // copy a page
    ///         call.restart_time_limit();
    ///     }
    /// }
    /// ```
    pub fn restart_time_limit(&self) {
        // A cancelled call has a limited time to finish.
        if !self.run.token().is_some_and(CancellationToken::is_cancelled) {
            self.pauses.restart_time_limits();
        }
    }

    /// The key of the call, which identifies it across restarts of the program. `None` if the run context has no
    /// [`run_id`](RunContext::run_id). See [`reply_number`](RunContext::reply_number) for the number of its reply.
    ///
    /// ```
    /// use tool_runtime::{CallContext, Registry, RunContext, ToolCall, tool, tools};
    ///
    /// /// Charges a card.
    /// #[tool]
    /// async fn charge(#[context] call: &CallContext) -> String {
    ///     call.key().map(|key| key.to_string()).unwrap_or_default()
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let context = RunContext::new().run_id("order-7").reply_number(2);
    /// let calls = [ToolCall::new("call_0", "charge", "{}"), ToolCall::new("call_1", "charge", "{}")];
    /// let messages = Registry::new(tools![charge])?.with(&context).dispatch(&calls).await;
    /// assert_eq!(messages[1].content, "order-7/2/1");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn key(&self) -> Option<CallKey> {
        self.run.key(self.reply, self.position)
    }

    /// A key for the service that the tool calls, such as the header `Idempotency-Key` of a payment. It is the same
    /// each time this call runs, even after a restart, and differs from that of each other call if the run context has
    /// the [`reply_number`](RunContext::reply_number), as in a session. A service that supports these keys responds to a
    /// repeated request with its first response, and the effect happens once.
    ///
    /// `None` if the run context has no [`run_id`](RunContext::run_id).
    ///
    /// It is the text of the [`key`](CallContext::key) in visible ASCII characters, for headers: all other bytes, and `%`, are
    /// written as `%` and two hexadecimal digits. Services limit the length, Stripe to 255 characters, so choose short run ids.
    ///
    /// ```
    /// use tool_runtime::{CallContext, RunContext};
    ///
    /// let call = |run_id| CallContext::new("call_0", "charge").with_run_context(RunContext::new().run_id(run_id).reply_number(2));
    /// assert_eq!(call("order-7").idempotency_key().as_deref(), Some("order-7/2/0"));
    /// assert_eq!(call("Köln 7").idempotency_key().as_deref(), Some("K%C3%B6ln%207/2/0"));
    /// ```
    #[must_use]
    pub fn idempotency_key(&self) -> Option<String> {
        let escape = |byte| match byte {
            b'!'..=b'~' if byte != b'%' => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        };
        Some(self.key()?.to_string().bytes().map(escape).collect())
    }
}
