//! Access to the keywords of a schema.

use crate::json::{descendants, remove_entry};
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::hash::Hash;

/// The formats that llguidance supports. It rejects a schema with any other format.
pub(crate) const KNOWN_FORMATS: [&str; 10] =
    ["date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uri", "uuid"];

/// The position of a subschema in the value of its keyword.
pub(crate) enum Entry<'a> {
    /// The value of the keyword itself.
    Value,
    Name(&'a str),
    Index(usize),
}

impl Entry<'_> {
    /// Adds the keyword and the position to a JSON pointer.
    fn place(&self, parent: &str, keyword: &str) -> String {
        match self {
            Entry::Value => format!("{parent}/{keyword}"),
            Entry::Name(name) => {
                format!("{parent}/{keyword}/{}", name.replace('~', "~0").replace('/', "~1"))
            }
            Entry::Index(index) => format!("{parent}/{keyword}/{index}"),
        }
    }
}

/// Calls `visit` with each direct subschema. Default values and examples are not schemas.
pub(crate) fn each_subschema(keywords: &mut Map<String, Value>, visit: &mut dyn FnMut(&mut Value)) {
    each_entry(keywords, &mut |_, _, schema| visit(schema));
}

/// Calls `visit` with this schema and each schema inside it, with their places as JSON pointers. A schema comes before those
/// inside it.
pub(crate) fn visit_schemas(
    keywords: &mut Map<String, Value>,
    place: &str,
    visit: &mut dyn FnMut(&mut Map<String, Value>, &str),
) {
    visit(keywords, place);
    each_entry(keywords, &mut |keyword, entry, schema| {
        if let Value::Object(keywords) = schema {
            visit_schemas(keywords, &entry.place(place, keyword), visit);
        }
    });
}

/// Calls `visit` with each direct subschema, its keyword, and its position.
pub(super) fn each_entry(
    keywords: &mut Map<String, Value>,
    visit: &mut dyn FnMut(&str, Entry<'_>, &mut Value),
) {
    for (keyword, value) in keywords {
        match (keyword.as_str(), value) {
            // A property may itself be named `items`.
            (
                "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas",
                Value::Object(schemas),
            ) => {
                for (name, schema) in schemas {
                    visit(keyword, Entry::Name(name), schema);
                }
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems" | "items", Value::Array(schemas)) => {
                for (index, schema) in schemas.iter_mut().enumerate() {
                    visit(keyword, Entry::Index(index), schema);
                }
            }
            ("items" | "not" | "propertyNames" | "contains" | "if" | "then" | "else", schema) => {
                visit(keyword, Entry::Value, schema);
            }
            // A boolean closes or opens an object, and needs no change.
            (
                "additionalProperties"
                | "unevaluatedProperties"
                | "additionalItems"
                | "unevaluatedItems"
                | "contentSchema",
                schema @ Value::Object(_),
            ) => visit(keyword, Entry::Value, schema),
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
