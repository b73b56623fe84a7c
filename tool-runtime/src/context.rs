//! The context of a call, and the context of a batch of calls.

use crate::state::States;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use tokio_util::sync::CancellationToken;

/// Values that a program attaches to the calls of one batch, such as a user, a tenant or a trace, and a cancellation
/// token.
///
/// A tool takes a value with `#[state] user: &User`, or from its [`CallContext`]. Only the calls of this batch see the
/// values. A clone shares them.
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
    /// `None` without values, so that an empty context needs no allocation.
    states: Option<Arc<States>>,
    cancellation: Option<CancellationToken>,
}

impl BatchContext {
    /// Creates an empty context.
    #[must_use]
    pub fn new() -> Self {
        BatchContext::default()
    }

    /// Attaches a value. It replaces an attached value of the same type, and this batch uses it instead of the
    /// registry's state of that type.
    #[must_use]
    pub fn state<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        Arc::make_mut(self.states.get_or_insert_default()).insert(value);
        self
    }

    /// Sets the token that cancels the batch. Default: none.
    ///
    /// When the token is cancelled, the dispatch returns:
    ///
    /// - Calls that have finished keep their results, as do calls that finish when the token wakes them.
    /// - Every other call gets the message `Error: cancelled before it finished`, and its future is dropped.
    /// - A `blocking` function that has begun continues on its thread, unless it checks the token of its [`CallContext`].
    ///
    /// ```
    /// use tool_runtime::dispatch::CancellationToken;
    /// use tool_runtime::{BatchContext, Registry, ToolCall, tool, tools};
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

    /// Returns the attached value of this type, if any.
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

    /// A token that is cancelled with the batch, and whose cancellation does not cancel the batch.
    pub(crate) fn child_token(&self) -> CancellationToken {
        self.token().map_or_else(CancellationToken::new, CancellationToken::child_token)
    }
}

/// The context of one call. A tool receives it with a parameter `#[context] call: &CallContext`.
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
/// // Unit tests create it with `new`.
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
    /// Creates the context of a call of this tool, with this id and in an empty batch.
    #[must_use]
    pub fn new(id: impl Into<String>, tool: impl Into<String>) -> Self {
        CallContext {
            id: id.into(),
            tool: tool.into(),
            batch: BatchContext::new(),
            cancellation: CancellationToken::new(),
        }
    }

    pub(crate) fn with_progress(id: &str, tool: &str, batch: &BatchContext, progress: &Progress) -> Self {
        CallContext {
            id: id.to_owned(),
            tool: tool.to_owned(),
            batch: batch.clone(),
            cancellation: progress.token(batch),
        }
    }

    /// Sets the batch of the call.
    #[must_use]
    pub fn in_batch(mut self, batch: BatchContext) -> Self {
        self.cancellation = batch.child_token();
        self.batch = batch;
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
    /// The token is cancelled when the call ends before its tool has finished: the batch was cancelled, the time limit
    /// expired, the dispatch was dropped, the tool panicked, or the call was not approved. It is also cancelled when
    /// the batch is cancelled after the tool has finished, for tasks that the tool spawned. Cancelling the token does
    /// not cancel the batch.
    ///
    /// When the batch is cancelled, a future that finishes at its next poll keeps its result; otherwise it is dropped.
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

    /// The context of the call's batch.
    #[must_use]
    pub fn batch(&self) -> &BatchContext {
        &self.batch
    }
}

/// The progress of one call. Its token is created on first use, and cancelled if this value is dropped before the tool
/// has finished, so that work that outlives the call can stop.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    token: OnceLock<CancellationToken>,
    has_begun: AtomicBool,
    has_finished: AtomicBool,
}

impl Progress {
    /// The progress of a function on a blocking thread. The call's own progress cancels the token.
    pub(crate) fn with_token(token: CancellationToken) -> Self {
        Progress { token: token.into(), has_begun: true.into(), has_finished: true.into() }
    }

    pub(crate) fn token(&self, batch: &BatchContext) -> CancellationToken {
        self.token.get_or_init(|| batch.child_token()).clone()
    }

    pub(crate) fn set_begun(&self) {
        self.has_begun.store(true, Ordering::Relaxed);
    }

    pub(crate) fn set_finished(&self) {
        self.has_finished.store(true, Ordering::Relaxed);
    }

    /// Whether the tool has begun and may have taken effect.
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
