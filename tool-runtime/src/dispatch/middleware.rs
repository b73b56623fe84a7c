//! Middleware around the run of a call.

use super::prepare::PreparedTool;
use super::run::Run;
use crate::call_span::CallSpan;
use crate::context::CallRecord;
use crate::outcome::CallError;
use crate::output::{CallResult, ToolFailure, ToolResult};
use crate::panics::{CatchPanic, PanicMessage, catch_panic};
use crate::registry::{Layer, OwnedCall, ReadyCall, Registry};
use crate::tool::Call;
use futures_util::FutureExt as _;
use std::future::poll_fn;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

impl Registry {
    /// Runs the call through all middleware, the outermost first; without middleware, the tool.
    pub(super) async fn run_with_middleware(
        &self,
        call: &Call<'_>,
        tool: Option<PreparedTool<'_>>,
    ) -> CallResult {
        let owned = || Arc::new(OwnedCall::new(self, call));
        let call_timeout = self.limits().call_timeout;
        let Some(outermost) = self.layer(0) else {
            // The call is one run.
            let limit = call.tool.timeout.into_iter().chain(call_timeout).min();
            let run = tool.map_or_else(|| Run::OnThread(owned()), Run::Here);
            return call.run_within(limit, run).await;
        };
        // Declared before the future of the middleware, which is dropped first.
        let runs = Runs { call, owned: owned() };
        let ready = ReadyCall { owned: Arc::clone(&runs.owned), next: 0 };
        let record = &runs.owned.record;
        let mut running = ready.call_layer(outermost).map_err(|source| call.panicked(source))?;
        let running = poll_fn(|context| {
            let polled = running.poll_unpin(context);
            if record.has_begun() {
                call.incoming.record.set_begun();
            }
            if record.keeps_result() {
                call.incoming.record.set_keeps_result();
            }
            if record.stays_pending() {
                call.incoming.record.set_stays_pending();
            }
            polled
        });
        let late = |allowed| {
            // The runs are not dropped yet: none may begin after the error reports whether one has.
            record.close();
            call.timed_out(allowed, record.has_begun())
        };
        let ended = call.with_timeout(call_timeout, running, late).await?;
        let result = ended.map_err(|source| call.panicked(source))?;
        record.set_finished();
        call.incoming.record.set_finished();
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
        if !record.has_finished() {
            // No run begins from now on, and the token of a run that is asked for later is cancelled.
            record.close();
            record.token(CancellationToken::new).cancel();
        }
        if record.has_begun() {
            self.call.incoming.record.set_begun();
        }
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
    /// later runs fail as cancelled, since the program may repeat the call. The
    /// [token](crate::CallContext::cancellation) of a run
    /// that continues in another task is cancelled then.
    pub fn run(&self) -> impl Future<Output = ToolResult> + Send + use<> {
        let call = self.clone();
        let running = async move {
            let owned = Arc::clone(&call.owned);
            let Some(layer) = owned.registry.layer(call.next) else { return run_tool(&owned).await };
            let ended = match call.call_layer(layer) {
                Ok(running) => running.await,
                Err(source) => Err(source),
            };
            ended.unwrap_or_else(|source| owned.panicked(source))
        };
        // Another task is outside of the span of the call.
        CallSpan::current().instrument(running)
    }

    /// Calls this middleware, which returns its future.
    fn call_layer(mut self, layer: &Layer) -> Result<CatchPanic<'static, ToolResult>, PanicMessage> {
        self.next += 1;
        catch_panic(|| layer.run(self)).map(CatchPanic::new)
    }
}

impl OwnedCall {
    #[cold]
    fn panicked(&self, source: PanicMessage) -> ToolResult {
        let error = self.with_call(&self.record, |call| call.panicked(source));
        ToolFailure::from(error).into()
    }
}

/// One run of the tool.
async fn run_tool(owned: &Arc<OwnedCall>) -> ToolResult {
    let record = CallRecord::default();
    let batch = owned.batch();
    let incoming = owned.incoming(&batch, &record);
    let call = owned.call(&incoming);
    let run = async {
        let _turn = call.turn_to_start().await?;
        let run = catch_panic(|| call.prepare_run(owned));
        run.unwrap_or_else(|source| Err(call.panicked(source).into()))
    };
    match run.await {
        Ok(run) => call.run_within(call.tool.timeout, run).await.into(),
        Err(error) => ToolFailure::from(error).into(),
    }
}

impl<'a> Call<'a> {
    /// Prepares one run of the call.
    fn prepare_run(&'a self, owned: &Arc<OwnedCall>) -> Result<Run<'a>, Box<CallError>> {
        if self.tool.options.blocking {
            self.check_runtime()?;
            return Ok(Run::OnThread(Arc::clone(owned)));
        }
        self.decode().map(|tool| Run::Here(CatchPanic::new(tool)))
    }
}
