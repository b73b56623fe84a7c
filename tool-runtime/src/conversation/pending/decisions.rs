//! Decisions about pending calls: approvals, denials, results from elsewhere.

use super::{CallState, PendingCalls, Phase, WaitsFor, denied};
use crate::context::Cause;
use crate::conversation::repeated_calls::RepeatedCalls;
use crate::conversation::{FinishedCall, NotPendingError, is_question};
use crate::dispatch::{CallEnd, HandedOutCall};
use crate::message::ToolMessage;
use crate::outcome::{CallError, Outcome};
use crate::output::{Pending, ToolFailure, ToolResult};
use crate::registry::Registry;
use crate::tool_name::{CALL_TOOL, HOSTED_APPROVAL};
use serde::Serialize;
use serde_json::Value;
use std::collections::HashMap;

/// The kind of [`ToolFailure::interrupted`].
const INTERRUPTED: &str = "interrupted";

impl PendingCalls {
    /// Approves this call with its current arguments. The approval is valid only for these arguments and for one run. (A
    /// clone keeps the approval, and so do calls that were stored before the run.) The hook of
    /// [`before_call`](crate::RegistryBuilder::before_call) runs in addition, and may deny the call.
    ///
    /// Some servers repeat the ids of earlier replies, such as `call_0`. Only a [`Session`](crate::Session) makes ids unique
    /// across replies; without one, do not accept a decision about an earlier reply.
    ///
    /// # Errors
    ///
    /// There is no call with this id, it already has a result, it waits for its result, or it has begun in a run that was
    /// interrupted.
    pub fn approve(&mut self, id: &str) -> Result<(), NotPendingError> {
        self.in_owner(id, |calls| {
            let at = calls.call_to_approve(id)?;
            calls.states[at].approve(&calls.reply.tool_calls[at]);
            Ok(())
        })
    }

    /// Approves this call with other arguments, which replace those of the model in the history: a value that serializes as
    /// a JSON object, such as `json!({"path": "b.txt"})`, or the text of one.
    ///
    /// If the call is denied or skipped before it runs, the history shows the arguments of the model again.
    ///
    /// If they are invalid, the call waits for another decision after a [`run`](PendingCalls::run), and
    /// [`awaiting_approval`](PendingCalls::awaiting_approval) has the reason; [`dispatch`](PendingCalls::dispatch) fails the
    /// call, and the model receives the error.
    ///
    /// # Errors
    ///
    /// As for [`approve`](PendingCalls::approve), the arguments cannot be written as JSON, or the provider runs the call itself.
    pub fn approve_with(&mut self, id: &str, arguments: impl Serialize) -> Result<(), NotPendingError> {
        self.in_owner(id, |calls| calls.approve_own_with(id, arguments))
    }

    fn approve_own_with(&mut self, id: &str, arguments: impl Serialize) -> Result<(), NotPendingError> {
        let at = self.call_to_approve(id)?;
        let (call, state) = (&mut self.reply.tool_calls[at], &mut self.states[at]);
        if call.name == HOSTED_APPROVAL {
            return Err(NotPendingError::FixedArguments { id: id.to_owned() });
        }
        // A value is read, so that the tool receives exactly what the person approved: a number that JSON text would round is an
        // error, and an object has each key once.
        let arguments = match serde_json::to_value(arguments) {
            Ok(Value::String(text)) => text,
            Ok(arguments) => arguments.to_string(),
            Err(error) => {
                let (id, error) = (id.to_owned(), error.to_string());
                return Err(NotPendingError::NotSerializable { id, error });
            }
        };
        let edit = state.keep_arguments(call);
        if call.name == CALL_TOOL {
            edit.arguments = Some(arguments);
        } else {
            call.set_arguments(arguments);
        }
        state.approve(call);
        Ok(())
    }

    /// Marks a call that began in an interrupted run as not begun. The next run starts it, where it would otherwise
    /// fail with [`CallError::Interrupted`]. If it needs an approval, it needs a new one.
    ///
    /// Use it if the program knows that the call had no effect, or in
    /// [`RunLog::before_calls`](crate::session::RunLog::before_calls).
    ///
    /// # Errors
    ///
    /// There is no call with this id, it already has a result, it has not begun, or it was handed out.
    pub fn set_not_begun(&mut self, id: &str) -> Result<(), NotPendingError> {
        self.in_owner(id, |calls| calls.set_own_not_begun(id))
    }

    fn set_own_not_begun(&mut self, id: &str) -> Result<(), NotPendingError> {
        let at = self.call_without_result(id)?;
        if self.states[at].handed_out().is_some() {
            return Err(NotPendingError::NeedsResult { id: id.to_owned() });
        }
        match &mut self.states[at].phase {
            phase @ Phase::Begun => *phase = Phase::Undecided,
            Phase::Approved { has_begun, .. } | Phase::Waiting { has_begun, .. } if *has_begun => {
                *has_begun = false;
            }
            _ => return Err(NotPendingError::HasNotBegun { id: id.to_owned() }),
        }
        Ok(())
    }

    /// Denies this call, which does not run. The model receives the reason after `Error: `. If the call
    /// [may have taken effect](crate::session::WaitingCall::may_have_taken_effect), the error reports that as well.
    ///
    /// # Errors
    ///
    /// There is no call with this id, it already has a result, or it has begun in a run that was interrupted.
    pub fn deny(&mut self, id: &str, reason: impl Into<String>) -> Result<(), NotPendingError> {
        self.in_owner(id, |calls| {
            let at = calls.undecided_call(id)?;
            let (call, state) = (&mut calls.reply.tool_calls[at], &mut calls.states[at]);
            state.restore_arguments(call);
            let (cause, result) = (state.cause(Cause::Denied), denied(call, state, reason.into()));
            calls.end(at, Some(cause), result);
            Ok(())
        })
    }

    /// Lets a call wait for its result, with another ticket.
    fn wait_for_result(&mut self, at: usize, ticket: Option<String>) {
        let state = &mut self.states[at];
        let (tool, arguments) = match state.waits_for() {
            Some(WaitsFor::Approval { tool, arguments, .. } | WaitsFor::Result { tool, arguments, .. }) => {
                (tool.clone(), arguments.clone())
            }
            Some(WaitsFor::HandedOut { tool, call }) => (tool.clone(), Some(call.arguments.clone())),
            None => (None, None),
        };
        *state = CallState::waiting_for_result(tool, arguments, ticket);
    }

    /// Takes the end of a call that was [handed out](PendingCalls::hand_out), as if it had run here: the registry truncates the
    /// result, and the last event of the call has the cause [`Ran`](crate::dispatch::Cause::Ran). Its outcome has no durations.
    ///
    /// A call that was [interrupted](CallEnd::Interrupted) is handed out again by the next run if its tool is `read_only` or
    /// `idempotent`; any other fails with [`ToolFailure::interrupted`]. The cause of this failure is
    /// [`Interrupted`](crate::dispatch::Cause::Interrupted), also if the worker returns it.
    ///
    /// # Errors
    ///
    /// There is no call with this id, it already has a result, or it was not handed out. A second end of a call is one of the first
    /// two, and so is an end that arrives after a decision or a user message has ended the call.
    pub fn finish_handed_out(
        &mut self,
        registry: &Registry,
        id: &str,
        end: impl Into<CallEnd>,
    ) -> Result<(), NotPendingError> {
        let at = self.call_without_result(id)?;
        let (call, state) = (&mut self.reply.tool_calls[at], &mut self.states[at]);
        let Some(HandedOutCall { tool, annotations, .. }) = state.handed_out() else {
            return Err(NotPendingError::NotHandedOut { id: id.to_owned() });
        };
        let mut result = match end.into() {
            CallEnd::Finished(result) => result,
            CallEnd::NeedsResult { ticket } => {
                self.wait_for_result(at, ticket);
                return Ok(());
            }
            CallEnd::NotBegun => return Ok(()),
            CallEnd::Interrupted if annotations.may_repeat() => {
                (state.phase, state.is_counted) = (Phase::Begun, true);
                return Ok(());
            }
            CallEnd::Interrupted => ToolFailure::interrupted(tool).into(),
        };
        if let Some(Pending { ticket }) = result.output().and_then(|output| output.as_pending()) {
            self.wait_for_result(at, ticket.clone());
            return Ok(());
        }
        let cause = cause_of(&result, Cause::Ran);
        registry.truncate(&mut result);
        let outcome = Outcome { has_begun: true, ..Outcome::default() };
        let message = result.into_message(&call.id, call.name.clone().into(), Some(outcome));
        registry.store_coerced_arguments(call);
        let repeated = RepeatedCalls::before(self.before.messages(), Some(registry));
        let message = repeated.with_note(call, message);
        self.end(at, Some(cause), message);
        Ok(())
    }

    /// Ends a call outside of a run. With a cause, the next run reports it.
    fn end(&mut self, at: usize, cause: Option<Cause>, result: ToolMessage) {
        let (call, state) = (&self.reply.tool_calls[at], &mut self.states[at]);
        for made in state.skip_inner_calls(&call.id, "") {
            self.before.push_unreported(made);
        }
        if let Some(cause) = cause {
            let unreported = FinishedCall::new(state.reported_call(call), cause, &result);
            self.before.push_unreported(unreported);
        }
        *state = CallState::finished(result);
    }

    /// Sets the result of this call: text, JSON, a [`ToolOutput`](crate::ToolOutput) with images and files, or an error
    /// ([`ToolResult::error`]). Its tool does not run. A [pending](crate::ToolOutput::pending) output replaces the ticket,
    /// and the call still waits.
    ///
    /// # Errors
    ///
    /// There is no call with this id, or it already has a result.
    pub fn provide_result(&mut self, id: &str, result: impl Into<ToolResult>) -> Result<(), NotPendingError> {
        self.set_result(id, result.into(), Some(Cause::Provided))
    }

    /// Sets the result of this call. Without a cause, no run reports it.
    pub(crate) fn set_result(
        &mut self,
        id: &str,
        result: ToolResult,
        cause: Option<Cause>,
    ) -> Result<(), NotPendingError> {
        self.in_owner(id, |calls| calls.set_own_result(id, result, cause))
    }

    fn set_own_result(
        &mut self,
        id: &str,
        result: ToolResult,
        cause: Option<Cause>,
    ) -> Result<(), NotPendingError> {
        let at = self.call_without_result(id)?;
        let (call, state) = (&mut self.reply.tool_calls[at], &mut self.states[at]);
        if let Some(WaitsFor::Approval { error: Some(_), .. }) = state.waits_for() {
            // No tool accepts these arguments, so the result is not theirs.
            state.restore_arguments(call);
        }
        if let Some(Pending { ticket }) = result.output().and_then(|output| output.as_pending()) {
            self.wait_for_result(at, ticket.clone());
        } else {
            let cause = cause.map(|cause| cause_of(&result, cause));
            let result = result.0.map_err(|failure| failure.or_message_of_error(&call.name));
            let tool = call.name.clone().into();
            let result = ToolResult(result).into_message(&call.id, tool, None);
            self.end(at, cause, result);
        }
        Ok(())
    }

    /// Adds results of these calls from a dispatch, in any order: for example the results of a streamed reply. A
    /// failure that only reports that its call needs an approval, a result that comes later or an earlier call is ignored, so that
    /// the call still waits. The third identical result of a call in a row gets a note for the model, whatever
    /// [`note_repeated_calls`](crate::RegistryBuilder::note_repeated_calls) is, since no registry is known here.
    ///
    /// ```
    /// use tool_runtime::conversation::Received;
    /// use tool_runtime::{AssistantMessage, Conversation, Registry, ToolCall, tool, tools};
    ///
    /// /// The time of day.
    /// #[tool]
    /// fn now() -> &'static str {
    ///     "12:00"
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = Registry::new(tools![now])?;
    /// let reply = AssistantMessage::from_tool_calls(vec![ToolCall::new("call_1", "now", "{}")]);
    /// let results = registry.dispatch(&reply.tool_calls).await;
    /// let chat = Conversation::new().user("What time is it?");
    /// let Received::ToolCalls(mut pending) = chat.receive(reply) else { unreachable!() };
    /// pending.add_results(results)?;
    /// let chat = pending.into_conversation().expect("each call has its result");
    /// assert_eq!(chat.messages()[2].text(), "12:00");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// A result belongs to no call, or to a call that already has a result. In this case, no result is added.
    pub fn add_results(
        &mut self,
        results: impl IntoIterator<Item = ToolMessage>,
    ) -> Result<(), NotPendingError> {
        let repeated = RepeatedCalls::before(self.before.messages(), None);
        let calls = self.reply.tool_calls.iter().zip(&mut self.states);
        let mut open: HashMap<&str, _> = calls.map(|call| (&*call.0.id, call)).collect();
        let mut taken = Vec::new();
        for result in results {
            match open.remove(&*result.tool_call_id) {
                Some((call, state)) if state.result().is_none() => taken.push((call, state, result)),
                Some(_) => return Err(NotPendingError::HasResult { id: result.tool_call_id }),
                None if self.positions.find(&result.tool_call_id, &self.reply.tool_calls).is_some() => {
                    return Err(NotPendingError::HasResult { id: result.tool_call_id });
                }
                None => return Err(self.unknown_id(result.tool_call_id)),
            }
        }
        for (call, state, result) in taken {
            match result.outcome().and_then(Outcome::error) {
                Some(CallError::NeedsApproval { .. }) => state.wait_for_approval(),
                Some(CallError::NeedsCall { .. }) => {}
                Some(CallError::NeedsResult { ticket, .. }) => {
                    *state = CallState::waiting_for_result(None, None, ticket.clone());
                }
                _ => *state = CallState::finished(repeated.with_note(call, result)),
            }
        }
        Ok(())
    }

    /// The position of a call without a result.
    fn call_without_result(&self, id: &str) -> Result<usize, NotPendingError> {
        let at = self.position(id).ok_or_else(|| self.unknown_id(id.to_owned()))?;
        match self.states[at].result() {
            Some(_) => Err(NotPendingError::HasResult { id: id.to_owned() }),
            None if is_question(&self.calls()[at]) => Err(NotPendingError::NeedsAnswer { id: id.to_owned() }),
            None => Ok(at),
        }
    }

    fn unknown_id(&self, id: String) -> NotPendingError {
        let calls = self.reply.tool_calls.iter().zip(&self.states);
        let without_result = calls.filter(|(_, state)| state.result().is_none());
        let inner = self.waiting(&|_, state| state.waits_for().is_some()).into_iter();
        let inner = inner.filter(|call| call.outer_call.is_some()).map(|call| call.id);
        let pending = without_result.map(|(call, _)| call.id.clone()).chain(inner).collect();
        NotPendingError::UnknownId { id, pending }
    }

    /// A call without a result that has not begun, or that waits for a decision whether it runs again.
    fn undecided_call(&self, id: &str) -> Result<usize, NotPendingError> {
        let at = self.call_without_result(id)?;
        match &self.states[at] {
            state if state.is_interrupted() => Err(NotPendingError::HasBegun { id: id.to_owned() }),
            _ => Ok(at),
        }
    }

    /// Like `undecided_call`, and the result does not come from elsewhere.
    fn call_to_approve(&self, id: &str) -> Result<usize, NotPendingError> {
        let at = self.undecided_call(id)?;
        match &self.states[at] {
            state if state.waits_for_result() => Err(NotPendingError::NeedsResult { id: id.to_owned() }),
            _ => Ok(at),
        }
    }
}

/// The cause of a result, unless it is that of an interrupted call.
fn cause_of(result: &ToolResult, otherwise: Cause) -> Cause {
    if result.error_kind() == Some(INTERRUPTED) { Cause::Interrupted } else { otherwise }
}
