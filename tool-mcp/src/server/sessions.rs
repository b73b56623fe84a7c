//! The sessions of clients over HTTP.

use super::request_transport::{MAX_CLIENT_NAME_BYTES, RequestTransport};
use super::running::{MAX_WAIT, RunningRequests};
use crate::message_size::truncated;
use futures_util::{Stream, StreamExt as _, stream};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError, SessionTransport,
};
use rmcp::transport::streamable_http_server::session::{
    EventStore, RestoreOutcome, ServerSseMessage, SessionId, SessionManager,
};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The time after which a session ends whose client has sent no message after `initialize`.
const MAX_UNUSED: Duration = Duration::from_secs(30);

/// The sessions of rmcp, with the requests that run in each.
#[derive(Clone, Default)]
pub(super) struct Sessions {
    local: Arc<LocalSessionManager>,
    open: Arc<Mutex<HashMap<SessionId, Arc<Session>>>>,
}

#[derive(Default)]
struct Session {
    running: RunningRequests,
    client_name: OnceLock<String>,
    /// The subject of the token that began the session.
    subject: OnceLock<Arc<str>>,
    /// Whether the client has sent a message after `initialize`.
    is_used: AtomicBool,
}

/// A request that has begun and that the session does not have yet. Dropping it ends the request, since the session may have
/// ended or the client may have disconnected.
struct BegunRequest {
    running: RunningRequests,
    /// `None` once the session has the request.
    id: Option<RequestId>,
}

impl Drop for BegunRequest {
    fn drop(&mut self) {
        if let Some(id) = &self.id {
            self.running.end(id);
        }
    }
}

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Arc<Session>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn len(&self) -> usize {
        self.lock().len()
    }

    /// The name by which the client of a session has introduced itself.
    pub(super) fn client_name(&self, id: &str) -> Option<String> {
        self.lock().get(id)?.client_name.get().cloned()
    }

    /// Sets the subject that began a session.
    pub(super) fn belongs_to(&self, id: &str, subject: Arc<str>) {
        if let Some(session) = self.lock().get(id) {
            session.subject.get_or_init(|| subject);
        }
    }

    /// Whether this subject began the session.
    pub(super) fn is_of(&self, id: &str, subject: &str) -> bool {
        self.lock().get(id).is_some_and(|session| session.subject.get().is_some_and(|of| **of == *subject))
    }

    fn used(&self, id: &SessionId) -> Option<Arc<Session>> {
        let session = self.lock().get(id).cloned()?;
        session.is_used.store(true, Ordering::Relaxed);
        Some(session)
    }

    fn open(&self, id: &SessionId, transport: SessionTransport) -> RequestTransport<SessionTransport> {
        let session = Arc::new(Session::default());
        let running = session.running.clone();
        self.lock().insert(id.clone(), Arc::clone(&session));
        RequestTransport::accepted(transport, running)
    }

    async fn end_unused(self, id: SessionId) {
        sleep(MAX_UNUSED).await;
        let is_unused = self.lock().get(&id).is_some_and(|session| !session.is_used.load(Ordering::Relaxed));
        if is_unused {
            // The session may have ended.
            self.close_session(&id).await.ok();
        }
    }
}

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = RequestTransport<SessionTransport>;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        let (id, transport) = self.local.create_session().await?;
        let transport = self.open(&id, transport);
        tokio::spawn(self.clone().end_unused(id.clone()));
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        if let JsonRpcMessage::Request(request) = &message
            && let ClientRequest::InitializeRequest(initialize) = &request.request
            && let Some(session) = self.lock().get(id)
        {
            let name = truncated(&initialize.params.client_info.name, MAX_CLIENT_NAME_BYTES);
            session.client_name.get_or_init(|| name);
        }
        self.local.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.local.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.lock().remove(id);
        self.local.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let mut begun = None;
        if let (Some(session), JsonRpcMessage::Request(request)) = (self.used(id), &message) {
            let end = Instant::now() + MAX_WAIT;
            // The service counts the bytes of all sessions together.
            if let Err(error) = session.running.begin(&request.id, 0, end).await {
                let rejected = JsonRpcMessage::error(error, Some(request.id.clone()));
                let event = ServerSseMessage::from_message(rejected);
                return Ok(stream::iter([event]).left_stream());
            }
            begun = Some(BegunRequest { running: session.running.clone(), id: Some(request.id.clone()) });
        }
        let stream = self.local.create_stream(id, message).await?;
        if let Some(mut begun) = begun {
            // The session ends the request with its response.
            begun.id = None;
        }
        Ok(stream.right_stream())
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Self::Error> {
        self.used(id);
        self.local.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.used(id);
        self.local.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.used(id);
        self.local.resume(id, last_event_id).await
    }

    async fn restore_session(&self, id: SessionId) -> Result<RestoreOutcome<Self::Transport>, Self::Error> {
        Ok(match self.local.restore_session(id.clone()).await? {
            RestoreOutcome::Restored(transport) => {
                let transport = self.open(&id, transport);
                self.used(&id);
                RestoreOutcome::Restored(transport)
            }
            RestoreOutcome::AlreadyPresent => RestoreOutcome::AlreadyPresent,
            _ => RestoreOutcome::NotSupported,
        })
    }

    fn event_store(&self) -> Option<Arc<dyn EventStore>> {
        self.local.event_store()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;

    #[tokio::test]
    async fn a_request_that_does_not_reach_its_session_does_not_run() {
        let ping = || serde_json::from_str(r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#).expect("a request");
        let sessions = Sessions::default();
        let (id, _transport) = sessions.create_session().await.expect("a session");
        let is_running = || sessions.lock()[&id].running.token(&RequestId::Number(7)).is_some();

        let mut creating = Box::pin(sessions.create_stream(&id, ping()));
        assert!((&mut creating).now_or_never().is_none() && is_running(), "the session has not responded");
        drop(creating);
        assert!(!is_running(), "the client has disconnected");

        sessions.local.close_session(&id).await.expect("it is open");
        assert!(sessions.create_stream(&id, ping()).await.is_err());
        assert!(!is_running(), "the session has ended");
    }
}
