//! The tools of an MCP server in a registry.

#[cfg(feature = "http-client")]
mod authorization;
#[cfg(feature = "http-client")]
mod authorized_http;
mod builder;
mod call;
mod child;
mod connection;
mod definition;
mod error;
mod event_rate;
#[cfg(feature = "http-client")]
mod http;
#[cfg(feature = "http-client")]
mod http_response;
mod log;
#[cfg(feature = "oauth")]
mod oauth;
mod output;
mod pages;
mod paused_timeout;
mod prompts;
mod questions;
mod request;
mod resource_tools;
mod resources;
mod response_line;
#[cfg(feature = "http-client")]
mod resumption;
mod tasks;
#[cfg(feature = "http-client")]
mod tokens;
mod tracked_transport;
mod transport_error;

pub use builder::ClientBuilder;
pub use definition::RemoteTool;
pub use error::{ClientError, ConnectError, RemoteError};
pub use log::LogMessage;
#[cfg(feature = "oauth")]
pub use oauth::OAuth;
pub use pages::ListKind;

use builder::Settings;
use connection::{Connector, Link};
use resource_tools::{READ_RESOURCE, resource_tools};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::{Mutex, watch};
use tokio::time::{Instant, sleep_until};
use tool_runtime::{DynamicTool, Registry};

/// A client of an MCP server, whose tools become tools of a registry.
///
/// [`program`](Client::program) starts a server, and [`http`](Client::http) connects to one.
/// [`registry`](Client::registry) has its tools; [`Registry::merge`] adds them to those of the program.
///
/// ```no_run
/// use tool_runtime::Registry;
/// use tool_runtime_mcp::Client;
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let time = Client::program("uvx", ["mcp-server-time"]).prefix("time_").connect().await?;
/// let remote = time.registry().await?;
/// for skipped in remote.skipped_tools() {
///     eprintln!("{skipped}");
/// }
/// let registry = Registry::collect()?.merge(remote)?;
/// # Ok(())
/// # }
/// ```
///
/// # Calls
///
/// - The arguments are validated against the schema of the server before they are sent. A result has text, images, JSON
///   (structured content) and PDF files as parts. Text resources are text with their URI; links, audio and other files are
///   texts that name them. The artifact of the result is the [`CallToolResult`](rmcp::model::CallToolResult) of the server.
/// - A result with `isError`, an error of the protocol and a lost connection are errors of the call:
///   [`RemoteError`].
/// - A response that is no valid message is an error at once, with the words of the server; half of a surrogate pair becomes
///   `\u{FFFD}`. Other transports of [`rmcp`] than child processes, readers and writers, and HTTP ignore such a response.
///   An HTTP response that contains no response to its request is a lost connection.
/// - A server may continue a call as a task. The client asks for its state each second, unless the server suggests another time
///   from 0.1 to 10 seconds, and cancels it if the call ends before. Raise the time limit for such tools.
/// - A call has a [time limit](ClientBuilder::timeout). When it expires, or the call is cancelled, the server receives
///   `notifications/cancelled`.
/// - Progress of the server arrives at [`RunContext::on_event`](tool_runtime::RunContext::on_event), and can
///   [extend](ClientBuilder::progress_extends_timeout) the time limit.
///
/// # Questions
///
/// A question of the server during a call (an elicitation with a form) is a question of the call
/// ([`CallContext::ask`](tool_runtime::CallContext::ask)): [`RunContext::on_question`](tool_runtime::RunContext::on_question)
/// answers it, and [`Question::tool`](tool_runtime::dispatch::Question::tool) names the tool. The user must know that the server
/// asks, and gives it no secrets. Properties that the user leaves out get their defaults. Before protocol 2026-07-28, a question
/// over a stream does not name its call: while several calls run, it is an error, since they may have different users.
///
/// In a session, the question of a tool that [`ClientBuilder::tool`] makes `resumable` ends the run. With the answer, the call is
/// sent again from its beginning, so declare only tools `resumable` that have no effect before their last question.
///
/// A call has at most 50 questions, 20 in one response, and 10 responses with questions. A text is truncated after 16 KiB, and a
/// form has at most 64 KiB. Other modes, sampling and roots are errors of the call. The client always declares that it has forms.
///
/// # Resources and prompts
///
/// [`resources`](Client::resources), [`read_resource`](Client::read_resource) and
/// [`resource_contents`](Client::resource_contents) are for the program,
/// [`ClientBuilder::resource_tools`] for the model, and [`prompts`](Client::prompts) and [`prompt`](Client::prompt) for a person
/// who selects one. [`ClientBuilder::on_log`] receives log messages. Only the server opens a URI: this client never does.
///
/// # Lost connections
///
/// The next call makes up to five attempts to connect, with pauses of 0.1, 0.2, 0.4 and 0.8 seconds. A call that was sent
/// when the connection was lost is sent again if its tool is `read_only` or `idempotent`, up to two times. Any other call is
/// an error: the connection was lost, and the call may have taken effect.
///
/// # Servers that are not trusted
///
/// Definitions and results come from the server.
///
/// - A message has at most 16 MiB and 1,000,000 values, where an object counts as 20; a larger response is an error. An error in a
///   response whose HTTP status is not 2xx has at most 64 KiB; a larger one is ignored.
/// - [`max_tools`](ClientBuilder::max_tools) limits the number of tools, [`max_list_bytes`](ClientBuilder::max_list_bytes) all
///   definitions, and the registry their schemas. Descriptions are truncated after 16 KiB, and titles after 1 KiB. From protocol
///   2026-07-28 on, [`rmcp`] keeps the schemas of all lists of an HTTP server. After four times `max_list_bytes`, the next list is
///   read over a new connection.
/// - [`max_result_bytes`](ClientBuilder::max_result_bytes) limits the content of a result. The message of an error of the protocol
///   is truncated after 64 KiB.
/// - [`max_resources`](ClientBuilder::max_resources) limits the number of resources, resource templates and prompts, and
///   `max_list_bytes` each list. The content of a resource or of all messages of a prompt is limited as a result. A prompt has at
///   most 1,000 messages, whose roles are those of the user and the assistant.
/// - A call has 100 events per second: progress and log messages; further ones are left out. A connection has 100 log
///   messages per second for [`ClientBuilder::on_log`]. Their data is truncated after 4 KiB.
/// - A server that does not read the responses to its requests is not read while 64 of them wait, and disconnected after 30
///   seconds; over HTTP, its further requests have no response.
///
/// A definition that cannot be used, or whose name has more than 512 bytes, is [skipped](Registry::skipped_tools). The model
/// reads the descriptions and results: choose a [`prefix`](ClientBuilder::prefix), so that a tool cannot take the name of
/// another one, and require approval where a call could do harm ([`ClientBuilder::tool`]). The annotations are statements of
/// the server: [`ignore_annotations`](ClientBuilder::ignore_annotations) drops them.
///
/// Clones share the connection. It is closed when the last clone and the last tool of it are dropped.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    connector: Connector,
    settings: Settings,
    link: Mutex<Link>,
    /// Counts the changes of the list of tools.
    changes: watch::Sender<u64>,
    /// The number of changes when the list was last read.
    seen: AtomicU64,
    /// The time at which the list was last read.
    listed: Mutex<Option<Instant>>,
}

/// The time between two lists that are read because of a change.
const MIN_PAUSE_OF_LISTS: Duration = Duration::from_secs(1);

impl Client {
    /// The tools of the server as they are now, in a registry of their own. Names that providers reject are
    /// [renamed](tool_runtime::RegistryBuilder::rename_invalid_names), and definitions that cannot be used are
    /// [skipped](Registry::skipped_tools).
    ///
    /// # Errors
    ///
    /// Returns an error if the server cannot be reached, does not respond in time, or has too many tools, or if the registry
    /// cannot be built.
    pub async fn registry(&self) -> Result<Registry, ClientError> {
        let builder = Registry::builder().rename_invalid_names(true).skip_invalid_tools(true);
        let tools = self.tools().await?;
        let registry = tools.into_iter().fold(builder, tool_runtime::RegistryBuilder::dynamic).build();
        registry.map_err(ClientError::Build)
    }

    /// The tools of the server as they are now, for a registry with other settings.
    ///
    /// # Errors
    ///
    /// Returns an error if the server cannot be reached, does not respond in time, or has too many tools.
    pub async fn tools(&self) -> Result<Vec<DynamicTool>, ClientError> {
        let connection = self.connection_for_list().await;
        // Before the list is read, since a change meanwhile is new; even if reading fails, since a loop over `changed`
        // would not wait otherwise.
        self.0.seen.store(*self.0.changes.borrow(), Ordering::Relaxed);
        *self.0.listed.lock().await = Some(Instant::now());
        let connection = connection?;
        let listed = self.list_over(&connection, ListKind::Tools).await?;
        let definitions: Vec<RemoteTool> = listed.iter().map(RemoteTool::from_value).collect();
        let settings = &self.0.settings;
        let has_resources = settings.resource_tools && connection.offers(ListKind::Resources);
        let is_taken = |name: &str| definitions.iter().any(|definition| definition.name() == name);
        let added = if has_resources { resource_tools(self, is_taken) } else { Vec::new() };
        settings.reads_resources.store(has_resources && !is_taken(READ_RESOURCE), Ordering::Relaxed);
        let tools = definitions.into_iter().map(|definition| definition.into_tool(self));
        Ok(tools.chain(added).collect())
    }

    /// Waits until the list of tools may have changed since [`registry`](Client::registry) or [`tools`](Client::tools) was last
    /// called: the server has announced a change, or was connected again. It returns one second after that call at the earliest,
    /// since a server may announce changes all the time.
    ///
    /// With a search in `own` (`RegistryBuilder::search`, feature `search` of `tool-runtime`), the search finds the new tools, and
    /// the `tools` of requests stay equal.
    ///
    /// ```no_run
    /// # use tool_runtime::Registry;
    /// # use tool_runtime_mcp::Client;
    /// # async fn follow(client: Client, own: Registry, current: tokio::sync::watch::Sender<Registry>) {
    /// loop {
    ///     client.changed().await;
    ///     match client.registry().await.map(|remote| own.merge(remote)) {
    ///         Ok(Ok(registry)) => drop(current.send_replace(registry)),
    ///         Ok(Err(error)) => eprintln!("{error}"),
    ///         Err(error) => eprintln!("{error}"),
    ///     }
    /// }
    /// # }
    /// ```
    pub async fn changed(&self) {
        let is_new = |changes: &u64| *changes != self.0.seen.load(Ordering::Relaxed);
        // The sender lives as long as the client.
        self.0.changes.subscribe().wait_for(is_new).await.ok();
        // A server may announce changes without an end.
        let listed = *self.0.listed.lock().await;
        if let Some(listed) = listed {
            sleep_until(listed + MIN_PAUSE_OF_LISTS).await;
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("settings", &self.0.settings).finish_non_exhaustive()
    }
}
