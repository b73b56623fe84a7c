//! The end of a call whose run is cancelled.

use super::Ended;
use crate::outcome::CallError;
use crate::output::ToolOutput;
use crate::tool::Call;
use futures_util::future::{Either, FutureExt as _, select};
use std::pin::pin;
use tokio::task::unconstrained;
use tokio_util::sync::CancellationToken;

/// Awaits the future; `None` if the token is cancelled before.
pub(crate) async fn unless_cancelled<F: Future>(
    token: Option<&CancellationToken>,
    future: F,
) -> Option<F::Output> {
    match token {
        Some(token) => token.run_until_cancelled(future).await,
        None => Some(future.await),
    }
}

impl Call<'_> {
    /// Runs the call until its run is cancelled.
    pub(super) async fn until_cancelled(
        &self,
        running: impl Future<Output = Result<ToolOutput, Ended>> + Send,
    ) -> Result<ToolOutput, Ended> {
        let Some(token) = self.incoming.batch.context().token() else { return running.await };
        match select(pin!(running), pin!(token.cancelled())).await {
            Either::Left((result, _)) => result,
            // A tool that has finished, or finishes when the token wakes it, keeps its result, in whatever order they
            // were woken. `unconstrained` because tokio's cooperative budget would make some calls of a large reply
            // pending.
            Either::Right(((), mut running)) => match unconstrained(&mut running).now_or_never() {
                Some(result) => result,
                None => self.finish_cancelled(running).await,
            },
        }
    }

    /// Waits for a call that has begun, if it may finish after the cancellation.
    async fn finish_cancelled(
        &self,
        mut running: impl Future<Output = Result<ToolOutput, Ended>> + Send + Unpin,
    ) -> Result<ToolOutput, Ended> {
        let record = self.incoming.record;
        if !record.keeps_result() {
            let limit = if record.has_begun() { self.time_to_finish() } else { None };
            let Some(limit) = limit else { return Err(self.cancelled().into()) };
            let ended = self.with_timeout(Some(limit), &mut running, |_| self.cancelled()).await;
            match ended {
                Ok(result) => return result,
                Err(_) if record.keeps_result() => {}
                Err(_) => return Err(self.cancelled().into()),
            }
        }
        running.await
    }

    pub(super) fn check_cancellation(&self) -> Result<(), CallError> {
        if self.incoming.batch.is_cancelled() { Err(self.cancelled()) } else { Ok(()) }
    }
}
