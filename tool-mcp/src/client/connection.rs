//! A connection to a server, which is created again after it was lost.

use super::error::ConnectError;
use super::log::ask_for_log;
use super::paused_timeout::Pauses;
use super::response_line::REPAIR_LINE;
use super::tracked_transport::{Channel, TrackedCalls, TrackedTransport};
use super::transport_error::connect_cause;
use super::{Client, Inner, RemoteError, questions};
use crate::closable_transport::ClosableTransport;
use crate::limited_transport::LimitedTransport;
use crate::line_transport::Adapter;
use crate::message_size::truncated;
use rmcp::model::{
    ClientCapabilities, ClientConfig, CustomRequest, CustomResult, ElicitRequestParams, ElicitResult,
    ElicitationCapability, ErrorCode, ErrorData, FormElicitationCapability, Implementation, JsonObject,
    ProtocolVersion, SubscriptionFilter, TASKS_EXTENSION_ID,
};
use rmcp::service::{
    ClientInitializeError, NotificationContext, Peer, RequestContext, RoleClient, RunningService,
    ServiceError,
};
use rmcp::transport::IntoTransport;
use rmcp::{ClientHandler, ClientLifecycleMode, serve_client_with_lifecycle};
use serde_json::Value;
use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};
use tool_runtime::conversation::InnerCallError;
use tool_runtime::dispatch::UserAnswer;

/// The pauses between attempts, to connect and to send.
pub(super) fn pauses() -> impl Iterator<Item = Duration> {
    [100, 200, 400, 800].into_iter().map(Duration::from_millis)
}

/// The pause before a subscription that has ended is created again, and the longest one after failures, each of which doubles it.
const PAUSE_OF_SUBSCRIPTIONS: Duration = Duration::from_secs(5);
const MAX_PAUSE_OF_SUBSCRIPTIONS: Duration = Duration::from_secs(320);

/// The time in which a server receives the cancellation of a call before the error of its question.
const PAUSE_AFTER_CALL: Duration = Duration::from_secs(1);

/// The number of lists of the largest size after which a connection that keeps the lists is replaced.
const MAX_KEPT_LISTS: usize = 4;

/// Connects to the server, in one of the two ways of the protocol.
pub(super) struct Connector {
    channel: Channel,
    /// The times in which a person signs in.
    pub(super) pauses: Pauses,
    connect: Box<dyn Fn(NotificationHandler, ClientLifecycleMode) -> Connecting + Send + Sync>,
}

type Connecting = Pin<Box<dyn Future<Output = Result<Service, BoxError>> + Send>>;
type Service = RunningService<RoleClient, NotificationHandler>;
type BoxError = Box<dyn Error + Send + Sync>;

pub(super) fn connect_over<T, E, A, F, C>(
    channel: Channel,
    create: impl Fn() -> F + Send + Sync + 'static,
) -> Connector
where
    F: Future<Output = Result<T, C>> + Send + 'static,
    C: Into<BoxError>,
    T: IntoTransport<RoleClient, E, A>,
    E: Error + Send + Sync + 'static,
    A: Adapter<RoleClient, T, E> + 'static,
{
    let connect = Box::new(move |handler: NotificationHandler, lifecycle| -> Connecting {
        let created = create();
        Box::pin(async move {
            let transport = A::connect(created.await.map_err(Into::into)?, REPAIR_LINE);
            let transport = LimitedTransport::new(ClosableTransport::new(transport), channel.excess());
            let transport = TrackedTransport::new(transport, channel, handler.calls.clone());
            serve_client_with_lifecycle(handler, transport, lifecycle).await.map_err(connect_cause)
        })
    });
    Connector { channel, pauses: Pauses::default(), connect }
}

/// The connection of a client, if it has one.
#[derive(Default)]
pub(super) struct Link {
    connection: Option<Arc<Connection>>,
    /// The time and the error of the last failed attempts.
    failure: Option<(Instant, ConnectError)>,
}

/// One connection.
pub(super) struct Connection {
    service: tokio::sync::Mutex<Service>,
    pub(super) peer: Peer<RoleClient>,
    pub(super) calls: TrackedCalls,
    /// Whether rmcp keeps the tools of all lists, also those that the server no longer has.
    keeps_lists: bool,
    /// The size of all lists of tools so far.
    pub(super) listed_bytes: AtomicUsize,
}

impl Client {
    /// The connection, or a new one if it was lost.
    pub(super) async fn connection(&self) -> Result<Arc<Connection>, ConnectError> {
        let started = Instant::now();
        let mut link = self.0.link.lock().await;
        if let Some(connection) = link.connection.as_ref().filter(|connection| connection.is_open()) {
            return Ok(Arc::clone(connection));
        }
        // Calls that waited for the same attempts share their error.
        if let Some((_, error)) = link.failure.as_ref().filter(|(failed, _)| *failed >= started) {
            return Err(error.clone());
        }
        let mut pauses = pauses();
        loop {
            match (self.0.connect().await, pauses.next()) {
                (Ok(connected), _) => {
                    link.connection = Some(Arc::clone(&connected));
                    return Ok(connected);
                }
                (Err(error), Some(pause)) if !error.is_final() => sleep(pause).await,
                (Err(error), _) => {
                    link.failure = Some((Instant::now(), error.clone()));
                    return Err(error);
                }
            }
        }
    }

    /// The connection that a list is read from: a new one if this one keeps too much of earlier lists. Running calls end on the
    /// connection that they have.
    pub(super) async fn connection_for_list(&self) -> Result<Arc<Connection>, ConnectError> {
        let connection = self.connection().await?;
        let limit = self.0.settings.max_list_bytes.saturating_mul(MAX_KEPT_LISTS);
        if !connection.keeps_lists || connection.listed_bytes.load(Ordering::Relaxed) < limit {
            return Ok(connection);
        }
        self.abandon(&connection).await;
        self.connection().await
    }

    /// The first connection, in one attempt.
    pub(super) async fn connect_once(&self) -> Result<(), ConnectError> {
        self.0.link.lock().await.connection = Some(self.0.connect().await?);
        Ok(())
    }

    /// Closes the connection and waits for it: a child process gets a few seconds to exit. A later call connects again. While a
    /// call connects, it waits for that.
    pub async fn close(&self) {
        let connection = self.0.link.lock().await.connection.take();
        if let Some(connection) = connection {
            // An error is that of the task, which has ended then.
            connection.service.lock().await.close().await.ok();
        }
    }

    /// Abandons a connection that may be unusable although its transport is open, so that the next call connects again.
    pub(super) async fn abandon(&self, connection: &Arc<Connection>) {
        let mut link = self.0.link.lock().await;
        link.connection.take_if(|current| Arc::ptr_eq(current, connection));
    }
}

impl Inner {
    async fn connect(&self) -> Result<Arc<Connection>, ConnectError> {
        let allowed = self.settings.connect_timeout;
        let connect = |lifecycle| {
            let (changes, calls) = (self.changes.clone(), TrackedCalls::new(self.settings.log.clone()));
            (self.connector.connect)(NotificationHandler { changes, calls }, lifecycle)
        };
        let connecting = async {
            match connect(ClientLifecycleMode::Initialize).await {
                Err(error) if lacks_initialize(&*error) => {
                    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
                    connect(ClientLifecycleMode::Discover { preferred_versions }).await
                }
                connected => connected,
            }
        };
        let connected = self.connector.pauses.timeout(allowed, connecting).await;
        let connected = connected.ok_or(ConnectError::TimedOut { allowed })?;
        let service = connected.map_err(ConnectError::new)?;
        // The list may have changed while there was no connection.
        self.changes.send_modify(|changes| *changes += 1);
        let peer = service.peer().clone();
        let has_initialize = peer.peer_info().is_none_or(|server| server.protocol_version.has_initialize());
        if !has_initialize {
            tokio::spawn(listen(peer.clone(), self.changes.clone()));
        }
        let calls = service.service().calls.clone();
        if let Some(level) = calls.log_level().filter(|_| has_initialize) {
            // The connection of a server that does not read is used, and ends after a limit.
            timeout(allowed, ask_for_log(&peer, level)).await.ok();
        }
        // The schemas have headers that calls need then.
        let keeps_lists = !has_initialize && self.connector.channel != Channel::Stream;
        let listed_bytes = AtomicUsize::default();
        Ok(Arc::new(Connection { service: service.into(), peer, calls, keeps_lists, listed_bytes }))
    }
}

/// Whether the server only knows the versions of the protocol that have no `initialize`.
fn lacks_initialize(error: &(dyn Error + 'static)) -> bool {
    let codes = [ErrorCode::METHOD_NOT_FOUND, ErrorCode::UNSUPPORTED_PROTOCOL_VERSION];
    match error.downcast_ref() {
        Some(ClientInitializeError::JsonRpcError(error)) => codes.contains(&error.code),
        _ => false,
    }
}

/// From protocol 2026-07-28 on, changes of the list are sent to clients that ask for them. A server may end the subscription
/// at any time.
async fn listen(peer: Peer<RoleClient>, changes: watch::Sender<u64>) {
    let mut pause = PAUSE_OF_SUBSCRIPTIONS;
    while !peer.is_transport_closed() {
        let filter = SubscriptionFilter::builder().tools_list_changed().build();
        match peer.listen(filter).await {
            Ok(mut subscription) => {
                pause = PAUSE_OF_SUBSCRIPTIONS;
                // The list may have changed before the subscription.
                changes.send_modify(|changes| *changes += 1);
                while let Ok(Some(_)) = subscription.next().await {
                    changes.send_modify(|changes| *changes += 1);
                }
            }
            // The server has no subscriptions.
            Err(ServiceError::McpError(error)) if error.code == ErrorCode::METHOD_NOT_FOUND => return,
            Err(_) => pause = (pause * 2).min(MAX_PAUSE_OF_SUBSCRIPTIONS),
        }
        sleep(pause).await;
    }
}

impl Connection {
    fn is_open(&self) -> bool {
        !self.peer.is_transport_closed()
    }
}

/// Receives the notifications of a server.
pub(super) struct NotificationHandler {
    changes: watch::Sender<u64>,
    calls: TrackedCalls,
}

impl NotificationHandler {
    /// Asks the user in the running call to which the request belongs. The parameters are dropped before the user answers.
    async fn ask(&self, params: Value, request: RequestContext<RoleClient>) -> Result<UserAnswer, ErrorData> {
        let rejected = |text: String| ErrorData::invalid_request(text, None);
        let call = self.calls.asking(request.extensions.get()).map_err(|text| rejected(text.to_owned()))?;
        call.count_questions(1).map_err(|error| rejected(error.to_string()))?;
        let question = questions::ask(call.context(), &params);
        drop(params);
        let asked = call.until_ended(question);
        match request.ct.run_until_cancelled(asked).await.flatten() {
            Some(Err(RemoteError::CannotAsk(InnerCallError::Waits { .. }))) => {
                // The call is sent again in a later run. The server must not take this for the answer of the user.
                call.end_early().await;
                sleep(PAUSE_AFTER_CALL).await;
                Err(rejected("the user answers later".to_owned()))
            }
            Some(answer) => answer.map_err(|error| rejected(error.to_string())),
            None => Err(rejected("the call has ended".to_owned())),
        }
    }
}

impl ClientHandler for NotificationHandler {
    fn get_info(&self) -> ClientConfig {
        let name = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        // The builder of rmcp needs its feature `server`.
        let mut capabilities = ClientCapabilities::default();
        let tasks = (TASKS_EXTENSION_ID.to_owned(), JsonObject::new());
        capabilities.extensions.get_or_insert_default().extend([tasks]);
        let form = FormElicitationCapability::new().with_schema_validation(true);
        capabilities.elicitation = Some(ElicitationCapability::new().with_form(form));
        let mut config = ClientConfig::new(capabilities, name);
        // Later versions have no `initialize`.
        config.protocol_version = ProtocolVersion::LATEST_WITH_INITIALIZE;
        config
    }

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let params = serde_json::to_value(params).unwrap_or_default();
        let answer = serde_json::to_value(self.ask(params, context).await?).unwrap_or_default();
        serde_json::from_value(answer).map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    /// A question with a form that rmcp does not read.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleClient>,
    ) -> Result<CustomResult, ErrorData> {
        match &*request.method {
            questions::METHOD => {
                let answer = self.ask(request.params.unwrap_or_default(), context).await?;
                Ok(CustomResult::new(serde_json::to_value(answer).unwrap_or_default()))
            }
            method => Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, truncated(method, 256), None)),
        }
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changes.send_modify(|changes| *changes += 1);
    }
}
