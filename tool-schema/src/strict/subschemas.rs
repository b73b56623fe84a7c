//! The subschemas of a converted schema.

use serde_json::{Map, Value};

/// A converted schema and its subschemas, each with the number of objects and arrays around it; definitions have none.
#[must_use]
pub fn subschemas(root: &Map<String, Value>) -> Vec<(&Map<String, Value>, usize)> {
    let mut found = vec![(root, 0)];
    let mut next = 0;
    while let Some(&(keywords, depth)) = found.get(next) {
        next += 1;
        let entries = |keyword: &str| {
            keywords.get(keyword).and_then(Value::as_object).into_iter().flat_map(Map::values)
        };
        let branches = keywords.get("anyOf").and_then(Value::as_array).into_iter().flatten();
        let definitions = entries("$defs").chain(entries("definitions"));
        let parts = (definitions.map(|part| (part, 0)))
            .chain(entries("properties").chain(keywords.get("items")).map(|part| (part, depth + 1)))
            .chain(branches.map(|part| (part, depth)));
        found.extend(parts.filter_map(|(part, depth)| Some((part.as_object()?, depth))));
    }
    found
}
