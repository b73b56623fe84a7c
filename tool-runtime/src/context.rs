//! What a tool can know of the call that it answers, and what a program can attach to the calls of one batch.

use crate::state::States;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use tokio_util::sync::CancellationToken;

/// What a program attaches to the calls of one batch: its user, its tenant, a trace; and the token that ends it early.
///
/// A tool takes a value as `#[state] user: &User`, or finds it in its [`CallContext`]. It is seen by the batch
/// that brings it and by no other. A clone is a pointer.
///
/// ```
/// use tool_runtime::{BatchContext, Registry, ToolCall, tool, tools};
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
/// let registry = Registry::builder().tools(tools![who_am_i]).batch_state::<User>().build()?;
/// let batch = BatchContext::new().state(User("Ada".to_owned()));
/// let answers = registry.dispatch_with(&[ToolCall::new("call_1", "who_am_i", "{}")], &batch).await;
/// assert_eq!(answers[0].content, "Ada");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct BatchContext {
    /// `None` while it is empty, so that an empty one costs nothing.
    states: Option<Arc<States>>,
    cancellation: Option<CancellationToken>,
}

impl BatchContext {
    /// An empty one.
    #[must_use]
    pub fn new() -> Self {
        BatchContext::default()
    }

    /// Attaches a value; one of the same type that was there is replaced, and one that the registry holds is
    /// hidden from this batch.
    #[must_use]
    pub fn state<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        Arc::make_mut(self.states.get_or_insert_default()).insert(value);
        self
    }

    /// Lets the batch be ended early. When the token is cancelled, calls that have their answers keep them, those too
    /// that give them when the token wakes them; every other is answered with `Error: cancelled before it finished`,
    /// and the dispatch returns. Futures of tools are dropped; a `blocking` body that has begun goes on, unless it asks
    /// its [`CallContext`].
    ///
    /// ```
    /// use tool_runtime::dispatch::CancellationToken;
    /// use tool_runtime::{BatchContext, Registry, ToolCall, tool, tools};
    ///
    /// /// Waits for a reply that never comes.
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
    /// let registry = Registry::new(tools![wait, now])?;
    /// let token = CancellationToken::new();
    /// let batch = BatchContext::new().cancellation(token.clone());
    /// let calls = [ToolCall::new("call_1", "wait", "{}"), ToolCall::new("call_2", "now", "{}")];
    /// let (answers, ()) = tokio::join!(registry.dispatch_with(&calls, &batch), async { token.cancel() });
    /// assert_eq!(answers[0].content, "Error: cancelled before it finished");
    /// assert_eq!(answers[1].content, "12:00");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation = Some(token);
        self
    }

    /// The attached value of this type.
    #[must_use]
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.states()?.get()
    }

    pub(crate) fn states(&self) -> Option<&States> {
        self.states.as_deref()
    }

    pub(crate) fn token(&self) -> Option<&CancellationToken> {
        self.cancellation.as_ref()
    }

    /// A token that is cancelled when the batch is, and that cannot cancel the batch.
    pub(crate) fn child_token(&self) -> CancellationToken {
        self.token().map_or_else(CancellationToken::new, CancellationToken::child_token)
    }
}

/// The call that a tool answers: a parameter `#[context] call: &CallContext` gets it.
///
/// ```
/// use tool_runtime::{BatchContext, CallContext, tool};
///
/// struct Tenant(&'static str);
///
/// /// Opens a ticket.
/// #[tool]
/// fn open_ticket(title: &str, #[context] call: &CallContext) -> String {
///     let tenant = call.batch().get::<Tenant>().map_or("nobody", |tenant| tenant.0);
///     format!("{title} (by {tenant}, call {})", call.id())
/// }
///
/// // In a unit test, it is made by hand.
/// let call = CallContext::new("call_1", "open_ticket").in_batch(BatchContext::new().state(Tenant("Acme")));
/// assert_eq!(open_ticket("No heating", &call), "No heating (by Acme, call call_1)");
/// ```
#[derive(Clone, Debug)]
pub struct CallContext {
    id: String,
    tool: String,
    batch: BatchContext,
    cancellation: CancellationToken,
}

impl CallContext {
    /// The context of a call with this id to this tool, in an empty batch.
    #[must_use]
    pub fn new(id: impl Into<String>, tool: impl Into<String>) -> Self {
        CallContext {
            id: id.into(),
            tool: tool.into(),
            batch: BatchContext::new(),
            cancellation: CancellationToken::new(),
        }
    }

    pub(crate) fn of_call(id: &str, tool: &str, batch: &BatchContext, progress: &Progress) -> Self {
        CallContext {
            id: id.to_owned(),
            tool: tool.to_owned(),
            batch: batch.clone(),
            cancellation: progress.token(batch),
        }
    }

    /// The same call in this batch.
    #[must_use]
    pub fn in_batch(mut self, batch: BatchContext) -> Self {
        self.cancellation = batch.child_token();
        self.batch = batch;
        self
    }

    /// The id that the model gave to the call; empty when the tool is run by hand with
    /// [`Registry::call`](crate::Registry::call).
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The name by which the tool was called.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// A token that is cancelled when the call comes to its end before its tool has finished: the batch is cancelled,
    /// its time is over, the dispatch was dropped, the tool panicked, it was not approved. It is cancelled with its
    /// batch even later, when the tool has left something at work. To hand on to what the tool calls, or to stop in
    /// good order: a future that answers at once when it is woken by the token of its batch keeps its answer, and is
    /// dropped otherwise; the body of a `blocking` tool is stopped by nothing else. To cancel the token does not cancel
    /// the batch.
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

    /// What the program attached to the batch that the call belongs to.
    #[must_use]
    pub fn batch(&self) -> &BatchContext {
        &self.batch
    }
}

/// How far one call is. Its token is made if somebody asks for it, and cancelled if this is dropped before the tool has
/// finished: what goes on without the call can learn of it.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    token: OnceLock<CancellationToken>,
    has_begun: AtomicBool,
    has_finished: AtomicBool,
}

impl Progress {
    /// That of a body on a thread, whose token another one watches over.
    pub(crate) fn on_a_thread(token: CancellationToken) -> Self {
        Progress { token: token.into(), has_begun: true.into(), has_finished: true.into() }
    }

    pub(crate) fn token(&self, batch: &BatchContext) -> CancellationToken {
        self.token.get_or_init(|| batch.child_token()).clone()
    }

    pub(crate) fn begun(&self) {
        self.has_begun.store(true, Ordering::Relaxed);
    }

    pub(crate) fn finished(&self) {
        self.has_finished.store(true, Ordering::Relaxed);
    }

    /// Whether the tool has begun: what it has done may have taken effect.
    pub(crate) fn has_begun(&self) -> bool {
        self.has_begun.load(Ordering::Relaxed)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let (Some(token), false) = (self.token.get(), *self.has_finished.get_mut()) {
            token.cancel();
        }
    }
}
