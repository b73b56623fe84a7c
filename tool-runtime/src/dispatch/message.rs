//! The tool message of one call.

use crate::context::{CallEvents, CallRecord, CallStatus};
use crate::message::{Content, ERROR, ToolCall, ToolMessage};
use crate::outcome::CallError;
use crate::output::{ToolFailure, ToolOutput, ToolResult, truncate_middle};
use crate::registry::Registry;
use crate::tool::{Approval, Batch, Call, RegisteredTool, Stage};
use std::borrow::Cow;
use std::future::Future;
use std::sync::Arc;
#[cfg(feature = "tracing")]
use tracing::Instrument as _;

impl Registry {
    /// Runs one call of a reply and writes its tool message in place, since moving a message through the futures of a batch
    /// takes longer than creating it. Not an `async fn`, which would store its arguments twice.
    ///
    /// Its steps: look-up, limits of the reply, validation and coercion of the arguments, the [`Stage`]s of the call, the
    /// run, the result.
    ///
    /// [`Stage`]: crate::tool::Stage
    pub(crate) fn write_message<'a>(
        &'a self,
        batch: &'a Batch<'a>,
        position: usize,
        tool_call: &'a ToolCall,
        approval: Approval,
        observed: Option<&'a CallRecord>,
        message: &'a mut ToolMessage,
    ) -> impl Future<Output = ()> + Send + 'a {
        #[cfg(any(feature = "search", feature = "tracing"))]
        let inner = self.inner_call(tool_call);
        #[cfg(feature = "tracing")]
        let span = self.span(inner.or(tool_call));
        #[cfg(feature = "tracing")]
        let recorded = span.clone();
        let writing = async move {
            // Without the feature, the additional variables add 12 instructions to a call.
            #[cfg(feature = "search")]
            let (outer, tool_call, batch) = (tool_call, inner.or(tool_call), &batch.for_inner(&inner));
            let own_record = CallRecord::default();
            let record = observed.unwrap_or(&own_record);
            let has_listeners = batch.stages.contains(Stage::StartEvent);
            let events = has_listeners.then(|| self.events(batch, tool_call));
            let events = events.as_ref();
            let result = match self.tool_to_run(batch, position, tool_call) {
                Ok(tool) => {
                    // The old name is empty. `clone_from` adds 30 instructions to a call.
                    #[allow(clippy::assigning_clones, reason = "it saves instructions")]
                    {
                        message.tool = tool.name.clone();
                    }
                    let (id, arguments) = (&*tool_call.id, &*tool_call.arguments);
                    let all_runs = None;
                    let call =
                        Call { tool, id, arguments, batch, position, approval, record, all_runs, events };
                    self.run(&call).await
                }
                Err(error) => {
                    message.tool = Cow::Owned(tool_call.name.clone());
                    Err(error)
                }
            };
            #[cfg(feature = "search")]
            let result = result.map_err(|failure| self.with_search_hint(batch, tool_call, failure));
            let result = result.inspect_err(|failure| ask_again(record, events, tool_call, failure));
            let pending =
                |output: &ToolOutput| self.pending_failure(batch, position, tool_call, events, output);
            self.write_result(batch, record, events, result, pending, message);
            if let Some(events) = events {
                events.sent().await;
            }
            #[cfg(feature = "search")]
            if inner.get().is_some() {
                message.tool = Cow::Owned(outer.name.clone());
            }
            #[cfg(feature = "tracing")]
            self.record(&recorded, message);
        };
        #[cfg(feature = "tracing")]
        let writing = writing.instrument(span);
        writing
    }

    /// The tool to run, or the reason why the call does not run.
    pub(super) fn tool_to_run(
        &self,
        batch: &Batch<'_>,
        position: usize,
        call: &ToolCall,
    ) -> Result<&Arc<RegisteredTool>, ToolFailure> {
        if let Some(limit) = self.limits().max_calls_per_batch.filter(|&limit| position >= limit) {
            return Err(CallError::TooManyCalls { limit }.into());
        }
        let Some(tool) = self.tool(&call.name) else {
            return Err(CallError::UnknownTool(self.unknown_tool_of_call(batch, position, &call.name)).into());
        };
        if let Some(rejection) = batch.rejection {
            return Err(rejection(tool.name.to_string()).into());
        }
        if call.is_truncated {
            return Err(CallError::Truncated { tool: tool.name.to_string() }.into());
        }
        match batch.context.and_then(|context| context.allowed()) {
            Some(allowed) if !self.is_allowed(tool, Some(allowed)) => {
                let tool = tool.name.to_string();
                Err(CallError::NotAllowed { tool, allowed: self.allowed_names(allowed) }.into())
            }
            _ => Ok(tool),
        }
    }

    /// The failure in place of an output that comes later.
    #[cold]
    pub(super) fn pending_failure(
        &self,
        batch: &Batch<'_>,
        position: usize,
        call: &ToolCall,
        events: Option<&Arc<CallEvents>>,
        output: &ToolOutput,
    ) -> ToolFailure {
        let ticket = output.ticket().map(str::to_owned);
        if let Some(events) = events {
            let arguments = self.object_to_run(batch, position, call);
            events.send(CallStatus::NeedsResult { ticket: ticket.clone(), arguments });
        }
        let tool = self.tool(&call.name).map_or(&*call.name, |tool| &tool.name).to_owned();
        CallError::NeedsResult { tool, ticket }.into()
    }

    /// Writes the result of a call into its message.
    #[inline]
    fn write_result(
        &self,
        batch: &Batch<'_>,
        record: &CallRecord,
        events: Option<&Arc<CallEvents>>,
        result: Result<ToolOutput, ToolFailure>,
        pending: impl FnOnce(&ToolOutput) -> ToolFailure,
        message: &mut ToolMessage,
    ) {
        let result_of_event = events.map(|_| ToolResult::from(result.clone()));
        let error = match result {
            Ok(output) if output.as_pending().is_none() => {
                let (content, artifact) = output.into_parts();
                message.process.artifact = artifact;
                message.content = content;
                self.truncate(&mut message.content);
                None
            }
            Ok(output) => Some(self.write_failure(pending(&output), message)),
            Err(failure) => Some(self.write_failure(failure, message)),
        };
        let outcome = record.outcome(error, batch.started.elapsed());
        if let (Some(events), Some(result)) = (events, result_of_event) {
            events.send(CallStatus::Finished { result, outcome: outcome.clone() });
        }
        message.process.outcome = Some(outcome);
    }

    /// Writes a failure into the message of its call, and returns the error.
    fn write_failure(&self, failure: ToolFailure, message: &mut ToolMessage) -> Arc<CallError> {
        let (kind, text, error) = failure.into_parts(&message.tool);
        let text = self.truncated_error(&text).unwrap_or(text);
        message.content = [ERROR, &text].concat().into();
        message.error_kind = Some(kind);
        error
    }

    /// Truncates the text of a result to the limit of the registry.
    pub(crate) fn truncate_result(&self, result: ToolResult) -> ToolResult {
        match result.into_result() {
            Ok(mut output) => {
                self.truncate(output.content_mut());
                output.into()
            }
            Err(failure) => match self.truncated_error(failure.message()) {
                Some(text) => failure.with_message(text).into(),
                None => failure.into(),
            },
        }
    }

    /// The text of a failure if it must be truncated to the limit of the registry, which includes `Error: `.
    pub(super) fn truncated_error(&self, text: &str) -> Option<String> {
        let limit = self.limits().max_output_bytes?.saturating_sub(ERROR.len());
        truncate_middle(text, limit)
    }

    /// Truncates the text of an output to the limit of the registry.
    #[inline]
    pub(super) fn truncate(&self, content: &mut Content) {
        let Some(limit) = self.limits().max_output_bytes else { return };
        if let Some(text) = truncate_middle(content.as_str(), limit) {
            *content = std::mem::take(content).with_text(text);
        }
    }

    #[cold]
    pub(super) fn events(&self, batch: &Batch<'_>, call: &ToolCall) -> Arc<CallEvents> {
        let tool = self.tool(&call.name).map_or(&*call.name, |tool| &tool.name);
        Arc::new(CallEvents::new(batch.context(), &call.id, tool))
    }
}

/// Reports that a call waits again, if a person has edited its arguments and they are invalid. `CallEvents` then drops
/// the `Finished` of the invalid call.
#[cold]
fn ask_again(record: &CallRecord, events: Option<&Arc<CallEvents>>, call: &ToolCall, failure: &ToolFailure) {
    if record.waits_if_invalid() && failure.error().is_some_and(CallError::is_about_arguments) {
        if let Some(events) = events {
            events.send(CallStatus::NeedsApproval { arguments: call.arguments.clone() });
        }
    }
}
