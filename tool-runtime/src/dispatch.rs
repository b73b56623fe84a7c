//! Calls in, paired messages out.

mod panics;

use crate::arguments::{Invocation, NotStarted, Refusal};
use crate::messages::{ToolCall, ToolMessage};
use crate::outcome::{CallError, Outcome};
use crate::output::Failure;
use crate::registry::Registry;
use crate::tool::Descriptor;
use futures_util::future::join_all;
use std::time::Instant;

impl Registry {
    /// Runs the calls of one reply side by side, and answers each: `answers[i]` is for `calls[i]` and has its
    /// id, whatever the model sent and whatever the tool did.
    ///
    /// An unknown tool, arguments that are broken or wrong, an error and a panic are each told to the model,
    /// in a text that starts with `Error: `. What a panic said is kept for the program, in the message's
    /// [`outcome`](ToolMessage::outcome); the process's own panic hook still runs, and a program that is built
    /// with `panic = "abort"` ends there.
    ///
    /// The tools share the caller's task: one that computes for long without an `.await` delays the others, and
    /// the answers are there when the last tool has ended. Dropping the future drops the tools. It needs no
    /// particular runtime.
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
        let started = Instant::now();
        join_all(calls.iter().map(|call| self.answer(call, started))).await
    }

    /// Runs one tool by hand, for tests and scripts.
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
        let Some(tool) = self.descriptor(name) else {
            return Err(CallError::UnknownTool(self.unknown_tool(name)));
        };
        match panics::caught(run(tool, arguments)).await {
            Ok(result) => result,
            Err(message) => Err(CallError::Panicked { tool: tool.name.to_owned(), message }),
        }
    }

    async fn answer(&self, call: &ToolCall, started: Instant) -> ToolMessage {
        let (content, error) = match self.call(&call.name, &call.arguments).await {
            Ok(text) => (text, None),
            Err(error) => (format!("Error: {error}"), Some(error)),
        };
        let mut message = ToolMessage::new(call.id.as_str(), content);
        message.outcome = Some(Outcome::new(error, started.elapsed()));
        message
    }
}

async fn run(tool: &'static Descriptor, arguments: &str) -> Result<String, CallError> {
    let started = (tool.call)(Invocation::call(tool.parameters, arguments));
    let reply = started.map_err(|why| refused(tool.name, why))?.await;
    reply.map_err(|failure| match failure {
        Failure::Returned(message) => CallError::Returned { tool: tool.name.to_owned(), message },
        Failure::Unserializable(source) => CallError::Unserializable { tool: tool.name.to_owned(), source },
    })
}

#[cold]
fn refused(tool: &str, why: NotStarted) -> CallError {
    let tool = tool.to_owned();
    match why {
        NotStarted::Refused(refusal) => match *refusal {
            Refusal::NotJson(source) => CallError::NotJson { tool, source },
            Refusal::NotAnObject(got) => CallError::NotAnObject { tool, got },
            Refusal::Faults(faults) => CallError::InvalidArguments { tool, faults },
        },
        NotStarted::Described => unreachable!("a shim describes itself only when it is asked to"),
    }
}
