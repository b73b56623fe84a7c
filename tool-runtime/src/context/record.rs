//! The measurements of one call.

use super::BatchContext;
use crate::outcome::{CallError, Coercions, Outcome};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The measurements of one call, and its cancellation token. The token is created on first use, and cancelled if this
/// value is dropped before the tool has finished, so that work that outlives the call can stop.
#[derive(Debug, Default)]
pub(crate) struct CallRecord {
    token: OnceLock<CancellationToken>,
    has_begun: AtomicBool,
    has_finished: AtomicBool,
    is_response_of_hook: AtomicBool,
    queue_time: OnceLock<Duration>,
    coercions: OnceLock<Coercions>,
}

impl CallRecord {
    /// The record of a function on a blocking thread. The call's own record cancels the token.
    pub(crate) fn with_token(token: CancellationToken) -> Self {
        let mut record = CallRecord::default();
        record.token = token.into();
        *record.has_finished.get_mut() = true;
        record
    }

    /// The token of the call, in this batch.
    pub(crate) fn token(&self, batch: &BatchContext) -> CancellationToken {
        self.token.get_or_init(|| batch.child_token()).clone()
    }

    pub(crate) fn set_begun(&self) {
        self.has_begun.store(true, Ordering::Relaxed);
    }

    pub(crate) fn set_finished(&self) {
        self.has_finished.store(true, Ordering::Relaxed);
    }

    pub(crate) fn set_response_of_hook(&self) {
        self.is_response_of_hook.store(true, Ordering::Relaxed);
    }

    pub(crate) fn set_queue_time(&self, time: Duration) {
        // A call waits once.
        let _ = self.queue_time.set(time);
    }

    pub(crate) fn set_coercions(&self, coercions: Coercions) {
        // The arguments are coerced once.
        let _ = self.coercions.set(coercions);
    }

    /// Whether the tool has begun and may have taken effect.
    pub(crate) fn has_begun(&self) -> bool {
        self.has_begun.load(Ordering::Relaxed)
    }

    /// The outcome of a call that ends now.
    #[inline]
    pub(crate) fn outcome(&self, error: Option<Arc<CallError>>, duration: Duration) -> Outcome {
        Outcome {
            error,
            coercions: self.coercions.get().cloned(),
            responded_by_hook: self.is_response_of_hook.load(Ordering::Relaxed),
            has_begun: self.has_begun(),
            queue_time: self.queue_time.get().copied().unwrap_or_default(),
            duration,
        }
    }
}

impl CallRecord {
    /// Cancels the token, unless the tool has finished.
    #[inline]
    pub(crate) fn cancel_unfinished(&self) {
        if let (Some(token), false) = (self.token.get(), self.has_finished.load(Ordering::Relaxed)) {
            token.cancel();
        }
    }
}

impl Drop for CallRecord {
    fn drop(&mut self) {
        self.cancel_unfinished();
    }
}
