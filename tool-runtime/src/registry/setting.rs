//! What is the same for a registry and its subsets.

use super::build::BuildOptions;
use crate::mend::Mending;
use crate::schema::Dialect;
use crate::state::States;
use std::sync::atomic::{AtomicBool, Ordering};

pub(super) struct Setting {
    pub(super) states: States,
    lenient_arguments: bool,
    /// Whether a model may have been given strict schemas, and so send null for what it leaves out.
    is_strict_given: AtomicBool,
}

impl Setting {
    pub(super) fn new(states: States, options: BuildOptions) -> Self {
        Setting {
            states,
            lenient_arguments: options.lenient_arguments,
            is_strict_given: (options.dialect == Dialect::OpenAiStrict).into(),
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
