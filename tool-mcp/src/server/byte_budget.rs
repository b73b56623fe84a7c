//! The memory that all requests of an HTTP server share.

use super::http_service::Rejection;
use super::running::MAX_WAIT;
use http::StatusCode;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// The first bytes of each request do not count, so that small requests are handled while large ones wait.
const UNCOUNTED_BYTES: usize = 16 * 1024;

/// A number of bytes that requests reserve, in steps of 1 KiB.
#[derive(Clone)]
pub(super) struct ByteBudget {
    free_kibibytes: Arc<Semaphore>,
    kibibytes: usize,
}

/// The bytes of one request, which are free again when this is dropped.
#[derive(Default)]
pub(super) struct ReservedBytes(Option<OwnedSemaphorePermit>);

impl ByteBudget {
    pub(super) fn new(kibibytes: usize) -> Self {
        ByteBudget { free_kibibytes: Arc::new(Semaphore::new(kibibytes)), kibibytes }
    }

    /// Waits until a request can have this size in bytes, of which it has reserved a part. A request that is larger than the
    /// budget takes all of it.
    ///
    /// # Errors
    ///
    /// The other requests have not ended in time.
    pub(super) async fn reserve(&self, reserved: &mut ReservedBytes, bytes: usize) -> Result<(), Rejection> {
        let needed = bytes.saturating_sub(UNCOUNTED_BYTES).div_ceil(1024).min(self.kibibytes);
        let missing = needed.saturating_sub(reserved.0.as_ref().map_or(0, OwnedSemaphorePermit::num_permits));
        if missing == 0 {
            return Ok(());
        }
        let missing = u32::try_from(missing).unwrap_or(u32::MAX);
        let acquired = timeout(MAX_WAIT, Arc::clone(&self.free_kibibytes).acquire_many_owned(missing)).await;
        let Ok(Ok(acquired)) = acquired else {
            let text = "the server has too many large requests; try again later";
            return Err(Rejection::text(StatusCode::SERVICE_UNAVAILABLE, text.to_owned()));
        };
        match &mut reserved.0 {
            Some(reserved) => reserved.merge(acquired),
            reserved => *reserved = Some(acquired),
        }
        Ok(())
    }
}
