//! The configuration that a registry shares with its subsets.

use super::Limits;
use super::build_error::BuildError;
use super::options::BuildOptions;
use super::ready_call::Layer;
#[cfg(feature = "search")]
use super::{search_tools::SearchTools, validate::schema_error};
use crate::approval::BeforeCall;
#[cfg(feature = "search")]
use crate::search::Search;
use crate::tool::ToolEntry;
#[cfg(feature = "search")]
use crate::tool_name::SEARCH_TOOLS;
use tokio::sync::Semaphore;

pub(super) struct Config {
    pub(super) options: BuildOptions,
    pub(super) before_call: Option<BeforeCall>,
    /// The outermost first.
    pub(super) layers: Vec<Layer>,
    pub(super) permits: Option<Semaphore>,
    /// The errors of the skipped dynamic tools.
    pub(super) skipped: Vec<BuildError>,
    #[cfg(feature = "search")]
    pub(super) search: Option<SearchTools>,
}

impl Config {
    pub(super) fn new(
        options: BuildOptions,
        before_call: Option<BeforeCall>,
        layers: Vec<Layer>,
        skipped: Vec<BuildError>,
    ) -> Self {
        let permits = options.limits.max_concurrency.map(|tools| tools.min(Semaphore::MAX_PERMITS));
        Config {
            options,
            before_call,
            layers,
            permits: permits.map(Semaphore::new),
            skipped,
            #[cfg(feature = "search")]
            search: None,
        }
    }

    #[cfg(feature = "search")]
    pub(super) fn with_search(mut self, settings: Option<Search>) -> Result<Self, BuildError> {
        if let Some(settings) = settings {
            let search = SearchTools::new(settings, &self).map_err(|error| BuildError {
                errors: vec![schema_error(SEARCH_TOOLS, error)],
                skipped: None,
            })?;
            self.search = Some(search);
        }
        Ok(self)
    }

    /// Sets the time limit of a tool, and whether steps concern each of its calls.
    pub(super) fn apply_to(&self, tool: &mut ToolEntry) {
        let (policy, Limits { timeout, call_timeout, .. }) = (tool.options.policy, self.options.limits);
        tool.timeout = policy.timeout.or(timeout);
        tool.needs_runtime = tool.options.blocking || tool.timeout.is_some() || call_timeout.is_some();
        let needs_decision = policy.requires_approval || self.before_call.is_some();
        let is_limited =
            policy.max_concurrency.is_some() || self.permits.is_some() || policy.max_calls.is_some();
        tool.is_barrier =
            policy.exclusive || self.options.ordered_effects && !tool.options.annotations.is_read_only();
        tool.is_direct = !tool.needs_runtime && !needs_decision && !is_limited && self.layers.is_empty();
    }
}
