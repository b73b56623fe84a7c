//! The agent: the handlers that worker processes serve.

mod apply;
mod calls;
mod client;
mod input;
mod named;
mod object;
mod serve;
mod status;
mod step;
mod step_error;

pub use calls::Calls;
pub use named::InvalidNameError;
pub use serve::serve;
pub use step_error::PermanentError;

use crate::protocol::{MAX_BYTES, SESSIONS};
use client::Client;
use named::parse_name;
use object::SessionObject;
use restate_sdk::discovery::ServiceName;
use restate_sdk::endpoint::Builder;
use restate_sdk::prelude::Endpoint;
use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;
use tool_runtime::conversation::Request;
use tool_runtime::session::{Event, Run};
use tool_runtime::stream::Chunk;
use tool_runtime::{AssistantMessage, Registry, Session};

/// The error of a client.
pub(crate) type BoxError = Box<dyn Error + Send + Sync>;

/// Receives the id of a session, and its event.
type Listener = dyn Fn(&str, &Event) + Send + Sync;

/// The tools, the client and the settings of sessions that run on any number of worker processes.
///
/// Each worker process serves [`endpoint`](Agent::endpoint). See the [crate](crate) for an example, for the promises and for
/// deployments.
#[derive(Clone)]
#[must_use = "it serves nothing before its endpoint is served"]
pub struct Agent {
    /// `None` for the default.
    name: Option<ServiceName>,
    calls: Calls,
    client: Arc<Client>,
    first: Arc<dyn Fn() -> Session + Send + Sync>,
    configure: Arc<dyn for<'a> Fn(Run<'a>) -> Run<'a> + Send + Sync>,
    on_event: Option<Arc<Listener>>,
    /// The services of tools that do not run on the service of this agent.
    services: Arc<BTreeMap<String, String>>,
    limits: Limits,
}

/// The limits of sessions.
#[derive(Clone, Copy)]
struct Limits {
    retry_requests_for: Duration,
    longest_request: Duration,
    idempotency_retention: Duration,
    journal_retention: Duration,
    max_session_bytes: usize,
}

impl Agent {
    /// An agent with these tools, whose model answers the requests of `complete`, for example with the client of the package
    /// `tool-runtime-client`.
    ///
    /// A step is one request, its reply, and the decisions of the registry about the calls. An error of `complete` repeats it: see
    /// [`retry_requests_for`](Agent::retry_requests_for) and [`PermanentError`].
    pub fn new<C, R, E>(registry: Registry, complete: C) -> Self
    where
        C: Fn(Request) -> R + Send + Sync + 'static,
        R: Future<Output = Result<AssistantMessage, E>> + Send + 'static,
        E: Into<BoxError> + 'static,
    {
        Agent::with_client(registry, client::completing(complete))
    }

    /// Like [`new`](Agent::new), with streamed replies: the listener of [`on_event`](Agent::on_event) receives the text while it is
    /// generated.
    pub fn streaming<C, R, S, E>(registry: Registry, stream: C) -> Self
    where
        C: Fn(Request) -> R + Send + Sync + 'static,
        R: Future<Output = Result<S, E>> + Send + 'static,
        S: futures_util::Stream + Send + 'static,
        S::Item: Into<Chunk> + Send,
        E: Into<BoxError> + 'static,
    {
        Agent::with_client(registry, client::streaming(stream))
    }

    fn with_client(registry: Registry, client: Arc<Client>) -> Self {
        Agent {
            name: None,
            calls: Calls::new(registry),
            client,
            first: Arc::new(Session::new),
            configure: Arc::new(|run| run),
            on_event: None,
            services: Arc::default(),
            limits: Limits {
                retry_requests_for: Duration::from_secs(600),
                longest_request: Duration::from_secs(3600),
                idempotency_retention: Duration::from_secs(7 * 24 * 3600),
                journal_retention: Duration::ZERO,
                max_session_bytes: MAX_BYTES,
            },
        }
    }

    /// Sets the name of the sessions in the engine: that of the virtual object. Default: `Sessions`. Set it if several agents use one
    /// engine, also in [`Sessions::name`](crate::Sessions::name) and, for their calls, in [`calls`](Agent::calls). Give the sessions of
    /// each agent other ids, for example with its name as a prefix: the
    /// [idempotency keys](tool_runtime::CallContext::idempotency_key) of calls contain the id of the session, and not this name.
    ///
    /// # Errors
    ///
    /// The engine does not accept the name.
    pub fn name(mut self, name: impl Into<String>) -> Result<Self, InvalidNameError> {
        self.name = Some(parse_name(name.into())?);
        Ok(self)
    }

    /// Sets the service of the calls: its name, its time limits, the application state of its tools. Its registry is also the one of
    /// requests to the model: create it with a clone of the registry of this agent. Default: [`Calls::new`] with the registry of this
    /// agent.
    pub fn calls(mut self, calls: Calls) -> Self {
        self.calls = calls;
        self
    }

    /// Runs the calls of a tool on another service, which other machines serve ([`Calls::name`]). The registry of this agent has
    /// the tool as well: its schema, its policy and its application state, without which a call is not handed out. Default: the service
    /// of this agent.
    pub fn run_on(mut self, tool: impl Into<String>, service: impl Into<String>) -> Self {
        Arc::make_mut(&mut self.services).insert(tool.into(), service.into());
        self
    }

    /// Sets the session to which the first message is added: a system message, for example. Default: [`Session::new`].
    pub fn first(mut self, first: impl Fn() -> Session + Send + Sync + 'static) -> Self {
        self.first = Arc::new(first);
        self
    }

    /// Configures each run: its limits, its wire, compaction. Default: no settings. Its
    /// [`max_requests`](Run::max_requests), [`hand_out_calls`](Run::hand_out_calls) and [`on_event`](Run::on_event) are those of the
    /// agent.
    pub fn configure(
        mut self,
        configure: impl for<'a> Fn(Run<'a>) -> Run<'a> + Send + Sync + 'static,
    ) -> Self {
        self.configure = Arc::new(configure);
        self
    }

    /// Sets the listener of the events of all sessions: their ids, and the events of replies and calls. Default: none.
    ///
    /// It receives each event at least once, from one of the worker processes: before the engine records the step. A step that is
    /// repeated after a crash or an error sends its events again, and they may differ, for example in the text of the model. Send
    /// the events to a channel or a queue; the listener blocks the step.
    pub fn on_event(mut self, listener: impl Fn(&str, &Event) + Send + Sync + 'static) -> Self {
        self.on_event = Some(Arc::new(listener));
        self
    }

    /// Sets for how long a request that fails is repeated, with growing pauses. Then the session ends with
    /// [`SessionEnd::Failed`](crate::SessionEnd::Failed), and keeps its state. Default: 10 minutes; a program in development has a shorter
    /// time. A step that is interrupted by the end of its process is repeated in any case.
    ///
    /// The errors are those of the client, and panics of the program. No one reads them before the last attempt, unless the client of the
    /// program logs them. A [`PermanentError`] is not repeated.
    pub fn retry_requests_for(mut self, time: Duration) -> Self {
        self.limits.retry_requests_for = time;
        self
    }

    /// Sets the longest time of one request to the model, after which the engine repeats the step elsewhere. Default: one hour.
    pub fn longest_request(mut self, time: Duration) -> Self {
        self.limits.longest_request = time;
        self
    }

    /// Sets for how long the engine remembers the [keys](crate::SessionRequest::key) of requests. Default: 7 days.
    ///
    /// A second decision about one call is a conflict at any time, since the session knows which calls wait. A message that
    /// arrives again with its key after this time is a second message.
    pub fn idempotency_retention(mut self, time: Duration) -> Self {
        self.limits.idempotency_retention = time;
        self
    }

    /// Sets the largest session, as JSON. A result that would exceed it is an error for the model, a message is rejected
    /// ([`EngineError::Rejected`](crate::EngineError::Rejected) with the status 413), and a reply or the first message ends the session
    /// with [`SessionEnd::Failed`](crate::SessionEnd::Failed). Default: 10 MiB.
    ///
    /// The engine holds up to three copies of a session at once. For larger ones, raise its
    /// `worker.invoker.per-invocation-memory-limit`, whose default is 32 MiB; or store long results elsewhere, and compact the session, for
    /// example with the package `tool-runtime-compaction`.
    pub fn max_session_bytes(mut self, bytes: usize) -> Self {
        self.limits.max_session_bytes = bytes;
        self
    }

    /// Sets for how long the engine keeps the journals of steps that have ended, which contain the session, for inspection.
    /// Default: 0.
    pub fn journal_retention(mut self, time: Duration) -> Self {
        self.limits.journal_retention = time;
        self
    }

    /// The endpoint of a worker process: the sessions and the calls.
    #[must_use]
    pub fn endpoint(self) -> Endpoint {
        self.bind(Endpoint::builder()).build()
    }

    /// Adds the sessions and the calls to an endpoint that has other services, or the
    /// [key](Builder::identity_key) of the engine.
    #[must_use]
    pub fn bind(self, endpoint: Builder) -> Builder {
        let calls = self.calls.clone();
        calls.bind(endpoint.bind(SessionObject::new(self).into_definition()))
    }

    /// The name of the virtual object.
    fn object(&self) -> &str {
        self.name.as_ref().map_or(SESSIONS, |name| name.as_str())
    }

    /// The registry for a step of this session.
    fn registry(&self, session_id: &str) -> Registry {
        self.calls.registry(session_id)
    }

    /// The service that runs the calls of this tool.
    fn service(&self, tool: &str) -> &str {
        self.services.get(tool).map_or_else(|| self.calls.service(), String::as_str)
    }
}

impl std::fmt::Debug for Agent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Agent")
            .field("name", &self.object())
            .field("calls", &self.calls)
            .finish_non_exhaustive()
    }
}
