//! The limits of a registry: time, concurrency, size of results, number of calls.

use super::build_error::BuildErrorKind;
use super::{Registry, RegistryBuilder};
use crate::message::ERROR;
use crate::output::{ToolResult, truncate_middle};
use std::time::Duration;

/// `None` means no limit.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Limits {
    pub(super) timeout: Option<Duration>,
    pub(crate) call_timeout: Option<Duration>,
    pub(crate) approval_timeout: Option<Duration>,
    pub(super) max_concurrency: Option<usize>,
    pub(crate) max_result_bytes: Option<usize>,
    pub(crate) max_calls_per_reply: Option<usize>,
}

impl Limits {
    /// With a limit of zero, no tool could run, or no result could be sent. Such a limit is most likely a mistake for
    /// no limit.
    pub(super) fn reject_zero(&self, errors: &mut Vec<BuildErrorKind>) {
        let limits = [
            ("timeout", self.timeout.is_some_and(|timeout| timeout.is_zero())),
            ("call_timeout", self.call_timeout.is_some_and(|timeout| timeout.is_zero())),
            ("approval_timeout", self.approval_timeout.is_some_and(|timeout| timeout.is_zero())),
            ("max_concurrency", self.max_concurrency == Some(0)),
            ("max_result_bytes", self.max_result_bytes == Some(0)),
            ("max_calls_per_reply", self.max_calls_per_reply == Some(0)),
        ];
        let zero = limits.into_iter().filter(|(_, is_zero)| *is_zero);
        errors.extend(zero.map(|(limit, _)| BuildErrorKind::ZeroLimit { tool: None, limit }));
    }
}

impl Registry {
    /// Truncates the text of a result to `max_result_bytes`, which include `Error: `.
    pub(crate) fn truncate(&self, result: &mut ToolResult) {
        let Some(limit) = self.limits().max_result_bytes else { return };
        match &mut result.0 {
            Ok(output) => {
                let content = output.content_mut();
                if let Some(text) = truncate_middle(content.as_str(), limit) {
                    *content = std::mem::take(content).with_text(text);
                }
            }
            Err(failure) => {
                if let Some(text) = truncate_middle(failure.message(), limit.saturating_sub(ERROR.len())) {
                    failure.set_message(text);
                }
            }
        }
    }
}

impl RegistryBuilder {
    /// Sets the time limit of one run, for tools without a `timeout` of their own. Without middleware, a call is one
    /// run. Default: no limit, since a build or a download may take an hour. Setting a limit is recommended.
    ///
    /// - The limit covers the run of the tool and the wait of a `blocking` tool for a thread. It covers
    ///   neither [`before_call`], whose limit is [`approval_timeout`], nor the wait in the queue of [`max_concurrency`].
    /// - When it expires, the future is dropped. The model receives an error with the limit, which adds that the call
    ///   may have taken effect if the tool has begun and is not `read_only`.
    /// - A `fn` that is not `blocking` cannot be interrupted.
    /// - It needs a Tokio runtime with time enabled.
    ///
    /// [`before_call`]: RegistryBuilder::before_call
    /// [`approval_timeout`]: RegistryBuilder::approval_timeout
    /// [`max_concurrency`]: RegistryBuilder::max_concurrency
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.options.limits.timeout = Some(limit);
        self
    }

    /// Sets the time limit of a whole call: all its runs and the middleware of
    /// [`around_call`](RegistryBuilder::around_call), such as the pauses between retries. Default: no limit.
    ///
    /// It covers neither [`before_call`](RegistryBuilder::before_call) nor the wait in the queue. When it expires, the
    /// middleware is dropped together with the run: code after `call.run().await` does not execute. For a result after a
    /// late run, limit the run with the `timeout` of the tool. Needs a Tokio runtime with time enabled.
    pub fn call_timeout(mut self, limit: Duration) -> Self {
        self.options.limits.call_timeout = Some(limit);
        self
    }

    /// Sets the time limit of the [`before_call`](RegistryBuilder::before_call) hook. Default: the time limit of the
    /// tool, which is often too short if a person decides.
    ///
    /// A call without a decision within the limit is denied. The runtime's timer alone decides when a hook is late: a
    /// hook that computes without awaiting is not interrupted, and its decision counts even if it took longer than the
    /// limit. Needs a Tokio runtime with time enabled.
    pub fn approval_timeout(mut self, limit: Duration) -> Self {
        self.options.limits.approval_timeout = Some(limit);
        self
    }

    /// Sets the maximum number of calls that run at the same time, in this registry, its clones and its subsets
    /// together. Default: no limit.
    ///
    /// Other calls wait in a first-in, first-out queue: the calls of a reply start before those of a later reply, unless
    /// they wait for the `max_concurrency` of their own tool first.
    ///
    /// A `blocking` function that continues after its call ended no longer counts, so that a hanging thread does not
    /// block the queue; more functions than the limit may then run. A tool or middleware that dispatches calls on the
    /// same registry and awaits them can deadlock.
    ///
    /// ```
    /// # use tool_runtime::{Registry, ToolCall, tool, tools};
    /// # /// Asks a server that accepts two concurrent requests.
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

    /// Sets the maximum length of a result or an error message of a dispatched call, in bytes of UTF-8, including
    /// `Error: `. Default: no limit. The note about repeated calls is not counted.
    ///
    /// A longer message is truncated to its head and tail, with a notice of the omitted bytes between them; with a
    /// limit of less than about 40 bytes, to its head. `Error: ` is always kept.
    ///
    /// ```
    /// # use tool_runtime::{Registry, ToolCall, tool, tools};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// /// The log of today.
    /// #[tool]
    /// fn read_log() -> String {
    ///     format!("first line\n{}last line", "more\n".repeat(1_000))
    /// }
    ///
    /// let registry = Registry::builder().tools(tools![read_log]).max_result_bytes(60).build()?;
    /// let messages = registry.dispatch(&[ToolCall::new("call_1", "read_log", "{}")]).await;
    /// assert_eq!(messages[0].content, "first line\nmore\n[... 4991 bytes left out ...]\nmore\nlast line");
    /// # Ok(())
    /// # }
    /// ```
    pub fn max_result_bytes(mut self, bytes: usize) -> Self {
        self.options.limits.max_result_bytes = Some(bytes);
        self
    }

    /// Sets the maximum number of calls of one reply that run. Default: no limit.
    ///
    /// Further calls do not run, and get an error with the limit. Calls of unknown tools count as well. The
    /// [inner calls](crate::CallContext::inner_call) of one call count like the calls of one reply.
    pub fn max_calls_per_reply(mut self, calls: usize) -> Self {
        self.options.limits.max_calls_per_reply = Some(calls);
        self
    }
}
