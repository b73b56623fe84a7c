//! What a program says of a call before it runs.

use crate::context::CallContext;
use crate::output::ToolOutput;
use crate::tool::Hints;
use serde_json::value::RawValue;
use std::future::Future;
use std::pin::Pin;

/// A call whose arguments were found good, before it runs: the hook of
/// [`before_call`](crate::RegistryBuilder::before_call) gets it, and says with a [`Decision`] what becomes of it.
#[derive(Clone, Debug)]
pub struct ProposedCall {
    context: CallContext,
    hints: Hints,
    arguments: Box<RawValue>,
    is_approved: bool,
}

impl ProposedCall {
    /// One made by hand, to test a hook.
    ///
    /// ```
    /// use tool_runtime::serde_json::value::RawValue;
    /// use tool_runtime::{CallContext, Decision, Hints, ProposedCall};
    ///
    /// async fn approve(call: ProposedCall) -> Decision {
    ///     if call.hints().destructive { Decision::deny("nothing is deleted today") } else { Decision::Run }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut hints = Hints::default();
    /// hints.destructive = true;
    /// let arguments = RawValue::from_string(r#"{"path":"a"}"#.to_owned())?;
    /// let call = ProposedCall::new(CallContext::new("call_1", "delete"), hints, arguments);
    /// assert!(matches!(approve(call).await, Decision::Deny(_)));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn new(context: CallContext, hints: Hints, arguments: Box<RawValue>) -> Self {
        ProposedCall { context, hints, arguments, is_approved: false }
    }

    /// The tool.
    #[must_use]
    pub fn tool(&self) -> &str {
        self.context.tool()
    }

    /// What the tool says of itself: whether it is destructive, whether it requires approval.
    #[must_use]
    pub fn hints(&self) -> Hints {
        self.hints
    }

    /// The arguments that the tool will get: one JSON object, mended if it had slips. An argument that is not in it has
    /// its default. The text is the model's: before it is shown to a person, what moves a cursor or turns a text around
    /// should be escaped, as `examples/approval.rs` does.
    #[must_use]
    pub fn arguments(&self) -> &RawValue {
        &self.arguments
    }

    /// Whether a person has approved it already, with [`PendingCalls::approve`](crate::PendingCalls::approve).
    #[must_use]
    pub fn is_approved(&self) -> bool {
        self.is_approved
    }

    pub(crate) fn approved(self, is_approved: bool) -> Self {
        ProposedCall { is_approved, ..self }
    }

    /// The id of the call, and what the program attached to its batch.
    #[must_use]
    pub fn context(&self) -> &CallContext {
        &self.context
    }
}

/// What becomes of a call: see [`RegistryBuilder::before_call`](crate::RegistryBuilder::before_call).
#[derive(Debug, Default)]
#[non_exhaustive]
pub enum Decision {
    /// It runs. This is the yes that a tool with `requires_approval` waits for.
    Run,
    /// No opinion: it runs, unless its tool has `requires_approval`. For a hook that only watches, or that decides about
    /// some tools alone.
    #[default]
    Undecided,
    /// It does not run. The model reads the reason after `Error: `.
    Deny(String),
    /// It does not run, and this is its answer: of a cache, or of a rehearsal.
    Answer(ToolOutput),
}

impl Decision {
    /// [`Decision::Deny`], with the reason for the model.
    #[must_use]
    pub fn deny(reason: impl Into<String>) -> Self {
        Decision::Deny(reason.into())
    }

    /// [`Decision::Answer`], with what the model reads.
    #[must_use]
    pub fn answer(output: impl Into<ToolOutput>) -> Self {
        Decision::Answer(output.into())
    }
}

/// The hook of a registry.
pub(crate) struct BeforeCall(Box<dyn Fn(ProposedCall) -> Deciding + Send + Sync>);

pub(crate) type Deciding = Pin<Box<dyn Future<Output = Decision> + Send>>;

impl BeforeCall {
    pub(crate) fn new<F: Future<Output = Decision> + Send + 'static>(
        hook: impl Fn(ProposedCall) -> F + Send + Sync + 'static,
    ) -> Self {
        BeforeCall(Box::new(move |call| Box::pin(hook(call))))
    }

    pub(crate) fn decide(&self, call: ProposedCall) -> Deciding {
        (self.0)(call)
    }
}
