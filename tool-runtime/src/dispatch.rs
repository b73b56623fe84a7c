//! Dispatch of tool calls: each call gets exactly one tool message.
//!
//! [`Registry::dispatch`] runs the calls of one reply. The types of this module go in and come out:
//!
//! - [`BatchContext`] carries application state and a [`CancellationToken`] into a dispatch. A tool reads its
//!   [`CallContext`].
//! - The [`before_call`](crate::RegistryBuilder::before_call) hook receives a [`ProposedCall`] and returns a
//!   [`Decision`].
//! - A tool can return a [`ToolOutput`] or a [`ToolError`], which have separate parts for the model and the program.
//! - [`ToolMessage::outcome`] is the [`Outcome`] of a call: its duration, and the [`CallError`] if there is no result.
//!   [`ArgumentError`] and [`UnknownToolError`] have the details.

mod answer;
mod approval;
mod run;
mod side_by_side;
#[cfg(feature = "tracing")]
mod span;
mod steps;
mod stream;
mod thread;
mod time;
mod work;

#[doc(inline)]
pub use crate::approval::{Decision, ProposedCall};
#[doc(inline)]
pub use crate::context::{BatchContext, CallContext};
#[doc(inline)]
pub use crate::outcome::{ArgumentError, CallError, Outcome, UnknownToolError};
#[doc(inline)]
pub use crate::output::{ToolError, ToolOutput};
pub use tokio_util::sync::CancellationToken;

pub(crate) use answer::CallTerms;
pub(crate) use side_by_side::SideBySide;
pub(crate) use work::Approval;

use crate::context::Progress;
use crate::message::{ToolCall, ToolMessage};
use crate::registry::Registry;
// Tokio's clock, which tests can pause.
use tokio::time::Instant;
use work::Work;

/// The data that the calls of one dispatch share.
pub(crate) struct Dispatch<'a> {
    batch: &'a BatchContext,
    started: Instant,
}

impl<'a> Dispatch<'a> {
    /// Creates a dispatch that starts now.
    pub(crate) fn of(batch: &'a BatchContext) -> Self {
        Dispatch { batch, started: Instant::now() }
    }
}

impl Registry {
    /// Runs the calls of one reply concurrently. Always returns one tool message per call: `answers[i]` is for
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
    /// [`dispatch_with`](Registry::dispatch_with) takes a cancellation token.
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
    /// let answers = registry
    ///     .dispatch(&[ToolCall::new("call_1", "add", r#"{"a":1,"b":2}"#), ToolCall::new("call_2", "ad", "{}")])
    ///     .await;
    /// assert_eq!(answers[0].content, "3");
    /// assert_eq!(answers[1].content, "Error: there is no tool `ad`; did you mean `add`? Available: `add`.");
    /// # Ok(())
    /// # }
    /// ```
    pub async fn dispatch(&self, calls: &[ToolCall]) -> Vec<ToolMessage> {
        self.dispatch_with(calls, &BatchContext::new()).await
    }

    /// Like [`dispatch`](Registry::dispatch), with the state and the cancellation token of a [`BatchContext`].
    pub async fn dispatch_with(&self, calls: &[ToolCall], batch: &BatchContext) -> Vec<ToolMessage> {
        let dispatch = &Dispatch::of(batch);
        let mut answers: Vec<ToolMessage> = calls.iter().map(|call| ToolMessage::blank(&call.id)).collect();
        match (calls, &mut answers[..]) {
            // Most replies have one call; without the collection of futures it takes 10 % less time.
            ([call], [answer]) => self.answer_into(0, call, &CallTerms::NONE, dispatch, answer).await,
            (calls, answers) => {
                let answering = calls.iter().zip(answers).enumerate().map(|(index, (call, answer))| {
                    self.answer_into(index, call, &CallTerms::NONE, dispatch, answer)
                });
                SideBySide::of(answering).end().await;
            }
        }
        answers
    }

    /// Runs one tool, for tests and scripts, with an empty batch and without the
    /// [`before_call`](crate::RegistryBuilder::before_call) hook. The limits of the registry apply, also to the length
    /// of the result.
    ///
    /// ```
    /// # use tool_runtime::{Registry, tool, tools};
    /// # /// Adds two numbers.
    /// # #[tool]
    /// # async fn add(a: i64, b: i64) -> i64 {
    /// #     a + b
    /// # }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = Registry::new(tools![add])?;
    /// assert_eq!(registry.call("add", r#"{"a":1,"b":2}"#).await?, "3");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the error of the call. Its text is not truncated.
    pub async fn call(&self, name: &str, arguments: &str) -> Result<String, CallError> {
        let Some(tool) = self.entry(name) else {
            return Err(CallError::UnknownTool(self.unknown_tool(name)));
        };
        let (batch, progress) = (BatchContext::new(), Progress::default());
        let work = Work { approval: Approval::ByHand, ..Work::new(tool, "", arguments, &batch, &progress) };
        let output = self.run(&work, &mut Outcome::default()).await.map_err(|error| *error)?;
        Ok(self.shown(output.text, ""))
    }
}
