//! Objects that are only written.

use serde::{Serialize, Serializer};

/// The entries of an object, which is written with this order of its keys.
#[derive(Debug)]
pub(crate) struct Entries<K, V>(pub(crate) Vec<(K, V)>);

impl<K: PartialEq, V> Entries<K, V> {
    /// Replaces the value of a key, or adds an entry.
    pub(crate) fn set(&mut self, key: K, value: V) {
        match self.0.iter_mut().find(|(known, _)| *known == key) {
            Some((_, known)) => *known = value,
            None => self.0.push((key, value)),
        }
    }
}

impl<K: Serialize, V: Serialize> Serialize for Entries<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}
