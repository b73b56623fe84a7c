//! Arrays and tuples in the one form that servers, SDKs and grammar engines all accept: `items` is always present, and
//! never `false`.

use crate::description;
use crate::json::remove_entry;
use crate::keywords::{MAX_COPIED_VALUES, accepts, count_values, types, unique};
use serde_json::{Map, Value, json};

/// Normalises an array in a schema that schemars generated.
pub(super) fn normalise(keywords: &mut Map<String, Value>) {
    complete(keywords);
    let Some(Value::Array(entries)) = keywords.get("prefixItems") else { return };
    match &entries[..] {
        // All entries are equal, so `items` is enough.
        [first, others @ ..] if is_closed_tuple(keywords) && others.iter().all(|other| other == first) => {
            keywords.insert("items".to_owned(), first.clone());
            remove_entry(keywords, "prefixItems");
        }
        entries => {
            let names: Vec<String> = entries.iter().map(type_name).collect();
            description::append(keywords, &format!("Items in order: {}.", names.join(", ")));
        }
    }
}

/// Adds `items` to an array without it, and replaces `items: false`. Servers reject an array without `items` ("array
/// schema missing items"), and llama.cpp rejects `false`. llama.cpp ignores `prefixItems` next to `items`, so the
/// `items` of a closed tuple are the union of its entries. Nested tuples would double in size at each level: large
/// entries are not copied.
pub(super) fn complete(keywords: &mut Map<String, Value>) {
    if !accepts(keywords, "array") {
        return;
    }
    if keywords.get("items") == Some(&Value::Bool(false)) {
        remove_entry(keywords, "items");
        if !is_closed_tuple(keywords) {
            keywords.insert("maxItems".to_owned(), entries(keywords).len().into());
        }
    }
    if is_closed_tuple(keywords)
        && !entries(keywords).is_empty()
        && count_values(entries(keywords)) <= MAX_COPIED_VALUES
    {
        let kinds = unique(entries(keywords).iter());
        let items = json!({ "anyOf": kinds });
        keywords.insert("items".to_owned(), items);
    }
    keywords.entry("items").or_insert_with(|| json!({}));
}

/// Whether an array cannot have items after those of `prefixItems`.
#[must_use]
pub fn is_closed_tuple(keywords: &Map<String, Value>) -> bool {
    let maximum = keywords.get("maxItems").and_then(Value::as_u64);
    maximum.is_some_and(|maximum| maximum <= entries(keywords).len() as u64)
}

fn entries(keywords: &Map<String, Value>) -> &[Value] {
    keywords.get("prefixItems").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn type_name(schema: &Value) -> String {
    let branches = ["anyOf", "oneOf"].iter().find_map(|keyword| schema.get(*keyword)?.as_array());
    let reference =
        schema.get("$ref").and_then(Value::as_str).and_then(|reference| reference.rsplit('/').next());
    let stated = schema.as_object().into_iter().flat_map(types).map(str::to_owned);
    let in_branches = branches.into_iter().flatten().map(type_name);
    let names = unique(stated.chain(reference.map(str::to_owned)).chain(in_branches));
    if names.is_empty() { "anything".to_owned() } else { names.join(" or ") }
}
