//! The limits of a registry: of time, of tools at once, of the size of an answer, of calls.

use super::RegistryBuilder;
use super::build_error::BuildErrorKind;
use std::time::Duration;

/// `None` where there is no limit.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Limits {
    pub(super) timeout: Option<Duration>,
    pub(crate) approval_timeout: Option<Duration>,
    pub(super) max_concurrency: Option<usize>,
    pub(crate) max_output_bytes: Option<usize>,
    pub(crate) max_calls_per_batch: Option<usize>,
}

impl Limits {
    /// Zero would mean that nothing runs, or nothing is told: most likely a slip for no limit.
    pub(super) fn refuse_zero(&self, errors: &mut Vec<BuildErrorKind>) {
        let limits = [
            ("timeout", self.timeout.is_some_and(|timeout| timeout.is_zero())),
            ("approval_timeout", self.approval_timeout.is_some_and(|timeout| timeout.is_zero())),
            ("max_concurrency", self.max_concurrency == Some(0)),
            ("max_output_bytes", self.max_output_bytes == Some(0)),
            ("max_calls_per_batch", self.max_calls_per_batch == Some(0)),
        ];
        let zero = limits.into_iter().filter(|(_, is_zero)| *is_zero);
        errors.extend(zero.map(|(limit, _)| BuildErrorKind::ZeroLimit { limit }));
    }
}

impl RegistryBuilder {
    /// How long a tool may take that has no `timeout` of its own. Without either, it may take for ever, since a build
    /// or a download may rightly take an hour: to set one is recommended.
    ///
    /// The time is that of the tool alone, with the wait for a thread of one that is `blocking`: not that of
    /// [`before_call`], which may take as long again ([`approval_timeout`]), nor that in the queue of
    /// [`max_concurrency`]. When it is over, the future is dropped, and the model is told how long was allowed and, if
    /// the tool has begun and is not `read_only`, that it may have taken effect. A `fn` that is not `blocking` cannot
    /// be interrupted. Needs a Tokio runtime with time enabled.
    ///
    /// [`before_call`]: RegistryBuilder::before_call
    /// [`approval_timeout`]: RegistryBuilder::approval_timeout
    /// [`max_concurrency`]: RegistryBuilder::max_concurrency
    pub fn timeout(mut self, allowed: Duration) -> Self {
        self.options.limits.timeout = Some(allowed);
        self
    }

    /// How long [`before_call`](RegistryBuilder::before_call) may take to decide: by default as long as the tool may,
    /// which is little where a person decides. A call that was not decided upon in this time is denied. Needs a Tokio
    /// runtime with time enabled.
    pub fn approval_timeout(mut self, allowed: Duration) -> Self {
        self.options.limits.approval_timeout = Some(allowed);
        self
    }

    /// How many tools of this registry, its clones and its subsets run at once, over all batches. The others queue,
    /// first come first served, call by call: a batch of many calls goes before one that comes after it. No limit by
    /// default.
    ///
    /// A `blocking` body that goes on after its call was given up counts no more, so that a thread that hangs cannot
    /// hold the queue: then more run than this. A tool that dispatches on the same registry and waits for the answers
    /// can wait for itself, for ever.
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

    /// How long an answer may be, in bytes of UTF-8, its `Error: ` included. Of a longer one, the head and the tail are
    /// kept, and between them it says how much was left out; below some forty bytes there is only room for the head.
    /// `Error: ` is always said. No limit by default.
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

    /// How many calls of one reply are looked at: the first of them, whether their tools are there or not. Those over
    /// it are answered with an error that says the limit. No limit by default.
    pub fn max_calls_per_batch(mut self, calls: usize) -> Self {
        self.options.limits.max_calls_per_batch = Some(calls);
        self
    }
}
