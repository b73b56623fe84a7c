//! One call to run, its start and its result.

use crate::arguments::ArgumentsError;
use crate::context::{BatchContext, Progress};
use crate::invocation::{NotStarted, Scope};
use crate::outcome::CallError;
use crate::output::{Failure, Reply, ReturnedError, ToolOutput};
use crate::panics::{CatchPanic, PanicMessage};
use crate::registry::{Entry, Registry};
use futures_util::FutureExt as _;
use std::future::Future;

/// The result of a call. The error is boxed to keep the futures that contain it small.
pub(super) type CallResult = Result<ToolOutput, Box<CallError>>;

/// A tool with decoded arguments.
pub(super) type Running<'a> = CatchPanic<'a, Reply>;

/// A call of a known tool.
#[derive(Clone, Copy)]
pub(super) struct Work<'a> {
    pub(super) tool: &'a Entry,
    pub(super) id: &'a str,
    pub(super) arguments: &'a str,
    pub(super) batch: &'a BatchContext,
    pub(super) approval: Approval,
    pub(super) progress: &'a Progress,
}

/// The approval of a call before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Approval {
    /// Not approved. The hook decides, and must approve a tool that requires approval.
    None,
    /// A person has approved these arguments. The hook may still deny the call.
    Given,
    /// The program runs the tool directly; the hook is not called.
    ByHand,
}

impl<'a> Work<'a> {
    pub(super) fn new(
        tool: &'a Entry,
        id: &'a str,
        arguments: &'a str,
        batch: &'a BatchContext,
        progress: &'a Progress,
    ) -> Self {
        Work { tool, id, arguments, batch, approval: Approval::None, progress }
    }

    /// Runs a started tool to its end.
    pub(super) fn complete(&self, started: Running<'_>) -> impl Future<Output = CallResult> {
        self.progress.set_begun();
        started.map(|ended| self.settle(ended))
    }

    /// Converts the output of a tool, or its panic, into the result of the call.
    #[inline]
    pub(super) fn settle(&self, ended: Result<Reply, PanicMessage>) -> CallResult {
        match ended {
            Ok(reply) => {
                self.progress.set_finished();
                reply.map_err(|failure| failed(self.tool, failure).into())
            }
            Err(source) => Err(panicked(self.tool, source).into()),
        }
    }
}

impl Registry {
    /// Decodes the arguments. The tool does nothing before the returned future is polled.
    pub(super) fn start<'a>(&'a self, work: &Work<'a>) -> Result<Running<'a>, NotStarted> {
        work.tool.start(work.arguments, self.scope(work)).map(CatchPanic::new)
    }

    pub(super) fn scope<'a>(&'a self, work: &Work<'a>) -> Scope<'a> {
        let Work { tool, id, batch, progress, .. } = *work;
        Scope { id, tool: &tool.name, batch, states: self.states(), instance: None, progress }
    }
}

#[cold]
fn failed(tool: &Entry, failure: Failure) -> CallError {
    let tool = tool.name.to_string();
    match failure {
        Failure::Returned(ReturnedError { message, is_for_model, error }) => {
            CallError::Returned { tool, message, is_for_model, error }
        }
        Failure::Unserializable(source) => CallError::Unserializable { tool, source },
    }
}

#[cold]
pub(super) fn panicked(tool: &Entry, source: PanicMessage) -> CallError {
    CallError::Panicked { tool: tool.name.to_string(), source }
}

#[cold]
pub(super) fn not_started(tool: &Entry, why: NotStarted) -> CallError {
    let tool = tool.name.to_string();
    match why {
        NotStarted::Refused(refusal) => match *refusal {
            ArgumentsError::NotJson { error: source, is_truncated } => {
                CallError::NotJson { tool, is_truncated, source }
            }
            ArgumentsError::NotAnObject(got) => CallError::NotAnObject { tool, got },
            ArgumentsError::Invalid(errors) => CallError::InvalidArguments { tool, errors },
        },
        NotStarted::MissingState(state) => {
            let source = format!("neither the registry nor the batch has a state of type `{state}`").into();
            CallError::Unavailable { tool, source }
        }
    }
}
