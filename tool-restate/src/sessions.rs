//! The client of sessions, for web servers.

use crate::admin::Admin;
use crate::engine::{Engine, Invocation, body};
use crate::engine_error::{EngineError, PausedInvocation};
use crate::protocol::{Decision, Report, SESSIONS, UserMessage};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::future::IntoFuture;
use std::pin::Pin;
use std::time::Duration;
use tool_runtime::Session;
use tool_runtime::dispatch::ToolResult;
use tool_runtime::message::Content;

/// The time between two queries for paused invocations.
const QUERY_INTERVAL: Duration = Duration::from_secs(5);

/// Sends messages, decisions and results to sessions that worker processes serve ([`Agent`](crate::Agent)).
///
/// It needs the address of the engine, and nothing else: any number of web servers, with any number of requests at once. Clones share
/// connections.
///
/// ```no_run
/// use tool_runtime_restate::{EngineError, SessionEnd, Sessions};
///
/// # async fn handle() -> Result<(), EngineError> {
/// let sessions = Sessions::at("http://restate:8080");
/// sessions.message("s-7", "Refund order 7.").key("message-1").await?;
/// let report = sessions.wait("s-7").await?;
/// for call in &report.awaiting_approval {
///     println!("{call}");
///     match sessions.approve("s-7", &call.id).await {
///         Err(EngineError::Conflict(reason)) => println!("{reason}"), // another request was faster
///         decided => decided?,
///     }
/// }
/// println!("{}", sessions.wait("s-7").await?.text);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Sessions {
    engine: Engine,
    name: String,
    admin: Option<Admin>,
    retry_for: Duration,
}

impl Sessions {
    /// The sessions of the engine with this address of its ingress, for example `http://restate:8080`.
    #[must_use]
    pub fn at(address: impl Into<String>) -> Self {
        Sessions {
            engine: Engine::new(address.into()),
            name: SESSIONS.to_owned(),
            admin: None,
            retry_for: Duration::from_secs(30),
        }
    }

    /// Sets the name of the sessions: that of [`Agent::name`](crate::Agent::name). Default: `Sessions`.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Reports paused invocations: a request that waits for one ends with [`EngineError::Paused`]. Default: it waits.
    #[must_use]
    pub fn admin(mut self, admin: Admin) -> Self {
        self.admin = Some(admin);
        self
    }

    /// Sets the HTTP client, for example with the key of Restate Cloud as its default header. Default: [`reqwest::Client::new`].
    #[must_use]
    pub fn http_client(mut self, client: reqwest::Client) -> Self {
        self.engine.client = client;
        self
    }

    /// Sets for how long a request is repeated while the engine cannot be reached, with the same key. Default: 30 seconds.
    #[must_use]
    pub fn retry_for(mut self, time: Duration) -> Self {
        self.retry_for = time;
        self
    }

    /// Adds a message of the user to a session, and creates the session if there is none.
    ///
    /// While calls of the session run, the session keeps the message until they have ended; the request ends at once. Calls that wait for a
    /// person are skipped: the model reads that the user has sent a message instead.
    pub fn message(&self, session: impl Into<String>, content: impl Into<Content>) -> SessionRequest<'_> {
        self.request(session, "message", &UserMessage::new(content.into()))
    }

    /// Approves a call.
    ///
    /// A call that does not wait is [`EngineError::Conflict`]: another request has decided about it.
    pub fn approve(&self, session: impl Into<String>, call_id: impl Into<String>) -> SessionRequest<'_> {
        self.decide(session, &Decision::Approve { id: call_id.into() })
    }

    /// Approves a call with other arguments, as [`Session::approve_with`] does: a JSON object, or its text. If they are invalid, the
    /// call waits again, with the reason.
    pub fn approve_with(
        &self,
        session: impl Into<String>,
        call_id: impl Into<String>,
        arguments: impl Serialize,
    ) -> SessionRequest<'_> {
        match serde_json::to_value(arguments) {
            Ok(arguments) => self.decide(session, &Decision::ApproveWith { id: call_id.into(), arguments }),
            Err(error) => self.request_with(session, "decide", Err(EngineError::InvalidRequest(error))),
        }
    }

    /// Denies a call. The model receives the reason.
    pub fn deny(
        &self,
        session: impl Into<String>,
        call_id: impl Into<String>,
        reason: impl Into<String>,
    ) -> SessionRequest<'_> {
        self.decide(session, &Decision::Deny { id: call_id.into(), reason: reason.into() })
    }

    /// Provides the result of a call that waits for one, or in place of an approval.
    pub fn provide_result(
        &self,
        session: impl Into<String>,
        call_id: impl Into<String>,
        result: impl Into<ToolResult>,
    ) -> SessionRequest<'_> {
        self.decide(session, &Decision::ProvideResult { id: call_id.into(), result: result.into() })
    }

    /// Cancels the session, unless it has ended: its calls that have not begun do not begin, and calls that wait for a person or for a
    /// result end.
    ///
    /// A request that has been sent to the model ends first, and none of its calls begins. A tool that runs is not stopped; its result is
    /// dropped, and the model reads that it may have taken effect. The next message continues the session.
    pub fn cancel(&self, session: impl Into<String>) -> SessionRequest<'_> {
        self.request_with(session, "cancel", Ok(None))
    }

    /// Runs the session again after [`SessionEnd::Failed`](crate::SessionEnd::Failed), after a limit, or after a cancellation.
    pub fn resume(&self, session: impl Into<String>) -> SessionRequest<'_> {
        self.request_with(session, "resume", Ok(None))
    }

    /// Removes a session that does not run, if there is one. A new session of this id would have the
    /// [keys](tool_runtime::CallContext::key) of the calls of the old one, with which services recognize repeated requests: use a new id.
    pub fn remove(&self, session: impl Into<String>) -> SessionRequest<'_> {
        self.request_with(session, "remove", Ok(None))
    }

    /// Waits until the session has ended, or needs a person or a result. It has no time limit: the caller has one, if it needs one.
    ///
    /// # Errors
    ///
    /// There is no such session, an invocation of it is paused ([`Sessions::admin`]), the engine cannot be reached, or more than 1,000
    /// requests wait for this session: the oldest one ends with the status 429.
    pub async fn wait(&self, session: &str) -> Result<Report, EngineError> {
        self.call(session, "wait", None, None).await
    }

    /// The session after its last step; `None` if there is no such session, or if its first step has not ended.
    ///
    /// # Errors
    ///
    /// The engine cannot be reached.
    pub async fn get(&self, session: &str) -> Result<Option<Session>, EngineError> {
        self.call(session, "get", None, None).await
    }

    fn decide(&self, session: impl Into<String>, decision: &Decision) -> SessionRequest<'_> {
        self.request(session, "decide", decision)
    }

    fn request(
        &self,
        session: impl Into<String>,
        handler: &'static str,
        value: &impl Serialize,
    ) -> SessionRequest<'_> {
        self.request_with(session, handler, body(value).map(Some))
    }

    fn request_with(
        &self,
        session: impl Into<String>,
        handler: &'static str,
        body: Result<Option<Vec<u8>>, EngineError>,
    ) -> SessionRequest<'_> {
        SessionRequest { sessions: self, session: session.into(), handler, body, key: None }
    }

    async fn call<T: DeserializeOwned>(
        &self,
        session: &str,
        handler: &str,
        key: Option<&str>,
        body: Option<Vec<u8>>,
    ) -> Result<T, EngineError> {
        let target = [&*self.name, session, handler];
        let invocation =
            Invocation { target: &target, idempotency_key: key, body, retry_for: self.retry_for };
        let call = self.engine.call(&invocation);
        let Some(admin) = &self.admin else { return call.await };
        tokio::select! {
            response = call => response,
            paused = self.paused(admin, session) => Err(EngineError::Paused(paused)),
        }
    }

    /// Waits until an invocation of the session is paused.
    async fn paused(&self, admin: &Admin, session: &str) -> PausedInvocation {
        loop {
            tokio::time::sleep(QUERY_INTERVAL).await;
            if let Ok(mut paused) = admin.paused_of(&self.name, session).await
                && let Some(first) = paused.pop()
            {
                return first;
            }
        }
    }
}

/// A request that changes a session. It is sent when it is awaited, and ends when a worker has processed it.
///
/// While no worker runs, it waits without a limit of time, and is processed later. A caller that does not wait sends it again with the same
/// [key](SessionRequest::key).
///
/// # Errors
///
/// - [`EngineError::NoSession`]: there is no such session; not for [`message`](Sessions::message) and [`remove`](Sessions::remove).
/// - [`EngineError::Conflict`]: the call of the decision does not wait, or the session that is to be removed runs.
/// - [`EngineError::TooLarge`], or [`EngineError::Rejected`] with the status 413: the session cannot store the contents.
/// - [`EngineError::Unreachable`]: the engine did not respond within [`Sessions::retry_for`].
///
/// [`EngineError`] has those of wrong ids, keys, names and addresses.
#[derive(Debug)]
#[must_use = "it is sent when it is awaited"]
pub struct SessionRequest<'a> {
    sessions: &'a Sessions,
    session: String,
    handler: &'static str,
    body: Result<Option<Vec<u8>>, EngineError>,
    key: Option<String>,
}

impl SessionRequest<'_> {
    /// Sets the idempotency key: a second request with this key has the response of the first one, and no other effect. Use a key of
    /// the program: the id of a message or of a click, in visible characters of ASCII. Default: a random key for all attempts of this
    /// request. Use another key for each decision, also if they are about several calls of one session.
    ///
    /// The engine remembers keys for [some days](crate::Agent::idempotency_retention).
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }
}

impl<'a> IntoFuture for SessionRequest<'a> {
    type Output = Result<(), EngineError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Result<(), EngineError>> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        let SessionRequest { sessions, session, handler, body, key } = self;
        Box::pin(async move {
            let key = key.unwrap_or_else(|| format!("{:032x}", fastrand::u128(..)));
            sessions.call(&session, handler, Some(&key), body?).await
        })
    }
}
