//! The hook that is asked before each call.

use super::{BuildErrorKind, RegistryBuilder};
use crate::approval::{BeforeCall, Decision, ProposedCall};
use std::future::Future;

impl RegistryBuilder {
    /// Asks the program before each call: whether it runs, is denied, or is answered in its place. There is one hook: a
    /// second is an error of [`build`](RegistryBuilder::build).
    ///
    /// It is asked about calls of tools that are there, whose arguments were found good, before they queue
    /// ([`max_concurrency`](RegistryBuilder::max_concurrency)). A hook that panics denies, and so does one that takes
    /// longer than the tool itself may, or than [`approval_timeout`](RegistryBuilder::approval_timeout). What it is
    /// asked about is a copy, which it may keep. [`Registry::call`](crate::Registry::call) does not ask.
    ///
    /// The calls of a batch are asked about side by side. A hook that asks a person should hold a lock while it does,
    /// and have time for as many questions as a reply may have calls: the wait for the lock counts.
    ///
    /// Of the program's code, only the decoders of the arguments and the expressions of their defaults run before it;
    /// for a `blocking` tool they run again on its thread.
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
    ///         let allowed = Arc::clone(&allowed); // each call has its own
    ///         async move {
    ///             if !call.annotations().destructive {
    ///                 Decision::Undecided
    ///             } else if allowed.iter().any(|arguments| *arguments == call.arguments().get()) {
    ///                 Decision::Run
    ///             } else {
    ///                 Decision::deny("only /tmp/a may be deleted")
    ///             }
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
    /// assert_eq!(answers[1].content, "Error: only /tmp/a may be deleted");
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
