//! The run of a `blocking` tool on a thread.

use super::run::Returned;
use crate::call_span::CallSpan;
use crate::context::CallRecord;
use crate::outcome::CallError;
use crate::output::CallResult;
use crate::panics::{CatchPanic, panic_message};
use crate::registry::OwnedCall;
use crate::tool::Call;
use futures_util::FutureExt as _;
use std::future::poll_fn;
use std::sync::{Arc, OnceLock};
use tokio::task::JoinHandle;

impl Call<'_> {
    /// The thread owns the inputs of the tool, since the call may end before the thread does.
    pub(super) async fn run_on_thread(&self, owned: Arc<OwnedCall>) -> CallResult {
        let record = CallRecord::with_token(self.token());
        // Either the thread begins, or this future is dropped first. (`begin` asks whether any run of the call may begin.)
        let begins = Arc::<OnceLock<bool>>::default();
        let begins_on_thread = Arc::clone(&begins);
        let (span, shared) = (CallSpan::current(), Arc::clone(&owned));
        let handle = tokio::task::spawn_blocking(move || {
            span.in_scope(|| {
                owned.with_call(&record, |call| {
                    let tool = CatchPanic::new(call.decode()?);
                    if begins_on_thread.set(true).is_err() {
                        return Err(call.cancelled().into());
                    }
                    call.begin()?;
                    // A `fn` never awaits, so its future completes at the first poll.
                    let returned = tool.now_or_never();
                    Ok(returned
                        .unwrap_or_else(|| unreachable!("`blocking` is for a `fn`, which never awaits")))
                })
            })
        });
        let mut thread = Thread { handle, begins, record: self.incoming.record };
        let ended = poll_fn(|context| {
            // A cancellation polls the call once more, and lets one with an effect finish if it has begun.
            if shared.record.has_begun() {
                self.incoming.record.set_begun();
            }
            thread.handle.poll_unpin(context)
        });
        match ended.await {
            Ok(Ok(returned)) => self.result(returned),
            Ok(Err(error)) => Err(error.into()),
            Err(ended) => Err(match ended.try_into_panic() {
                // A decoder of the program.
                Ok(payload) => self.panicked(panic_message(payload)),
                Err(shut_down) => {
                    let tool = self.tool.name.to_string();
                    CallError::Unavailable { tool, source: shut_down.into() }
                }
            }
            .into()),
        }
    }
}

/// A call on a blocking thread. If it is dropped while it waits for the thread, it never begins; while it runs, it
/// cannot be stopped.
struct Thread<'a> {
    handle: JoinHandle<Result<Returned, Box<CallError>>>,
    /// Whether the function begins. Set once: by the thread, or by the drop of this value.
    begins: Arc<OnceLock<bool>>,
    record: &'a CallRecord,
}

impl Drop for Thread<'_> {
    fn drop(&mut self) {
        self.handle.abort();
        if self.begins.set(false).is_err() {
            self.record.set_begun();
        }
    }
}
