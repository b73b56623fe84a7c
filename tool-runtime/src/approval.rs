//! Approval of calls before they run.

use crate::context::CallContext;
use crate::outcome::Escaped;
use crate::output::ToolOutput;
use crate::tool::{Annotations, Policy};
use serde_json::Value;
use std::fmt;
use std::future::Future;
use std::pin::Pin;

/// A call with valid arguments that has not run yet. The hook of [`before_call`](crate::RegistryBuilder::before_call)
/// receives it and returns a [`Decision`].
#[derive(Clone, Debug)]
pub struct ProposedCall {
    pub(crate) context: CallContext,
    pub(crate) annotations: Annotations,
    pub(crate) policy: Policy,
    pub(crate) arguments: String,
    pub(crate) is_approved: bool,
}

impl ProposedCall {
    /// The id of the call.
    #[must_use]
    pub fn id(&self) -> &str {
        self.context.id()
    }

    /// The name of the tool.
    #[must_use]
    pub fn tool(&self) -> &str {
        self.context.tool()
    }

    /// The annotations of the tool: whether it is destructive, for example.
    #[must_use]
    pub fn annotations(&self) -> Annotations {
        self.annotations
    }

    /// The policy of the tool: whether it requires approval, and its time limit.
    #[must_use]
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// The arguments that the tool receives: the text of one JSON object, after coercion. An argument that it does not
    /// contain has its default.
    ///
    /// The model wrote this text, which may have control characters and marks of text direction. To show the call to a person in
    /// a terminal, print it: its `Display` text escapes them.
    #[must_use]
    pub fn arguments(&self) -> &str {
        &self.arguments
    }

    /// Whether a person has already approved the call with [`Session::approve`](crate::Session::approve) or
    /// [`PendingCalls::approve`](crate::conversation::PendingCalls::approve).
    #[must_use]
    pub fn is_approved(&self) -> bool {
        self.is_approved
    }

    /// Whether the call would run with this decision of a hook: a person has approved it, for example, or its tool needs no
    /// approval. For a hook that replaces the arguments of calls that run: see [`Decision::RunWith`].
    #[must_use]
    pub fn would_run(&self, decision: &Decision) -> bool {
        match decision {
            Decision::Run | Decision::RunWith(_) => true,
            Decision::Undecided | Decision::Ask => {
                !decision.asks(self.is_approved, self.policy.requires_approval)
            }
            Decision::Deny(_) | Decision::Respond(_) => false,
        }
    }

    /// The id of the call, its key and its run context.
    #[must_use]
    pub fn context(&self) -> &CallContext {
        &self.context
    }
}

/// The tool and the arguments in one line, which is safe to print in a terminal.
impl fmt::Display for ProposedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", Escaped(self.tool()), Escaped(&self.arguments))
    }
}

/// The decision of a [`before_call`](crate::RegistryBuilder::before_call) hook about one call.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Decision {
    /// The call runs. This approves the call of a tool with `requires_approval`. If the provider asks a person about the call
    /// ([`wire`](crate::wire#tools-of-providers)), it still waits for the person.
    Run,
    /// The hook does not decide: the call runs, unless its tool has `requires_approval`. For hooks that only log, or that
    /// decide about some of the tools.
    #[default]
    Undecided,
    /// A person decides, even if the tool has no `requires_approval`: the call waits for an approval, unless a person has
    /// approved it already.
    Ask,
    /// The call runs with these arguments, one JSON object, in place of those of the model. This approves it, like `Run`.
    ///
    /// The new arguments are validated but not coerced. If they are invalid, the call fails with
    /// [`CallError::InvalidReplacement`](crate::CallError::InvalidReplacement).
    ///
    /// The new arguments may have secrets: the history and serialized events have only the arguments of the model.
    /// [`CallStatus::Started`](crate::dispatch::CallStatus::Started) has both in memory. Only a call whose result comes from
    /// elsewhere is stored with the new ones, since the program runs it
    /// ([`Session::awaiting_result`](crate::Session::awaiting_result)).
    ///
    /// `RunWith` approves a call, so a hook first decides whether the call runs:
    ///
    /// ```
    /// use serde_json::{Value, json};
    /// use tool_runtime::dispatch::{Decision, ProposedCall};
    /// use tool_runtime::{Registry, ToolCall, tool, tools};
    ///
    /// /// Looks up the orders of a customer.
    /// #[tool(read_only)]
    /// fn orders(customer: u32, token: Option<&str>) -> String {
    ///     format!("the orders of {customer}, read with {}", token.unwrap_or("no token"))
    /// }
    ///
    /// async fn with_token(call: ProposedCall) -> Decision {
    ///     let decision = Decision::Undecided; // of rules, for example
    ///     match serde_json::from_str::<Value>(call.arguments()) {
    ///         Ok(mut arguments) if call.would_run(&decision) => {
    ///             arguments["token"] = json!("key-4711");
    ///             Decision::RunWith(arguments)
    ///         }
    ///         _ => decision,
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = Registry::builder().tools(tools![orders]).before_call(with_token).build()?;
    /// let messages = registry.dispatch(&[ToolCall::new("call_1", "orders", r#"{"customer":7}"#)]).await;
    /// assert_eq!(messages[0].content, "the orders of 7, read with key-4711");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The model sees the parameter in the definition of the tool. A secret that no argument needs is
    /// [application state](crate::RegistryBuilder::state).
    RunWith(Value),
    /// The call does not run. The model receives the reason after `Error: `.
    Deny(String),
    /// The call does not run, and this is its result. For a cache, or for tests.
    Respond(ToolOutput),
}

impl Decision {
    /// Whether the call runs if no approval is needed.
    pub(crate) fn runs(&self) -> bool {
        matches!(self, Decision::Run | Decision::Undecided | Decision::Ask | Decision::RunWith(_))
    }

    /// Whether a call with this decision waits for a person.
    pub(crate) fn asks(&self, is_approved: bool, requires_approval: bool) -> bool {
        match self {
            Decision::Ask => !is_approved,
            Decision::Undecided => !is_approved && requires_approval,
            Decision::Run | Decision::RunWith(_) | Decision::Deny(_) | Decision::Respond(_) => false,
        }
    }
}

/// The `before_call` hook of a registry.
pub(crate) struct BeforeCall(Box<dyn Fn(ProposedCall) -> DecisionFuture + Send + Sync>);

pub(crate) type DecisionFuture = Pin<Box<dyn Future<Output = Decision> + Send>>;

impl BeforeCall {
    pub(crate) fn new<F: Future<Output = Decision> + Send + 'static>(
        hook: impl Fn(ProposedCall) -> F + Send + Sync + 'static,
    ) -> Self {
        BeforeCall(Box::new(move |call| Box::pin(hook(call))))
    }

    pub(crate) fn decide(&self, call: ProposedCall) -> DecisionFuture {
        (self.0)(call)
    }
}
