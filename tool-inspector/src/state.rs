//! The data that all requests share.

use crate::access::AllowedHosts;
use crate::api_error::ApiError;
use crate::live_runs::LiveRuns;
use crate::open_calls::OpenCalls;
use crate::session_source::SessionSource;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use tool_runtime::Registry;
use tool_runtime::message::Prices;

pub(crate) type Shared = Arc<Settings>;

/// The settings of an inspector, and its calls.
#[derive(Clone, Default)]
pub(crate) struct Settings {
    pub(crate) title: String,
    pub(crate) registry: Option<Registry>,
    pub(crate) lock_file: Option<PathBuf>,
    pub(crate) sessions: Option<Arc<dyn SessionSource>>,
    pub(crate) runs: Option<LiveRuns>,
    pub(crate) prices: Option<Prices>,
    /// The history that the page shows first.
    pub(crate) history: Option<String>,
    pub(crate) allowed_hosts: AllowedHosts,
    pub(crate) calls: OpenCalls,
    /// The JSON of the tokens of each tool.
    pub(crate) tokens: OnceLock<String>,
    /// The JSON of the sizes of requests.
    pub(crate) requests: OnceLock<String>,
}

impl Settings {
    pub(crate) fn registry(&self) -> Result<&Registry, ApiError> {
        self.registry.as_ref().ok_or_else(|| ApiError::not_found("this inspector has no registry"))
    }
}
