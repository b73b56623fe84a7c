//! One run of a tool.

use super::prepare::PreparedTool;
use crate::outcome::CallError;
use crate::output::{CallResult, FunctionError, ToolFailure, ToolOutput};
use crate::panics::PanicMessage;
use crate::registry::OwnedCall;
use crate::tool::Call;
use std::sync::Arc;
use std::time::Duration;

/// The return value of a tool, or its panic.
pub(super) type Returned = Result<Result<ToolOutput, FunctionError>, PanicMessage>;

/// A run that has not begun.
pub(super) enum Run<'a> {
    /// In the task of the caller.
    Here(PreparedTool<'a>),
    /// On a blocking thread, which needs owned arguments and decodes them again.
    OnThread(Arc<OwnedCall>),
}

impl Call<'_> {
    /// Runs the tool within a time limit, if any.
    pub(super) async fn run_within(&self, limit: Option<Duration>, run: Run<'_>) -> CallResult {
        let running = async {
            match run {
                Run::Here(tool) => self.complete(tool).await,
                Run::OnThread(owned) => self.run_on_thread(owned).await,
            }
        };
        let late = |allowed| self.timed_out(allowed, self.incoming.record.has_begun());
        self.with_timeout(limit, running, late).await.map_err(|error| self.with_inner_calls(error))?
    }

    /// The failure with the inner calls of earlier runs, unless the tool has repeated them.
    fn with_inner_calls(&self, error: CallError) -> ToolFailure {
        let failure = ToolFailure::from(error);
        match self.record().inner_calls().map(|calls| calls.note()) {
            Some(note) if !note.is_empty() => {
                let message = failure.message().to_owned() + &note;
                failure.with_message(message)
            }
            _ => failure,
        }
    }

    /// Begins a tool, and runs it to its end.
    pub(super) async fn complete(&self, tool: PreparedTool<'_>) -> CallResult {
        self.begin()?;
        self.result(tool.await)
    }

    /// Converts the output of a tool, or its panic, into the result of the call.
    pub(super) fn result(&self, returned: Returned) -> CallResult {
        let returned = returned.map_err(|source| self.with_inner_calls(self.panicked(source)))?;
        self.incoming.record.set_finished();
        if let Some(call) = self.record().waits_for_inner_call() {
            // Middleware receives it, and no result of a tool that has not finished.
            return Err(
                CallError::NeedsCall { tool: self.tool.name.to_string(), call: call.to_owned() }.into()
            );
        }
        returned.map_err(|error| {
            let tool = self.tool.name.to_string();
            let error = match error {
                FunctionError::Returned { message, is_for_model, error } => {
                    CallError::Returned { tool, message, is_for_model, error }
                }
                FunctionError::Unserializable(source) => CallError::Unserializable { tool, source },
            };
            self.with_inner_calls(error)
        })
    }

    #[cold]
    pub(super) fn panicked(&self, source: PanicMessage) -> CallError {
        CallError::Panicked { tool: self.tool.name.to_string(), source }
    }
}
