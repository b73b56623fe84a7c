//! A server over streamable HTTP.

use super::byte_budget::{ByteBudget, ReservedBytes};
use super::connection::ConnectionHandler;
use super::envelope::Envelope;
use super::request_body::BodyReader;
use super::running::MAX_RUNNING_KIBIBYTES;
use super::sessions::Sessions;
use super::{McpRequest, Server};
use crate::message_size::text_request_bytes;
use bytes::Bytes;
use http::header::{CONTENT_TYPE, HOST, HeaderValue, ORIGIN, WWW_AUTHENTICATE};
use http::request::Parts;
use http::{Method, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use rmcp::model::ErrorData;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::json;
use serde_json::value::RawValue;
use std::convert::Infallible;
use std::fmt::{self, Display};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::sync::{Mutex, OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};
use tower_service::Service;

/// The size of a request that the server keeps, in bytes: one that begins a session, or asks for notifications.
const MAX_KEPT_BYTES: usize = 64 * 1024;

/// The websites that may use a server by default: those of this machine, on any port.
const LOCAL_ORIGINS: [&str; 6] = [
    "http://localhost:*",
    "https://localhost:*",
    "http://127.0.0.1:*",
    "https://127.0.0.1:*",
    "http://[::1]:*",
    "https://[::1]:*",
];

/// The settings of a server that programs and websites of this machine use.
pub(super) fn local_config() -> StreamableHttpServerConfig {
    StreamableHttpServerConfig::default().with_allowed_origins(LOCAL_ORIGINS)
}

/// A [`tower` service](Service) of an MCP server: see [`Server::http_service`].
#[derive(Clone)]
pub struct HttpService {
    service: Inner,
    sessions: Sessions,
    creating: Arc<Mutex<()>>,
    listening: Arc<Semaphore>,
    bodies: BodyReader,
    running: ByteBudget,
    server: Server,
}

/// The memory of a message until its last clone is dropped. rmcp keeps it in the parts of the HTTP request, with the message, until
/// the message is handled.
#[derive(Clone)]
struct RunningMessage {
    _reserved: Arc<ReservedBytes>,
    _listening: Option<Arc<OwnedSemaphorePermit>>,
}

type Inner = StreamableHttpService<ConnectionHandler, Sessions>;
type Response = http::Response<BoxBody<Bytes, Infallible>>;

impl HttpService {
    pub(super) fn new(server: Server, config: StreamableHttpServerConfig) -> Self {
        let (handler_server, bodies) = (server.clone(), BodyReader::new(config.max_request_body_bytes));
        let connect = move || Ok(ConnectionHandler::new(handler_server.clone()));
        let sessions = Sessions::default();
        let service = StreamableHttpService::new(connect, sessions.clone().into(), config);
        let running = ByteBudget::new(MAX_RUNNING_KIBIBYTES as usize);
        let listening = Arc::new(Semaphore::new(server.max_sessions.min(Semaphore::MAX_PERMITS)));
        HttpService { service, sessions, creating: Arc::default(), listening, bodies, running, server }
    }

    /// Handles a request, if it is small enough and the program authorises it. rmcp handles the rest.
    async fn handle<B>(mut self, request: http::Request<B>) -> Result<Response, Rejection>
    where
        B: BodyExt,
        B::Error: Display,
    {
        let (mut parts, body) = request.into_parts();
        if let Some(response) = self.rejected_website(&parts).await {
            return Ok(response);
        }
        let access = match &self.server.tokens {
            Some(tokens) => Some(tokens.access(&parts).await?),
            None => None,
        };
        let session = parts.headers.get("mcp-session-id").and_then(|id| id.to_str().ok()).map(str::to_owned);
        if let (Some(access), Some(session)) = (&access, &session)
            && !self.sessions.is_of(session, access.subject())
        {
            return Err(Rejection::text(StatusCode::NOT_FOUND, "there is no such session".to_owned()));
        }
        let body =
            if parts.method == Method::POST { self.bodies.read(&parts, body).await? } else { Bytes::new() };
        let envelope = match parts.method {
            Method::POST => Envelope::read(&body).map_err(|error| Rejection::unreadable(&error))?,
            _ => Envelope::default(),
        };
        let (method, id) = (envelope.method.as_deref(), envelope.id);
        let session_client = session.as_deref().and_then(|id| self.sessions.client_name(id));
        let request = McpRequest::from_http(&parts, &envelope, session_client.as_deref());
        let request = request.with_access(access.as_ref());
        let authorized = self.server.authorize(&request);
        let authorized =
            authorized.map_err(|error| Rejection::unauthorized(error, id.filter(|_| method.is_some())))?;
        let (is_initialize, is_listen) =
            (method == Some("initialize"), method == Some("subscriptions/listen"));
        let bytes = text_request_bytes(&body);
        if is_initialize && body.len() > MAX_KEPT_BYTES || is_listen && bytes > MAX_KEPT_BYTES {
            let name = if is_listen { "`subscriptions/listen`" } else { "`initialize`" };
            return Err(Rejection::too_large(name, MAX_KEPT_BYTES));
        }
        let (mut reserved, mut listening) = (ReservedBytes::default(), None);
        if is_listen {
            // Its bytes would count as long as the client listens.
            listening = Some(Arc::new(self.begin_listening()?));
        } else {
            self.running.reserve(&mut reserved, bytes).await?;
        }
        // rmcp creates no session for a request that names one.
        let _creating =
            if is_initialize && session.is_none() { Some(self.begin_session().await?) } else { None };
        parts.extensions.insert(RunningMessage { _reserved: Arc::new(reserved), _listening: listening });
        if let Some(authorized) = authorized {
            parts.extensions.insert(authorized);
        }
        let Ok(response) = self.service.call(http::Request::from_parts(parts, Full::new(body))).await;
        // The client knows the id of a new session only from the response.
        if let (Some(access), None) = (&access, &session)
            && let Some(begun) = response.headers().get("mcp-session-id").and_then(|id| id.to_str().ok())
        {
            self.sessions.belongs_to(begun, access.shared_subject());
        }
        Ok(response)
    }

    /// The response to a request with a host or an origin that is not allowed. rmcp checks both headers before the method, so a
    /// request with a method that it does not support has the status 405 if they are allowed.
    async fn rejected_website(&self, parts: &Parts) -> Option<Response> {
        let mut request = http::Request::new(Full::<Bytes>::default());
        *request.method_mut() = Method::TRACE;
        *request.uri_mut() = parts.uri.clone();
        for name in [HOST, ORIGIN] {
            if let Some(value) = parts.headers.get(&name) {
                request.headers_mut().insert(name, value.clone());
            }
        }
        let response = self.service.handle(request).await;
        (response.status() != StatusCode::METHOD_NOT_ALLOWED).then_some(response)
    }

    /// Checks whether a client may begin a session. One session is created after the other, while the result is kept, so that
    /// their number stays below the limit.
    async fn begin_session(&self) -> Result<OwnedMutexGuard<()>, Rejection> {
        let creating = Arc::clone(&self.creating).lock_owned().await;
        let limit = self.server.max_sessions;
        if self.sessions.len() >= limit {
            return Err(Rejection::too_many("sessions", limit));
        }
        Ok(creating)
    }

    /// Counts a client that asks for notifications, from protocol 2026-07-28 on.
    fn begin_listening(&self) -> Result<OwnedSemaphorePermit, Rejection> {
        let permit = Arc::clone(&self.listening).try_acquire_owned();
        permit.map_err(|_| Rejection::too_many("subscriptions", self.server.max_sessions))
    }
}

/// A response without a session.
pub(super) struct Rejection {
    status: StatusCode,
    content_type: &'static str,
    body: String,
    challenge: Option<HeaderValue>,
}

impl Rejection {
    pub(super) fn text(status: StatusCode, body: String) -> Self {
        Rejection { status, content_type: "text/plain; charset=utf-8", body, challenge: None }
    }

    /// Sets the header `WWW-Authenticate`.
    pub(super) fn with_challenge(mut self, challenge: HeaderValue) -> Self {
        self.challenge = Some(challenge);
        self
    }

    pub(super) fn too_large(what: &str, limit: usize) -> Self {
        let text = format!("the request is too large: {what} may have {limit} bytes; send a smaller one");
        Rejection::text(StatusCode::PAYLOAD_TOO_LARGE, text)
    }

    fn too_many(what: &str, limit: usize) -> Self {
        let text = format!("the server has {limit} {what}; try again later, or raise `max_sessions`");
        Rejection::text(StatusCode::SERVICE_UNAVAILABLE, text)
    }

    fn error(status: StatusCode, error: &ErrorData, id: Option<&RawValue>) -> Self {
        let body = json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string();
        Rejection { status, content_type: "application/json", body, challenge: None }
    }

    fn unreadable(error: &serde_json::Error) -> Self {
        let error = ErrorData::parse_error(format!("the body is no message of the protocol: {error}"), None);
        Rejection::error(StatusCode::BAD_REQUEST, &error, None)
    }

    /// A request has the error as its response. Another message has no response.
    fn unauthorized(error: ErrorData, id: Option<&RawValue>) -> Self {
        match id {
            Some(id) => Rejection::error(StatusCode::OK, &error, Some(id)),
            None => Rejection::text(StatusCode::FORBIDDEN, error.message.into_owned()),
        }
    }

    fn into_response(self) -> Response {
        let mut response = http::Response::new(Full::new(Bytes::from(self.body)).boxed());
        *response.status_mut() = self.status;
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        if let Some(challenge) = self.challenge {
            response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        }
        response
    }
}

impl<B> Service<http::Request<B>> for HttpService
where
    B: BodyExt + Send + 'static,
    B::Data: Send + 'static,
    B::Error: Display,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Service::<http::Request<Full<Bytes>>>::poll_ready(&mut self.service, context)
    }

    fn call(&mut self, request: http::Request<B>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move {
            let handled = service.handle(request).await;
            Ok(handled.unwrap_or_else(Rejection::into_response))
        })
    }
}

impl fmt::Debug for HttpService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpService").field("server", &self.server).finish_non_exhaustive()
    }
}
