//! What is to be run, started, and what it came to.

use crate::arguments::ArgumentsError;
use crate::context::{BatchContext, Progress};
use crate::invocation::{NotStarted, Scope};
use crate::outcome::CallError;
use crate::output::{Failure, Reply, ReturnedError, ToolOutput};
use crate::panics::{Held, Payload};
use crate::registry::{Entry, Registry};
use futures_util::FutureExt as _;
use std::future::Future;

/// What a call came to. The error is boxed, since each future on its way has room for it.
pub(super) type CallResult = Result<ToolOutput, Box<CallError>>;

/// A tool that is decoded for its call.
pub(super) type Running<'a> = Held<'a, Reply>;

/// A call of a tool that is there.
#[derive(Clone, Copy)]
pub(super) struct Work<'a> {
    pub(super) tool: &'a Entry,
    pub(super) id: &'a str,
    pub(super) arguments: &'a str,
    pub(super) batch: &'a BatchContext,
    pub(super) approval: Approval,
    pub(super) progress: &'a Progress,
}

/// Who has said yes to a call before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Approval {
    /// Nobody: the hook is asked, and a tool that requires approval needs its yes.
    None,
    /// A person, to these arguments. The hook is asked, and may still refuse.
    Given,
    /// The program itself runs it, and needs not be asked.
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

    /// Runs what was started to its end.
    pub(super) fn complete(&self, started: Running<'_>) -> impl Future<Output = CallResult> {
        self.progress.begun();
        started.map(|ended| self.settle(ended))
    }

    /// What a tool came to that has ended: with a reply, or in a panic.
    #[inline]
    pub(super) fn settle(&self, ended: Result<Reply, Payload>) -> CallResult {
        match ended {
            Ok(reply) => {
                self.progress.finished();
                reply.map_err(|failure| failed(self.tool, failure).into())
            }
            Err(source) => Err(panicked(self.tool, source).into()),
        }
    }
}

impl Registry {
    /// Decodes the arguments. What is started does nothing before it is polled.
    pub(super) fn start<'a>(&'a self, work: &Work<'a>) -> Result<Running<'a>, NotStarted> {
        work.tool.start(work.arguments, self.scope(work)).map(Held::new)
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
pub(super) fn panicked(tool: &Entry, source: Payload) -> CallError {
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
