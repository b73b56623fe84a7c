//! How a call went: what the program learns beside what the model reads.

mod argument_error;
mod call_error;
mod truncated;
mod unknown_tool;

pub use argument_error::ArgumentError;
pub(crate) use argument_error::decode_problem;
pub use call_error::CallError;
pub(crate) use call_error::{ENCODED_OBJECT, MAX_ERRORS, MAX_SHOWN_ERRORS};
pub(crate) use truncated::{Truncated, TruncatedPath, bounded};
pub use unknown_tool::UnknownToolError;

use std::sync::Arc;
use std::time::Duration;

/// How one call of a dispatch went. Only the program sees it.
///
/// ```
/// # use tool_runtime::{Registry, ToolCall, tool, tools};
/// /// Always fails.
/// #[tool]
/// fn fails() -> Result<(), &'static str> {
///     Err("no luck")
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = Registry::new(tools![fails])?;
/// let answers = registry.dispatch(&[ToolCall::new("call_1", "fails", "{}")]).await;
/// let error = answers[0].outcome().and_then(|outcome| outcome.error());
/// assert_eq!(error.map(ToString::to_string).as_deref(), Some("no luck"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    error: Option<Arc<CallError>>,
    /// Small, since most calls have none.
    pub(crate) coercions: Option<Coercions>,
    pub(crate) answered_by_hook: bool,
    pub(crate) has_begun: bool,
    pub(crate) queue_time: Duration,
    pub(crate) duration: Duration,
}

/// What was mended in the arguments of a call.
pub(crate) type Coercions = Arc<Vec<String>>;

impl Outcome {
    pub(crate) fn of_failure(error: CallError) -> Self {
        Outcome { error: Some(Arc::new(error)), ..Outcome::default() }
    }

    pub(crate) fn failed(&mut self, error: Box<CallError>) {
        self.error = Some(error.into());
    }

    /// Whether there is a result: of the tool, or of the hook in its place.
    #[must_use]
    pub fn succeeded(&self) -> bool {
        self.error.is_none()
    }

    /// Why there is no result; [`CallError::kind`] says it in one word.
    #[must_use]
    pub fn error(&self) -> Option<&CallError> {
        self.error.as_deref()
    }

    /// Whether the hook of [`before_call`](crate::RegistryBuilder::before_call) answered in the place of the tool,
    /// which has not run.
    #[must_use]
    pub fn answered_by_hook(&self) -> bool {
        self.answered_by_hook
    }

    /// Whether the tool has begun to run. What it has done may have taken effect then, also if the call has failed.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Whether the arguments had slips that were mended.
    #[must_use]
    pub fn arguments_coerced(&self) -> bool {
        !self.coercions().is_empty()
    }

    /// What was mended in the arguments, each slip for a person to read; empty unless the registry has
    /// `lenient_arguments`.
    #[must_use]
    pub fn coercions(&self) -> &[String] {
        self.coercions.as_deref().map_or(&[], Vec::as_slice)
    }

    /// From the start of the dispatch until this call was answered.
    #[must_use]
    pub fn duration(&self) -> Duration {
        self.duration
    }

    /// How much of the [`duration`](Outcome::duration) the call was in the queue of
    /// [`max_concurrency`](crate::RegistryBuilder::max_concurrency).
    #[must_use]
    pub fn queue_time(&self) -> Duration {
        self.queue_time
    }
}
