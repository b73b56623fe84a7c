//! The order of the keys of objects, which `serde_json` keeps with its feature `preserve_order`. Another crate of the program
//! may enable it.

use super::to_text;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// The text of a value with the keys of its objects sorted: equal for equal values.
#[must_use]
pub fn sorted_text(mut value: Value) -> String {
    value.sort_all_objects();
    to_text(&value)
}

/// The entries of an object, which is written with this order of its keys.
#[derive(Debug)]
pub struct Entries<K, V>(pub Vec<(K, V)>);

impl<K: PartialEq, V> Entries<K, V> {
    /// Replaces the value of a key, or adds an entry.
    pub fn set(&mut self, key: K, value: V) {
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

#[cfg(test)]
mod tests {
    use super::sorted_text;

    #[test]
    fn equal_values_have_equal_texts() {
        let text = |json| serde_json::from_str(json).map(sorted_text).ok();
        assert_eq!(text(r#"{"b":[{"d":1,"c":2}],"a":3}"#), text(r#"{"a":3,"b":[{"c":2,"d":1}]}"#));
    }
}
