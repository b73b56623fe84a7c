//! Waiting.

use crate::ModelError;
use futures_util::future::{BoxFuture, Either, FutureExt as _, select};
use std::fmt;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

/// The function that waits.
#[derive(Clone)]
pub(crate) struct Wait(Arc<dyn Fn(Duration) -> BoxFuture<'static, ()> + Send + Sync>);

impl Wait {
    pub(crate) fn new<F: Future<Output = ()> + Send + 'static>(
        wait: impl Fn(Duration) -> F + Send + Sync + 'static,
    ) -> Self {
        Wait(Arc::new(move |time| wait(time).boxed()))
    }

    pub(crate) fn wait(&self, time: Duration) -> BoxFuture<'static, ()> {
        (self.0)(time)
    }

    /// Awaits the future for this time, which a setting limits.
    pub(crate) async fn with_timeout<T>(
        &self,
        limit: Duration,
        setting: &'static str,
        future: impl Future<Output = Result<T, ModelError>>,
    ) -> Result<T, ModelError> {
        match select(pin!(future), self.wait(limit)).await {
            Either::Left((result, _)) => result,
            Either::Right(((), _)) => Err(ModelError::TimedOut { limit, setting }),
        }
    }
}

impl Default for Wait {
    fn default() -> Self {
        Wait::new(tokio::time::sleep)
    }
}

impl fmt::Debug for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Wait")
    }
}
