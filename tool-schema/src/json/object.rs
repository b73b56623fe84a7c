//! Objects that keep the order of their keys, as `serde_json` does with its feature `preserve_order`. Another crate of the program
//! may enable it.

use serde_json::{Map, Value};

/// An object with these entries. `collect` sorts the entries first, and the binary then contains a sort for each caller.
pub fn object(entries: impl IntoIterator<Item = (String, Value)>) -> Map<String, Value> {
    let mut object = Map::new();
    object.extend(entries);
    object
}

/// Removes an entry. The others keep their order: with `preserve_order`, [`Map::remove`] moves the last one to the place of
/// the removed one.
pub fn remove_entry(object: &mut Map<String, Value>, key: &str) -> Option<Value> {
    let value = object.get_mut(key)?.take();
    object.retain(|known, _| known != key);
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::remove_entry;
    use serde_json::{Map, Value};

    #[test]
    fn the_other_entries_keep_their_order() {
        let mut object: Map<String, Value> =
            serde_json::from_str(r#"{"a":1,"b":2,"c":3,"d":4}"#).expect("it is an object");
        assert_eq!(remove_entry(&mut object, "a"), Some(1.into()));
        assert_eq!(remove_entry(&mut object, "z"), None);
        assert_eq!(Value::from(object).to_string(), r#"{"b":2,"c":3,"d":4}"#);
    }
}
