//! One call run: here or on the blocking pool, in its time, its panic caught.

use super::panics;
use crate::arguments::Refusal;
use crate::context::BatchContext;
use crate::invocation::{NotStarted, Scope};
use crate::mend::{Leniency, Mended};
use crate::outcome::CallError;
use crate::output::{Failure, Reply};
use crate::registry::{Entry, Registry};
use crate::tool::Started;
use futures_util::FutureExt as _;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::OnceLock;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

/// What is to be run.
#[derive(Clone, Copy)]
pub(super) struct Work<'a> {
    pub(super) id: &'a str,
    pub(super) arguments: &'a str,
    pub(super) batch: &'a BatchContext,
    /// Set if the arguments were mended.
    pub(super) repairs: &'a OnceLock<Vec<String>>,
}

impl Registry {
    /// Runs a tool of this registry, and says what it came to, whatever it does.
    pub(super) async fn run(&self, tool: &Entry, work: Work<'_>) -> Result<String, CallError> {
        let running = async {
            if tool.options.blocking || tool.options.hints.timeout.is_some() {
                // Boxed, since it is much the larger future, and few tools need it.
                Box::pin(self.run_in_its_time(tool, work)).await
            } else {
                self.run_here(tool, work).await
            }
        };
        match panics::caught(running).await {
            Ok(result) => result,
            Err(message) => Err(CallError::Panicked { tool: tool.name.to_string(), message }),
        }
    }

    async fn run_in_its_time(&self, tool: &Entry, work: Work<'_>) -> Result<String, CallError> {
        let unavailable =
            |why: &str| CallError::Unavailable { tool: tool.name.to_string(), source: why.into() };
        if Handle::try_current().is_err() {
            return Err(unavailable("a tool that has a time-out or is `blocking` needs a Tokio runtime"));
        }
        let running = async {
            if tool.options.blocking {
                self.run_on_blocking_pool(tool, work).await
            } else {
                self.run_here(tool, work).await
            }
        };
        let Some(allowed) = tool.options.hints.timeout else { return running.await };
        // Made before the tool is started: tokio panics where the runtime has no clock.
        let timeout = catch_unwind(AssertUnwindSafe(|| tokio::time::timeout(allowed, running)));
        let Ok(timeout) = timeout else {
            return Err(unavailable("a time-out needs a Tokio runtime with `enable_time`"));
        };
        timeout.await.unwrap_or_else(|_| {
            let (tool, read_only) = (tool.name.to_string(), tool.options.hints.read_only);
            Err(CallError::TimedOut { tool, allowed, read_only })
        })
    }

    async fn run_here(&self, tool: &Entry, work: Work<'_>) -> Result<String, CallError> {
        match self.without_nulls(tool, work.arguments) {
            Some(mended) => {
                let work = Work { arguments: &mended.arguments, ..work };
                Box::pin(self.run_read(tool, work)).await
            }
            None => self.run_read(tool, work).await,
        }
    }

    /// A null that stands for what is left out may be a value as well: it is gone before the arguments are read.
    fn without_nulls(&self, tool: &Entry, arguments: &str) -> Option<Box<Mended>> {
        let leniency = self.leniency();
        if leniency.null_is_absent && arguments.contains("null") {
            tool.mend(arguments, Leniency { slips: false, ..leniency }).map(Box::new)
        } else {
            None
        }
    }

    async fn run_read(&self, tool: &Entry, work: Work<'_>) -> Result<String, CallError> {
        let started = match self.start(tool, work) {
            Ok(started) => started,
            // Boxed, since few calls come here.
            Err(NotStarted::Refused(refusal)) => return Box::pin(self.run_mended(tool, work, refusal)).await,
            Err(why) => return Err(not_started(tool, why)),
        };
        settled(tool, started.await)
    }

    /// Runs a call whose arguments were refused as they are, if they can be mended.
    #[cold]
    async fn run_mended(
        &self,
        tool: &Entry,
        work: Work<'_>,
        refusal: Box<Refusal>,
    ) -> Result<String, CallError> {
        let Some(mended) = tool.mend(work.arguments, self.leniency()) else {
            return Err(not_started(tool, NotStarted::Refused(refusal)));
        };
        // What is still wrong is told of the arguments as they were understood.
        let started = self.start(tool, Work { arguments: &mended.arguments, ..work });
        let started = started.map_err(|why| not_started(tool, why))?;
        // Set once: a call is mended once.
        let _ = work.repairs.set(mended.repairs);
        settled(tool, started.await)
    }

    fn start<'a>(&'a self, tool: &'a Entry, work: Work<'a>) -> Result<Started<'a>, NotStarted> {
        let Work { id, arguments, batch, .. } = work;
        let scope = Scope { id, tool: &tool.name, batch, states: self.states(), instance: None };
        tool.start(arguments, scope)
    }

    /// The thread owns all that the tool can reach: the call may be given up before the thread ends.
    async fn run_on_blocking_pool(&self, tool: &Entry, work: Work<'_>) -> Result<String, CallError> {
        let name = &tool.name;
        let (registry, tool, batch) = (self.clone(), tool.clone(), work.batch.clone());
        let (id, arguments) = (work.id.to_owned(), work.arguments.to_owned());
        let mut thread = Thread(tokio::task::spawn_blocking(move || {
            let repairs = OnceLock::new();
            let work = Work { id: &id, arguments: &arguments, batch: &batch, repairs: &repairs };
            // A `fn` never waits, so its future is done when it was polled once.
            let result = registry.run_here(&tool, work).now_or_never();
            let result =
                result.unwrap_or_else(|| unreachable!("`blocking` is for a `fn`, which never waits"));
            (result, repairs.into_inner())
        }));
        match (&mut thread.0).await {
            Ok((result, repairs)) => {
                if let Some(repairs) = repairs {
                    let _ = work.repairs.set(repairs);
                }
                result
            }
            // As if it had panicked here: the guard of `run` tells of it.
            Err(ended) => match ended.try_into_panic() {
                Ok(payload) => resume_unwind(payload),
                Err(shut_down) => {
                    Err(CallError::Unavailable { tool: name.to_string(), source: shut_down.into() })
                }
            },
        }
    }
}

/// A call that is given up while it waits for a thread never starts; one that runs cannot be stopped.
struct Thread(JoinHandle<Ended>);

/// How a call ended on a thread, and what was mended in its arguments.
type Ended = (Result<String, CallError>, Option<Vec<String>>);

impl Drop for Thread {
    fn drop(&mut self) {
        self.0.abort();
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
        NotStarted::MissingState(state) => {
            let source = format!("neither the registry nor the batch has a state of type `{state}`").into();
            CallError::Unavailable { tool, source }
        }
        NotStarted::Described => unreachable!("a shim describes itself only when it is asked to"),
    }
}
