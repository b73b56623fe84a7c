//! What is the same for a registry and its subsets.

use super::build::BuildOptions;
use super::build_error::BuildError;
use crate::approval::BeforeCall;
use crate::coerce::CoercionOptions;
use crate::schema::Dialect;
use crate::state::States;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Semaphore;

pub(super) struct Setting {
    pub(super) states: States,
    pub(super) options: BuildOptions,
    pub(super) before_call: Option<BeforeCall>,
    /// Whether a model may have been given strict schemas, and so send null for what it leaves out.
    is_strict_given: AtomicBool,
    pub(super) permits: Option<Semaphore>,
    /// The errors of the dynamic tools that were left out.
    pub(super) skipped: Vec<BuildError>,
}

impl Setting {
    pub(super) fn new(
        states: States,
        options: BuildOptions,
        before_call: Option<BeforeCall>,
        skipped: Vec<BuildError>,
    ) -> Self {
        let permits = options.limits.max_concurrency.map(|tools| tools.min(Semaphore::MAX_PERMITS));
        Setting {
            states,
            options,
            before_call,
            is_strict_given: (options.dialect == Dialect::OpenAiStrict).into(),
            permits: permits.map(Semaphore::new),
            skipped,
        }
    }

    pub(super) fn strict_is_given(&self) {
        self.is_strict_given.store(true, Ordering::Relaxed);
    }

    pub(super) fn coercion_options(&self) -> CoercionOptions {
        CoercionOptions {
            null_is_absent: self.is_strict_given.load(Ordering::Relaxed),
            lenient: self.options.lenient_arguments,
        }
    }
}
