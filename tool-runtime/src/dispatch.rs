//! Calls in, paired messages out.

mod approval;
mod run;
#[cfg(feature = "tracing")]
mod span;
mod steps;
#[cfg(feature = "stream")]
mod stream;
mod thread;
mod time;
mod work;

use crate::context::{BatchContext, Progress};
use crate::messages::{Artifact, ToolCall, ToolMessage};
use crate::outcome::{CallError, Outcome};
use crate::output::{ToolOutput, cut};
use crate::registry::Registry;
use futures_util::future::join_all;
use std::future::Future;
// The same as that of std, but for a test that pauses the time.
use tokio::time::Instant;
pub(crate) use work::Approval;
use work::Work;

/// A call of a reply.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    /// Which of the reply's calls it is.
    pub(crate) index: usize,
    pub(crate) call: &'a ToolCall,
    pub(crate) approval: Approval,
    /// Where the caller wants to see how far it is.
    pub(crate) progress: Option<&'a Progress>,
    /// Why it is not run, by the name of its tool.
    pub(crate) refused: Option<fn(String) -> CallError>,
}

impl<'a> Asked<'a> {
    pub(crate) fn new(index: usize, call: &'a ToolCall) -> Self {
        Asked { index, call, approval: Approval::None, progress: None, refused: None }
    }
}

/// When a dispatch began.
#[derive(Clone, Copy)]
pub(crate) struct Started(Instant);

impl Started {
    pub(crate) fn now() -> Self {
        Started(Instant::now())
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
        let started = Started::now();
        let answers = calls
            .iter()
            .enumerate()
            .map(|(index, call)| self.answering(Asked::new(index, call), batch, started));
        join_all(answers).await
    }

    /// The answer to one call of a reply.
    pub(crate) fn answering<'a>(
        &'a self,
        asked: Asked<'a>,
        batch: &'a BatchContext,
        started: Started,
    ) -> impl Future<Output = ToolMessage> + Send + 'a {
        let answer = self.answer(asked, batch, started);
        #[cfg(feature = "tracing")]
        let answer = self.in_span(asked.call, answer);
        answer
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
        let output = self.run(&work, &mut Outcome::default()).await?;
        Ok(self.shown(output.text, ""))
    }

    async fn answer(&self, asked: Asked<'_>, batch: &BatchContext, started: Started) -> ToolMessage {
        let mut outcome = Outcome::default();
        let (content, artifact) = match self.result(asked, batch, &mut outcome).await {
            Ok(ToolOutput { text, artifact }) => (self.shown(text, ""), artifact),
            Err(error) => {
                let text = self.shown(error.to_string(), "Error: ");
                outcome.failed(error);
                (text, None)
            }
        };
        outcome.duration = started.0.elapsed();
        let mut message = ToolMessage::new(asked.call.id.as_str(), content);
        message.outcome = Some(outcome);
        message.artifact = artifact.map(Artifact::new);
        message
    }

    async fn result(
        &self,
        Asked { index, call, approval, progress, refused }: Asked<'_>,
        batch: &BatchContext,
        outcome: &mut Outcome,
    ) -> Result<ToolOutput, CallError> {
        if let Some(limit) = self.exceeded_by(index) {
            return Err(CallError::TooManyCalls { limit });
        }
        let Some(tool) = self.entry(&call.name) else {
            return Err(CallError::UnknownTool(self.unknown_tool(&call.name)));
        };
        if let Some(refused) = refused {
            return Err(refused(tool.name.to_string()));
        }
        if call.is_cut_off {
            return Err(CallError::CutOff { tool: tool.name.to_string() });
        }
        let own_progress = Progress::default();
        let progress = progress.unwrap_or(&own_progress);
        let work = Work { approval, ..Work::new(tool, &call.id, &call.arguments, batch, progress) };
        let result = self.run(&work, outcome).await;
        outcome.has_begun = progress.has_begun();
        result
    }

    /// The limit of calls in one batch, where the call with this index is over it.
    fn exceeded_by(&self, index: usize) -> Option<usize> {
        self.limits().max_calls_per_batch.filter(|&limit| index >= limit)
    }

    /// As much of a text as the model is shown, after a word that is shown whole.
    fn shown(&self, text: String, word: &str) -> String {
        let most = self.limits().max_output_bytes.unwrap_or(usize::MAX);
        match cut(&text, most.saturating_sub(word.len())) {
            Some(cut) => [word, &cut].concat(),
            None if word.is_empty() => text,
            None => [word, &text].concat(),
        }
    }
}
