//! The way of a call from good arguments to its result, where there is more to it than to run the tool: it may be approved,
//! wait for its turn, run in its time or on a thread, and be cancelled on each step.

use super::work::{Work, settled};
use crate::outcome::{CallError, Outcome};
use crate::output::ToolOutput;
use crate::registry::{Entry, Registry};
use crate::tool::Started;
use futures_util::future::{Either, select};
use std::pin::pin;
use std::time::Duration;
use tokio::sync::SemaphorePermit;
use tokio::time::Instant;

impl Registry {
    /// Whether a call has to go through any of the steps.
    pub(super) fn has_steps(&self, tool: &Entry, work: &Work<'_>) -> bool {
        let hints = &tool.options.hints;
        tool.options.blocking
            || hints.timeout.is_some()
            || hints.requires_approval
            || self.before_call_hook().is_some()
            || self.turns().is_some()
            || work.batch.token().is_some()
    }

    pub(super) async fn go_through_steps(
        &self,
        tool: &Entry,
        work: &Work<'_>,
        started: Started<'_>,
        outcome: &mut Outcome,
    ) -> Result<ToolOutput, CallError> {
        let steps = pin!(self.steps(tool, work, started, outcome));
        let Some(token) = work.batch.token() else { return steps.await };
        // The steps first: a tool that answers when it is woken by the token keeps its answer.
        match select(steps, pin!(token.cancelled())).await {
            Either::Left((result, _)) => result,
            Either::Right(_) => Err(CallError::Cancelled { tool: tool.name.to_string() }),
        }
    }

    async fn steps(
        &self,
        tool: &Entry,
        work: &Work<'_>,
        started: Started<'_>,
        outcome: &mut Outcome,
    ) -> Result<ToolOutput, CallError> {
        tool.refuse_without_runtime()?;
        refuse_cancelled(tool, work)?;
        if let Some(answer) = self.approve(tool, work).await? {
            outcome.answered_by_hook = true;
            return Ok(answer);
        }
        let _turn = self.turn(outcome).await;
        // The token may have been cancelled in the same moment.
        refuse_cancelled(tool, work)?;
        let running = async {
            if tool.options.blocking {
                // A thread needs arguments of its own, and decodes them again.
                drop(started);
                self.run_on_blocking_pool(tool, work).await
            } else {
                settled(tool, started.await)
            }
        };
        let late = |allowed| CallError::TimedOut {
            tool: tool.name.to_string(),
            allowed,
            read_only: tool.options.hints.read_only,
        };
        tool.in_time(running, late).await?
    }

    /// One of the places of `max_concurrency`, held until it is dropped.
    async fn turn(&self, outcome: &mut Outcome) -> Option<SemaphorePermit<'_>> {
        let turns = self.turns()?;
        if let Ok(turn) = turns.try_acquire() {
            return Some(turn);
        }
        let _waiting = Waiting { since: Instant::now(), counted: &mut outcome.queue_time };
        turns.acquire().await.ok()
    }
}

/// Counts the time until it is dropped, also when the call is given up while it waits.
struct Waiting<'a> {
    since: Instant,
    counted: &'a mut Duration,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        *self.counted = self.since.elapsed();
    }
}

fn refuse_cancelled(tool: &Entry, work: &Work<'_>) -> Result<(), CallError> {
    match work.batch.token() {
        Some(token) if token.is_cancelled() => Err(CallError::Cancelled { tool: tool.name.to_string() }),
        _ => Ok(()),
    }
}
