//! Which tool has a name.

use super::Entry;
use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Places in the registry by name.
pub(super) struct Index(HashMap<Cow<'static, str>, usize, BuildHasherDefault<NameHasher>>);

impl Index {
    /// By the names that servers see, and by those that tools were given where servers would not take them.
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

/// Eight bytes at a step, and no defence against chosen names: a model only looks names up, and who gives a registry its
/// tools may slow it down in other ways. On a name, the hash of std takes 6 to 10 ns longer.
#[derive(Default)]
struct NameHasher(u64);

impl NameHasher {
    fn step(&mut self, word: u64) {
        // 2^64 divided by the golden ratio, and odd: Fibonacci hashing.
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for NameHasher {
    fn write(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            self.step(word.try_into().map_or(0, u64::from_le_bytes));
        }
        self.step(words.remainder().iter().fold(0, |word, &byte| word << 8 | u64::from(byte)));
    }

    fn write_u8(&mut self, byte: u8) {
        self.step(byte.into());
    }

    /// The low bits of a product know of the low bits of its factors alone, and the map takes those as well.
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}
