//! What holds for every call of a registry: its time, its turn, the size of its answer, and who is asked before it.

use super::RegistryBuilder;
use super::fault::BuildFault;
use crate::approval::{BeforeCall, Decision, ProposedCall};
use std::future::Future;
use std::time::Duration;

/// `None` where there is no limit.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Limits {
    pub(super) timeout: Option<Duration>,
    pub(super) max_concurrency: Option<usize>,
    pub(crate) max_output_bytes: Option<usize>,
    pub(crate) max_calls_per_batch: Option<usize>,
}

impl Limits {
    /// Of a limit of nothing, no call could be answered.
    pub(super) fn refuse_zero(&self, faults: &mut Vec<BuildFault>) {
        let limits = [
            ("timeout", self.timeout.is_some_and(|timeout| timeout.is_zero())),
            ("max_concurrency", self.max_concurrency == Some(0)),
            ("max_output_bytes", self.max_output_bytes == Some(0)),
            ("max_calls_per_batch", self.max_calls_per_batch == Some(0)),
        ];
        let zero = limits.into_iter().filter(|(_, is_zero)| *is_zero);
        faults.extend(zero.map(|(limit, _)| BuildFault::ZeroLimit { limit }));
    }
}

impl RegistryBuilder {
    /// How long a call may take whose tool has no `timeout` of its own. Without either, it may take for ever, since a build
    /// or a download may rightly take an hour: to set one is recommended.
    ///
    /// The time is that of the tool alone. It begins when the tool begins, after what [`before_call`] decides, which may take
    /// as long again, and after the call has had its turn ([`max_concurrency`]). Then the future is dropped, and the model is told
    /// how long was allowed and, unless the tool is `read_only`, that it may have taken effect. A `fn` that is not `blocking`
    /// cannot be interrupted. Needs a Tokio runtime with time enabled.
    ///
    /// [`before_call`]: RegistryBuilder::before_call
    /// [`max_concurrency`]: RegistryBuilder::max_concurrency
    pub fn timeout(mut self, allowed: Duration) -> Self {
        self.options.limits.timeout = Some(allowed);
        self
    }

    /// How many tools of this registry, its clones and its subsets run at once, over all batches. The others wait for their
    /// turn, first come first served. No limit by default.
    ///
    /// A `blocking` body that goes on after its call was given up counts no more. A tool that itself dispatches on the same
    /// registry, and waits for the answers, has a turn while they wait for one.
    ///
    /// ```
    /// # use tool_runtime::{Registry, ToolCall, tool, tools};
    /// # /// Asks a server that takes two requests at once.
    /// # #[tool]
    /// # async fn ask() {}
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = Registry::builder().tools(tools![ask]).max_concurrency(2).build()?;
    /// let calls: Vec<ToolCall> = (0..10).map(|n| ToolCall::new(n.to_string(), "ask", "{}")).collect();
    /// assert_eq!(registry.dispatch(&calls).await.len(), 10);
    /// # Ok(())
    /// # }
    /// ```
    pub fn max_concurrency(mut self, tools: usize) -> Self {
        self.options.limits.max_concurrency = Some(tools);
        self
    }

    /// How long an answer may be, in bytes of UTF-8, its `Error: ` included. Of a longer one, the head and the tail are kept,
    /// and between them it says how much was left out. No limit by default.
    ///
    /// ```
    /// # use tool_runtime::{Registry, tool, tools};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// /// The log of today.
    /// #[tool]
    /// fn read_log() -> String {
    ///     format!("first line\n{}last line", "more\n".repeat(1_000))
    /// }
    ///
    /// let registry = Registry::builder().tools(tools![read_log]).max_output_bytes(60).build()?;
    /// let answer = registry.call("read_log", "").await?;
    /// assert_eq!(answer, "first line\nmore\n[... 4991 bytes left out ...]\nmore\nlast line");
    /// # Ok(())
    /// # }
    /// ```
    pub fn max_output_bytes(mut self, bytes: usize) -> Self {
        self.options.limits.max_output_bytes = Some(bytes);
        self
    }

    /// How many calls of one reply are run, in their order. Those over it are answered with an error that says the limit.
    /// No limit by default.
    pub fn max_calls_per_batch(mut self, calls: usize) -> Self {
        self.options.limits.max_calls_per_batch = Some(calls);
        self
    }

    /// Asks the program before each call: whether it runs, is denied, or is answered in its place. There is one hook; a second
    /// replaces it.
    ///
    /// It is asked about calls of tools that are there, whose arguments were found good; about all calls of a batch at once,
    /// so that a hook that asks a person keeps the others waiting by a lock of its own. It runs before the call has its turn
    /// ([`max_concurrency`](RegistryBuilder::max_concurrency)). A hook that panics denies, and so does one that takes longer than
    /// the call itself may. What it is asked about is a copy, so that it may keep it. [`Registry::call`](crate::Registry::call)
    /// does not ask.
    ///
    /// ```
    /// use tool_runtime::{Decision, Registry, ToolCall, tool, tools};
    ///
    /// /// Deletes a file.
    /// #[tool(destructive, requires_approval)]
    /// async fn delete(path: &str) -> String {
    ///     format!("{path} is gone")
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = Registry::builder()
    ///     .tools(tools![delete])
    ///     .before_call(|call| async move {
    ///         if !call.hints().destructive {
    ///             Decision::Undecided
    ///         } else if call.arguments().get().contains("/tmp/") {
    ///             Decision::Run
    ///         } else {
    ///             Decision::deny("only files in /tmp may be deleted")
    ///         }
    ///     })
    ///     .build()?;
    /// let answers = registry
    ///     .dispatch(&[
    ///         ToolCall::new("call_1", "delete", r#"{"path":"/tmp/a"}"#),
    ///         ToolCall::new("call_2", "delete", r#"{"path":"/etc/passwd"}"#),
    ///     ])
    ///     .await;
    /// assert_eq!(answers[0].content, "/tmp/a is gone");
    /// assert_eq!(answers[1].content, "Error: only files in /tmp may be deleted");
    /// # Ok(())
    /// # }
    /// ```
    pub fn before_call<F>(mut self, hook: impl Fn(ProposedCall) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Decision> + Send + 'static,
    {
        self.before_call = Some(BeforeCall::new(hook));
        self
    }

    /// Writes the arguments and the result of each call into its span, as `gen_ai.tool.call.arguments` and
    /// `gen_ai.tool.call.result`. `false` by default, since they may hold what a log should not.
    #[cfg(feature = "tracing")]
    pub fn trace_content(mut self, traced: bool) -> Self {
        self.options.trace_content = traced;
        self
    }
}
