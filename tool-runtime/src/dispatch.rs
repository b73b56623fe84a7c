//! Calls in, paired messages out.

mod panics;
mod run;

use crate::context::BatchContext;
use crate::messages::{ToolCall, ToolMessage};
use crate::outcome::{CallError, Outcome};
use crate::registry::Registry;
use futures_util::future::join_all;
use run::Work;
use std::sync::OnceLock;
use std::time::Instant;

impl Registry {
    /// Runs the calls of one reply side by side, and answers each: `answers[i]` is for `calls[i]` and has its
    /// id, whatever the model sent and whatever the tool did.
    ///
    /// An unknown tool, arguments that are broken or wrong, an error, a panic and a time-out are each told to the
    /// model, in a text that starts with `Error: `. What is only for the program is in the message's
    /// [`outcome`](ToolMessage::outcome): what a panic said (the process's own panic hook still runs, and a program
    /// that is built with `panic = "abort"` ends there), or that a batch did not bring a state.
    ///
    /// The tools share the caller's task: one that computes for long without an `.await` delays the others, unless
    /// it is `blocking`, and the answers are there when the last tool has ended. Dropping the future drops the tools;
    /// a `blocking` one that has a thread goes on, one that waits for a thread never starts. It needs a Tokio runtime
    /// for tools that have a time-out or are `blocking`, and else none in particular.
    ///
    /// A tool with `requires_approval` does not run here yet: its call is answered with an error that says so.
    /// [`call`](Registry::call) runs it, since that is the program's own doing.
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

    /// As [`dispatch`](Registry::dispatch), with what the program attaches to this batch: see [`BatchContext`].
    pub async fn dispatch_with(&self, calls: &[ToolCall], batch: &BatchContext) -> Vec<ToolMessage> {
        let started = Instant::now();
        join_all(calls.iter().map(|call| self.answer(call, batch, started))).await
    }

    /// Runs one tool by hand, for tests and scripts: in an empty batch, and without asking for approval.
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
    /// What the model would have been told.
    pub async fn call(&self, name: &str, arguments: &str) -> Result<String, CallError> {
        let Some(tool) = self.entry(name) else {
            return Err(CallError::UnknownTool(self.unknown_tool(name)));
        };
        let (batch, repairs) = (BatchContext::new(), OnceLock::new());
        self.run(tool, &Work { id: "", arguments, batch: &batch, repairs: &repairs }).await
    }

    async fn answer(&self, call: &ToolCall, batch: &BatchContext, started: Instant) -> ToolMessage {
        let repairs = OnceLock::new();
        let result = match self.entry(&call.name) {
            None => Err(CallError::UnknownTool(self.unknown_tool(&call.name))),
            Some(tool) if tool.options.hints.requires_approval => {
                Err(CallError::NeedsApproval { tool: tool.name.to_string() })
            }
            Some(tool) => {
                let work = Work { id: &call.id, arguments: &call.arguments, batch, repairs: &repairs };
                self.run(tool, &work).await
            }
        };
        let (content, error) = match result {
            Ok(text) => (text, None),
            Err(error) => (format!("Error: {error}"), Some(error)),
        };
        let mut message = ToolMessage::new(call.id.as_str(), content);
        message.outcome = Some(Outcome::new(error, repairs.into_inner(), started.elapsed()));
        message
    }
}
