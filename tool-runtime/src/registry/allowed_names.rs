//! Names in the errors of calls that a run does not allow.

use crate::context::AllowedTools;
use std::sync::{Arc, Mutex, PoisonError};

/// The allowed names, shared by all errors with the same list of allowed tools: a reply may have thousands of calls, and a
/// registry thousands of tools.
#[derive(Default)]
pub(super) struct AllowedNames {
    /// Those of the newest list.
    newest: Mutex<Option<Names>>,
}

struct Names {
    allowed: Option<AllowedTools>,
    names: Arc<[String]>,
}

impl AllowedNames {
    /// The names for these allowed tools, created by `names` on first use.
    pub(super) fn get<'a, N: Iterator<Item = &'a str>>(
        &self,
        allowed: Option<&AllowedTools>,
        names: impl FnOnce() -> N,
    ) -> Arc<[String]> {
        let mut newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = newest.as_ref().filter(|known| is_same(known.allowed.as_ref(), allowed)) {
            return Arc::clone(&known.names);
        }
        let names: Arc<[String]> = names().map(str::to_owned).collect();
        *newest = Some(Names { allowed: allowed.cloned(), names: Arc::clone(&names) });
        names
    }
}

fn is_same(one: Option<&AllowedTools>, other: Option<&AllowedTools>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.is_same(other),
        (one, other) => one.is_none() && other.is_none(),
    }
}
