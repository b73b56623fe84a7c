//! The hook that decides about each call before it runs.

use super::{BuildErrorKind, RegistryBuilder};
use crate::approval::{BeforeCall, Decision, ProposedCall};
use std::future::Future;

impl RegistryBuilder {
    /// Sets the hook that decides whether a call runs, is denied, or gets another result. Default: no hook. A second
    /// hook is an error of [`build`](RegistryBuilder::build).
    ///
    /// - The hook runs for each call of a known tool with valid arguments, before the call waits in the queue of
    ///   [`max_concurrency`](RegistryBuilder::max_concurrency). It receives a copy of the call.
    /// - It does not run for [`Registry::call`](crate::Registry::call).
    /// - A hook that panics denies the call.
    /// - A hook that exceeds its time limit denies the call. The limit is
    ///   [`approval_timeout`](RegistryBuilder::approval_timeout), otherwise that of the tool. The runtime's timer alone
    ///   decides when a hook is late: a hook that computes without awaiting is not interrupted, and its decision counts
    ///   even if it took longer than the limit.
    /// - The hooks of a reply run concurrently. A hook that asks a person should hold a lock while it
    ///   asks, so that it asks one question at a time. The wait for the lock counts towards the limit, which must
    ///   therefore suffice for the questions about all calls of a reply.
    /// - Decoders of arguments and expressions of their defaults run before the hook, and again on the thread of a
    ///   `blocking` tool and in each run of a call with middleware. No other application code runs before it.
    ///
    /// Test a hook with [`Registry::dispatch`](crate::Registry::dispatch).
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tool_runtime::dispatch::Decision;
    /// use tool_runtime::{Registry, ToolCall, tool, tools};
    ///
    /// /// Deletes a file.
    /// #[tool(destructive, requires_approval)]
    /// async fn delete(path: &str) -> String {
    ///     format!("{path} is gone")
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let allowed = Arc::new([r#"{"path":"/tmp/a"}"#]);
    /// let registry = Registry::builder()
    ///     .tools(tools![delete])
    ///     .before_call(move |call| {
    ///         let allowed = Arc::clone(&allowed); // each future owns a pointer
    ///         async move {
    ///             if !call.annotations().is_destructive() {
    ///                 Decision::Undecided
    ///             } else if allowed.iter().any(|arguments| *arguments == call.arguments()) {
    ///                 Decision::Run
    ///             } else {
    ///                 Decision::Deny("only /tmp/a may be deleted".into())
    ///             }
    ///         }
    ///     })
    ///     .build()?;
    /// let messages = registry
    ///     .dispatch(&[
    ///         ToolCall::new("call_1", "delete", r#"{"path":"/tmp/a"}"#),
    ///         ToolCall::new("call_2", "delete", r#"{"path":"/etc/passwd"}"#),
    ///     ])
    ///     .await;
    /// assert_eq!(messages[0].content, "/tmp/a is gone");
    /// assert_eq!(messages[1].content, "Error: only /tmp/a may be deleted");
    /// # Ok(())
    /// # }
    /// ```
    pub fn before_call<F>(mut self, hook: impl Fn(ProposedCall) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Decision> + Send + 'static,
    {
        if self.before_call.replace(BeforeCall::new(hook)).is_some() {
            self.errors.push(BuildErrorKind::SecondHook);
        }
        self
    }
}
