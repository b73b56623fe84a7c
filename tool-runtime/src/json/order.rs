//! The order of the entries of an object.

use serde_json::{Map, Value};

/// Removes an entry. The others keep their order: with `preserve_order`, [`Map::remove`] moves the last one to the place of
/// the removed one.
pub(crate) fn remove_entry(object: &mut Map<String, Value>, key: &str) -> Option<Value> {
    let value = object.get_mut(key)?.take();
    object.retain(|name, _| name != key);
    Some(value)
}
