//! Arrays and tuples in the one form that servers, SDKs and grammar engines all accept: `items` is always there, and never
//! `false`.

use crate::schema::description;
use serde_json::{Map, Value, json};

/// For a schema that schemars generated.
pub(super) fn normalise(keywords: &mut Map<String, Value>) {
    complete(keywords);
    let Some(Value::Array(entries)) = keywords.get("prefixItems") else { return };
    let is_whole = keywords.get("maxItems") == Some(&entries.len().into());
    match &entries[..] {
        // `items` describes it alone.
        [first, others @ ..] if is_whole && others.iter().all(|other| other == first) => {
            keywords.insert("items".to_owned(), first.clone());
            keywords.remove("prefixItems");
        }
        entries => {
            let names: Vec<String> = entries.iter().map(type_name).collect();
            description::append(keywords, &format!("Items in order: {}.", names.join(", ")));
        }
    }
}

/// Adds `items` to an array. Servers refuse an array without ("array schema missing items"), and llama.cpp refuses `false`;
/// it ignores `prefixItems` next to `items: {}`, so that the `items` of a tuple accept what any entry accepts.
pub(super) fn complete(keywords: &mut Map<String, Value>) {
    if !is_array(keywords) {
        return;
    }
    let entries = keywords.get("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let is_at_most = |count: &Value| count.as_u64().is_some_and(|count| count <= entries.len() as u64);
    let is_closed = keywords.get("items") == Some(&Value::Bool(false));
    let is_whole = keywords.get("maxItems").is_some_and(is_at_most);
    if keywords.contains_key("items") && !is_closed {
        return;
    }
    let mut kinds: Vec<Value> = Vec::new();
    for entry in entries {
        if !kinds.contains(entry) {
            kinds.push(entry.clone());
        }
    }
    let items =
        if kinds.is_empty() || !(is_closed || is_whole) { json!({}) } else { json!({ "anyOf": kinds }) };
    if is_closed && !is_whole {
        keywords.insert("maxItems".to_owned(), entries.len().into());
    }
    keywords.insert("items".to_owned(), items);
}

fn is_array(keywords: &Map<String, Value>) -> bool {
    keywords.get("type").is_some_and(|kind| {
        kind == "array" || kind.as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "array"))
    })
}

/// The type of an entry, for a description: `boolean or null`.
fn type_name(schema: &Value) -> String {
    let kinds =
        schema.get("type").map(|kind| kind.as_array().map_or(std::slice::from_ref(kind), Vec::as_slice));
    let branches = ["anyOf", "oneOf"].iter().find_map(|keyword| schema.get(*keyword)?.as_array());
    let reference =
        schema.get("$ref").and_then(Value::as_str).and_then(|reference| reference.rsplit('/').next());
    let of_type = kinds.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
    let of_branches = branches.into_iter().flatten().map(type_name);
    let mut names: Vec<String> = Vec::new();
    for name in of_type.chain(reference.map(str::to_owned)).chain(of_branches) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() { "anything".to_owned() } else { names.join(" or ") }
}
