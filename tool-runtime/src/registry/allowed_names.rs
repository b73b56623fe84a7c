//! Names in the errors of calls that a batch does not allow.

use crate::context::AllowedTools;
use std::sync::{Arc, Mutex, PoisonError};

/// The names of a batch, which all its errors share: a reply may have thousands of calls, and a registry thousands of tools.
#[derive(Default)]
pub(super) struct AllowedNames {
    /// Those of the newest batch with an error.
    newest: Mutex<Option<Names>>,
}

struct Names {
    allowed: Option<AllowedTools>,
    names: Arc<[String]>,
}

impl Names {
    fn has(&self, allowed: Option<&AllowedTools>) -> bool {
        match (&self.allowed, allowed) {
            (Some(known), Some(allowed)) => known.is_same(allowed),
            (known, allowed) => known.is_none() && allowed.is_none(),
        }
    }
}

impl AllowedNames {
    /// The names for these allowed tools, created by `names` on first use.
    pub(super) fn get<'a, N: Iterator<Item = &'a str>>(
        &self,
        allowed: Option<&AllowedTools>,
        names: impl FnOnce() -> N,
    ) -> Arc<[String]> {
        let mut newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = newest.as_ref().filter(|known| known.has(allowed)) {
            return Arc::clone(&known.names);
        }
        let names: Arc<[String]> = names().map(str::to_owned).collect();
        *newest = Some(Names { allowed: allowed.cloned(), names: Arc::clone(&names) });
        names
    }
}
