//! What is the same for a registry and its subsets.

use super::Limits;
use super::build::BuildOptions;
use crate::approval::BeforeCall;
use crate::mend::Mending;
use crate::schema::Dialect;
use crate::state::States;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Semaphore;

pub(super) struct Setting {
    pub(super) states: States,
    lenient_arguments: bool,
    /// Whether a model may have been given strict schemas, and so send null for what it leaves out.
    is_strict_given: AtomicBool,
    pub(super) limits: Limits,
    /// One for each tool that may run at once.
    pub(super) turns: Option<Semaphore>,
    pub(super) before_call: Option<BeforeCall>,
    #[cfg(feature = "tracing")]
    pub(super) trace_content: bool,
}

impl Setting {
    pub(super) fn new(states: States, options: BuildOptions, before_call: Option<BeforeCall>) -> Self {
        Setting {
            states,
            lenient_arguments: options.lenient_arguments,
            is_strict_given: (options.dialect == Dialect::OpenAiStrict).into(),
            limits: options.limits,
            turns: options
                .limits
                .max_concurrency
                .map(|tools| Semaphore::new(tools.min(Semaphore::MAX_PERMITS))),
            before_call,
            #[cfg(feature = "tracing")]
            trace_content: options.trace_content,
        }
    }

    pub(super) fn strict_is_given(&self) {
        self.is_strict_given.store(true, Ordering::Relaxed);
    }

    pub(super) fn mending(&self) -> Mending {
        Mending {
            null_is_absent: self.is_strict_given.load(Ordering::Relaxed),
            slips: self.lenient_arguments,
        }
    }
}
