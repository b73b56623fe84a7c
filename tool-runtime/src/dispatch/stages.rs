//! The stages of a call between its start and its run: approval, queue, limits, middleware.

use super::call_limit::keep_count;
use super::run::{CallResult, Started};
use crate::context::{BatchContext, CallStatus};
use crate::outcome::CallError;
use crate::output::ToolResult;
use crate::registry::{OwnedCall, Registry};
use crate::tool::{Call, Stage};
use futures_util::future::{Either, FutureExt as _, select};
use std::ops::ControlFlow;
use std::pin::pin;
use std::sync::Arc;
use tokio::sync::SemaphorePermit;
use tokio::task::unconstrained;
use tokio_util::sync::CancellationToken;

impl Registry {
    /// Passes the stages of a call until its batch is cancelled.
    pub(super) async fn run_until_cancelled(
        &self,
        call: &Call<'_>,
        started: Option<Started<'_>>,
    ) -> CallResult {
        let stages = pin!(self.pass_stages(call, started));
        let Some(token) = call.batch.context().token() else { return stages.await };
        match select(stages, pin!(token.cancelled())).await {
            Either::Left((result, _)) => result,
            // A tool that has finished, or finishes when the token wakes it, keeps its result, in whatever order they
            // were woken. `unconstrained` because tokio's cooperative budget would make some calls of a large batch
            // pending.
            Either::Right(((), mut stages)) => match unconstrained(&mut stages).now_or_never() {
                Some(result) => result,
                None if call.record.keeps_result() => stages.await,
                None => Err(call.cancelled().into()),
            },
        }
    }

    /// Passes the stages that concern the call, in their order, and runs it.
    async fn pass_stages(&self, call: &Call<'_>, started: Option<Started<'_>>) -> CallResult {
        // The permits of the queue are held until the call ends.
        let mut _permits = None;
        let mut counted = None;
        for stage in Stage::ALL.iter().filter(|stage| call.stages().contains(**stage)) {
            match stage {
                Stage::Cancellation => call.check_cancellation()?,
                Stage::Runtime => call.check_runtime()?,
                Stage::Approval => {
                    if let ControlFlow::Break(output) = self.approve(call).await? {
                        call.record.set_response_of_hook();
                        return ToolResult::ok(output).into_result();
                    }
                }
                Stage::Queue => {
                    _permits = Some(self.wait_in_queue(call).await);
                    // The token may have been cancelled at the same time.
                    call.check_cancellation()?;
                }
                Stage::CallLimit => counted = call.count()?,
                Stage::StartEvent => call.send_start().await?,
                Stage::Middleware => return keep_count(counted, self.run_with_middleware(call)).await,
                // `run_once` applies both to each run, also to those of middleware.
                Stage::Timeout | Stage::BlockingThread => break,
            }
        }
        let start = match started {
            Some(started) => Start::Here(started),
            None => Start::OnThread(Arc::new(OwnedCall::new(self, call))),
        };
        keep_count(counted, call.run_once(start)).await
    }
}

/// The start of one run.
pub(super) enum Start<'a> {
    /// In the task of the caller.
    Here(Started<'a>),
    /// On a blocking thread, which needs owned arguments and decodes them again.
    OnThread(Arc<OwnedCall>),
}

impl Call<'_> {
    /// Runs the tool once, within its time limit.
    pub(super) async fn run_once(&self, start: Start<'_>) -> CallResult {
        let running = async {
            match start {
                Start::Here(started) => {
                    self.begin()?;
                    self.complete(started).await
                }
                Start::OnThread(owned) => self.run_on_blocking_pool(owned).await,
            }
        };
        let late = |allowed| self.timed_out(allowed, self.record.has_begun());
        self.with_timeout(self.tool.run_timeout, running, late).await?
    }

    pub(super) fn check_cancellation(&self) -> Result<(), CallError> {
        let token = self.batch.context.and_then(BatchContext::token);
        if token.is_some_and(CancellationToken::is_cancelled) { Err(self.cancelled()) } else { Ok(()) }
    }

    /// Sends the start of the call. A listener that receives it may cancel the batch before the call runs.
    async fn send_start(&self) -> Result<(), CallError> {
        let _turn = self.turn_to_start().await?;
        self.send_event(|| CallStatus::Started);
        if let Some(gate) = self.batch.context().start_gate() {
            gate.flush().await;
        }
        self.check_cancellation()
    }

    /// Waits until the listener of a run has received all events. No call starts after the listener has cancelled the batch. The
    /// next call waits until the permit is dropped.
    pub(super) async fn turn_to_start(&self) -> Result<Option<SemaphorePermit<'_>>, CallError> {
        let turn = match self.batch.context().start_gate() {
            Some(gate) => gate.turn().await,
            None => None,
        };
        self.check_cancellation()?;
        Ok(turn)
    }

    /// Sends an event of the call to the listeners of its batch, if there are any.
    pub(super) fn send_event(&self, status: impl FnOnce() -> CallStatus) {
        if let Some(events) = self.events {
            events.send(status());
        }
    }
}
