//! The settings of a client.

use super::child::ChildProcess;
use super::connection::{Connector, connect_over};
use super::definition::RemoteTool;
use super::log::{LogListener, LogMessage};
use super::resource_tools::READ_RESOURCE;
use super::tracked_transport::Channel;
use super::{Client, ConnectError, Inner};
use crate::line_transport::Adapter;
use crate::log_level::LogLevel;
use rmcp::RoleClient;
use rmcp::transport::IntoTransport;
use std::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::process::Command;
use tokio::sync::{Mutex, watch};
use tool_runtime::DynamicTool;

/// The settings of a [`Client`], until it is connected.
#[must_use = "call `connect()`"]
pub struct ClientBuilder {
    pub(super) connector: Connector,
    settings: Settings,
    /// `None` without HTTP.
    #[cfg(feature = "http-client")]
    pub(super) http: Option<rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig>,
}

/// The settings that a connection and its tools need.
pub(super) struct Settings {
    pub(super) prefix: String,
    pub(super) timeout: Duration,
    pub(super) progress_extends: Option<Duration>,
    pub(super) connect_timeout: Duration,
    pub(super) max_tools: usize,
    pub(super) max_list_bytes: usize,
    pub(super) max_resources: usize,
    pub(super) max_result_bytes: usize,
    pub(super) resource_tools: bool,
    /// Whether the registry has the tool `read_resource` of this client.
    pub(super) reads_resources: AtomicBool,
    pub(super) log: Option<LogListener>,
    pub(super) deny_unknown_arguments: bool,
    pub(super) ignore_annotations: bool,
    pub(super) configure: Option<Configure>,
}

/// The function that changes each tool.
pub(super) type Configure = Box<dyn Fn(&RemoteTool, DynamicTool) -> DynamicTool + Send + Sync>;

impl Default for Settings {
    fn default() -> Self {
        Settings {
            prefix: String::new(),
            timeout: Duration::from_secs(60),
            progress_extends: None,
            connect_timeout: Duration::from_secs(30),
            max_tools: 1_000,
            max_list_bytes: 4 << 20,
            max_resources: 10_000,
            max_result_bytes: 8 << 20,
            resource_tools: false,
            reads_resources: AtomicBool::new(false),
            log: None,
            deny_unknown_arguments: false,
            ignore_annotations: false,
            configure: None,
        }
    }
}

impl Settings {
    /// The name of the tool that reads resources.
    pub(super) fn resource_reader(&self) -> Option<String> {
        let is_there = self.reads_resources.load(Ordering::Relaxed);
        is_there.then(|| format!("{}{READ_RESOURCE}", self.prefix))
    }
}

impl Client {
    /// A client of a server that this program runs as a child process, with these arguments. They communicate over its
    /// standard input and output.
    pub fn program<A: Into<OsString>>(
        program: impl Into<OsString>,
        arguments: impl IntoIterator<Item = A>,
    ) -> ClientBuilder {
        let program = program.into();
        let arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
        Client::child_process(move || {
            let mut command = Command::new(&program);
            command.args(&arguments);
            command
        })
    }

    /// Like [`program`](Client::program), with a command that has other settings, for example environment variables.
    /// The function creates the command, and does so again when the process has died and is restarted.
    ///
    /// It inherits the environment variables of this program, which may have secrets: `env_clear` and `env` of the command decide
    /// which ones a server gets that is not trusted.
    ///
    /// The process is killed when this program ends; [`close`](Client::close) gives it time to exit. The protocol uses
    /// the standard input and output of the process. Its standard error is that of this program, unless the command has
    /// another one.
    ///
    /// ```
    /// use std::process::Stdio;
    /// use tokio::process::Command;
    /// use tool_runtime_mcp::Client;
    ///
    /// let builder = Client::child_process(|| {
    ///     let mut command = Command::new("a-server");
    ///     command.env("LOG", "warn").current_dir("/tmp").stderr(Stdio::null());
    ///     command
    /// });
    /// # drop(builder);
    /// ```
    pub fn child_process(command: impl Fn() -> Command + Send + Sync + 'static) -> ClientBuilder {
        Client::transport(move || {
            let mut command = command();
            // The process must not outlive this one, or its runtime.
            command.kill_on_drop(true);
            let program = command.as_std().get_program().to_owned();
            let process = ChildProcess::new(command).map_err(|error| {
                io::Error::new(error.kind(), format!("cannot start `{}`: {error}", program.display()))
            });
            async move { process }
        })
    }

    /// A client of a server over any transport of [`rmcp`]. The function creates the transport, and does so again after
    /// the connection was lost.
    ///
    /// A value that reads and writes, or a reader with a writer, gets lines that are repaired: a response that is no valid message
    /// is an error of its call. Any other transport, such as `TokioChildProcess` of `rmcp`, ignores it, and the call waits for its
    /// time limit.
    ///
    /// A server in the same program:
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::{Registry, tool, tools};
    /// use tool_runtime_mcp::Client;
    /// # #[cfg(feature = "server")]
    /// use tool_runtime_mcp::serve;
    ///
    /// /// Adds two numbers.
    /// #[tool(read_only)]
    /// fn add(a: i64, b: i64) -> i64 {
    ///     a + b
    /// }
    ///
    /// # #[cfg(feature = "server")]
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = serve(Registry::new(tools![add])?);
    /// let client = Client::transport(move || {
    ///     let (ours, theirs) = tokio::io::duplex(4096);
    ///     tokio::spawn(server.clone().run(theirs));
    ///     async move { Ok::<_, std::io::Error>(ours) }
    /// });
    /// let registry = client.connect().await?.registry().await?;
    /// assert_eq!(registry.call("add", json!({"a": 1, "b": 2})).await.text(), "3");
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "server"))]
    /// # fn main() {}
    /// ```
    pub fn transport<T, E, A, F, C>(create: impl Fn() -> F + Send + Sync + 'static) -> ClientBuilder
    where
        F: Future<Output = Result<T, C>> + Send + 'static,
        C: Into<Box<dyn Error + Send + Sync>>,
        T: IntoTransport<RoleClient, E, A>,
        E: Error + Send + Sync + 'static,
        A: Adapter<RoleClient, T, E> + 'static,
    {
        ClientBuilder {
            connector: connect_over(Channel::Stream, create),
            settings: Settings::default(),
            #[cfg(feature = "http-client")]
            http: None,
        }
    }

    /// A client of a server over streamable HTTP, for example `https://example.com/mcp`.
    ///
    /// A server that requires authorisation needs [`bearer_token`](ClientBuilder::bearer_token), or `oauth` with the feature of
    /// that name. Use [`http_with`](Client::http_with) for other headers.
    ///
    /// ```no_run
    /// use tool_runtime_mcp::Client;
    ///
    /// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = Client::http("https://example.com/mcp").prefix("search_").connect().await?;
    /// let registry = client.registry().await?;
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "http-client")]
    pub fn http(url: impl Into<Arc<str>>) -> ClientBuilder {
        use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
        Client::http_with(StreamableHttpClientTransportConfig::with_uri(url))
    }

    /// Like [`http`](Client::http), with settings of [`rmcp`]. Two of them are replaced: there are three attempts to resume a
    /// broken stream, after the pauses that the server asks for (from 0.1 to 60 seconds), and an expired session is a lost
    /// connection. Streams that end at once without a message, or with an error, are resumed more and more
    /// slowly, after up to 10 seconds.
    ///
    /// ```
    /// use tool_runtime_mcp::Client;
    /// use tool_runtime_mcp::rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
    ///
    /// let config = StreamableHttpClientTransportConfig::with_uri("https://example.com/mcp").auth_header("a-token");
    /// let builder = Client::http_with(config);
    /// # drop(builder);
    /// ```
    #[cfg(feature = "http-client")]
    pub fn http_with(
        config: rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig,
    ) -> ClientBuilder {
        let connector = super::authorization::connect_over_http(config.clone(), Box::new(|| None));
        ClientBuilder { connector, settings: Settings::default(), http: Some(config) }
    }
}

impl ClientBuilder {
    /// Sets the prefix of the names of all tools, for example `"files_"`. Default: none.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.settings.prefix = prefix.into();
        self
    }

    /// Sets the time limit of a call, which includes the time to connect again. Default: 60 seconds. A tool can have another
    /// one: see [`tool`](ClientBuilder::tool).
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.settings.timeout = limit;
        self
    }

    /// Begins the time limit of a call again when its progress arrives, until the call has taken this time without a result.
    /// Default: progress does not change the time limit.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tool_runtime_mcp::Client;
    ///
    /// // A call may be silent for 20 seconds, and ends after 20 seconds and an hour at the latest.
    /// let builder = Client::program("a-server", ["--verbose"])
    ///     .timeout(Duration::from_secs(20))
    ///     .progress_extends_timeout(Duration::from_secs(3600));
    /// # drop(builder);
    /// ```
    pub fn progress_extends_timeout(mut self, limit: Duration) -> Self {
        self.settings.progress_extends = Some(limit);
        self
    }

    /// Sets the time limit of each attempt to connect, and of reading the list of tools. Default: 30 seconds.
    pub fn connect_timeout(mut self, limit: Duration) -> Self {
        self.settings.connect_timeout = limit;
        self
    }

    /// Sets the number of tools that the server may have. Default: 1,000.
    pub fn max_tools(mut self, tools: usize) -> Self {
        self.settings.max_tools = tools;
        self
    }

    /// Sets the maximum size of all definitions of the server, in bytes of JSON. A longer list is an error. Default: 4 MiB.
    ///
    /// ```
    /// use tool_runtime_mcp::Client;
    ///
    /// let builder = Client::program("a-server", ["--verbose"]).max_tools(5_000).max_list_bytes(20 << 20);
    /// # drop(builder);
    /// ```
    pub fn max_list_bytes(mut self, bytes: usize) -> Self {
        self.settings.max_list_bytes = bytes;
        self
    }

    /// Sets the maximum size of the content of one result, in bytes. A longer text is truncated, and other content that exceeds the
    /// limit is left out; the result contains a text about it, for the model and the program. Default: 8 MiB.
    ///
    /// ```
    /// use tool_runtime_mcp::Client;
    ///
    /// let builder = Client::program("a-server", ["--verbose"]).max_result_bytes(100_000);
    /// # drop(builder);
    /// ```
    pub fn max_result_bytes(mut self, bytes: usize) -> Self {
        self.settings.max_result_bytes = bytes;
        self
    }

    /// Sets the number of resources, resource templates and prompts that the server may have, each. Default: 10,000.
    pub fn max_resources(mut self, resources: usize) -> Self {
        self.settings.max_resources = resources;
        self
    }

    /// Adds the tools `list_resources` and `read_resource` to [`registry`](Client::registry) and [`tools`](Client::tools), with
    /// the prefix, so that the model can read resources. Default: `false`.
    ///
    /// They are `read_only`. They are absent if the server has no resources, and a tool of the server with the same name is
    /// preferred. [`tool`](ClientBuilder::tool) changes them as well, for example their approval. Only the server opens the URI,
    /// which the model chooses. If a result contains a link to a resource, its text tells the model to read it with
    /// `read_resource`.
    ///
    /// ```
    /// use tool_runtime_mcp::Client;
    ///
    /// let builder = Client::program("a-server", ["--verbose"]).prefix("files_").resource_tools(true);
    /// # drop(builder);
    /// ```
    pub fn resource_tools(mut self, add: bool) -> Self {
        self.settings.resource_tools = add;
        self
    }

    /// Sets a function that receives the log messages of the server from this level on. Default: none.
    ///
    /// The client asks for this level on each new connection, if the server has log messages. The function runs in the task of the
    /// connection and must not block. It receives at most 100 messages per second. While exactly one call runs on the
    /// connection, a message is also an event of this call ([`CallStatus::Emitted`](tool_runtime::dispatch::CallStatus::Emitted)),
    /// whose data has the one key `log`. The protocol does not name the call of a message: it may also be one of an earlier call.
    ///
    /// ```
    /// use tool_runtime_mcp::{Client, LogLevel};
    ///
    /// let builder = Client::program("a-server", ["--verbose"])
    ///     .on_log(LogLevel::Warning, |message| eprintln!("{:?}: {}", message.level, message.data));
    /// # drop(builder);
    /// ```
    pub fn on_log(mut self, level: LogLevel, listen: impl Fn(LogMessage) + Send + Sync + 'static) -> Self {
        self.settings.log = Some(LogListener::new(level, listen));
        self
    }

    /// Rejects arguments that a definition does not name: see [`DynamicTool::deny_unknown_arguments`]. Default: `false`.
    pub fn deny_unknown_arguments(mut self, deny: bool) -> Self {
        self.settings.deny_unknown_arguments = deny;
        self
    }

    /// Ignores the annotations of the server, so that no tool is `read_only` or `idempotent` because a server states it.
    /// Default: `false`.
    pub fn ignore_annotations(mut self, ignore: bool) -> Self {
        self.settings.ignore_annotations = ignore;
        self
    }

    /// Sets a function that changes each tool, for example its approval, its time limit or its annotations, or makes it
    /// [`resumable`](DynamicTool::resumable) because it [asks the user](Client#questions). It runs after the other settings.
    /// Default: none.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tool_runtime_mcp::Client;
    ///
    /// let builder = Client::program("a-server", ["--verbose"]).tool(|remote, tool| {
    ///     let tool = if remote.name() == "build" { tool.timeout(Duration::from_secs(600)) } else { tool };
    ///     if remote.annotations().is_read_only() { tool } else { tool.requires_approval() }
    /// });
    /// # drop(builder);
    /// ```
    pub fn tool(
        mut self,
        configure: impl Fn(&RemoteTool, DynamicTool) -> DynamicTool + Send + Sync + 'static,
    ) -> Self {
        self.settings.configure = Some(Box::new(configure));
        self
    }

    /// Connects to the server.
    ///
    /// # Errors
    ///
    /// Returns an error if the server does not start, cannot be reached, or does not respond in time. There is one attempt.
    pub async fn connect(self) -> Result<Client, ConnectError> {
        let ClientBuilder { connector, settings, .. } = self;
        let (link, changes, seen) = (Mutex::default(), watch::Sender::default(), 0.into());
        let listed = Mutex::default();
        let client = Client(Arc::new(Inner { connector, settings, link, changes, seen, listed }));
        client.connect_once().await?;
        Ok(client)
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("prefix", &self.prefix)
            .field("timeout", &self.timeout)
            .field("connect_timeout", &self.connect_timeout)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder").field("settings", &self.settings).finish_non_exhaustive()
    }
}
