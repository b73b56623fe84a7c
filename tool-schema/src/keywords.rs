//! Access to the keywords of a schema.

use crate::json::{descendants, escaped_token, remove_entry};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::Hash;

/// The formats that llguidance supports. It rejects a schema with any other format.
pub const KNOWN_FORMATS: [&str; 10] =
    ["date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uri", "uuid"];

/// The name or the index of a subschema, if its keyword has several.
type Entry<'a> = Option<Cow<'a, str>>;

/// Calls `visit` with each direct subschema. Default values and examples are not schemas.
pub fn each_subschema(keywords: &mut Map<String, Value>, visit: &mut dyn FnMut(&mut Value)) {
    each_entry(keywords, &mut |_, _, schema| visit(schema));
}

/// Calls `visit` with this schema and each schema inside it, with their places as JSON pointers. A schema comes before those
/// inside it.
pub fn visit_schemas(
    keywords: &mut Map<String, Value>,
    place: &str,
    visit: &mut dyn FnMut(&mut Map<String, Value>, &str),
) {
    visit_inside(keywords, &mut place.to_owned(), visit);
}

fn visit_inside(
    keywords: &mut Map<String, Value>,
    place: &mut String,
    visit: &mut dyn FnMut(&mut Map<String, Value>, &str),
) {
    visit(keywords, place);
    each_entry(keywords, &mut |keyword, entry, schema| {
        if let Value::Object(keywords) = schema {
            let end = place.len();
            for token in [Some(keyword.into()), entry.as_deref().map(escaped_token)].into_iter().flatten() {
                place.push('/');
                place.push_str(&token);
            }
            visit_inside(keywords, place, visit);
            place.truncate(end);
        }
    });
}

/// Calls `visit` with each direct subschema, its keyword, and its name or index.
pub(crate) fn each_entry(
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
                    visit(keyword, Some(name.as_str().into()), schema);
                }
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems" | "items", Value::Array(schemas)) => {
                for (index, schema) in schemas.iter_mut().enumerate() {
                    visit(keyword, Some(index.to_string().into()), schema);
                }
            }
            ("items" | "not" | "propertyNames" | "contains" | "if" | "then" | "else", schema) => {
                visit(keyword, None, schema);
            }
            // A boolean closes or opens an object, and needs no change.
            (
                "additionalProperties" | "unevaluatedProperties" | "unevaluatedItems" | "contentSchema",
                schema @ Value::Object(_),
            ) => visit(keyword, None, schema),
            _ => {}
        }
    }
}

/// The maximum number of values that copying schemas into other schemas may add. Without it, copies of copies could
/// grow without end.
pub(crate) const MAX_COPIED_VALUES: usize = 5_000;

/// The number of values in schemas; at most one more than [`MAX_COPIED_VALUES`].
pub(crate) fn count_values<'a>(schemas: impl IntoIterator<Item = &'a Value>) -> usize {
    descendants(schemas).take(MAX_COPIED_VALUES + 1).count()
}

/// Whether the keyword `type` has this type.
#[must_use]
pub fn accepts(keywords: &Map<String, Value>, kind: &str) -> bool {
    types(keywords).any(|one| one == kind)
}

/// The types in the keyword `type`.
pub fn types(keywords: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let types =
        keywords.get("type").map(|kind| kind.as_array().map_or(std::slice::from_ref(kind), Vec::as_slice));
    types.into_iter().flatten().filter_map(Value::as_str)
}

/// The strings of an array such as `required`, each once.
pub(crate) fn names(value: Option<&Value>) -> Vec<String> {
    let names = value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    unique(names.map(str::to_owned))
}

/// The items in order, each once.
pub(crate) fn unique<T: Clone + Eq + Hash>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut known = HashSet::new();
    items.filter(|item| known.insert(item.clone())).collect()
}

/// Removes the object of a keyword such as `properties`; empty if there is none.
pub fn take_object(keywords: &mut Map<String, Value>, keyword: &str) -> Map<String, Value> {
    match remove_entry(keywords, keyword) {
        Some(Value::Object(object)) => object,
        _ => Map::new(),
    }
}

/// Removes the list of a keyword such as `allOf`; empty if there is none.
pub(crate) fn take_list(keywords: &mut Map<String, Value>, keyword: &str) -> Vec<Value> {
    match remove_entry(keywords, keyword) {
        Some(Value::Array(list)) => list,
        _ => Vec::new(),
    }
}

/// Removes properties from the required ones.
pub(crate) fn make_optional(keywords: &mut Map<String, Value>, properties: &[String]) {
    let Some(Value::Array(required)) = keywords.get_mut("required") else { return };
    if properties.is_empty() {
        return;
    }
    let properties: HashSet<&str> = properties.iter().map(String::as_str).collect();
    required.retain(|name| name.as_str().is_none_or(|name| !properties.contains(name)));
    if required.is_empty() {
        remove_entry(keywords, "required");
    }
}
