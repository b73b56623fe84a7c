//! Enums that are flattened into structs.

use crate::json::{object, remove_entry};
use crate::keywords::take_list;
use crate::nullable::null_schema;
use serde_json::{Map, Value, json};

/// Rewrites flattened enums so that they match what serde decodes. A flattened `Option` of an enum must be one of its
/// variants or absent: serde decodes anything else as `None` and drops the data.
pub(super) fn normalise(keywords: &mut Map<String, Value>) {
    if keywords.get("type").is_none_or(|kind| kind != "object") {
        return;
    }
    let mut unions = take_unions(keywords);
    unions.iter_mut().for_each(unit_variants);
    // A field that several enums share may be present for any of them, and a flattened map may contain any key.
    let has_map = ["additionalProperties", "unevaluatedProperties", "patternProperties"]
        .iter()
        .any(|keyword| keywords.get(*keyword).is_some_and(|value| *value != Value::Bool(false)));
    let fields: Vec<String> = unions.iter().flat_map(field_names).collect();
    let declared = keywords.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    for union in unions.iter_mut().filter(|_| !has_map) {
        let is_shared = |name: &String| {
            declared.contains_key(name) || fields.iter().filter(|field| *field == name).count() > 1
        };
        let absent = field_names(union).into_iter().filter(|name| !is_shared(name));
        let absent = object(absent.map(|name| (name, false.into())));
        let branches = union.get_mut("anyOf").and_then(Value::as_array_mut);
        // schemars generates an `Option` as `anyOf: [{oneOf: variants}, {}]`, and as `anyOf: [variants.., {}]` if it is
        // untagged.
        if let Some(last) =
            branches.and_then(|branches| branches.last_mut()).filter(|last| **last == json!({}))
        {
            *last = json!({ "type": "object", "properties": absent });
        }
    }
    insert_unions(keywords, unions);
}

/// Removes the unions of a schema and returns them: `oneOf`, `anyOf`, and the parts of `allOf` if there are several.
fn take_unions(keywords: &mut Map<String, Value>) -> Vec<Value> {
    let outer = ["oneOf", "anyOf"].map(|keyword| Some(json!({ keyword: remove_entry(keywords, keyword)? })));
    outer.into_iter().flatten().chain(take_list(keywords, "allOf")).collect()
}

fn insert_unions(keywords: &mut Map<String, Value>, unions: Vec<Value>) {
    match &unions[..] {
        [] => {}
        [Value::Object(only)] if only.keys().all(|keyword| keyword == "oneOf" || keyword == "anyOf") => {
            keywords.extend(only.clone());
        }
        _ => drop(keywords.insert("allOf".to_owned(), unions.into())),
    }
}

fn branches(union: &Value) -> impl Iterator<Item = &Value> {
    ["oneOf", "anyOf", "allOf"].into_iter().filter_map(|keyword| union.get(keyword)?.as_array()).flatten()
}

/// The names of the fields of all variants.
fn field_names(union: &Value) -> Vec<String> {
    let properties = union.get("properties").and_then(Value::as_object);
    let mut names: Vec<String> = properties.into_iter().flat_map(Map::keys).cloned().collect();
    for branch in branches(union) {
        names.extend(field_names(branch));
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// Rewrites each unit variant as a key with the value null. schemars does so only for variants without docs.
fn unit_variants(union: &mut Value) {
    if let Some(name) = union.get("const").and_then(Value::as_str) {
        let mut object = Map::new();
        object.insert("type".to_owned(), "object".into());
        object.insert("properties".to_owned(), json!({ name: null_schema() }));
        object.insert("required".to_owned(), json!([name]));
        object.extend(union.get("description").map(|doc| ("description".to_owned(), doc.clone())));
        *union = object.into();
        return;
    }
    for keyword in ["oneOf", "anyOf"] {
        union.get_mut(keyword).and_then(Value::as_array_mut).into_iter().flatten().for_each(unit_variants);
    }
}
