//! Decisions about pending calls, and results from elsewhere.

use super::Session;
use crate::context::{Cause, UserAnswer};
use crate::conversation::{NotPendingError, PendingCalls};
use crate::dispatch::CallEnd;
use crate::message::ToolMessage;
use crate::output::ToolResult;
use crate::registry::Registry;
use serde::Serialize;

impl Session {
    /// Approves a pending call for one run, with its current arguments. The next run starts it.
    ///
    /// # Errors
    ///
    /// No pending call has this id, it already has a result, it waits for its result, or it has begun in a run that was
    /// interrupted.
    pub fn approve(&mut self, id: &str) -> Result<(), NotPendingError> {
        self.decide(id, |pending| pending.approve(id))
    }

    /// Approves a pending call with other arguments, which replace those of the model: a value that serializes as a JSON
    /// object, such as `json!({"order": 8})`, or the text of one.
    ///
    /// The arguments are validated in the next run. If they are invalid, the call waits again, and the
    /// [`error`](crate::conversation::WaitingCall::error) of its `WaitingCall` has the reason.
    ///
    /// ```
    /// # use tool_runtime::session::Session;
    /// use serde_json::json;
    ///
    /// # fn edit(session: &mut Session) -> Result<(), Box<dyn std::error::Error>> {
    /// session.approve_with("call_7", json!({"order": 8}))?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`approve`](Session::approve), or the arguments cannot be written as JSON.
    pub fn approve_with(&mut self, id: &str, arguments: impl Serialize) -> Result<(), NotPendingError> {
        self.decide(id, |pending| pending.approve_with(id, arguments))
    }

    /// Marks a pending call that began in an interrupted run as not begun. The next run starts it, where it would otherwise
    /// fail with the error that it may have taken effect. If it needs an approval, it needs a new one.
    ///
    /// Use it if the program knows that the call had no effect, or in [`RunLog::before_calls`](super::RunLog::before_calls).
    ///
    /// # Errors
    ///
    /// No pending call has this id, it already has a result, it has not begun, or it was handed out.
    pub fn set_not_begun(&mut self, id: &str) -> Result<(), NotPendingError> {
        self.decide(id, |pending| pending.set_not_begun(id))
    }

    /// Denies a pending call, which does not run. The model receives the reason after `Error: `. If the call
    /// [may have taken effect](crate::conversation::WaitingCall::may_have_taken_effect), the error reports that as well.
    ///
    /// # Errors
    ///
    /// No pending call has this id, it already has a result, or it has begun in a run that was interrupted.
    pub fn deny(&mut self, id: &str, reason: impl Into<String>) -> Result<(), NotPendingError> {
        self.decide(id, |pending| pending.deny(id, reason))
    }

    /// Sets the result of a pending call: text, JSON, a [`ToolOutput`](crate::ToolOutput) with images and files, an error
    /// ([`ToolResult::error`]), or a [`ToolMessage`]. Its tool does not run. The result is not validated, even if it comes
    /// from a browser.
    ///
    /// # Errors
    ///
    /// No pending call has this id, or it already has a result.
    pub fn provide_result(&mut self, id: &str, result: impl Into<ToolResult>) -> Result<(), NotPendingError> {
        self.decide(id, |pending| pending.provide_result(id, result))
    }

    /// Answers a question of a tool: with a value that is valid under its schema, or with a [`UserAnswer`]. The next run runs the
    /// tool again: see [`CallContext::ask`](crate::CallContext::ask).
    ///
    /// # Errors
    ///
    /// No question with this id waits, or the value is invalid; the question still waits then.
    pub fn answer(&mut self, id: &str, answer: impl Into<UserAnswer>) -> Result<(), NotPendingError> {
        self.decide(id, |pending| pending.answer(id, answer))
    }

    /// Sets the recorded result of a pending call, as if its tool had just run: the call counts towards the
    /// [`max_calls`](crate::registry::Policy::max_calls) of its tool, and the registry truncates the result. Its tool does not
    /// run. For logs of calls: see [`RunLog::before_calls`](super::RunLog::before_calls).
    ///
    /// # Errors
    ///
    /// No pending call has this id, or it already has a result.
    pub fn replay_result(
        &mut self,
        registry: &Registry,
        id: &str,
        result: impl Into<ToolResult>,
    ) -> Result<(), NotPendingError> {
        let counts = self.begun_calls.share();
        let mut result = result.into();
        registry.truncate(&mut result);
        self.decide(id, |pending| {
            pending.count_call(registry, id, &counts);
            pending.set_result(id, result, Some(Cause::Recorded))
        })
    }

    /// Takes the end of a call that was [handed out](Session::handed_out), as
    /// [`PendingCalls::finish_handed_out`](crate::conversation::PendingCalls::finish_handed_out) does. The next run sends the last
    /// event of the call.
    ///
    /// # Errors
    ///
    /// As for [`PendingCalls::finish_handed_out`](crate::conversation::PendingCalls::finish_handed_out).
    pub fn finish_handed_out(
        &mut self,
        registry: &Registry,
        id: &str,
        end: impl Into<CallEnd>,
    ) -> Result<(), NotPendingError> {
        self.decide(id, |pending| pending.finish_handed_out(registry, id, end))
    }

    // For the package `tool-runtime-durable`, whose journal has the results of calls that did not run, such as denied ones.
    #[doc(hidden)]
    pub fn __set_recorded_result(&mut self, id: &str, result: ToolMessage) -> Result<(), NotPendingError> {
        self.decide(id, |pending| pending.set_result(id, result.into(), Some(Cause::Recorded)))
    }

    fn decide(
        &mut self,
        id: &str,
        decide: impl FnOnce(&mut PendingCalls) -> Result<(), NotPendingError>,
    ) -> Result<(), NotPendingError> {
        match self.state.pending_mut() {
            Some(pending) => decide(&mut pending.calls)?,
            None => return Err(NotPendingError::UnknownId { id: id.to_owned(), pending: Vec::new() }),
        }
        self.state.finish();
        self.count_change();
        Ok(())
    }
}
