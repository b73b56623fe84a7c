//! The order of the keys of objects, which `serde_json` keeps with its feature `preserve_order`. Another crate of the program
//! may enable it.

use super::to_text;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// An object with these entries. `collect` sorts the entries first, and the binary then contains a sort for each caller.
pub(crate) fn object(entries: impl IntoIterator<Item = (String, Value)>) -> Map<String, Value> {
    let mut object = Map::new();
    object.extend(entries);
    object
}

/// Removes an entry. The others keep their order: with `preserve_order`, [`Map::remove`] moves the last one to the place of
/// the removed one.
pub(crate) fn remove_entry(object: &mut Map<String, Value>, key: &str) -> Option<Value> {
    let value = object.get_mut(key)?.take();
    object.retain(|known, _| known != key);
    Some(value)
}

/// The text of a value with the keys of its objects sorted: equal for equal values.
pub(crate) fn sorted_text(mut value: Value) -> String {
    value.sort_all_objects();
    to_text(&value)
}

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

#[cfg(test)]
mod tests {
    use super::{remove_entry, sorted_text};
    use serde_json::{Map, Value};

    #[test]
    fn the_other_entries_keep_their_order() {
        let mut object: Map<String, Value> =
            serde_json::from_str(r#"{"a":1,"b":2,"c":3,"d":4}"#).expect("it is an object");
        assert_eq!(remove_entry(&mut object, "a"), Some(1.into()));
        assert_eq!(remove_entry(&mut object, "z"), None);
        assert_eq!(Value::from(object).to_string(), r#"{"b":2,"c":3,"d":4}"#);
    }

    #[test]
    fn equal_values_have_equal_texts() {
        let text = |json| serde_json::from_str(json).map(sorted_text).ok();
        assert_eq!(text(r#"{"b":[{"d":1,"c":2}],"a":3}"#), text(r#"{"a":3,"b":[{"c":2,"d":1}]}"#));
    }
}
