//! The configuration that a registry shares with its subsets.

use super::build_error::BuildError;
use super::options::BuildOptions;
use crate::approval::BeforeCall;
use crate::state::States;
use tokio::sync::Semaphore;

pub(super) struct Config {
    pub(super) states: States,
    pub(super) options: BuildOptions,
    pub(super) before_call: Option<BeforeCall>,
    pub(super) permits: Option<Semaphore>,
    /// The errors of the skipped dynamic tools.
    pub(super) skipped: Vec<BuildError>,
}

impl Config {
    pub(super) fn new(
        states: States,
        options: BuildOptions,
        before_call: Option<BeforeCall>,
        skipped: Vec<BuildError>,
    ) -> Self {
        let permits = options.limits.max_concurrency.map(|tools| tools.min(Semaphore::MAX_PERMITS));
        Config { states, options, before_call, permits: permits.map(Semaphore::new), skipped }
    }
}
