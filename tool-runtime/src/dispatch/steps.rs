//! The steps of a call with valid arguments: approval, queue, time limit and thread. The call can be cancelled at each
//! step.

use super::work::{CallResult, Running, Work};
use crate::outcome::{CallError, Outcome};
use crate::registry::Registry;
use futures_util::future::{Either, FutureExt as _, select};
use std::ops::ControlFlow;
use std::pin::pin;
use std::time::Duration;
use tokio::sync::SemaphorePermit;
use tokio::task::unconstrained;
use tokio::time::Instant;

impl Registry {
    /// Whether any step applies to a call, so that other calls skip them. This repeats the conditions of the steps.
    pub(super) fn has_steps(&self, work: &Work<'_>) -> bool {
        let options = &work.tool.options;
        options.blocking
            || options.policy.timeout.is_some()
            || options.policy.requires_approval
            || self.before_call_hook().is_some()
            || self.permits().is_some()
            || work.batch.token().is_some()
    }

    pub(super) async fn go_through_steps(
        &self,
        work: &Work<'_>,
        started: Running<'_>,
        outcome: &mut Outcome,
    ) -> CallResult {
        let steps = pin!(self.steps(work, started, outcome));
        let Some(token) = work.batch.token() else { return steps.await };
        match select(steps, pin!(token.cancelled())).await {
            Either::Left((result, _)) => result,
            // A tool that has finished, or finishes when the token wakes it, keeps its result, in whatever order they
            // were woken. `unconstrained` because tokio's cooperative budget would make some calls of a large batch
            // pending.
            Either::Right(((), steps)) => {
                unconstrained(steps).now_or_never().unwrap_or_else(|| Err(cancelled(work).into()))
            }
        }
    }

    async fn steps(&self, work: &Work<'_>, started: Running<'_>, outcome: &mut Outcome) -> CallResult {
        let tool = work.tool;
        tool.refuse_without_runtime()?;
        refuse_cancelled(work)?;
        // The blocking thread needs owned arguments and decodes them again.
        let started = (!tool.options.blocking).then_some(started);
        if let ControlFlow::Break(answer) = self.approve(work).await? {
            outcome.answered_by_hook = true;
            return Ok(answer);
        }
        let _permit = self.permit(outcome).await;
        // The token may have been cancelled at the same time.
        refuse_cancelled(work)?;
        let running = async {
            match started {
                Some(started) => work.complete(started).await,
                None => self.run_on_blocking_pool(work).await,
            }
        };
        let late = |allowed| CallError::TimedOut {
            tool: tool.name.to_string(),
            allowed,
            may_have_taken_effect: work.progress.has_begun() && !tool.options.annotations.is_read_only(),
        };
        tool.in_time(tool.options.policy.timeout, running, late).await?
    }

    async fn permit(&self, outcome: &mut Outcome) -> Option<SemaphorePermit<'_>> {
        let permits = self.permits()?;
        if let Ok(permit) = permits.try_acquire() {
            return Some(permit);
        }
        let _queue = Queue { since: Instant::now(), counted: &mut outcome.queue_time };
        permits.acquire().await.ok()
    }
}

/// Measures the time until it is dropped, also if the call ends while it waits.
struct Queue<'a> {
    since: Instant,
    counted: &'a mut Duration,
}

impl Drop for Queue<'_> {
    fn drop(&mut self) {
        *self.counted = self.since.elapsed();
    }
}

fn refuse_cancelled(work: &Work<'_>) -> Result<(), CallError> {
    match work.batch.token() {
        Some(token) if token.is_cancelled() => Err(cancelled(work)),
        _ => Ok(()),
    }
}

fn cancelled(work: &Work<'_>) -> CallError {
    CallError::Cancelled { tool: work.tool.name.to_string() }
}
