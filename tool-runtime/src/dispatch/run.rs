//! One call run: here or on the blocking pool, in its time, its panic caught.

use super::panics;
use crate::arguments::Refusal;
use crate::context::BatchContext;
use crate::invocation::{NotStarted, Scope};
use crate::mend::{Mended, Mending};
use crate::outcome::{CallError, Repairs};
use crate::output::{Failure, Reply};
use crate::registry::{Entry, Registry};
use crate::tool::Started;
use futures_util::FutureExt as _;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, OnceLock};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

/// What is to be run.
#[derive(Clone, Copy)]
pub(super) struct Work<'a> {
    pub(super) id: &'a str,
    pub(super) arguments: &'a str,
    pub(super) batch: &'a BatchContext,
    /// Set if the arguments were mended.
    pub(super) repairs: &'a OnceLock<Repairs>,
}

impl Registry {
    /// Runs a tool of this registry, and says what it came to, whatever it does.
    pub(super) async fn run(&self, tool: &Entry, work: &Work<'_>) -> Result<String, CallError> {
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

    async fn run_in_its_time(&self, tool: &Entry, work: &Work<'_>) -> Result<String, CallError> {
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

    async fn run_here(&self, tool: &Entry, work: &Work<'_>) -> Result<String, CallError> {
        let started = match self.begin(tool, work) {
            Ok(started) => started,
            // Boxed, since few calls come here.
            Err(hindrance) => return Box::pin(self.run_mended(tool, work, hindrance)).await,
        };
        settled(tool, started.await)
    }

    fn begin<'a>(&'a self, tool: &'a Entry, work: &'a Work<'a>) -> Result<Started<'a>, Hindrance> {
        if self.mending().null_is_absent && work.arguments.contains("null") {
            return Err(Hindrance::Nulls);
        }
        self.start(tool, work).map_err(|why| match why {
            NotStarted::Refused(refusal) => Hindrance::Refused(refusal),
            why => Hindrance::Lasting(why),
        })
    }

    /// Runs a call whose arguments do not do as they are, if they can be mended.
    #[cold]
    async fn run_mended(
        &self,
        tool: &Entry,
        work: &Work<'_>,
        hindrance: Hindrance,
    ) -> Result<String, CallError> {
        let mending = self.mending();
        let mended = match hindrance {
            Hindrance::Lasting(why) => return Err(not_started(tool, why)),
            // A null that stands for what is left out may be a value as well: it goes before the arguments are read.
            Hindrance::Nulls => {
                let without = tool.mend(work.arguments, Mending { slips: false, ..mending });
                let without = without.unwrap_or_else(|| Mended::as_written(work.arguments));
                match self.start(tool, &Work { arguments: &without.arguments, ..*work }) {
                    Ok(started) => return settled(tool, started.await),
                    Err(NotStarted::Refused(refusal)) => {
                        tool.mend(&without.arguments, mending).ok_or(NotStarted::Refused(refusal))
                    }
                    Err(why) => Err(why),
                }
            }
            Hindrance::Refused(refusal) => {
                tool.mend(work.arguments, mending).ok_or(NotStarted::Refused(refusal))
            }
        };
        // What is still wrong is told of the arguments as they were understood.
        let mended = mended.map_err(|why| not_started(tool, why))?;
        let started = self.start(tool, &Work { arguments: &mended.arguments, ..*work });
        let started = started.map_err(|why| not_started(tool, why))?;
        // Set once: a call is mended once.
        let _ = work.repairs.set(Arc::new(mended.repairs));
        settled(tool, started.await)
    }

    fn start<'a>(&'a self, tool: &'a Entry, work: &Work<'a>) -> Result<Started<'a>, NotStarted> {
        let Work { id, arguments, batch, .. } = *work;
        let scope = Scope { id, tool: &tool.name, batch, states: self.states(), instance: None };
        tool.start(arguments, scope)
    }

    /// The thread owns all that the tool can reach: the call may be given up before the thread ends.
    async fn run_on_blocking_pool(&self, tool: &Entry, work: &Work<'_>) -> Result<String, CallError> {
        let name = &tool.name;
        let (registry, tool, batch) = (self.clone(), tool.clone(), work.batch.clone());
        let (id, arguments) = (work.id.to_owned(), work.arguments.to_owned());
        let told = Told { here: work.repairs, there: Arc::default() };
        let repairs = Arc::clone(&told.there);
        let mut thread = Thread(tokio::task::spawn_blocking(move || {
            let work = Work { id: &id, arguments: &arguments, batch: &batch, repairs: &repairs };
            // A `fn` never waits, so its future is done when it was polled once.
            let result = registry.run_here(&tool, &work).now_or_never();
            result.unwrap_or_else(|| unreachable!("`blocking` is for a `fn`, which never waits"))
        }));
        match (&mut thread.0).await {
            Ok(result) => result,
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

/// Why a call cannot start as it is.
enum Hindrance {
    /// There are nulls, which a strict schema asks for in place of what is left out.
    Nulls,
    /// The arguments were refused, and may be mended.
    Refused(Box<Refusal>),
    Lasting(NotStarted),
}

/// A call that is given up while it waits for a thread never starts; one that runs cannot be stopped.
struct Thread(JoinHandle<Result<String, CallError>>);

impl Drop for Thread {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// What was mended on a thread is known here however the call ends.
struct Told<'a> {
    here: &'a OnceLock<Repairs>,
    there: Arc<OnceLock<Repairs>>,
}

impl Drop for Told<'_> {
    fn drop(&mut self) {
        if let Some(repairs) = self.there.get() {
            // Set once: a call is mended once.
            let _ = self.here.set(Arc::clone(repairs));
        }
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
