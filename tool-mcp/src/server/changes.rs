//! The changes of a server of which its clients are notified.

use super::subscriptions::Subscriptions;
use super::{Served, Server};
use rmcp::RoleServer;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, ServiceError, SubscriptionContext, SubscriptionSendError};
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{Mutex, broadcast, watch};

/// The number of updates that wait for a slow client. After more of them, it is notified of all its resources.
const MAX_WAITING: usize = 256;

/// Sends the URIs of updated resources to all connections.
pub(super) type Updates = broadcast::Sender<Arc<str>>;

pub(super) fn updates() -> Updates {
    Updates::new(MAX_WAITING)
}

/// Receives the changes from its creation on. It is created when a request `subscriptions/listen` arrives: rmcp calls the
/// handler after the client has received the acknowledgement, and would lose a change that the client causes meanwhile.
pub(super) struct Changes {
    served: watch::Receiver<Arc<Served>>,
    updates: broadcast::Receiver<Arc<str>>,
}

/// Locked by the task that notifies the client.
pub(super) type SharedChanges = Arc<Mutex<Changes>>;

/// A change of which a client is notified.
enum Change {
    Tools,
    Resources(UpdatedResources),
}

pub(super) enum UpdatedResources {
    One(Arc<str>),
    /// Any of them, since a slow client has missed updates.
    Any,
}

impl Changes {
    pub(super) fn new(server: &Server) -> SharedChanges {
        Arc::new(Mutex::new(Changes {
            served: server.served.subscribe(),
            updates: server.updates.subscribe(),
        }))
    }

    /// `None` when the server has ended.
    async fn next(&mut self) -> Option<Change> {
        tokio::select! {
            replaced = self.served.changed() => replaced.ok().map(|()| Change::Tools),
            updated = self.updates.recv() => match updated {
                Ok(uri) => Some(Change::Resources(UpdatedResources::One(uri))),
                Err(RecvError::Lagged(_)) => Some(Change::Resources(UpdatedResources::Any)),
                Err(RecvError::Closed) => None,
            },
        }
    }
}

impl UpdatedResources {
    /// Those of a client that may have been updated.
    pub(super) fn among(&self, uris: &BTreeSet<String>) -> Vec<String> {
        match self {
            UpdatedResources::One(uri) => uris.get(&**uri).cloned().into_iter().collect(),
            UpdatedResources::Any => uris.iter().cloned().collect(),
        }
    }
}

/// Notifies a client before protocol 2026-07-28 until its connection ends.
pub(super) async fn notify_connection(
    changes: SharedChanges,
    subscriptions: Subscriptions,
    peer: Peer<RoleServer>,
) -> Result<(), ServiceError> {
    let mut changes = changes.lock().await;
    while let Some(change) = changes.next().await {
        match change {
            Change::Tools => peer.notify_tool_list_changed().await?,
            Change::Resources(updated) => {
                for uri in subscriptions.updated(&updated) {
                    peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await?;
                }
            }
        }
    }
    Ok(())
}

/// Notifies a client from protocol 2026-07-28 on, which may read these resources, until its connection ends.
pub(super) async fn notify_subscription(
    changes: &mut Changes,
    readable: &BTreeSet<String>,
    subscription: &SubscriptionContext,
) -> Result<(), SubscriptionSendError> {
    let notifies_of_tools = subscription.accepted().tools_list_changed == Some(true);
    while let Some(change) = changes.next().await {
        match change {
            Change::Tools if notifies_of_tools => subscription.sink().notify_tool_list_changed().await?,
            Change::Tools => {}
            Change::Resources(updated) => {
                for uri in updated.among(readable) {
                    subscription.sink().notify_resource_updated(uri).await?;
                }
            }
        }
    }
    Ok(())
}
