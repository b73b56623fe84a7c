//! A tool on a thread of its own.

use super::work::{Work, not_started};
use crate::context::CallToken;
use crate::outcome::CallError;
use crate::output::ToolOutput;
use crate::registry::{Entry, Registry};
use futures_util::FutureExt as _;
use std::panic::resume_unwind;
use tokio::task::JoinHandle;

impl Registry {
    /// The thread owns all that the tool can reach: the call may be given up before the thread ends.
    pub(super) async fn run_on_blocking_pool(
        &self,
        tool: &Entry,
        work: &Work<'_>,
    ) -> Result<ToolOutput, CallError> {
        let name = &tool.name;
        let (registry, tool, batch) = (self.clone(), tool.clone(), work.batch.clone());
        let (id, arguments) = (work.id.to_owned(), work.arguments.to_owned());
        let token = CallToken::watched_elsewhere(work.token.get(work.batch));
        #[cfg(feature = "tracing")]
        let span = tracing::Span::current();
        let mut thread = Thread(tokio::task::spawn_blocking(move || {
            #[cfg(feature = "tracing")]
            let _entered = span.enter();
            let work = Work::new(&id, &arguments, &batch, &token);
            let started = registry.start(&tool, &work).map_err(|why| not_started(&tool, why))?;
            // A `fn` never waits, so its future is done when it was polled once.
            let reply = started.now_or_never();
            let reply = reply.unwrap_or_else(|| unreachable!("`blocking` is for a `fn`, which never waits"));
            work.settled(&tool, reply)
        }));
        match (&mut thread.0).await {
            Ok(result) => {
                work.token.finished();
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
struct Thread(JoinHandle<Result<ToolOutput, CallError>>);

impl Drop for Thread {
    fn drop(&mut self) {
        self.0.abort();
    }
}
