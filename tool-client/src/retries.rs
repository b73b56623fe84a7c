//! Repeated attempts.

use crate::{Model, ModelError};
use backon::{ExponentialBuilder, Retryable as _};
use std::time::{Duration, Instant};
use tool_runtime::conversation::Request;

/// The limits of the attempts of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Retries {
    pub(crate) max_attempts: u32,
    /// No attempt starts later.
    pub(crate) max_time: Duration,
}

impl Default for Retries {
    fn default() -> Self {
        Retries { max_attempts: 5, max_time: Duration::from_secs(120) }
    }
}

/// The delay before the second attempt. It doubles with each attempt, up to the maximum, and is up to twice as long by chance, so that
/// the clients of an overloaded server do not return at once.
const MIN_DELAY: Duration = Duration::from_millis(500);
const MAX_DELAY: Duration = Duration::from_secs(30);

impl Model {
    /// Repeats the attempt after an error that is temporary. The time that the server asks for adds to the delay.
    pub(crate) async fn with_retries<T, F: Future<Output = Result<T, ModelError>>>(
        &self,
        request: &Request,
        attempt: impl FnMut() -> F,
    ) -> Result<T, ModelError> {
        let Retries { max_attempts, max_time } = self.retries;
        let delays = ExponentialBuilder::default()
            .with_min_delay(MIN_DELAY)
            .with_max_delay(MAX_DELAY)
            .with_jitter()
            .with_max_times(max_attempts.saturating_sub(1) as usize);
        let (started, mut waited, mut attempts) = (Instant::now(), Duration::ZERO, 0);
        let wait = self.wait.clone();
        attempt
            .retry(delays)
            .sleep(move |delay| wait.wait(delay))
            .when(ModelError::is_temporary)
            .adjust(|error, delay| {
                let delay = delay?.saturating_add(error.retry_after().unwrap_or_default());
                // A test waits in no time.
                let starts = started.elapsed().max(waited).saturating_add(delay);
                waited = waited.saturating_add(delay);
                (starts <= max_time).then_some(delay)
            })
            .notify(|error, delay| {
                attempts += 1;
                request.report_retry(attempts, error, delay);
            })
            .await
    }
}
