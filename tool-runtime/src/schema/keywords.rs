//! Access to the keywords of a schema.

use crate::json::{descendants, remove_entry};
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::hash::Hash;

/// The formats that llguidance supports. It rejects a schema with any other format.
pub(crate) const KNOWN_FORMATS: [&str; 10] =
    ["date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uri", "uuid"];

/// Calls `visit` with each direct subschema. Default values and examples are not schemas.
pub(crate) fn each_subschema(keywords: &mut Map<String, Value>, visit: &mut dyn FnMut(&mut Value)) {
    for (keyword, value) in keywords {
        match (keyword.as_str(), value) {
            // A property may itself be named `items`.
            (
                "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas",
                Value::Object(schemas),
            ) => schemas.values_mut().for_each(&mut *visit),
            ("anyOf" | "oneOf" | "allOf" | "prefixItems" | "items", Value::Array(schemas)) => {
                schemas.iter_mut().for_each(&mut *visit);
            }
            ("items" | "not" | "propertyNames" | "contains" | "if" | "then" | "else", schema) => {
                visit(schema);
            }
            // A boolean closes or opens an object, and needs no change.
            (
                "additionalProperties" | "unevaluatedProperties" | "additionalItems" | "unevaluatedItems",
                schema @ Value::Object(_),
            ) => visit(schema),
            _ => {}
        }
    }
}

/// The maximum number of values that copying schemas into other schemas may add. Without it, copies of copies could
/// grow without end.
pub(super) const MAX_COPIED_VALUES: usize = 5_000;

/// The number of values in schemas; at most one more than [`MAX_COPIED_VALUES`].
pub(super) fn count_values<'a>(schemas: impl IntoIterator<Item = &'a Value>) -> usize {
    descendants(schemas).take(MAX_COPIED_VALUES + 1).count()
}

/// The strings of an array such as `required`, each once.
pub(super) fn names(value: Option<&Value>) -> Vec<String> {
    let names = value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    unique(names.map(str::to_owned))
}

/// The items in order, each once.
pub(super) fn unique<T: Clone + Eq + Hash>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut known = HashSet::new();
    items.filter(|item| known.insert(item.clone())).collect()
}

/// Removes the object of a keyword such as `properties`; empty if there is none.
pub(crate) fn take_object(keywords: &mut Map<String, Value>, keyword: &str) -> Map<String, Value> {
    match remove_entry(keywords, keyword) {
        Some(Value::Object(object)) => object,
        _ => Map::new(),
    }
}
