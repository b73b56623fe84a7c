//! The settings of an inspector, and its server.

use crate::access::check_access;
use crate::api_error::ApiError;
use crate::live_runs::{self, LiveRuns};
use crate::session_source::SessionSource;
use crate::state::{Inspection, Settings};
use crate::{histories, open_calls, page, tools};
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{get, post};
use std::error::Error;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::net::{TcpListener, ToSocketAddrs};
use tool_runtime::Registry;
use tool_runtime::message::Prices;

/// In bytes: the page cannot send a larger history.
const MAX_HISTORY: usize = 32 << 20;

/// A page that shows the tools of a registry and the sessions of a program.
///
/// ```no_run
/// use tool_runtime::{Registry, tool, tools};
/// use tool_runtime_inspector::{Inspector, SessionFolder};
///
/// /// The time of day.
/// #[tool(read_only)]
/// fn now() -> &'static str {
///     "12:00"
/// }
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = Registry::new(tools![now])?;
/// let inspector = Inspector::new(&registry).lock_file("tools.lock").sessions(SessionFolder::new("sessions"));
/// println!("Open http://127.0.0.1:4000");
/// inspector.serve("127.0.0.1:4000").await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
#[must_use = "it does nothing until it serves the page"]
pub struct Inspector {
    settings: Settings,
}

impl Inspector {
    /// An inspector of the tools of this registry. Its calls have the state and the limits of the registry, and those of the run
    /// context that is bound to it.
    pub fn new(registry: &Registry) -> Self {
        Inspector { settings: Settings { registry: Some(registry.clone()), ..Settings::default() } }
    }

    /// An inspector without tools: the page only opens histories.
    pub fn without_tools() -> Self {
        Inspector::default()
    }

    /// Sets the name of the program, which is the title of the page. Default: none.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.settings.title = title.into();
        self
    }

    /// Sets the lock file with which the page compares the tools; the package `tool-runtime-lock` writes it. Default: none. The file is
    /// read again each time the page shows the tools.
    pub fn lock_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.settings.lock_file = Some(path.into());
        self
    }

    /// Sets the stored sessions of the program, which the page lists and opens. Default: none.
    pub fn sessions(mut self, sessions: impl SessionSource + 'static) -> Self {
        self.settings.sessions = Some(Arc::new(sessions));
        self
    }

    /// Sets the runs that the page shows while they happen. Default: none.
    pub fn live_runs(mut self, runs: &LiveRuns) -> Self {
        self.settings.runs = Some(runs.clone());
        self
    }

    /// Sets the prices of the replies of sessions. Default: none; the page has a form for them.
    pub fn prices(mut self, prices: Prices) -> Self {
        self.settings.prices = Some(prices);
        self
    }

    /// Sets the text of a history that the page shows first: a serialized [`Session`](tool_runtime::Session), a list of messages, or
    /// the body of a request of any provider. Default: none.
    pub fn history(mut self, text: impl Into<String>) -> Self {
        self.settings.history = Some(text.into().into());
        self
    }

    /// Allows further hosts: names with or without a port, such as `tools.internal:4000`. Default: none; the server only answers
    /// requests for `localhost`, `127.0.0.1` and `[::1]`.
    ///
    /// Everybody who reaches the page can call the tools and read the sessions. The inspector has no login: put it after one.
    pub fn allow_hosts<H: Into<String>>(mut self, hosts: impl IntoIterator<Item = H>) -> Self {
        self.settings.allowed_hosts.0.extend(hosts.into_iter().map(Into::into));
        self
    }

    /// The page as a router, for a program that has a server: `Router::new().nest("/inspector", inspector.router())`.
    ///
    /// The router rejects requests for hosts that are not [allowed](Inspector::allow_hosts), and requests of other sites.
    ///
    /// ```
    /// use axum::Router;
    /// use tool_runtime::{Registry, tools};
    /// use tool_runtime_inspector::Inspector;
    ///
    /// let registry = Registry::new(tools![])?;
    /// let app: Router = Router::new().nest("/inspector", Inspector::new(&registry).router());
    /// # let _ = app;
    /// # Ok::<(), tool_runtime::BuildError>(())
    /// ```
    pub fn router(self) -> Router {
        let allowed = Arc::new(self.settings.allowed_hosts.clone());
        Router::new()
            .route("/", get(page::page))
            .route("/{file}", get(page::file))
            .route("/api/registry", get(tools::overview))
            .route("/api/tokens", get(tools::tokens))
            .route("/api/requests", get(tools::requests))
            .route("/api/tools/{name}", get(tools::tool))
            .route("/api/calls", post(open_calls::begin))
            .route("/api/calls/{run}/decision", post(open_calls::decide))
            .route("/api/calls/{run}/answer", post(open_calls::answer))
            .route("/api/calls/{run}/result", post(open_calls::provide_result))
            .route("/api/history", post(histories::pasted).layer(DefaultBodyLimit::max(MAX_HISTORY)))
            .route("/api/file", get(histories::first))
            .route("/api/sessions", get(histories::list))
            .route("/api/sessions/{id}", get(histories::stored))
            .route("/api/runs", get(live_runs::list))
            .route("/api/runs/{id}/events", get(live_runs::events))
            .fallback(async || ApiError::not_found("there is no such address"))
            .with_state(Arc::new(Inspection::new(self.settings)))
            .layer(from_fn_with_state(allowed, check_access))
            .layer(from_fn(page::add_headers))
    }

    /// Serves the page at this address, as long as the program runs or the future is polled.
    ///
    /// # Errors
    ///
    /// The address cannot be used, or other machines could reach it and no host is [allowed](Inspector::allow_hosts).
    pub async fn serve(self, address: impl ToSocketAddrs) -> Result<(), ServeError> {
        let listener = TcpListener::bind(address).await.map_err(|source| ServeError::Bind { source })?;
        self.serve_listener(listener).await
    }

    /// Serves the page on this listener, for example one at a free port (`127.0.0.1:0`).
    ///
    /// # Errors
    ///
    /// Other machines could reach the address of the listener and no host is [allowed](Inspector::allow_hosts).
    pub async fn serve_listener(self, listener: TcpListener) -> Result<(), ServeError> {
        let address = listener.local_addr().map_err(|source| ServeError::Bind { source })?;
        if !address.ip().is_loopback() && self.settings.allowed_hosts.0.is_empty() {
            return Err(ServeError::NotLoopback { address });
        }
        axum::serve(listener, self.router()).await.map_err(|source| ServeError::Serve { source })
    }
}

impl fmt::Debug for Inspector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inspector").field("title", &self.settings.title).finish_non_exhaustive()
    }
}

/// The error of [`Inspector::serve`].
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeError {
    /// The server cannot listen at the address.
    #[non_exhaustive]
    Bind {
        /// The error of the system.
        source: io::Error,
    },
    /// Other machines could connect to the address, and no host is [allowed](Inspector::allow_hosts).
    #[non_exhaustive]
    NotLoopback {
        /// The address.
        address: SocketAddr,
    },
    /// The server has stopped.
    #[non_exhaustive]
    Serve {
        /// The error of the system.
        source: io::Error,
    },
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServeError::Bind { source } => {
                write!(f, "the inspector cannot listen at its address: {source}")
            }
            ServeError::NotLoopback { address } => write!(
                f,
                "other machines could reach the inspector at {address}, and it has no login: use 127.0.0.1, or allow the \
                 names of this machine with `Inspector::allow_hosts`"
            ),
            ServeError::Serve { source } => write!(f, "the server of the inspector has stopped: {source}"),
        }
    }
}

impl Error for ServeError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            ServeError::Bind { source } | ServeError::Serve { source } => Some(source),
            ServeError::NotLoopback { .. } => None,
        }
    }
}
