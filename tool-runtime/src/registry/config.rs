//! The configuration that a registry shares with its subsets.

use super::build_error::BuildError;
use super::options::BuildOptions;
use crate::approval::BeforeCall;
use crate::coerce::CoercionOptions;
use crate::schema::Dialect;
use crate::state::States;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Semaphore;

pub(super) struct Config {
    pub(super) states: States,
    pub(super) options: BuildOptions,
    pub(super) before_call: Option<BeforeCall>,
    /// Whether a model may have received strict schemas, so that it sends null for an omitted argument.
    is_strict_sent: AtomicBool,
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
        Config {
            states,
            options,
            before_call,
            is_strict_sent: (options.dialect == Dialect::OpenAiStrict).into(),
            permits: permits.map(Semaphore::new),
            skipped,
        }
    }

    pub(super) fn set_strict_sent(&self) {
        self.is_strict_sent.store(true, Ordering::Relaxed);
    }

    pub(super) fn coercion_options(&self) -> CoercionOptions {
        CoercionOptions {
            null_is_absent: self.is_strict_sent.load(Ordering::Relaxed),
            lenient: self.options.lenient_arguments,
        }
    }
}
