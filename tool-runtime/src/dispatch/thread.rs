//! The run of a `blocking` tool on a thread.

use super::work::{CallResult, Work, not_started};
use crate::context::Progress;
use crate::outcome::CallError;
use crate::output::Reply;
use crate::panics::PanicMessage;
use crate::registry::Registry;
use futures_util::FutureExt as _;
use std::panic::resume_unwind;
use std::sync::{Arc, OnceLock};
use tokio::task::JoinHandle;

impl Registry {
    /// The thread owns the inputs of the tool, since the call may end before the thread does.
    pub(super) async fn run_on_blocking_pool(&self, work: &Work<'_>) -> CallResult {
        let (registry, tool, batch) = (self.clone(), work.tool.clone(), work.batch.clone());
        let (id, arguments) = (work.id.to_owned(), work.arguments.to_owned());
        let progress = Progress::with_token(work.progress.token(work.batch));
        let begins = Arc::<OnceLock<bool>>::default();
        let beginning = Arc::clone(&begins);
        #[cfg(feature = "tracing")]
        let span = tracing::Span::current();
        let handle = tokio::task::spawn_blocking(move || {
            #[cfg(feature = "tracing")]
            let _entered = span.enter();
            let work = Work::new(&tool, &id, &arguments, &batch, &progress);
            let started = registry.start(&work).map_err(|why| not_started(&tool, why))?;
            if beginning.set(true).is_err() {
                return Err(CallError::Cancelled { tool: tool.name.to_string() });
            }
            // A `fn` never awaits, so its future completes at the first poll.
            let ended = started.now_or_never();
            Ok(ended.unwrap_or_else(|| unreachable!("`blocking` is for a `fn`, which never awaits")))
        });
        let mut thread = Thread { handle, begins, progress: work.progress };
        match (&mut thread.handle).await {
            Ok(Ok(ended)) => work.settle(ended),
            Ok(Err(error)) => Err(error.into()),
            // A decoder panicked on the thread. `run` catches the resumed panic and reports it.
            Err(ended) => match ended.try_into_panic() {
                Ok(payload) => resume_unwind(payload),
                Err(shut_down) => {
                    let tool = work.tool.name.to_string();
                    Err(CallError::Unavailable { tool, source: shut_down.into() }.into())
                }
            },
        }
    }
}

/// A call on a blocking thread. If it is dropped while it waits for the thread, it never begins; while it runs, it
/// cannot be stopped.
struct Thread<'a> {
    handle: JoinHandle<Result<Result<Reply, PanicMessage>, CallError>>,
    /// Whether the function begins. Set once: by the thread, or by the drop of this value.
    begins: Arc<OnceLock<bool>>,
    progress: &'a Progress,
}

impl Drop for Thread<'_> {
    fn drop(&mut self) {
        self.handle.abort();
        if self.begins.set(false).is_err() {
            self.progress.set_begun();
        }
    }
}
