//! The requests of a connection that run.

use rmcp::model::{ErrorData, RequestId};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};
use tool_runtime::dispatch::CancellationToken;

/// The number of requests of a connection that run at the same time.
const MAX_RUNNING: usize = 256;

/// The size of these requests in KiB; over HTTP, of those of all connections. A single request may be larger.
pub(super) const MAX_RUNNING_KIBIBYTES: u32 = 32 * 1024;

/// The time that a further request waits until one of them ends.
pub(super) const MAX_WAIT: Duration = Duration::from_secs(1);

/// The requests of a connection that have no response yet, by their id.
#[derive(Clone)]
pub(super) struct RunningRequests {
    slots: Arc<Semaphore>,
    kibibytes: Arc<Semaphore>,
    requests: Arc<Mutex<HashMap<RequestId, Running>>>,
}

struct Running {
    by_client: CancelledByClient,
    _permits: [OwnedSemaphorePermit; 2],
}

/// Cancelled by a notification of the client, in the extensions of a request. rmcp would forget the id of the request, and the
/// response of a later request with this id would be that of the cancelled one.
#[derive(Clone, Default)]
pub(super) struct CancelledByClient(pub(super) CancellationToken);

impl Default for RunningRequests {
    fn default() -> Self {
        RunningRequests {
            slots: Arc::new(Semaphore::new(MAX_RUNNING)),
            kibibytes: Arc::new(Semaphore::new(MAX_RUNNING_KIBIBYTES as usize)),
            requests: Arc::default(),
        }
    }
}

impl RunningRequests {
    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, Running>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a request of this size, after others have ended. If the future is dropped, the request is not added.
    pub(super) async fn begin(&self, id: &RequestId, bytes: usize, end: Instant) -> Result<(), ErrorData> {
        let is_repeated =
            || ErrorData::invalid_request("a request with this id has no response yet; use another id", None);
        if self.lock().contains_key(id) {
            return Err(is_repeated());
        }
        let kibibytes = u32::try_from(bytes / 1024).unwrap_or(u32::MAX).min(MAX_RUNNING_KIBIBYTES);
        let acquire = async {
            let slot = Arc::clone(&self.slots).acquire_owned().await;
            Some([slot.ok()?, Arc::clone(&self.kibibytes).acquire_many_owned(kibibytes).await.ok()?])
        };
        let Ok(Some(permits)) = timeout_at(end, acquire).await else {
            let text = format!(
                "{MAX_RUNNING} requests of this connection, or requests with {MAX_RUNNING_KIBIBYTES} kB, have no response yet; \
                 wait for one"
            );
            return Err(ErrorData::invalid_request(text, None));
        };
        match self.lock().entry(id.clone()) {
            Entry::Occupied(_) => Err(is_repeated()),
            Entry::Vacant(entry) => {
                entry.insert(Running { by_client: CancelledByClient::default(), _permits: permits });
                Ok(())
            }
        }
    }

    /// The token of a running request.
    pub(super) fn token(&self, id: &RequestId) -> Option<CancelledByClient> {
        self.lock().get(id).map(|running| running.by_client.clone())
    }

    pub(super) fn cancel(&self, id: &RequestId) {
        if let Some(running) = self.lock().get(id) {
            running.by_client.0.cancel();
        }
    }

    /// Removes a request. Returns whether its response is sent: a cancelled request has none.
    pub(super) fn end(&self, id: &RequestId) -> bool {
        self.lock().remove(id).is_none_or(|running| !running.by_client.0.is_cancelled())
    }
}
