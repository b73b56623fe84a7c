//! The run of one call: its start, its end, and isolation of its panics.

use super::coercion::CoercedArgs;
use crate::outcome::CallError;
use crate::output::{FunctionError, ToolFailure, ToolOutput};
use crate::panics::{CatchPanic, PanicMessage, catch_panic};
use crate::registry::Registry;
use crate::tool::{Call, StageSet};
use futures_util::future::BoxFuture;

/// The output of a call, or its failure.
pub(super) type CallResult = Result<ToolOutput, ToolFailure>;

/// The next step of a call whose arguments are valid.
enum NextStep<'a> {
    Complete(Started<'a>),
    /// A later stage starts the call, with arguments that it owns.
    StartLater,
    RunCoerced(CoercedArgs),
}

/// A tool with decoded arguments, which has not begun.
pub(super) type Started<'a> = CatchPanic<'a, Result<ToolOutput, FunctionError>>;

impl Registry {
    /// Runs a call. A panic is its failure.
    ///
    /// The rare paths are boxed to keep this future small: the future of a batch contains and copies one for each call.
    pub(super) async fn run(&self, call: &Call<'_>) -> CallResult {
        let slow: BoxFuture<'_, CallResult> = match catch_panic(|| self.next_step(call)) {
            Ok(Ok(NextStep::Complete(started))) if call.stages().is_empty() => {
                return call.complete(started).await;
            }
            Ok(Ok(NextStep::Complete(started))) => Box::pin(self.run_until_cancelled(call, Some(started))),
            // Skipping the loop over the stages saves an eighth of the time of a call with middleware.
            Ok(Ok(NextStep::StartLater)) if call.stages() == StageSet::MIDDLEWARE => {
                Box::pin(self.run_with_middleware(call))
            }
            Ok(Ok(NextStep::StartLater)) => Box::pin(self.run_until_cancelled(call, None)),
            Ok(Ok(NextStep::RunCoerced(coerced))) => Box::pin(self.run_coerced(call, coerced)),
            Ok(Err(error)) => return Err(error.into()),
            Err(source) => return Err(call.panicked(source).into()),
        };
        CatchPanic::new(slow).await.unwrap_or_else(|source| Err(call.panicked(source).into()))
    }

    #[inline]
    fn next_step<'a>(&self, call: &'a Call<'a>) -> Result<NextStep<'a>, Box<CallError>> {
        match self.start(call) {
            Ok(Some(started)) => Ok(NextStep::Complete(started)),
            Ok(None) => Ok(NextStep::StartLater),
            Err(error) => self.coerce(call, error).map(NextStep::RunCoerced),
        }
    }

    /// Starts a call, or validates a call that a later stage starts. The error is `None` if the arguments may contain nulls
    /// that must be removed before they are decoded: a null for an omitted argument may also be a valid value.
    #[inline]
    pub(super) fn start<'a>(
        &self,
        call: &'a Call<'a>,
    ) -> Result<Option<Started<'a>>, Option<Box<CallError>>> {
        if self.coercion_options(call.tool).null_is_absent && call.arguments.contains("null") {
            return Err(None);
        }
        call.start_or_validate().map_err(Some)
    }
}

impl<'a> Call<'a> {
    /// Starts the call. `None` if a later stage starts it with arguments that it owns; it is validated then.
    #[inline]
    pub(super) fn start_or_validate(&'a self) -> Result<Option<Started<'a>>, Box<CallError>> {
        self.check_keys()?;
        if self.stages().starts_later() {
            self.validate().map(|()| None)
        } else {
            self.start().map(|started| Some(CatchPanic::new(started)))
        }
    }

    /// Runs a started tool to its end.
    pub(super) async fn complete(&self, started: Started<'_>) -> CallResult {
        self.record.set_begun();
        self.result(started.await)
    }

    /// Converts the output of a tool, or its panic, into the result of the call.
    #[inline]
    pub(super) fn result(
        &self,
        ended: Result<Result<ToolOutput, FunctionError>, PanicMessage>,
    ) -> CallResult {
        match ended {
            Ok(returned) => {
                self.record.set_finished();
                returned.map_err(|error| self.failed(error).into())
            }
            Err(source) => Err(self.panicked(source).into()),
        }
    }

    #[cold]
    fn failed(&self, error: FunctionError) -> CallError {
        let tool = self.tool.name.to_string();
        match error {
            FunctionError::Returned { message, is_for_model, error } => {
                CallError::Returned { tool, message, is_for_model, error }
            }
            FunctionError::Unserializable(source) => CallError::Unserializable { tool, source },
        }
    }

    #[cold]
    pub(super) fn panicked(&self, source: PanicMessage) -> CallError {
        CallError::Panicked { tool: self.tool.name.to_string(), source }
    }
}
