//! One call of a tool.

use super::{Body, IncomingCall, Invocation, Place, ToolEntry, ToolFuture};
use crate::arguments::{ArgumentsError, object};
use crate::context::{CallContext, CallEvents, CallRecord, InnerCalls};
use crate::outcome::CallError;
use crate::state::State;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// One call of a tool, from its look-up to its result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call<'a> {
    pub(crate) tool: &'a Arc<ToolEntry>,
    /// Its record is that of this run.
    pub(crate) incoming: &'a IncomingCall<'a>,
    /// The record of all runs of the call, if middleware may run it several times.
    pub(crate) all_runs: Option<&'a CallRecord>,
    /// `None` if the run context has no listeners.
    pub(crate) events: Option<&'a Arc<CallEvents>>,
}

impl<'a> Call<'a> {
    pub(crate) fn new(
        tool: &'a Arc<ToolEntry>,
        incoming: &'a IncomingCall<'a>,
        events: Option<&'a Arc<CallEvents>>,
    ) -> Self {
        Call { tool, incoming, all_runs: None, events }
    }

    /// Whether no step stands between the decoding of the arguments and the run.
    pub(crate) fn is_direct(&self) -> bool {
        let batch = self.incoming.batch;
        !self.incoming.call.asks_approval()
            && self.tool.is_direct
            && batch.is_direct
            && batch.order.is_none()
            && batch.place == Place::ThisProcess
    }

    /// The arguments for the tool.
    pub(super) fn arguments(&self) -> &'a str {
        self.incoming.arguments()
    }

    /// Validates and decodes the arguments, and returns the future of the tool, which has not begun.
    pub(crate) fn decode(&'a self) -> Result<ToolFuture<'a>, Box<CallError>> {
        match &self.tool.body {
            Body::Function(tool) => {
                let mut invocation = Invocation::call(tool.parameters, self);
                (tool.call)(&mut invocation).ok_or_else(|| match invocation.into_error() {
                    Some(error) => Box::new(error),
                    None => unreachable!("a shim returns `None` for a call only with an error"),
                })
            }
            Body::Dynamic(handler) => Ok(handler(self.decoded_object()?, self.context())),
        }
    }

    /// Validates the arguments, and the state, without a future of the tool.
    pub(crate) fn validate(&self) -> Result<(), Box<CallError>> {
        match &self.tool.body {
            Body::Function(tool) => {
                let mut invocation = Invocation::validate(tool.parameters, self);
                // The shim always returns `None` after a validation.
                let _ = (tool.call)(&mut invocation);
                invocation.into_error().map_or(Ok(()), |error| Err(Box::new(error)))
            }
            Body::Dynamic(_) => self.decoded_object().map(drop),
        }
    }

    fn decoded_object(&self) -> Result<Map<String, Value>, Box<CallError>> {
        let object = object(self.arguments(), &self.tool.validator.validator);
        object.map_err(|error| Box::new(self.argument_error(error)))
    }

    /// The error of arguments that cannot be decoded, with the keys that the model received.
    #[cold]
    pub(super) fn argument_error(&self, error: ArgumentsError) -> CallError {
        let ToolEntry { name, keys, validator, .. } = &**self.tool;
        match keys.as_ref().filter(|_| self.incoming.has_written_keys()) {
            Some(keys) => keys.call_error(name, error, self.arguments()),
            None => error.into_call_error(name, self.arguments(), Some(&validator.validator)),
        }
    }

    /// An error if an object of the arguments has both a key and the written name that the model received. For a reply of
    /// another provider, the written name has no special meaning.
    pub(crate) fn check_keys(&self) -> Result<(), Box<CallError>> {
        let keys = self.tool.keys.as_ref().filter(|_| self.incoming.has_written_keys());
        let Some(keys) = keys else { return Ok(()) };
        // A closed object reports such a key itself.
        self.validate()?;
        match keys.names.conflicts(self.arguments()) {
            errors if errors.is_empty() => Ok(()),
            errors => {
                let error = ArgumentsError::Invalid(errors);
                Err(Box::new(error.into_call_error(&self.tool.name, self.arguments(), None)))
            }
        }
    }

    /// The record of the call: that of all its runs, if middleware may run it several times.
    pub(crate) fn record(&self) -> &'a CallRecord {
        self.all_runs.unwrap_or(self.incoming.record)
    }

    /// The context for the tool.
    pub(crate) fn context(&self) -> CallContext {
        let IncomingCall { batch, position, call, .. } = *self.incoming;
        CallContext {
            id: call.id.clone(),
            tool: self.tool.name.to_string(),
            // The log does not record the calls of a tool whose own call is not recorded.
            run: if batch.is_early { batch.context().without_log() } else { batch.context().clone() },
            cancellation: self.token(),
            reply: batch.reply,
            position,
            events: self.events.cloned(),
            inner_calls: InnerCalls::new(self.record().inner_calls().cloned()),
            pauses: Arc::clone(self.record().pauses()),
        }
    }

    /// The state of this type, from the run context or otherwise from the registry of the tool.
    pub(super) fn state<T: State + ?Sized>(&self) -> Option<&'a T> {
        let provided = self.incoming.batch.context.and_then(|context| T::find(context.states()));
        provided.or_else(|| T::find(&self.tool.states))
    }

    /// The token of the tool, which is cancelled together with the call and the run context.
    pub(crate) fn token(&self) -> CancellationToken {
        let new_token = || match self.time_to_finish() {
            // The tool finishes: it is dropped after this time.
            Some(_) => CancellationToken::new(),
            None => self.incoming.batch.context().child_token(),
        };
        self.incoming.record.token(|| match self.all_runs {
            Some(all_runs) => all_runs.token(new_token).child_token(),
            None => new_token(),
        })
    }

    /// The time in which the call may finish after the cancellation of its run, once it has begun.
    pub(crate) fn time_to_finish(&self) -> Option<Duration> {
        let may_have_effect = !self.tool.options.annotations.is_read_only();
        self.incoming.batch.context().time_to_finish().filter(|_| may_have_effect)
    }

    /// Begins a run of the call. An error if the call has ended, and its runs may not begin any more.
    pub(crate) fn begin(&self) -> Result<(), CallError> {
        if self.all_runs.is_some_and(|all_runs| !all_runs.begin()) {
            return Err(self.cancelled());
        }
        self.incoming.record.set_begun();
        Ok(())
    }

    #[cold]
    pub(crate) fn cancelled(&self) -> CallError {
        CallError::Cancelled { tool: self.tool.name.to_string() }
    }
}
