//! The resources whose updates a client receives.

use super::resources::Resources;
use rmcp::RoleServer;
use rmcp::model::{ErrorData, ResourceUpdatedNotificationParam, SubscriptionFilter};
use rmcp::service::{Peer, SubscriptionSink};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::broadcast::{Receiver, Sender};

/// The number of resources of a connection, or of a request from protocol 2026-07-28 on.
const MAX_SUBSCRIPTIONS: usize = 256;

/// The size of their URIs together, in bytes.
const MAX_SUBSCRIBED_BYTES: usize = 64 * 1024;

/// The number of resources that a request may name. If it names more, the server accepts none of them.
const MAX_REQUESTED: usize = 1_024;

/// The number of updates that wait for a slow client. After more of them, it is notified of all its resources.
const MAX_WAITING: usize = 256;

/// Sends the URIs of updated resources to all connections.
pub(super) type Updates = Sender<Arc<str>>;

pub(super) fn updates() -> Updates {
    Sender::new(MAX_WAITING)
}

/// The URIs of one connection.
#[derive(Clone, Default)]
pub(super) struct Subscriptions(Arc<Mutex<BTreeSet<String>>>);

impl Subscriptions {
    fn lock(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a resource that the client may read.
    pub(super) fn add(&self, uri: String) -> Result<(), ErrorData> {
        let mut uris = self.lock();
        if !uris.contains(&uri) && !may_add(&uris, &uri) {
            let text = format!(
                "the client may have {MAX_SUBSCRIPTIONS} subscriptions, whose URIs have {MAX_SUBSCRIBED_BYTES} bytes; call \
                 `resources/unsubscribe` for one of them"
            );
            return Err(ErrorData::invalid_request(text, None));
        }
        uris.insert(uri);
        Ok(())
    }

    pub(super) fn remove(&self, uri: &str) {
        self.lock().remove(uri);
    }

    /// Notifies the client of updates until the connection ends.
    pub(super) async fn notify(self, mut updates: Receiver<Arc<str>>, peer: Peer<RoleServer>) {
        loop {
            let uris: Vec<String> = match updates.recv().await {
                Ok(uri) => self.lock().get(&*uri).cloned().into_iter().collect(),
                Err(RecvError::Lagged(_)) => self.lock().iter().cloned().collect(),
                Err(RecvError::Closed) => return,
            };
            for uri in uris {
                let update = ResourceUpdatedNotificationParam::new(uri);
                if peer.notify_resource_updated(update).await.is_err() {
                    return;
                }
            }
        }
    }
}

fn may_add(uris: &BTreeSet<String>, uri: &str) -> bool {
    let bytes: usize = uris.iter().map(String::len).sum();
    uris.len() < MAX_SUBSCRIPTIONS && bytes + uri.len() <= MAX_SUBSCRIBED_BYTES
}

/// The resources of a request that the server accepts: those that it has, up to the limits.
pub(super) fn accepted_uris(resources: &Resources, requested: &SubscriptionFilter) -> BTreeSet<String> {
    let requested = requested.resource_subscriptions.as_deref().unwrap_or_default();
    let requested = if requested.len() > MAX_REQUESTED { &[] } else { requested };
    let mut accepted = BTreeSet::new();
    for uri in requested.iter().filter(|uri| resources.has(uri)) {
        if may_add(&accepted, uri) {
            accepted.insert(uri.clone());
        }
    }
    accepted
}

/// Notifies the client of a received update of these resources. `false` if the subscription has ended.
pub(super) async fn notify(
    received: Result<Arc<str>, RecvError>,
    readable: &BTreeSet<String>,
    sink: &SubscriptionSink,
) -> bool {
    let uris: Vec<&String> = match received {
        Ok(uri) => readable.get(&*uri).into_iter().collect(),
        Err(RecvError::Lagged(_)) => readable.iter().collect(),
        Err(RecvError::Closed) => return false,
    };
    for uri in uris {
        if sink.notify_resource_updated(uri).await.is_err() {
            return false;
        }
    }
    true
}
