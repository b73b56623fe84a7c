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
use crate::messages::{Artifact, ERROR, ToolCall, ToolMessage};
use crate::outcome::{CallError, Outcome};
use crate::output::cut;
use crate::registry::{Entry, Registry};
use futures_util::StreamExt as _;
use futures_util::future::join_all;
use futures_util::stream::FuturesUnordered;
use std::future::Future;
use std::iter;
// The same as that of std, but for a test that pauses the time.
use tokio::time::Instant;
pub(crate) use work::Approval;
use work::Work;

/// Up to so many calls, `join_all` polls all of them, whichever is woken.
const FEW: usize = 30;

/// Of more, so many are polled together. With a task of its own, each of 64 calls that do not wait takes an eighth longer;
/// in a group, each time that one is woken, up to a sixth.
const GROUP: usize = 4;

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

/// What holds for one call of a dispatch.
pub(crate) struct CallTerms<'a> {
    pub(crate) approval: Approval,
    /// Where the caller wants to see how far it is.
    pub(crate) progress: Option<&'a Progress>,
    /// Why it is not run, by the name of its tool.
    pub(crate) refused: Option<fn(String) -> CallError>,
}

impl CallTerms<'_> {
    pub(crate) const NONE: Self = CallTerms { approval: Approval::None, progress: None, refused: None };
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
                let mut answering = calls.iter().zip(answers).enumerate().map(|(index, (call, answer))| {
                    self.answer_into(index, call, &CallTerms::NONE, dispatch, answer)
                });
                if calls.len() <= FEW {
                    join_all(answering).await;
                } else {
                    let group = || (answering.len() > 0).then(|| join_all(answering.by_ref().take(GROUP)));
                    iter::from_fn(group).collect::<FuturesUnordered<_>>().count().await;
                }
            }
        }
        answers
    }

    /// The answer to one call of a reply.
    pub(crate) async fn answer(
        &self,
        index: usize,
        call: &ToolCall,
        terms: &CallTerms<'_>,
        dispatch: &Dispatch<'_>,
    ) -> ToolMessage {
        let mut answer = ToolMessage::blank(&call.id);
        self.answer_into(index, call, terms, dispatch, &mut answer).await;
        answer
    }

    /// Writes the answer into the message where it stays: to move messages through the futures of a batch costs more than
    /// to make them.
    fn answer_into<'a>(
        &'a self,
        index: usize,
        call: &'a ToolCall,
        terms: &'a CallTerms<'a>,
        dispatch: &'a Dispatch<'a>,
        answer: &'a mut ToolMessage,
    ) -> impl Future<Output = ()> + Send + 'a {
        #[cfg(feature = "tracing")]
        return self.answer_in_span(index, call, terms, dispatch, answer);
        #[cfg(not(feature = "tracing"))]
        self.answer_untraced(index, call, terms, dispatch, answer)
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

    #[allow(clippy::manual_async_fn, reason = "an `async fn` keeps what it is given twice")]
    fn answer_untraced<'a>(
        &'a self,
        index: usize,
        call: &'a ToolCall,
        terms: &'a CallTerms<'a>,
        dispatch: &'a Dispatch<'a>,
        answer: &'a mut ToolMessage,
    ) -> impl Future<Output = ()> + Send + 'a {
        async move {
            let outcome = answer.outcome.get_or_insert_default();
            let result = match self.tool_to_run(index, call, terms) {
                Ok(tool) => {
                    let own_progress = Progress::default();
                    let progress = terms.progress.unwrap_or(&own_progress);
                    let approval = terms.approval;
                    let work = Work {
                        approval,
                        ..Work::new(tool, &call.id, &call.arguments, dispatch.batch, progress)
                    };
                    let result = self.run(&work, outcome).await;
                    outcome.has_begun = progress.has_begun();
                    result.map(|output| {
                        answer.content = self.shown(output.text, "").into();
                        answer.artifact = output.artifact.map(Artifact::new);
                    })
                }
                Err(error) => Err(error),
            };
            if let Err(error) = result {
                answer.content = self.shown(format!("{ERROR}{error}"), ERROR).into();
                outcome.failed(error);
            }
            outcome.duration = dispatch.started.elapsed();
        }
    }

    /// The tool that is to be run.
    fn tool_to_run(
        &self,
        index: usize,
        call: &ToolCall,
        terms: &CallTerms<'_>,
    ) -> Result<&Entry, Box<CallError>> {
        if let Some(limit) = self.exceeded_by(index) {
            return Err(CallError::TooManyCalls { limit }.into());
        }
        let Some(tool) = self.entry(&call.name) else {
            return Err(CallError::UnknownTool(self.unknown_tool(&call.name)).into());
        };
        if let Some(refused) = terms.refused {
            return Err(refused(tool.name.to_string()).into());
        }
        if call.is_cut_off {
            return Err(CallError::CutOff { tool: tool.name.to_string() }.into());
        }
        Ok(tool)
    }

    /// The limit of calls in one batch, where the call with this index is over it.
    fn exceeded_by(&self, index: usize) -> Option<usize> {
        self.limits().max_calls_per_batch.filter(|&limit| index >= limit)
    }

    /// As much of a text as the model is shown. Its prefix is shown whole.
    #[inline]
    fn shown(&self, text: String, prefix: &str) -> String {
        let Some(most) = self.limits().max_output_bytes else { return text };
        match cut(&text[prefix.len()..], most.saturating_sub(prefix.len())) {
            Some(cut) => [prefix, &cut].concat(),
            None => text,
        }
    }
}
