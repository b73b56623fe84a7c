//! Access to the keywords of a schema.

use serde_json::{Map, Value};

/// The strings of an array such as `required`, each once.
pub(super) fn names(value: Option<&Value>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// Removes the object of a keyword such as `properties`; empty if there is none.
pub(super) fn take_object(keywords: &mut Map<String, Value>, keyword: &str) -> Map<String, Value> {
    match keywords.remove(keyword) {
        Some(Value::Object(object)) => object,
        _ => Map::new(),
    }
}
