//! What a tool can know of the call that it answers, and what a program can attach to the calls of one batch.

use crate::state::States;
use std::sync::Arc;

/// What a program attaches to the calls of one batch: its user, its tenant, a trace.
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

    /// The attached value of this type.
    #[must_use]
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.states()?.get()
    }

    pub(crate) fn states(&self) -> Option<&States> {
        self.states.as_deref()
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
}

impl CallContext {
    /// The context of a call with this id to this tool, in an empty batch.
    #[must_use]
    pub fn new(id: impl Into<String>, tool: impl Into<String>) -> Self {
        CallContext { id: id.into(), tool: tool.into(), batch: BatchContext::new() }
    }

    /// The same call in this batch.
    #[must_use]
    pub fn in_batch(mut self, batch: BatchContext) -> Self {
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

    /// What the program attached to the batch that the call belongs to.
    #[must_use]
    pub fn batch(&self) -> &BatchContext {
        &self.batch
    }
}
