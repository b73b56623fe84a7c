//! Repeated attempts.

use crate::wait::Wait;
use crate::{Model, ModelError};
use backon::{ExponentialBuilder, Retryable as _};
use std::time::Duration;
use tool_runtime::conversation::Request;

/// The limits of the attempts of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Retries {
    pub(crate) max_attempts: u32,
    /// The maximum of the sum of the delays.
    pub(crate) max_delay: Duration,
}

impl Default for Retries {
    fn default() -> Self {
        Retries { max_attempts: 5, max_delay: Duration::from_secs(120) }
    }
}

/// The delay before the second attempt. Later delays double, up to `LONGEST_DELAY`. Jitter adds up to 100 %, so that the clients of
/// an overloaded server do not return at the same time.
const FIRST_DELAY: Duration = Duration::from_millis(500);
const LONGEST_DELAY: Duration = Duration::from_secs(30);

impl Retries {
    /// Repeats the attempt after an error that is temporary. The time that the server asks for adds to the delay.
    pub(crate) async fn run<T, F: Future<Output = Result<T, ModelError>>>(
        self,
        wait: &Wait,
        report: impl Fn(u32, &ModelError, Duration),
        attempt: impl FnMut() -> F,
    ) -> Result<T, ModelError> {
        let delays = ExponentialBuilder::default()
            .with_min_delay(FIRST_DELAY)
            .with_max_delay(LONGEST_DELAY)
            .with_jitter()
            .with_max_times(self.max_attempts.saturating_sub(1) as usize);
        let (wait, mut waited, mut attempts) = (wait.clone(), Duration::ZERO, 0);
        attempt
            .retry(delays)
            .sleep(move |delay| wait.wait(delay))
            .when(ModelError::is_temporary)
            .adjust(|error, delay| {
                let delay = delay?.saturating_add(error.retry_after().unwrap_or_default());
                waited = waited.saturating_add(delay);
                (waited <= self.max_delay).then_some(delay)
            })
            .notify(|error, delay| {
                attempts += 1;
                report(attempts, error, delay);
            })
            .await
    }
}

impl Model {
    /// The function that reports an attempt to the run and to the listener of the model.
    pub(crate) fn retry_reporter(&self, request: &Request) -> impl Fn(u32, &ModelError, Duration) {
        move |attempt, error, delay| {
            request.report_retry(attempt, error, delay);
            if let Some(listener) = &self.on_retry {
                listener(attempt, error, delay);
            }
        }
    }
}
