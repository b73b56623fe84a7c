//! One call of a tool.

use super::{Body, Invocation, RegisteredTool, Started, ToolKeys};
use crate::arguments::{ArgumentsError, object};
use crate::context::{BatchContext, CallContext, CallEvents, CallRecord};
use crate::inner_call::InnerCall;
use crate::message::{ToolCall, means_none};
use crate::outcome::CallError;
use crate::state::State;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;
// Tokio's clock, which tests can pause.
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// A call of a reply, before the look-up of its tool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IncomingCall<'a> {
    pub(crate) batch: &'a Batch<'a>,
    /// The position in the reply.
    pub(crate) position: usize,
    pub(crate) call: &'a ToolCall,
    pub(crate) approval: Approval,
    pub(crate) record: &'a CallRecord,
}

/// One call of a tool, from its look-up to its result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call<'a> {
    pub(crate) tool: &'a Arc<RegisteredTool>,
    pub(crate) id: &'a str,
    /// The arguments of the model.
    pub(crate) arguments: &'a str,
    pub(crate) batch: &'a Batch<'a>,
    /// The position in the reply.
    pub(crate) position: usize,
    pub(crate) approval: Approval,
    /// The record of this run.
    pub(crate) record: &'a CallRecord,
    /// The record of all runs of the call, if middleware may run it several times.
    pub(crate) all_runs: Option<&'a CallRecord>,
    /// `None` if the batch has no listeners.
    pub(crate) events: Option<&'a Arc<CallEvents>>,
}

/// The data that the calls of one batch share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Batch<'a> {
    /// `None` for calls without a context.
    pub(crate) context: Option<&'a BatchContext>,
    /// The number of the reply in its run.
    pub(crate) reply: u64,
    /// `None` if nobody wants the durations of the calls.
    pub(crate) started: Option<Instant>,
    /// Creates the error of each call from the name of its tool, if the calls must not run.
    pub(crate) rejection: Option<fn(String) -> CallError>,
    /// Whether the model received definitions with written names of keys.
    pub(crate) has_written_keys: bool,
    /// Whether no step of the sequence concerns all calls of the batch.
    pub(crate) is_direct: bool,
}

impl<'a> Batch<'a> {
    /// The batch for a call, or for its inner call, whose arguments have no definition with written names of keys.
    pub(crate) fn for_inner(&self, inner: &InnerCall) -> Self {
        Batch { has_written_keys: self.has_written_keys && inner.get().is_none(), ..*self }
    }

    /// The same data, for an owner that has the context.
    pub(crate) fn without_context(&self) -> Batch<'static> {
        let Batch { context: _, reply, started, rejection, has_written_keys, is_direct } = *self;
        Batch { context: None, reply, started, rejection, has_written_keys, is_direct }
    }

    /// The context, which is empty for calls without one.
    pub(crate) fn context(&self) -> &'a BatchContext {
        self.context.unwrap_or_else(|| BatchContext::none())
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        let token = self.context.and_then(BatchContext::token);
        token.is_some_and(CancellationToken::is_cancelled)
    }

    /// The time since the start of the batch.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.map_or(Duration::ZERO, |started| started.elapsed())
    }
}

/// The approval of a call before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Approval {
    /// Not approved. The hook decides, and must approve a tool that requires approval.
    None,
    /// A person has approved these arguments. The hook may still deny the call.
    Granted,
    /// A person has edited these arguments, and decides again if they are invalid.
    Edited { is_granted: bool },
    /// The program runs the tool directly; the hook is not called.
    Bypassed,
}

impl Approval {
    pub(crate) fn is_edited(self) -> bool {
        matches!(self, Approval::Edited { .. })
    }

    /// Whether a person has approved the call.
    pub(crate) fn is_granted(self) -> bool {
        matches!(self, Approval::Granted | Approval::Edited { is_granted: true })
    }
}

/// The arguments as one JSON object.
pub(crate) fn object_of_arguments(arguments: &str) -> &str {
    let is_none = !arguments.starts_with('{') && means_none(arguments);
    if is_none { "{}" } else { arguments }
}

impl<'a> Call<'a> {
    pub(crate) fn new(
        tool: &'a Arc<RegisteredTool>,
        incoming: &IncomingCall<'a>,
        events: Option<&'a Arc<CallEvents>>,
    ) -> Self {
        let IncomingCall { batch, position, call, approval, record } = *incoming;
        let (id, arguments) = (&*call.id, &*call.arguments);
        Call { tool, id, arguments, batch, position, approval, record, all_runs: None, events }
    }

    /// Whether no step stands between the decoding of the arguments and the run.
    pub(crate) fn is_direct(&self) -> bool {
        self.tool.is_direct && self.batch.is_direct
    }

    /// The arguments of the model, or the coerced ones if they had to be coerced.
    pub(crate) fn arguments(&self) -> &'a str {
        self.record.arguments().unwrap_or(self.arguments)
    }

    /// The arguments as one JSON object.
    pub(crate) fn object(&self) -> &'a str {
        object_of_arguments(self.arguments())
    }

    /// Validates and decodes the arguments, and returns the future of the tool, which has not begun.
    pub(crate) fn start(&'a self) -> Result<Started<'a>, Box<CallError>> {
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
        let keys = self.tool.keys.as_deref().filter(|_| self.batch.has_written_keys);
        ToolKeys::written_error(keys, error, self.arguments()).into_call_error(&self.tool.name)
    }

    /// An error if an object of the arguments has both a key and the written name that the model received. For a reply of
    /// another provider, the written name has no special meaning.
    pub(crate) fn check_keys(&self) -> Result<(), Box<CallError>> {
        let keys = self.tool.keys.as_ref().filter(|_| self.batch.has_written_keys);
        let Some(keys) = keys else { return Ok(()) };
        // A closed object reports such a key itself.
        self.validate()?;
        match keys.names.conflicts(self.arguments()) {
            errors if errors.is_empty() => Ok(()),
            errors => Err(Box::new(CallError::InvalidArguments { tool: self.tool.name.to_string(), errors })),
        }
    }

    /// The context for the tool.
    pub(crate) fn context(&self) -> CallContext {
        let batch = self.batch.context();
        CallContext {
            id: self.id.to_owned(),
            tool: self.tool.name.to_string(),
            batch: batch.clone(),
            cancellation: self.token(),
            reply: self.batch.reply,
            position: self.position,
            events: self.events.cloned(),
        }
    }

    /// The state of this type, from the batch or otherwise from the registry of the tool.
    pub(super) fn state<T: State + ?Sized>(&self) -> Option<&'a T> {
        let of_batch = self.batch.context.and_then(|batch| T::find(batch.states()));
        of_batch.or_else(|| T::find(&self.tool.states))
    }

    /// The token of this run, which is cancelled together with the call and its batch.
    pub(crate) fn token(&self) -> CancellationToken {
        let of_batch = || self.batch.context().child_token();
        self.record.token(|| match self.all_runs {
            Some(all_runs) => all_runs.token(of_batch).child_token(),
            None => of_batch(),
        })
    }

    /// Begins a run of the call. An error if the call has ended, and its runs may not begin any more.
    pub(crate) fn begin(&self) -> Result<(), CallError> {
        if self.all_runs.is_some_and(|all_runs| !all_runs.begin()) {
            return Err(self.cancelled());
        }
        self.record.set_begun();
        Ok(())
    }

    #[cold]
    pub(crate) fn cancelled(&self) -> CallError {
        CallError::Cancelled { tool: self.tool.name.to_string() }
    }
}
