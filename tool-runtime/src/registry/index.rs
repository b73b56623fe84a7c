//! The positions of tools by name.

use super::Entry;
use crate::fingerprint::FingerprintHasher;
use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// Positions in the registry by name. The hasher of std takes 6 to 10 ns longer. A remote server that chooses the names of
/// dynamic tools can cause collisions, which makes a look-up linear in the number of its tools.
pub(super) struct Index(HashMap<Cow<'static, str>, usize, BuildHasherDefault<FingerprintHasher>>);

impl Index {
    /// Contains the names for servers, and the original names of renamed tools.
    pub(super) fn of(entries: &[Entry]) -> Self {
        let original = |entry: &Entry| Some(Cow::Owned(entry.original_name.as_ref()?.to_string()));
        let original =
            entries.iter().enumerate().filter_map(|(place, entry)| Some((original(entry)?, place)));
        let seen = entries.iter().enumerate().map(|(place, entry)| (entry.name.clone(), place));
        Index(original.chain(seen).collect())
    }

    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.0.get(name).copied()
    }
}
