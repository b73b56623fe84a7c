//! Outcomes of calls, and their errors.

mod argument_error;
mod call_error;
mod changes;
mod error_list;
mod json_problem;
mod truncated;
mod unknown_tool;

pub use argument_error::ArgumentError;
pub(crate) use argument_error::{Problem, decode_problem};
pub use call_error::CallError;
pub(crate) use call_error::ENCODED_OBJECT;
pub(crate) use changes::{Changes, MAX_QUOTED, call_as_json, from_to};
pub(crate) use error_list::{ErrorList, MAX_ERRORS, MAX_SHOWN_ERRORS};
pub(crate) use json_problem::{JsonProblem, text_around};
pub(crate) use truncated::{Escaped, LogWriter, Truncated, TruncatedPath, bounded, bounded_error};
pub use unknown_tool::UnknownToolError;

use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};
use std::sync::Arc;
use std::time::Duration;

/// The outcome of one call of a dispatch. It is not sent to the model.
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
/// let messages = registry.dispatch(&[ToolCall::new("call_1", "fails", "{}")]).await;
/// let error = messages[0].outcome().and_then(|outcome| outcome.error());
/// assert_eq!(error.map(ToString::to_string).as_deref(), Some("no luck"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    pub(crate) error: Option<Arc<CallError>>,
    /// `None` for most calls, since nothing was coerced or measured.
    pub(crate) details: Option<Arc<OutcomeDetails>>,
    pub(crate) responded_by_hook: bool,
    pub(crate) has_begun: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct OutcomeDetails {
    pub(crate) coercions: Vec<String>,
    pub(crate) queue_time: Duration,
    pub(crate) duration: Duration,
}

impl Outcome {
    pub(crate) fn from_error(error: CallError) -> Self {
        let has_begun = matches!(error, CallError::Interrupted { .. });
        Outcome { error: Some(Arc::new(error)), has_begun, ..Outcome::default() }
    }

    /// The reason why there is no result; `None` if the call succeeded. [`CallError::kind`] is its identifier.
    #[must_use]
    pub fn error(&self) -> Option<&CallError> {
        self.error.as_deref()
    }

    /// Whether the result is that of the [`before_call`](crate::RegistryBuilder::before_call) hook
    /// ([`Decision::Respond`](crate::dispatch::Decision::Respond)); the tool has not run.
    #[must_use]
    pub fn responded_by_hook(&self) -> bool {
        self.responded_by_hook
    }

    /// Whether the tool has begun to run. It may then have taken effect, even if the call failed.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// The repairs and coercions of the arguments, each as a readable text. Nulls of strict schemas, and integers written as
    /// `1.0`, do not count. Empty unless the registry has `lenient_arguments`.
    #[must_use]
    pub fn coercions(&self) -> &[String] {
        self.details.as_ref().map_or(&[], |details| &details.coercions)
    }

    /// The time from the start of the dispatch to the end of this call, with its wait in a queue. For a call that starts
    /// while its reply is streamed, the time from its own start. Zero if it was not measured: see
    /// [`measure_durations`](crate::RegistryBuilder::measure_durations).
    #[must_use]
    pub fn duration(&self) -> Duration {
        self.details.as_ref().map_or(Duration::ZERO, |details| details.duration)
    }

    /// How long the call waited in the queue of
    /// [`max_concurrency`](crate::RegistryBuilder::max_concurrency), of the registry or of its tool. Zero
    /// if it did not wait. It is always measured.
    #[must_use]
    pub fn queue_time(&self) -> Duration {
        self.details.as_ref().map_or(Duration::ZERO, |details| details.queue_time)
    }
}

/// The durations in milliseconds, whether the tool has begun, and the coercions. The error is that of the
/// [`ToolResult`](crate::dispatch::ToolResult).
impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let milliseconds = |duration: Duration| duration.as_secs_f64() * 1_000.0;
        let mut outcome = serializer.serialize_struct("Outcome", 4)?;
        outcome.serialize_field("duration_ms", &milliseconds(self.duration()))?;
        outcome.serialize_field("queue_ms", &milliseconds(self.queue_time()))?;
        outcome.serialize_field("has_begun", &self.has_begun)?;
        outcome.serialize_field("coercions", self.coercions())?;
        outcome.end()
    }
}
