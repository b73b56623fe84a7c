//! The data that all requests share.

use crate::access::AllowedHosts;
use crate::api_error::ApiError;
use crate::live_runs::LiveRuns;
use crate::open_calls::OpenCalls;
use crate::session_source::SessionSource;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use tokio::sync::Semaphore;
use tool_runtime::Registry;
use tool_runtime::message::Prices;

/// The settings of an inspector.
#[derive(Clone, Default)]
pub(crate) struct Settings {
    pub(crate) title: String,
    pub(crate) registry: Option<Registry>,
    pub(crate) lock_file: Option<PathBuf>,
    pub(crate) sessions: Option<Arc<dyn SessionSource>>,
    pub(crate) runs: Option<LiveRuns>,
    pub(crate) prices: Option<Prices>,
    /// The history that the page shows first.
    pub(crate) history: Option<Arc<str>>,
    pub(crate) allowed_hosts: AllowedHosts,
}

/// A text that is computed once, or the reason why it cannot be.
pub(crate) type ComputedOnce = OnceLock<Result<String, String>>;

/// A running inspector.
pub(crate) struct Inspection {
    pub(crate) settings: Settings,
    pub(crate) calls: OpenCalls,
    /// The JSON of the tokens of each tool.
    pub(crate) tokens: ComputedOnce,
    /// The JSON of the sizes of requests.
    pub(crate) requests: ComputedOnce,
    /// A permit for one timeline at a time, since a large one takes much memory.
    pub(crate) timeline: Semaphore,
}

pub(crate) type Shared = Arc<Inspection>;

impl Inspection {
    pub(crate) fn new(settings: Settings) -> Self {
        Inspection {
            settings,
            calls: OpenCalls::default(),
            tokens: OnceLock::new(),
            requests: OnceLock::new(),
            timeline: Semaphore::new(1),
        }
    }

    pub(crate) fn registry(&self) -> Result<&Registry, ApiError> {
        self.settings.registry.as_ref().ok_or_else(|| ApiError::not_found("this inspector has no registry"))
    }
}
