//! How a call ends.

use super::HandedOutCall;
use crate::call_span::CallSpan;
use crate::context::{CallEvents, CallStatus, Cause, Order, Progress};
use crate::message::{ToolCall, ToolMessage};
use crate::outcome::{CallError, Outcome};
use crate::output::{CallResult, Pending, ToolFailure, ToolOutput, ToolResult};
use crate::registry::Registry;
use crate::tool::{Batch, IncomingCall, Unfinished};
use std::borrow::Cow;
use std::sync::Arc;

/// How a call ends: with a result, or without one, so that its caller decides whether it waits.
#[derive(Debug)]
pub(crate) enum Ended {
    Finished(CallResult),
    /// The call did not run, since it needs the approval of a person.
    NeedsApproval {
        /// The arguments that the tool would receive, as one JSON object, or the arguments of a person if these are invalid.
        arguments: String,
        /// The reason why the arguments of a person are invalid.
        error: Option<String>,
    },
    /// The result comes later.
    NeedsResult {
        /// `None` if the tool runs elsewhere.
        ticket: Option<String>,
        arguments: String,
    },
    /// Another process runs the call.
    HandedOut(Box<HandedOutCall>),
    /// Another call must end first: an earlier one of the reply, or one that the tool makes.
    NeedsCall {
        /// The id of that call.
        call: String,
    },
    /// The run was cancelled first.
    Cancelled,
}

impl<E: Into<ToolFailure>> From<E> for Ended {
    fn from(error: E) -> Self {
        Ended::Finished(Err(error.into()))
    }
}

impl Ended {
    /// The end of a call that cannot run. A person who has edited its arguments decides again if these are invalid.
    pub(super) fn rejected(registry: &Registry, incoming: &IncomingCall<'_>, failure: ToolFailure) -> Self {
        match failure.error() {
            Some(error) if incoming.approval.is_edited() && error.is_about_arguments() => {
                // The correction is for a model.
                let (arguments, error) = (incoming.call.arguments.clone(), Some(error.without_correction()));
                Ended::NeedsApproval { arguments, error }
            }
            _ => registry.with_search_hint(incoming, failure).into(),
        }
    }

    /// The result for the model of a call that does not wait.
    fn into_result(self, tool: &str) -> CallResult {
        let name = || tool.to_owned();
        Err(match self {
            Ended::Finished(result) => return result.map_err(|failure| failure.or_message_of_error(tool)),
            Ended::NeedsApproval { .. } => CallError::NeedsApproval { tool: name() },
            Ended::NeedsResult { ticket, .. } => CallError::NeedsResult { tool: name(), ticket },
            Ended::HandedOut(_) => CallError::NeedsResult { tool: name(), ticket: None },
            Ended::NeedsCall { call } => CallError::NeedsCall { tool: name(), call },
            Ended::Cancelled => CallError::Cancelled { tool: name() },
        }
        .into())
    }
}

/// The step after a call.
pub(crate) struct Release<'a> {
    events: Option<Arc<CallEvents>>,
    order: Option<&'a Order>,
    position: usize,
    progress: Progress,
}

impl Release<'_> {
    /// Lets later calls of the reply begin, once the listeners have received the last event of this one.
    pub(crate) async fn complete(self) {
        if let Some(events) = self.events {
            events.sent().await;
        }
        if let Some(order) = self.order {
            order.end(self.position, self.progress);
        }
    }
}

/// A call that has ended.
#[derive(Debug)]
pub(crate) struct EndedCall {
    /// The name of the called tool; that of the call if there is no such tool.
    pub(crate) tool: Cow<'static, str>,
    /// Whether `call_tool` called it.
    pub(crate) is_contained: bool,
    pub(crate) ended: Ended,
    /// `None` without listeners.
    events: Option<Arc<CallEvents>>,
    /// Without the error.
    pub(super) outcome: Outcome,
}

impl EndedCall {
    /// The end of a call with this result.
    pub(super) fn new(
        incoming: &IncomingCall<'_>,
        tool: Cow<'static, str>,
        result: Result<ToolOutput, Ended>,
    ) -> Self {
        let is_cancelled = |failure: &ToolFailure| {
            let is_stopped = incoming.batch.is_cancelled() || incoming.record.stays_pending();
            matches!(failure.error(), Some(CallError::Cancelled { .. })) && is_stopped
        };
        let ended = match (result, incoming.record.waits_for_inner_call()) {
            (_, Some(_)) if incoming.batch.is_cancelled() => Ended::Cancelled,
            (_, Some(call)) => Ended::NeedsCall { call: call.to_owned() },
            (Ok(output) | Err(Ended::Finished(Ok(output))), None) => match output.as_pending() {
                Some(Pending { ticket }) => {
                    let (ticket, arguments) = (ticket.clone(), incoming.object().to_owned());
                    Ended::NeedsResult { ticket, arguments }
                }
                None => Ended::Finished(Ok(output)),
            },
            (Err(Ended::Finished(Err(failure))), None) if is_cancelled(&failure) => Ended::Cancelled,
            (Err(ended), None) => ended,
        };
        // The steps are dropped: the record knows whether the tool has begun.
        let mut outcome = incoming.record.outcome(incoming.batch.elapsed());
        if let Ended::Finished(Err(failure)) = &ended {
            // It began in an earlier run.
            outcome.has_begun |= matches!(failure.error(), Some(CallError::Interrupted { .. }));
        }
        EndedCall { tool, is_contained: incoming.is_contained, ended, events: None, outcome }
    }

    /// The step after the call, which lets later calls of the reply begin; `None` without listeners and without an order.
    pub(crate) fn release<'a>(&self, batch: &'a Batch<'a>, position: usize) -> Option<Release<'a>> {
        if self.events.is_none() && batch.order.is_none() {
            return None;
        }
        let progress = match &self.ended {
            // Its result comes from elsewhere.
            Ended::Finished(Err(failure)) if batch.rejection.is_some() => match failure.error() {
                Some(CallError::NeedsResult { .. }) => Progress::Waits,
                _ => Progress::Ended,
            },
            Ended::Finished(_) => Progress::Ended,
            Ended::Cancelled if batch.unfinished == Unfinished::Fail => Progress::Ended,
            _ => Progress::Waits,
        };
        Some(Release { events: self.events.clone(), order: batch.order, position, progress })
    }

    /// Sends the last event of the call in this dispatch.
    pub(super) fn send(&mut self, events: Arc<CallEvents>, incoming: &IncomingCall<'_>) {
        let finished = |result: CallResult| {
            let error = result.as_ref().err().map(|failure| failure.to_error(&self.tool));
            let (arguments, run_with) = incoming.event_arguments();
            let outcome = Outcome { error, ..self.outcome.clone() };
            let (cause, result) = (self.cause(incoming), ToolResult(result));
            CallStatus::Finished { arguments, run_with, cause, result, outcome }
        };
        let stays_pending = incoming.batch.unfinished == Unfinished::Keep;
        events.send(match &self.ended {
            Ended::NeedsApproval { arguments, .. } => {
                CallStatus::NeedsApproval { arguments: arguments.clone() }
            }
            Ended::NeedsResult { ticket, .. } => {
                let (arguments, run_with) = incoming.event_arguments();
                CallStatus::NeedsResult { ticket: ticket.clone(), arguments, run_with }
            }
            // Its last event follows when it has its result.
            Ended::HandedOut(_) => return,
            Ended::NeedsCall { call } if stays_pending => CallStatus::NeedsCall { call: call.clone() },
            Ended::NeedsCall { call } => {
                finished(Ended::NeedsCall { call: call.clone() }.into_result(&self.tool))
            }
            Ended::Finished(result) => finished(result.clone()),
            Ended::Cancelled if stays_pending => CallStatus::Cancelled,
            Ended::Cancelled => finished(Ended::Cancelled.into_result(&self.tool)),
        });
        self.events = Some(events);
    }

    fn cause(&self, incoming: &IncomingCall<'_>) -> Cause {
        let error = match &self.ended {
            Ended::Finished(Err(failure)) => failure.error(),
            _ => None,
        };
        match error {
            Some(CallError::Interrupted { .. }) => Cause::Interrupted,
            // A tool or its middleware may have the errors below as well.
            _ if incoming.record.has_begun() || incoming.record.has_finished() => Cause::Ran,
            Some(
                CallError::Denied { .. } | CallError::HookPanicked { .. } | CallError::HookTimedOut { .. },
            ) => Cause::Denied,
            _ if self.outcome.responded_by_hook => Cause::Provided,
            _ => Cause::NotRun,
        }
    }

    /// Records the end in the span of the call. A call that waits has not failed.
    pub(super) fn record_in(&self, span: &CallSpan, registry: &Registry) {
        match &self.ended {
            Ended::Finished(Ok(output)) => span.record_output(registry, output.text()),
            Ended::Finished(Err(failure)) => {
                span.record_failure(registry, failure.message(), &failure.to_error(&self.tool));
            }
            Ended::Cancelled => {
                let error = CallError::Cancelled { tool: self.tool.to_string() };
                span.record_failure(registry, &error.to_string(), &error);
            }
            Ended::NeedsApproval { .. }
            | Ended::NeedsResult { .. }
            | Ended::HandedOut(_)
            | Ended::NeedsCall { .. } => {}
        }
    }

    /// The result of the call, within `max_result_bytes`. One that waits has failed.
    pub(crate) fn into_result(self, registry: &Registry) -> ToolResult {
        let mut result = ToolResult(self.ended.into_result(&self.tool));
        registry.truncate(&mut result);
        result
    }

    /// The tool message of the call, within `max_result_bytes`. One that waits has failed.
    pub(crate) fn into_message(self, registry: &Registry, call: &ToolCall) -> ToolMessage {
        self.into_message_with(call, |result| registry.truncate(result))
    }

    /// The tool message of the call, with its whole result.
    pub(crate) fn into_whole_message(self, call: &ToolCall) -> ToolMessage {
        self.into_message_with(call, |_| {})
    }

    fn into_message_with(self, call: &ToolCall, change: impl FnOnce(&mut ToolResult)) -> ToolMessage {
        let EndedCall { tool, is_contained, ended, outcome, .. } = self;
        let mut result = ToolResult(ended.into_result(&tool));
        change(&mut result);
        let mut message = result.into_message(&call.id, tool, Some(outcome));
        if is_contained {
            message.tool = Cow::Owned(call.name.clone());
        }
        message
    }
}
