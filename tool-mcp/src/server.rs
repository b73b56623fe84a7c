//! A registry as an MCP server, with resources and prompts.

mod authorization;
mod changes;
mod completions;
mod connection;
mod contained;
mod definition;
mod elicitation;
mod notifications;
mod offers;
mod prompt_messages;
mod prompts;
mod questions;
mod request;
mod request_transport;
mod resource_body;
mod resources;
mod result;
mod running;
mod subscriptions;
mod too_large_request;
mod uri_template;

#[cfg(feature = "http-server")]
mod bearer_token;
#[cfg(feature = "http-server")]
mod byte_budget;
#[cfg(feature = "http-server")]
mod envelope;
#[cfg(feature = "http-server")]
mod http_service;
#[cfg(feature = "http-server")]
mod protected_resource;
#[cfg(feature = "http-server")]
mod request_body;
#[cfg(feature = "http-server")]
mod sessions;

#[cfg(feature = "http-server")]
pub use bearer_token::{Access, TokenRejection};
pub use completions::{Completion, CompletionRequest};
#[cfg(feature = "http-server")]
pub use http_service::HttpService;
pub use prompt_messages::PromptMessages;
pub use prompts::PromptRequest;
#[cfg(feature = "http-server")]
pub use protected_resource::{Authorization, AuthorizationError, MetadataService};
pub use request::McpRequest;
pub use resource_body::ResourceBody;
pub use resources::ResourceRequest;
pub use uri_template::UriTemplateError;

use crate::closable_transport::ClosableTransport;
use crate::limited_transport::{Excess, LimitedTransport};
use crate::line_transport::Adapter;
use crate::repaired_reader::RepairLine;
use crate::surrogates::replace_lone_surrogates;
use changes::{Updates, updates};
use connection::ConnectionHandler;
use definition::definitions;
use offers::Offers;
use request_transport::RequestTransport;
use rmcp::model::{Implementation, ServerCapabilities, ServerConfig, Tool};
use rmcp::service::{RoleServer, ServerInitializeError};
use rmcp::transport::IntoTransport;
use std::borrow::Cow;
use std::error::Error;
use std::fmt::{self, Display};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use too_large_request::{request_id, too_large_request};
use tool_runtime::{Registry, RunContext};

/// Creates a server of the tools of a registry.
///
/// Each call of a client is a dispatch: its arguments are validated, hooks, middleware and limits of the registry apply,
/// and a tool that panics or exceeds its time limit is an error of this call.
///
/// | In the registry | For the client |
/// | --- | --- |
/// | title, annotations, output schema | the same in `tools/list`; before protocol 2026-07-28, only output schemas of objects |
/// | text, JSON, images, files of a result | content; JSON is structured content as well (before 2026-07-28, only objects) |
/// | an error of the call | a result with `isError`, without the prefix `Error: ` |
/// | an unknown tool | an error of the protocol, with the names of the tools |
/// | a tool with `requires_approval` | runs if [`before_call`] approves the call, and is an error otherwise |
/// | [`CallContext::ask`] | an elicitation with a form, if the client supports it; from protocol 2026-07-28 on, only the questions of `resumable` tools |
/// | [`CallContext::progress`] | notifications, if the client asks for them |
/// | [`CallContext::emit`] of an object with the one key `log` | log messages from the [level](crate::LogLevel) of the client on; `info` by default |
/// | `notifications/cancelled` of the client | cancels the call and the token of its context |
/// | [`max_calls`] | counts the calls of one connection; of one request over HTTP from protocol 2026-07-28 on, and with `bearer_tokens` |
///
/// # Questions
///
/// The schema of a question is that of an object whose properties have a `type`: strings, also with an `enum`, numbers, booleans
/// and arrays of values of an `enum`; or the schema of one such value. While the call waits, it holds no permit, and its time
/// limits stand still. From protocol 2026-07-28 on, a question ends the request: the client sends the call again with the
/// answers, and the tool runs again from its beginning, in any process that serves the registry. The client keeps the answers in
/// between, up to 256 KiB; all are validated again. Only the called tool itself may ask then, and before the [inner
/// calls](tool_runtime::CallContext::inner_call) that it makes, since these run again. Each run counts for [`max_calls`]. Before
/// that version, a client has ten minutes for an answer ([`question_timeout`](Server::question_timeout)).
///
/// # Resources and prompts
///
/// [`resource`](Server::resource), [`resource_template`](Server::resource_template) and [`prompt`](Server::prompt) add functions of
/// the program, which get the run context of the request. [`completion`](Server::completion) adds values for their arguments, and
/// [`ServerHandle::resource_updated`] notifies the clients that have subscribed to a resource. Its function decides who may
/// subscribe: when a client does, it runs with the run context of this request, and an error or `None` rejects the
/// subscription. From protocol 2026-07-28 on, the client is not notified of this resource then.
///
/// # Clients that are not trusted
///
/// The function of [`try_context_per_request`](Server::try_context_per_request) decides about each message of a client,
/// before it has any effect. That of `Server::bearer_tokens` decides about each HTTP request, before its body is read.
///
/// - A message has at most 16 MiB over a stream, and 4 MiB over HTTP ([`http_service_with`](Server::http_service_with)), where
///   `initialize` and `subscriptions/listen` have at most 64 KiB. It has at most 1,000,000 values, where an object counts as 20. A
///   larger message is an error. A connection keeps only the name and the version of the client, up to 256 bytes each.
/// - 256 requests of a connection run at the same time, with 32 MiB in total: their texts, or a quarter of the memory of their
///   values if that is more. Over HTTP, the 32 MiB are those of all connections, without the first 16 KiB of each request. A
///   further request waits for a second, and is an error then. A request whose id is that of a running one is an error.
/// - While 64 responses, or 1 MiB of them, wait until the client reads, no further request is read. If the client reads none of
///   them for 30 seconds, the connection ends.
/// - A resource, a prompt or a completion has 60 seconds, and its future is dropped then, or when the client cancels the request.
///   A URI has at most 2 KiB. A connection has 256 subscriptions to resources, whose URIs have 64 KiB in total, and so has a
///   request from protocol 2026-07-28 on. After 256 updates that a client has not read, it receives updates of all resources to
///   which it has subscribed.
/// - A server over HTTP has at most [`max_sessions`](Server::max_sessions) sessions. A body that does not arrive in 30 seconds has
///   the status 408. Bodies take 32 MiB in total, without the first 16 KiB of each; a further one has the status 503.
///
/// ```no_run
/// use tool_runtime::{Registry, tool};
/// use tool_runtime_mcp::serve;
///
/// /// Look up the weather of a city.
/// #[tool(read_only)]
/// async fn get_weather(city: &str) -> String {
///     format!("{city}: sunny")
/// }
///
/// #[tokio::main]
/// async fn main() -> Result<(), Box<dyn std::error::Error>> {
///     let registry = Registry::collect()?;
///     serve(registry).name("weather", env!("CARGO_PKG_VERSION")).stdio().await?; // until the client closes stdin
///     Ok(())
/// }
/// ```
///
/// [`before_call`]: tool_runtime::RegistryBuilder::before_call
/// [`CallContext::ask`]: tool_runtime::CallContext::ask
/// [`CallContext::emit`]: tool_runtime::CallContext::emit
/// [`CallContext::progress`]: tool_runtime::CallContext::progress
/// [`max_calls`]: tool_runtime::registry::Policy::max_calls
pub fn serve(registry: Registry) -> Server {
    let info = ServerConfig::new(capabilities());
    let name = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    Server {
        info: info.with_server_info(name),
        served: Arc::new(watch::Sender::new(Arc::new(Served::new(registry)))),
        offers: Arc::default(),
        question_timeout: Duration::from_secs(600),
        updates: updates(),
        run_context: None,
        #[cfg(feature = "http-server")]
        max_sessions: 1_000,
        #[cfg(feature = "http-server")]
        tokens: None,
    }
}

#[allow(deprecated, reason = "the current versions of the protocol have logging")]
fn capabilities() -> ServerCapabilities {
    ServerCapabilities::builder().enable_tools().enable_tool_list_changed().enable_logging().build()
}

/// A server of the tools of a registry: see [`serve`].
#[derive(Clone)]
#[must_use = "it does nothing until it runs: call `stdio`, `http_service` or `run`"]
pub struct Server {
    question_timeout: Duration,
    info: ServerConfig,
    served: Arc<watch::Sender<Arc<Served>>>,
    offers: Arc<Offers>,
    updates: Updates,
    /// `None`: each connection has one context.
    run_context: Option<CreateContext>,
    #[cfg(feature = "http-server")]
    max_sessions: usize,
    #[cfg(feature = "http-server")]
    tokens: Option<Arc<bearer_token::TokenCheck>>,
}

/// rmcp ignores a request with a lone surrogate, or one that is too large, and the client waits for its response.
const REPAIR_LINE: RepairLine = RepairLine {
    repair: |line| match replace_lone_surrogates(line) {
        Cow::Owned(repaired) => Some(repaired),
        Cow::Borrowed(_) => None,
    },
    replace_too_large: |beginning, end| Some(too_large_request(&request_id(beginning, end)?)),
};

type CreateContext = Arc<dyn Fn(&McpRequest<'_>) -> Result<RunContext, String> + Send + Sync>;

/// A registry, and its tools in the format of the protocol.
struct Served {
    registry: Registry,
    definitions: Vec<Tool>,
}

impl Served {
    fn new(registry: Registry) -> Self {
        let definitions = definitions(&registry);
        Served { registry, definitions }
    }

    /// The tools that the run context allows. A client does not learn the names of other tools, not even from an error.
    fn allowed(&self, run: &RunContext) -> Registry {
        let bound = self.registry.with(run);
        let allowed = bound.tools().filter(|tool| tool.is_allowed);
        let names: Vec<&str> = allowed.map(|tool| tool.schema.name()).collect();
        match self.registry.subset(&names) {
            Ok(allowed) if names.len() < self.registry.names().len() => allowed,
            _ => self.registry.clone(),
        }
    }
}

impl Server {
    /// Sets the name and the version of the server, which clients show. Default: those of this crate.
    pub fn name(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.info.server_info = Implementation::new(name, version);
        self
    }

    /// Sets the instructions: how the tools are used together, for the prompt of the client. Default: none.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.info.instructions = Some(instructions.into());
        self
    }

    /// Sets the function that creates the [`RunContext`] of each request: the state of its user, the tools that it may use,
    /// listeners, a cancellation token. Default: one context for each connection, which only counts calls.
    ///
    /// It runs for each message of a client, [whatever its method is](McpRequest::method), and over HTTP also for the requests that
    /// receive events or end a session. Calls, resources, prompts and completions use the run context; for other messages, it is
    /// dropped.
    ///
    /// `tools/list` contains the tools that the run context allows. Calls count together if the contexts are clones of one
    /// [`RunContext`], or use [`count_calls_with`](RunContext::count_calls_with).
    ///
    /// A tool that takes state of the run context needs [`state_per_run`](tool_runtime::RegistryBuilder::state_per_run):
    ///
    /// ```
    /// use tool_runtime::{Registry, RunContext, tool, tools};
    /// use tool_runtime_mcp::serve;
    ///
    /// struct ClientName(String);
    ///
    /// /// The program that calls.
    /// #[tool]
    /// fn who_calls(#[state] client: &ClientName) -> String {
    ///     client.0.clone()
    /// }
    ///
    /// let registry = Registry::builder().tools(tools![who_calls]).state_per_run::<ClientName>().build()?;
    /// let server = serve(registry)
    ///     .context_per_request(|request| RunContext::new().state(ClientName(request.client_name().unwrap_or_default())));
    /// # drop(server);
    /// # Ok::<(), tool_runtime::BuildError>(())
    /// ```
    pub fn context_per_request(
        self,
        create: impl Fn(&McpRequest<'_>) -> RunContext + Send + Sync + 'static,
    ) -> Self {
        self.try_context_per_request(move |request| Ok::<_, String>(create(request)))
    }

    /// Like [`context_per_request`](Server::context_per_request), for a function that may reject the request: the client
    /// receives the error as one of the protocol. A rejected notification has no effect. Over HTTP, a rejected request
    /// creates no session and reaches none; the status is 403 if it is no request of the protocol.
    ///
    /// Over HTTP, clients expect a status such as 401 for authorisation: see `bearer_tokens`. A layer in front of the service can
    /// also respond with it; this function then only reads the user that the layer put into the request.
    ///
    #[cfg_attr(feature = "http-server", doc = "```")]
    #[cfg_attr(not(feature = "http-server"), doc = "```ignore")]
    /// use tool_runtime::{Registry, RunContext, tools};
    /// use tool_runtime_mcp::serve;
    ///
    /// #[derive(Clone)]
    /// struct User(String);
    ///
    /// let server = serve(Registry::new(tools![])?).try_context_per_request(|request| {
    ///     let user = request.http().and_then(|parts| parts.extensions.get::<User>());
    ///     let user = user.ok_or("sign in first")?;
    ///     Ok::<_, &str>(RunContext::new().state(user.clone()))
    /// });
    /// # drop(server);
    /// # Ok::<(), tool_runtime::BuildError>(())
    /// ```
    pub fn try_context_per_request<E: Display>(
        mut self,
        create: impl Fn(&McpRequest<'_>) -> Result<RunContext, E> + Send + Sync + 'static,
    ) -> Self {
        self.run_context = Some(Arc::new(move |request| create(request).map_err(|error| error.to_string())));
        self
    }

    /// Sets the number of sessions that clients of [`http_service`](Server::http_service) may have at the same time. Further ones
    /// are rejected with the status 503. Default: 1,000.
    ///
    /// A session ends with the DELETE request of its client, after five minutes without a message, and after 30 seconds if its
    /// client has sent nothing but `initialize`. From protocol 2026-07-28 on, there are no sessions: the number is that of the
    /// requests `subscriptions/listen`, which last as long as their clients receive notifications.
    ///
    /// ```
    /// use tool_runtime::{Registry, tools};
    /// use tool_runtime_mcp::serve;
    ///
    /// let service = serve(Registry::new(tools![])?).max_sessions(100).http_service();
    /// # drop(service);
    /// # Ok::<(), tool_runtime::BuildError>(())
    /// ```
    #[cfg(feature = "http-server")]
    pub fn max_sessions(mut self, sessions: usize) -> Self {
        self.max_sessions = sessions;
        self
    }

    /// Sets the time in which a client answers a [question](tool_runtime::CallContext::ask) of a tool. Then the question is an
    /// error of the tool. It applies before protocol 2026-07-28, since the request waits for the answer. Default: 10 minutes.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tool_runtime::{Registry, tools};
    /// use tool_runtime_mcp::serve;
    ///
    /// let server = serve(Registry::new(tools![])?).question_timeout(Duration::from_secs(120));
    /// # drop(server);
    /// # Ok::<(), tool_runtime::BuildError>(())
    /// ```
    pub fn question_timeout(mut self, limit: Duration) -> Self {
        self.question_timeout = limit;
        self
    }

    /// Returns a handle that replaces the registry and announces updates of resources while the server runs.
    #[must_use]
    pub fn handle(&self) -> ServerHandle {
        ServerHandle { served: Arc::clone(&self.served), updates: self.updates.clone() }
    }

    /// Serves one client over standard input and output, until the client closes them.
    ///
    /// The protocol uses standard output: a `println!` of the program breaks it, `eprintln!` does not. Calls that run
    /// when the client closes standard input have five seconds to finish. Responses are sent in the order in which calls
    /// end. Lines that are not messages of the protocol are ignored.
    ///
    /// # Errors
    ///
    /// Returns an error if the first messages are not those of a client.
    pub async fn stdio(self) -> Result<(), ServeError> {
        self.run(rmcp::transport::stdio_pipes()).await
    }

    /// Serves one client over a transport of [`rmcp`], until the client closes it: for example over the two halves of a
    /// socket.
    ///
    /// # Errors
    ///
    /// Returns an error if the first messages are not those of a client.
    pub async fn run<T, E, A>(self, transport: T) -> Result<(), ServeError>
    where
        T: IntoTransport<RoleServer, E, A>,
        E: Error + Send + Sync + 'static,
        A: Adapter<RoleServer, T, E>,
    {
        let transport = ClosableTransport::new(A::connect(transport, REPAIR_LINE));
        let transport = LimitedTransport::new(transport, Excess::Waits);
        let transport = RequestTransport::new(transport, self.clone());
        match Box::pin(rmcp::serve_server(ConnectionHandler::new(self), transport)).await {
            Ok(running) => running.waiting().await.map(drop).map_err(|source| ServeError(source.into())),
            // The client disconnected before its first request.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(ServeError(error.into())),
        }
    }

    /// A service for streamable HTTP, for example for `axum::Router::nest_service("/mcp", service)`. Call this once: clones of
    /// the service, which `axum` makes, share its sessions.
    ///
    /// The `Host` of a request, and the `Origin` that browsers send, must be `localhost`, `127.0.0.1` or `::1` with any port, so
    /// that other websites cannot use a local server. [`http_service_with`](Server::http_service_with) sets other hosts and
    /// origins, and the limit of 4 MiB per request. A request that declares a larger size is rejected before its body is read.
    /// [`bearer_tokens`](Server::bearer_tokens) requires authorisation.
    ///
    /// ```no_run
    /// use tool_runtime::Registry;
    /// use tool_runtime_mcp::serve;
    ///
    /// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
    /// let service = serve(Registry::collect()?).name("weather", "1.0.0").http_service();
    /// let router = axum::Router::new().nest_service("/mcp", service);
    /// let listener = tokio::net::TcpListener::bind("127.0.0.1:8000").await?;
    /// axum::serve(listener, router).await?;
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "http-server")]
    #[must_use]
    pub fn http_service(self) -> HttpService {
        HttpService::new(self, http_service::local_config())
    }

    /// Like [`http_service`](Server::http_service), with settings of [`rmcp`], whose default allows any origin.
    ///
    /// ```
    /// use tool_runtime::{Registry, tools};
    /// use tool_runtime_mcp::{rmcp::transport::StreamableHttpServerConfig, serve};
    ///
    /// let config = StreamableHttpServerConfig::default().with_allowed_hosts(["tools.example.com"]);
    /// let config = config.with_allowed_origins(["https://app.example.com:443"]);
    /// let service = serve(Registry::new(tools![])?).http_service_with(config);
    /// # drop(service);
    /// # Ok::<(), tool_runtime::BuildError>(())
    /// ```
    #[cfg(feature = "http-server")]
    #[must_use]
    pub fn http_service_with(self, config: rmcp::transport::StreamableHttpServerConfig) -> HttpService {
        HttpService::new(self, config)
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("name", &self.info.server_info.name)
            .field("registry", &self.served.borrow().registry)
            .finish_non_exhaustive()
    }
}

/// Replaces the registry of a running server, and announces updates of its resources. A clone does so for the same server.
///
/// ```
/// use tool_runtime::{Registry, tool, tools};
/// use tool_runtime_mcp::serve;
///
/// /// The time of day.
/// #[tool]
/// fn now() {}
///
/// let server = serve(Registry::new(tools![])?);
/// let handle = server.handle();
/// // .. later, while the server runs: every client receives `notifications/tools/list_changed`.
/// handle.replace(Registry::new(tools![now])?);
/// # Ok::<(), tool_runtime::BuildError>(())
/// ```
#[derive(Clone)]
pub struct ServerHandle {
    served: Arc<watch::Sender<Arc<Served>>>,
    updates: Updates,
}

impl ServerHandle {
    /// Replaces the registry, and notifies the connected clients. Calls that run continue with the previous registry.
    pub fn replace(&self, registry: Registry) {
        self.served.send_replace(Arc::new(Served::new(registry)));
    }

    /// Notifies the clients that have subscribed to this resource, which can read it again. A client that has not read 256
    /// updates receives updates of all resources to which it has subscribed instead.
    ///
    /// ```
    /// use tool_runtime::{Registry, tools};
    /// use tool_runtime_mcp::rmcp::model::Resource;
    /// use tool_runtime_mcp::serve;
    ///
    /// let server = serve(Registry::new(tools![])?)
    ///     .resource(Resource::new("shop://stock", "stock"), |_| async { Ok::<_, &str>("12 hammers") });
    /// let handle = server.handle();
    /// // .. later, while the server runs:
    /// handle.resource_updated("shop://stock");
    /// # Ok::<(), tool_runtime::BuildError>(())
    /// ```
    pub fn resource_updated(&self, uri: impl Into<Arc<str>>) {
        // Without a connection, there is no receiver.
        self.updates.send(uri.into()).ok();
    }
}

impl fmt::Debug for ServerHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ServerHandle").field(&self.served.borrow().registry).finish()
    }
}

/// The reason why a server stopped before its client closed the connection.
pub struct ServeError(Box<dyn Error + Send + Sync>);

impl Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the MCP server stopped: {}", self.0)
    }
}

/// The text of [`Display`], since a `main` that returns the error prints it with `Debug`.
impl fmt::Debug for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

impl Error for ServeError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}
