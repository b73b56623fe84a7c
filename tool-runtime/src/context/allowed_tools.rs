//! The tools that the calls of a run may use.

use std::collections::HashSet;
use std::sync::Arc;

/// The names of the tools. Clones share them.
#[derive(Clone)]
pub(crate) struct AllowedTools(Arc<HashSet<String>>);

impl AllowedTools {
    pub(super) fn new<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        AllowedTools(Arc::new(names.into_iter().map(Into::into).collect()))
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    /// Whether both are clones of one list.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
