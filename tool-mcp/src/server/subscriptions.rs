//! The resources whose updates a client receives.

use super::changes::UpdatedResources;
use super::resources::Resources;
use rmcp::model::{ErrorData, SubscriptionFilter};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The number of resources of a connection, or of a request from protocol 2026-07-28 on.
const MAX_SUBSCRIPTIONS: usize = 256;

/// The size of their URIs together, in bytes.
const MAX_SUBSCRIBED_BYTES: usize = 64 * 1024;

/// The number of resources that a request may name. If it names more, the server accepts none of them.
const MAX_REQUESTED: usize = 1_024;

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

    /// The URIs of the resources that have been updated.
    pub(super) fn updated(&self, resources: &UpdatedResources) -> Vec<String> {
        resources.among(&self.lock())
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
