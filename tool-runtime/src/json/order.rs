//! The order of the keys of objects, which `serde_json` keeps with its feature `preserve_order`. Another crate of the program
//! may enable it.

use super::to_text;
use serde_json::{Map, Value};

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
