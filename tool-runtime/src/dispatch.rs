//! Calls in, paired messages out.

mod answer;
mod approval;
mod run;
mod side_by_side;
#[cfg(feature = "tracing")]
mod span;
mod steps;
#[cfg(feature = "stream")]
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
// The same as that of std, but for a test that pauses the time.
use tokio::time::Instant;
use work::Work;

/// What the calls of one dispatch share.
pub(crate) struct Dispatch<'a> {
    batch: &'a BatchContext,
    started: Instant,
}

impl<'a> Dispatch<'a> {
    /// One that begins now.
    pub(crate) fn of(batch: &'a BatchContext) -> Self {
        Dispatch { batch, started: Instant::now() }
    }
}

impl Registry {
    /// Runs the calls of one reply side by side, and answers each: `answers[i]` is for `calls[i]` and has its
    /// id, whatever the model sent and whatever the tool did.
    ///
    /// Whatever keeps a call from its result is told to the model, in a text that starts with `Error: `: an unknown
    /// tool, broken or wrong arguments, an error, a panic, a time-out, and all that [`CallError`] lists. What is only
    /// for the program is in the message's [`outcome`](ToolMessage::outcome): what a panic said (the process's own
    /// panic hook still runs, and a program that is built with `panic = "abort"` ends there), or that a batch did not
    /// bring a state.
    ///
    /// The tools share the caller's task: one that computes for long without an `.await` delays the others, unless
    /// it is `blocking`, and the answers are there when the last tool has ended. Dropping the future drops the tools;
    /// a `blocking` one that has a thread goes on, one that waits for a thread never starts. It needs a Tokio runtime
    /// for time-outs and for tools that are `blocking`, and else none in particular.
    ///
    /// How long a tool may take, how many run at once, how long answers may be, and who is asked before a call is for
    /// [`RegistryBuilder`](crate::RegistryBuilder) to say; [`dispatch_with`](Registry::dispatch_with) takes a token
    /// that ends the batch early. A tool with `requires_approval` runs only when
    /// [`before_call`](crate::RegistryBuilder::before_call) said yes.
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
        let dispatch = &Dispatch::of(batch);
        let mut answers: Vec<ToolMessage> = calls.iter().map(|call| ToolMessage::blank(&call.id)).collect();
        match (calls, &mut answers[..]) {
            // Most replies have one call, which needs no room among others: a tenth of what it costs.
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

    /// Runs one tool by hand, for tests and scripts: in an empty batch, and without asking for approval. Its
    /// time and the queue are those of any call, and a result is cut as for the model.
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
    /// What the model would have been told, in whole.
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
