//! Futures and tokens that cancel a run.

use crate::context::RunContext;
use crate::dispatch::unless_cancelled;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use std::future::poll_fn;
use std::pin::pin;
use tokio_util::sync::CancellationToken;

/// The futures of [`Run::cancel_on`](super::Run::cancel_on).
#[derive(Default)]
pub(super) struct CancelOn<'a> {
    futures: Vec<BoxFuture<'a, ()>>,
    /// `None` without futures.
    token: Option<CancellationToken>,
}

impl<'a> CancelOn<'a> {
    pub(super) fn push(&mut self, future: impl Future + Send + 'a) {
        self.futures.push(Box::pin(future.map(drop)));
    }

    /// The context with a token that these futures can cancel, if there are any.
    pub(super) fn with_token(&mut self, context: RunContext) -> RunContext {
        if self.futures.is_empty() {
            return context;
        }
        let token = context.child_token();
        self.token = Some(token.clone());
        context.cancellation(token)
    }

    /// Awaits the run. Each of the futures cancels the token when it completes.
    pub(super) async fn during<F: Future>(self, run: F) -> F::Output {
        let CancelOn { mut futures, token } = self;
        let mut run = pin!(run);
        poll_fn(|context| {
            let before = futures.len();
            futures.retain_mut(|future| future.poll_unpin(context).is_pending());
            if futures.len() < before {
                token.iter().for_each(CancellationToken::cancel);
            }
            run.as_mut().poll(context)
        })
        .await
    }
}

/// The tokens that end a run while it waits.
pub(super) struct RunTokens {
    pub(super) cancellation: Option<CancellationToken>,
    pub(super) stop: Option<CancellationToken>,
}

impl RunTokens {
    /// Awaits the future; `None` if the run is cancelled before.
    pub(super) async fn until_cancelled<F: Future>(self, future: F) -> Option<F::Output> {
        let future = unless_cancelled(self.stop.as_ref(), future);
        unless_cancelled(self.cancellation.as_ref(), future).await.flatten()
    }
}
