//! Middleware around the run of a call.

use super::run::CallResult;
use super::stages::Start;
#[cfg(doc)]
use crate::context::CallContext;
use crate::context::CallRecord;
use crate::outcome::CallError;
use crate::output::{ToolFailure, ToolResult};
use crate::panics::{CatchPanic, PanicMessage, catch_panic};
use crate::registry::{Layer, OwnedCall, ReadyCall, Registry};
use crate::tool::{Call, Stage};
use futures_util::FutureExt as _;
use std::future::{Future, poll_fn};
use std::sync::Arc;
#[cfg(feature = "tracing")]
use tracing::Instrument as _;

impl Registry {
    /// Runs the call through all middleware, the outermost first.
    pub(super) async fn run_with_middleware(&self, call: &Call<'_>) -> CallResult {
        let runs = Runs { call, owned: Arc::new(OwnedCall::new(self, call)) };
        let ready = ReadyCall { call: Arc::clone(&runs.owned), next: 0 };
        let Some(outermost) = runs.owned.registry.layer(0) else {
            unreachable!("only calls with middleware pass its stage")
        };
        let record = &runs.owned.record;
        let running = ready.start(outermost).map(|mut running| {
            poll_fn(move |context| {
                let polled = running.poll_unpin(context);
                if record.keeps_result() {
                    call.record.set_keeps_result();
                }
                polled
            })
        });
        let ended = match (running, self.limits().call_timeout) {
            (Ok(running), None) => running.await,
            (Ok(running), limit) => {
                let late = |allowed| call.timed_out(allowed, record.close());
                Box::pin(call.with_timeout(limit, running, late)).await?
            }
            (Err(source), _) => Err(source),
        };
        let result = ended.map_err(|source| call.panicked(source))?;
        record.set_finished();
        call.record.set_finished();
        result.into_result()
    }
}

/// The runs of a call. When they end or are dropped, the call has begun if one of them has. If the call ends without its
/// result, and no run has begun, none begins later: a clone of the [`ReadyCall`] may exist longer, and the program may
/// repeat the call.
struct Runs<'a> {
    call: &'a Call<'a>,
    owned: Arc<OwnedCall>,
}

impl Drop for Runs<'_> {
    fn drop(&mut self) {
        let record = &self.owned.record;
        if record.has_begun() || !record.has_finished() && record.close() {
            self.call.record.set_begun();
        }
        record.cancel_unfinished();
    }
}

impl ReadyCall {
    /// Runs the call: the next middleware, or the tool. The call has the time limit of its tool in each run.
    ///
    /// The future owns its data. It can be awaited in another task, and `run` can be called again, even after the
    /// middleware has returned. A run that continues after the middleware does not count towards `max_concurrency`. A
    /// panic is a result of the kind `panic`.
    ///
    /// If the call ends without a result of the middleware (it was cancelled, dropped or too late) and no run has begun,
    /// later runs fail as cancelled, since the program may repeat the call. The [token](CallContext::cancellation) of a run
    /// that continues in another task is cancelled then.
    pub fn run(&self) -> impl Future<Output = ToolResult> + Send + use<> {
        let call = self.clone();
        let running = async move {
            let owned = Arc::clone(&call.call);
            let Some(layer) = owned.registry.layer(call.next) else { return run_tool(&owned).await };
            let ended = match call.start(layer) {
                Ok(running) => running.await,
                Err(source) => Err(source),
            };
            ended.unwrap_or_else(|source| owned.panicked(source))
        };
        // Another task is outside of the span of the call.
        #[cfg(feature = "tracing")]
        let running = running.in_current_span();
        running
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
async fn run_tool(owned: &Arc<OwnedCall>) -> ToolResult {
    let record = CallRecord::default();
    let batch = owned.batch();
    let call = owned.call(&batch, &record);
    let turn = match call.turn_to_start().await {
        Ok(turn) => turn,
        Err(error) => return ToolResult::from(ToolFailure::from(error)),
    };
    let started = catch_panic(|| call.start_run(owned));
    drop(turn);
    let result = match started {
        Ok(Ok(Start::Here(started))) if !call.tool.stages.contains(Stage::Timeout) => match call.begin() {
            Ok(()) => call.complete(started).await,
            Err(error) => Err(error.into()),
        },
        Ok(Ok(start)) => {
            let ended = CatchPanic::new(Box::pin(call.run_once(start))).await;
            ended.unwrap_or_else(|source| Err(call.panicked(source).into()))
        }
        Ok(Err(error)) => Err(error.into()),
        Err(source) => Err(call.panicked(source).into()),
    };
    result.into()
}

impl<'a> Call<'a> {
    /// Starts one run of the call.
    fn start_run(&'a self, owned: &Arc<OwnedCall>) -> Result<Start<'a>, Box<CallError>> {
        if self.tool.options.blocking {
            self.check_runtime()?;
            return Ok(Start::OnThread(Arc::clone(owned)));
        }
        self.start().map(|started| Start::Here(CatchPanic::new(started)))
    }
}
