//! Dispatch of tool calls: each call gets exactly one tool message. [`Registry::dispatch`] runs the calls of one reply.
//! This module has its inputs and outputs:
//!
//! - [`RunContext`] carries application state and a [`CancellationToken`] into a dispatch. A tool reads its
//!   [`CallContext`].
//! - The [`before_call`](crate::RegistryBuilder::before_call) hook receives a [`ProposedCall`] and returns a
//!   [`Decision`].
//! - The middleware of [`around_call`](crate::RegistryBuilder::around_call) receives a [`ReadyCall`] and returns a
//!   [`ToolResult`].
//! - A listener of [`RunContext::on_event`] receives each [`CallEvent`] as it happens.
//! - A tool can return a [`ToolOutput`] or a [`ToolError`], which have separate parts for the model and the program.
//! - [`ToolMessage::outcome`] is the [`Outcome`] of a call: its duration if it was measured, and the [`CallError`] if there
//!   is no result.
//!   [`ArgumentError`] and [`UnknownToolError`] have the details.

mod blocking;
mod call_limit;
mod cancellation;
mod concurrent;
mod decision;
mod early_call;
mod ended;
mod hand_out;
mod look_up;
mod middleware;
mod own_keys;
mod prepare;
mod queue;
mod run;
mod sequence;
mod start_event;
mod stream;
mod streamed_reply;
mod timeout;
mod turn;

#[doc(inline)]
pub use crate::approval::{Decision, ProposedCall};
#[doc(inline)]
pub use crate::context::{
    CallContext, CallEvent, CallKey, CallStatus, Cause, HookArguments, Question, RunContext, UserAnswer,
};
#[doc(inline)]
pub use crate::outcome::{ArgumentError, CallError, Outcome, UnknownToolError};
#[doc(inline)]
pub use crate::output::{ToolError, ToolFailure, ToolOutput, ToolResult};
#[doc(inline)]
pub use crate::registry::ready_call::ReadyCall;
pub use hand_out::{CallEnd, HandedOutCall};
pub use tokio_util::sync::CancellationToken;

pub(crate) use cancellation::unless_cancelled;
pub(crate) use early_call::{EarlyCalls, RunningCalls};
pub(crate) use ended::{Ended, EndedCall};
pub(crate) use streamed_reply::{EndedReply, EventCall, StreamSettings, StreamedEvent, StreamedReply};

use crate::context::{CallRecord, Progress};
use crate::message::{ToolCall, ToolMessage};
use crate::registry::Registry;
use crate::tool::{Approval, IncomingCall};
use concurrent::join_groups;
use serde::Serialize;
use std::borrow::Cow;

impl Registry {
    /// Runs the calls of one reply concurrently. Always returns one tool message per call: `messages[i]` is for
    /// `calls[i]` and has its id.
    ///
    /// - **Errors**: if a call has no result, its message starts with `Error: ` and describes the problem and what the
    ///   model can do about it. [`CallError`] lists the errors, for example an unknown tool, invalid arguments, an
    ///   error of the tool, a panic or an expired time limit.
    /// - **Details for the program**: the [`outcome`](ToolMessage::outcome) of a message has the error itself, with
    ///   data that the model does not receive, such as the message of a panic.
    /// - **Panics**: a panic of a tool is caught. The panic hook of the process still runs, and a program that is built
    ///   with `panic = "abort"` aborts.
    /// - **Concurrency**: the tools run in the caller's task. A tool that computes for long without an `.await` delays
    ///   the others, unless it is `blocking`. The future completes when the last tool has ended.
    /// - **Drop**: dropping the future drops the tools. A `blocking` tool that runs on its thread continues; one that
    ///   waits for a thread never starts.
    /// - **Runtime**: time limits and `blocking` tools need a Tokio runtime. Everything else works with any executor.
    /// - **Approval**: a tool with `requires_approval` runs only if the
    ///   [`before_call`](crate::RegistryBuilder::before_call) hook returns [`Decision::Run`].
    ///
    /// [`RegistryBuilder`](crate::RegistryBuilder) sets the limits of time, concurrency and size.
    /// [`with`](Registry::with) binds state, a cancellation token and listeners.
    ///
    /// ```
    /// use tool_runtime::{Registry, ToolCall, tool, tools};
    ///
    /// /// Adds two numbers.
    /// #[tool]
    /// async fn add(a: i64, b: i64) -> i64 {
    ///     a + b
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = Registry::new(tools![add])?;
    /// let messages = registry
    ///     .dispatch(&[ToolCall::new("call_1", "add", r#"{"a":1,"b":2}"#), ToolCall::new("call_2", "ad", "{}")])
    ///     .await;
    /// assert_eq!(messages[0].content, "3");
    /// assert_eq!(messages[1].content, "Error: there is no tool `ad`. Call `add` instead.");
    /// # Ok(())
    /// # }
    /// ```
    pub async fn dispatch(&self, calls: &[ToolCall]) -> Vec<ToolMessage> {
        let registry = &*self.for_dispatch();
        let calls = &registry.with_own_keys(calls);
        let mut batch = registry.new_batch(0);
        batch.has_written_keys = matches!(calls, Cow::Owned(_));
        let order = registry.order(calls, |_| Progress::Open);
        batch.order = order.as_ref();
        let batch = &batch;
        let run = |(position, call)| async move {
            let record = CallRecord::default();
            let incoming = IncomingCall::new(batch, position, call, Approval::None, &record);
            let ended = registry.run_call(&incoming).await;
            ended.into_message(registry, call)
        };
        match &**calls {
            // Most replies have one call, which needs no collection of futures.
            [call] => vec![run((0, call)).await],
            calls => join_groups(calls.iter().enumerate().map(run)).await,
        }
    }

    /// Runs one tool, for tests and scripts. The arguments are a value that serializes as a JSON object, such as
    /// `json!({"a": 1})` or a struct; null or `()` for none; or a string with the text that a model writes.
    ///
    /// The [`before_call`](crate::RegistryBuilder::before_call) hook does not run, and a tool with `requires_approval` needs
    /// no approval. The run context with its listeners and limits, the middleware and the limits of the registry apply.
    ///
    /// ```
    /// # use tool_runtime::{Registry, tool, tools};
    /// use serde_json::json;
    ///
    /// # /// Adds two numbers.
    /// # #[tool]
    /// # async fn add(a: i64, b: i64) -> i64 {
    /// #     a + b
    /// # }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = Registry::new(tools![add])?;
    /// assert_eq!(registry.call("add", json!({"a": 1, "b": 2})).await.text(), "3");
    /// assert_eq!(registry.call("add", r#"{"a":1,"#).await.error_kind(), Some("not_json"));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn call(&self, name: &str, arguments: impl Serialize) -> ToolResult {
        let arguments = match arguments_text(name, &arguments) {
            Ok(arguments) => arguments,
            Err(error) => return Err(error.into()).into(),
        };
        let registry = &*self.for_dispatch();
        let call = ToolCall::new("", name, arguments);
        let own = registry.own_call(&call);
        let (call, record) = (own.as_ref().unwrap_or(&call), CallRecord::default());
        let mut batch = registry.new_batch(0);
        batch.has_written_keys = own.is_some();
        let incoming = IncomingCall::new(&batch, 0, call, Approval::Bypassed, &record);
        registry.run_call(&incoming).await.into_result(registry)
    }
}

/// The text of the arguments of a call: a string is this text itself, and any other value is written as JSON.
pub(crate) fn arguments_text(tool: &str, arguments: &impl Serialize) -> Result<String, CallError> {
    let text = serde_json::to_string(arguments)
        .and_then(|json| if json.starts_with('"') { serde_json::from_str(&json) } else { Ok(json) });
    text.map_err(|source| CallError::NotJson {
        tool: tool.to_owned(),
        is_truncated: false,
        near: String::new(),
        correction: "Pass a value that serializes as one JSON object.".to_owned(),
        source,
    })
}
