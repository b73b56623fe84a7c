//! One call run: here or on the blocking pool, in its time, its panic caught.

use super::panics;
use crate::arguments::Refusal;
use crate::context::BatchContext;
use crate::invocation::{NotStarted, Scope};
use crate::outcome::CallError;
use crate::output::{Failure, Reply};
use crate::registry::{Entry, Registry};
use futures_util::FutureExt as _;
use std::future::Future;
use tokio::runtime::Handle;

/// What is to be run.
#[derive(Clone, Copy)]
pub(super) struct Work<'a> {
    pub(super) id: &'a str,
    pub(super) arguments: &'a str,
    pub(super) batch: &'a BatchContext,
}

impl Registry {
    /// Runs a tool of this registry, and says what it came to, whatever it does.
    pub(super) async fn run(&self, tool: &Entry, work: Work<'_>) -> Result<String, CallError> {
        let running = async {
            if tool.options.blocking {
                within_its_time(tool, Box::pin(self.run_on_blocking_pool(tool, work))).await
            } else {
                let started = self.start(tool, work)?;
                within_its_time(tool, started.map(|reply| settled(tool, reply))).await
            }
        };
        caught(tool, running).await
    }

    fn start<'a>(&'a self, tool: &'a Entry, work: Work<'a>) -> Result<crate::tool::Started<'a>, CallError> {
        let Work { id, arguments, batch } = work;
        let scope = Scope { id, tool: &tool.name, batch, states: self.states(), instance: None };
        tool.start(arguments, scope).map_err(|why| not_started(tool, why))
    }

    /// The thread owns all that the tool can reach: the call may be given up before the thread ends.
    async fn run_on_blocking_pool(&self, tool: &Entry, work: Work<'_>) -> Result<String, CallError> {
        if Handle::try_current().is_err() {
            return Err(CallError::NoRuntime { tool: tool.name.to_string() });
        }
        let (registry, tool, batch) = (self.clone(), tool.clone(), work.batch.clone());
        let (id, arguments) = (work.id.to_owned(), work.arguments.to_owned());
        let name = tool.name.to_string();
        let thread = tokio::task::spawn_blocking(move || {
            let work = Work { id: &id, arguments: &arguments, batch: &batch };
            let running = async { settled(&tool, registry.start(&tool, work)?.await) };
            // A `fn` never waits, so its future is done when it was polled once.
            caught(&tool, running).now_or_never()
        });
        match thread.await {
            Ok(Some(result)) => result,
            Ok(None) => unreachable!("`blocking` is for a `fn`, which never waits"),
            Err(ended) => Err(CallError::Panicked { tool: name, message: Some(ended.to_string()) }),
        }
    }
}

async fn within_its_time(
    tool: &Entry,
    running: impl Future<Output = Result<String, CallError>>,
) -> Result<String, CallError> {
    let Some(allowed) = tool.options.hints.timeout else { return running.await };
    if Handle::try_current().is_err() {
        return Err(CallError::NoRuntime { tool: tool.name.to_string() });
    }
    match tokio::time::timeout(allowed, running).await {
        Ok(result) => result,
        Err(_) => Err(CallError::TimedOut {
            tool: tool.name.to_string(),
            allowed,
            read_only: tool.options.hints.read_only,
        }),
    }
}

async fn caught(
    tool: &Entry,
    running: impl Future<Output = Result<String, CallError>>,
) -> Result<String, CallError> {
    match panics::caught(running).await {
        Ok(result) => result,
        Err(message) => Err(CallError::Panicked { tool: tool.name.to_string(), message }),
    }
}

fn settled(tool: &Entry, reply: Reply) -> Result<String, CallError> {
    reply.map_err(|failure| failed(tool, failure))
}

#[cold]
fn failed(tool: &Entry, failure: Failure) -> CallError {
    let tool = tool.name.to_string();
    match failure {
        Failure::Returned(message) => CallError::Returned { tool, message },
        Failure::Unserializable(source) => CallError::Unserializable { tool, source },
    }
}

#[cold]
fn not_started(tool: &Entry, why: NotStarted) -> CallError {
    let tool = tool.name.to_string();
    match why {
        NotStarted::Refused(refusal) => match *refusal {
            Refusal::NotJson(source) => CallError::NotJson { tool, source },
            Refusal::NotAnObject(got) => CallError::NotAnObject { tool, got },
            Refusal::Faults(faults) => CallError::InvalidArguments { tool, faults },
        },
        NotStarted::MissingState(state) => CallError::MissingState { tool, state },
        NotStarted::Described => unreachable!("a shim describes itself only when it is asked to"),
    }
}
