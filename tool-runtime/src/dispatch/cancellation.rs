//! The end of a call whose run is cancelled.

use super::Ended;
use crate::outcome::CallError;
use crate::output::ToolOutput;
use crate::tool::Call;
use futures_util::future::{Either, FutureExt as _, select};
use std::pin::pin;
use tokio::task::unconstrained;

impl Call<'_> {
    /// Runs the call until its run is cancelled.
    pub(super) async fn until_cancelled(
        &self,
        running: impl Future<Output = Result<ToolOutput, Ended>>,
    ) -> Result<ToolOutput, Ended> {
        let Some(token) = self.incoming.batch.context().token() else { return running.await };
        match select(pin!(running), pin!(token.cancelled())).await {
            Either::Left((result, _)) => result,
            // A tool that has finished, or finishes when the token wakes it, keeps its result, in whatever order they
            // were woken. `unconstrained` because tokio's cooperative budget would make some calls of a large reply
            // pending.
            Either::Right(((), mut running)) => match unconstrained(&mut running).now_or_never() {
                Some(result) => result,
                None if self.incoming.record.keeps_result() => running.await,
                None => Err(self.cancelled().into()),
            },
        }
    }

    pub(super) fn check_cancellation(&self) -> Result<(), CallError> {
        if self.incoming.batch.is_cancelled() { Err(self.cancelled()) } else { Ok(()) }
    }
}
