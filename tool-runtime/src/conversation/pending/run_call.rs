//! The run of one pending call.

use super::call_state::reported_call;
use super::{CallState, Edit, Phase, WaitsFor, tool_name};
use crate::arguments::truncated_call_error;
use crate::context::{CallRecord, Cause};
use crate::conversation::FinishedCall;
use crate::conversation::repeated_calls::RepeatedCalls;
use crate::dispatch::{Ended, EndedCall};
use crate::message::{ToolCall, ToolMessage};
use crate::outcome::{CallError, Outcome};
use crate::registry::Registry;
use crate::tool::{Approval, Batch, IncomingCall, Place, Unfinished};

/// Marks a call whose tool has begun, when its run ends or is dropped: from then on, its approval is no longer valid.
struct MarkBegun<'a> {
    state: &'a mut CallState,
    record: &'a CallRecord,
}

impl Drop for MarkBegun<'_> {
    fn drop(&mut self) {
        let keeps_inner_calls = self.state.end_inner_calls(self.record);
        if self.record.has_begun() && !keeps_inner_calls {
            self.state.set_begun();
        }
        self.state.is_counted = self.record.is_counted();
    }
}

/// The data that the calls of a run share.
pub(in crate::conversation) struct CallsRun<'a> {
    pub(in crate::conversation) registry: &'a Registry,
    pub(in crate::conversation) batch: &'a Batch<'a>,
    /// `None` for the calls of a tool, which receives their whole results, and without notes.
    pub(in crate::conversation) repeated: Option<RepeatedCalls<'a>>,
}

impl CallsRun<'_> {
    /// Runs a call that is [prepared](CallState::prepare), until it has its result or waits.
    pub(in crate::conversation) async fn run_call(
        &self,
        position: usize,
        call: &mut ToolCall,
        state: &mut CallState,
        record: CallRecord,
    ) {
        let registry = self.registry;
        let rejection: Option<fn(String) -> CallError> = match &*state {
            state if state.has_begun() && !registry.may_repeat(call) || state.lacks_record(&record) => {
                Some(|tool| CallError::Interrupted { tool, reason: String::new() })
            }
            state if state.waits_for_result() => Some(|tool| CallError::NeedsResult { tool, ticket: None }),
            _ => None,
        };
        // The calls of its tool are kept here.
        let place = if record.inner_calls().is_some_and(|calls| calls.continues()) {
            Place::ThisProcess
        } else {
            self.batch.place
        };
        let batch = &Batch { rejection, place, ..*self.batch };
        let mut approval = state.approval(call);
        // A run that keeps no call pending sends the error of an edit to the model.
        if state.edit.is_some() && batch.unfinished == Unfinished::Keep {
            approval = Approval::Edited { is_granted: approval.is_granted() };
        }
        record.set_counted(state.is_counted);
        let begun = MarkBegun { state: &mut *state, record: &record };
        let incoming = IncomingCall::new(batch, position, call, approval, &record);
        let ended = registry.run_to_end(&incoming).await;
        let release = ended.release(batch, position);
        drop(begun);
        // Otherwise the tool has the note in its error.
        let note = if record.has_begun() { String::new() } else { state.note_of_inner_calls() };
        self.take(call, state, ended);
        state.add_note(&note);
        if let Some(release) = release {
            release.complete().await;
        }
    }

    /// Takes the end of a call.
    pub(super) fn take(&self, call: &mut ToolCall, state: &mut CallState, ended: EndedCall) {
        let tool = ended.is_contained.then(|| ended.tool.to_string());
        let is_other = |arguments: &String| *arguments != call.arguments;
        match ended.ended {
            Ended::NeedsApproval { .. } | Ended::NeedsResult { .. }
                if self.batch.unfinished == Unfinished::Fail =>
            {
                let reported = reported_call(call, ended.is_contained);
                self.finish(call, state, ended);
                if let Some(result) = state.result() {
                    let finished = FinishedCall::new(reported, Cause::NotRun, result);
                    self.registry.send_event(&finished.into_event());
                }
            }
            _ if self.batch.unfinished == Unfinished::Fail => self.finish(call, state, ended),
            // Its reply was truncated after it had started early: it will not run, so no person is asked.
            Ended::NeedsApproval { .. } | Ended::NeedsResult { ticket: None, .. } if call.is_truncated => {
                let error = truncated_call_error(tool_name(call, state), &call.arguments);
                let result = ToolMessage::failed(&call.id, &call.name, error);
                let finished = FinishedCall::new(state.reported_call(call), Cause::NotRun, &result);
                self.registry.send_event(&finished.into_event());
                *state = CallState::finished(result);
            }
            Ended::NeedsApproval { arguments, error } => {
                let arguments = Some(arguments).filter(is_other);
                // The person must know whether the call may have taken effect in an earlier run.
                let has_begun = state.has_begun() && !self.registry.is_read_only(call);
                let waits_for = WaitsFor::Approval { tool, arguments, error };
                state.phase = Phase::Waiting { waits_for, has_begun };
            }
            Ended::NeedsResult { ticket, arguments } => {
                let arguments = Some(arguments).filter(is_other);
                // The call has the arguments with which it was started.
                let edit = state.edit.take().map(|_| Edit::default());
                *state = CallState { edit, ..CallState::waiting_for_result(tool, arguments, ticket) };
            }
            Ended::HandedOut(handed_out) => {
                let has_begun = !handed_out.annotations.is_read_only();
                state.phase =
                    Phase::Waiting { waits_for: WaitsFor::HandedOut { tool, call: handed_out }, has_begun };
                // The call has the arguments with which it was handed out.
                state.edit = state.edit.take().map(|_| Edit::default());
                state.is_counted = false;
            }
            // The next run starts it again, unless it has begun and must not be repeated.
            Ended::Cancelled | Ended::NeedsCall { .. } => {}
            Ended::Finished(_) => self.finish(call, state, ended),
        }
    }

    fn finish(&self, call: &mut ToolCall, state: &mut CallState, ended: EndedCall) {
        let message = match &self.repeated {
            Some(repeated) => {
                let message = ended.into_message(self.registry, call);
                self.registry.store_coerced_arguments(call);
                repeated.with_note(call, message)
            }
            None => ended.into_whole_message(call),
        };
        // Those that the end of the tool has dropped.
        for made in state.skip_inner_calls(&call.id, "") {
            self.registry.send_event(&made.into_event());
        }
        *state = CallState::finished(message);
    }
}

impl CallState {
    /// Prepares a call for a run, which gives it the arguments of a person.
    pub(in crate::conversation) fn prepare(&mut self, registry: &Registry, call: &mut ToolCall) {
        let is_interrupted = self.is_interrupted();
        let Some(edit) = &mut self.edit else { return };
        if is_interrupted {
            // The tool has begun with the arguments in the history.
            edit.replaced = None;
        }
        if let Some(arguments) = edit.arguments.take() {
            registry.contained_call(call).replace_arguments(call, arguments);
            self.approve(call);
        }
    }

    /// Adds a note to the error of a call that did not begin.
    fn add_note(&mut self, note: &str) {
        let Phase::Finished(result) = &mut self.phase else { return };
        match result.outcome().and_then(Outcome::error) {
            // A recorded error has its note.
            None | Some(CallError::Returned { .. } | CallError::Recorded { .. }) => {}
            Some(_) => result.add_note(note),
        }
    }

    pub(super) fn set_begun(&mut self) {
        self.phase = Phase::Begun;
        if let Some(edit) = &mut self.edit {
            edit.arguments = None;
        }
    }
}
