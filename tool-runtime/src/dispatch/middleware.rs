//! Middleware around the run of a call.

use super::run::{CallResult, Started};
use crate::context::CallRecord;
use crate::outcome::CallError;
use crate::output::ToolResult;
use crate::panics::{CatchPanic, PanicMessage, catch_panic};
use crate::registry::{Layer, OwnedCall, ReadyCall, Registry};
use crate::tool::{Call, Stage};
use std::future::Future;
use std::sync::Arc;

impl Registry {
    /// Runs the call through all middleware, the outermost first.
    pub(super) async fn run_with_middleware(&self, call: &Call<'_>) -> CallResult {
        let runs = Runs { call, owned: Arc::new(OwnedCall::new(self, call)) };
        let ready = ReadyCall { call: Arc::clone(&runs.owned), next: 0 };
        // The stage is only passed with middleware.
        let ended = match (ready.start(&self.layers()[0]), self.limits().call_timeout) {
            (Ok(running), None) => running.await,
            (Ok(running), limit) => {
                let late = |allowed| call.timed_out(allowed, runs.owned.record.has_begun());
                Box::pin(call.with_timeout(limit, running, late)).await?
            }
            (Err(source), _) => Err(source),
        };
        runs.owned.record.set_finished();
        ended.map_err(|source| call.panicked(source))?.into_result()
    }
}

/// The runs of a call. When they end or are dropped, the call has begun if one of them has. A clone of the [`ReadyCall`]
/// may exist longer.
struct Runs<'a> {
    call: &'a Call<'a>,
    owned: Arc<OwnedCall>,
}

impl Drop for Runs<'_> {
    fn drop(&mut self) {
        if self.owned.record.has_begun() {
            self.call.set_begun();
        }
        self.owned.record.cancel_unfinished();
    }
}

impl ReadyCall {
    /// Runs the call: the next middleware, or the tool. The call has the time limit of its tool in each run.
    ///
    /// The future owns its data. It can be awaited in another task, and `run` can be called again, also after the call has
    /// ended. A run that is not awaited within the middleware does not hold the place of the call in the queue.
    pub fn run(&self) -> impl Future<Output = ToolResult> + Send + use<> {
        let call = self.clone();
        async move {
            let owned = Arc::clone(&call.call);
            let Some(layer) = owned.registry.layers().get(call.next) else {
                return attempt(&owned).await;
            };
            let ended = match call.start(layer) {
                Ok(running) => running.await,
                Err(source) => Err(source),
            };
            ended.unwrap_or_else(|source| owned.panicked(source))
        }
    }

    /// Starts this middleware.
    fn start(mut self, layer: &Layer) -> Result<CatchPanic<'static, ToolResult>, PanicMessage> {
        self.next += 1;
        catch_panic(|| layer.run(self)).map(CatchPanic::new)
    }
}

impl OwnedCall {
    #[cold]
    fn panicked(&self, source: PanicMessage) -> ToolResult {
        Err(self.call(&self.batch(), &self.record).panicked(source).into()).into()
    }
}

/// One run of the tool.
async fn attempt(owned: &OwnedCall) -> ToolResult {
    let record = CallRecord::default();
    let batch = owned.batch();
    let call = owned.call(&batch, &record);
    let result = match catch_panic(|| call.start_run()) {
        Ok(Ok(Some(started))) if !call.tool.stages.contains(Stage::Timeout) => call.complete(started).await,
        Ok(Ok(started)) => {
            let attempt = CatchPanic::new(Box::pin(owned.registry.attempt(&call, started))).await;
            attempt.unwrap_or_else(|source| Err(call.panicked(source).into()))
        }
        Ok(Err(error)) => Err(error.into()),
        Err(source) => Err(call.panicked(source).into()),
    };
    result.into()
}

impl<'a> Call<'a> {
    /// Starts one run of the call. `None` if a thread starts it.
    fn start_run(&'a self) -> Result<Option<Started<'a>>, Box<CallError>> {
        self.check_cancellation()?;
        if self.tool.options.blocking {
            return Ok(None);
        }
        self.start().map(|started| Some(CatchPanic::new(started)))
    }
}
