//! A schema as schemars makes it, less what tells the model nothing, and as narrow as serde reads.

mod enums;
mod numbers;
mod recursion;

pub(super) use recursion::settle;

use crate::check::{SIGNED_KEYS, UNSIGNED_KEYS};
use serde_json::{Map, Value, json};

/// The same in fewer words, and no wider than serde reads. Subschemas come first, so that each step finds the simple form
/// of them.
pub(super) fn normalise(schema: &mut Value) {
    let Value::Object(keywords) = schema else { return };
    each_subschema(keywords, &mut |subschema| {
        // That anything goes is written so that servers take it everywhere.
        if *subschema == Value::Bool(true) {
            *subschema = json!({});
        }
        normalise(subschema);
    });
    // A title says less than the description beside it, and null is what an absent argument is anyway.
    keywords.remove("title");
    if keywords.get("default") == Some(&Value::Null) {
        keywords.remove("default");
    }
    numbers::bound(keywords);
    keys(keywords);
    if is_array(keywords) {
        tuple_of_one_kind(keywords);
        items(keywords);
    }
    enums::flattened(keywords);
    enums::merge(keywords);
    empty_struct(keywords);
    nullable(keywords);
}

/// Only what servers refuse to do without, for a schema that somebody wrote.
pub(super) fn complete(schema: &mut Value) {
    let Value::Object(keywords) = schema else { return };
    each_subschema(keywords, &mut complete);
    if is_array(keywords) {
        items(keywords);
    }
}

/// Calls for every schema that stands in this one, but not for a value such as a default.
pub(super) fn each_subschema(keywords: &mut Map<String, Value>, of: &mut impl FnMut(&mut Value)) {
    for (keyword, value) in keywords {
        match keyword.as_str() {
            // A property may itself be called `items`.
            "properties" | "patternProperties" | "$defs" | "definitions" => {
                value.as_object_mut().into_iter().flat_map(Map::values_mut).for_each(&mut *of);
            }
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
                value.as_array_mut().into_iter().flatten().for_each(&mut *of);
            }
            "items" | "not" | "propertyNames" => of(value),
            // `false` closes an object, and `true` says that it is a map.
            "additionalProperties" | "unevaluatedProperties" if value.is_object() => of(value),
            _ => {}
        }
    }
}

/// serde reads the keys of a map of integers as JSON writes integers.
fn keys(keywords: &mut Map<String, Value>) {
    let Some(patterns) = keywords.get_mut("patternProperties").and_then(Value::as_object_mut) else { return };
    for (from_schemars, tightened) in [(r"^\d+$", UNSIGNED_KEYS), (r"^-?\d+$", SIGNED_KEYS)] {
        if let Some(schema) = patterns.remove(from_schemars) {
            patterns.insert(tightened.to_owned(), schema);
        }
    }
}

fn is_array(keywords: &Map<String, Value>) -> bool {
    keywords.get("type").is_some_and(|kind| {
        kind == "array" || kind.as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "array"))
    })
}

/// A tuple, which has as many entries as it says, all of one kind.
fn tuple_of_one_kind(keywords: &mut Map<String, Value>) {
    let Some([first, others @ ..]) = keywords.get("prefixItems").and_then(Value::as_array).map(Vec::as_slice)
    else {
        return;
    };
    let count = Value::from(others.len() + 1);
    let is_whole = ["minItems", "maxItems"].iter().all(|keyword| keywords.get(*keyword) == Some(&count));
    if is_whole && !keywords.contains_key("items") && others.iter().all(|other| other == first) {
        let item = first.clone();
        keywords.remove("prefixItems");
        keywords.insert("items".to_owned(), item);
    }
}

/// Servers refuse an array without `items` ("array schema missing items"), also where `prefixItems` says it all.
fn items(keywords: &mut Map<String, Value>) {
    keywords.entry("items").or_insert_with(|| json!({}));
}

/// A struct without fields says so, and is so told from an object with any keys.
fn empty_struct(keywords: &mut Map<String, Value>) {
    let says_more =
        ["properties", "additionalProperties", "patternProperties", "anyOf", "oneOf", "allOf", "$ref"];
    if keywords.get("type").is_some_and(|kind| kind == "object")
        && !says_more.iter().any(|more| keywords.contains_key(*more))
    {
        keywords.insert("properties".to_owned(), json!({}));
    }
}

/// An option in fewer words: `anyOf: [{type: T, ..}, {type: null}]` as `type: [T, null], ..`, and null among the
/// alternatives of an enum.
fn nullable(keywords: &mut Map<String, Value>) {
    let stands_beside =
        |keyword: &String| matches!(keyword.as_str(), "anyOf" | "description" | "default" | "examples");
    if !keywords.keys().all(stands_beside) {
        return;
    }
    let of_value = match keywords.get("anyOf").and_then(Value::as_array).map(Vec::as_slice) {
        Some([Value::Object(of_value), null]) if *null == json!({ "type": "null" }) => of_value,
        _ => return,
    };
    let Some(merged) = typed_or_null(of_value).or_else(|| one_of_or_null(of_value)) else { return };
    keywords.remove("anyOf");
    for (keyword, value) in merged {
        match (keyword.as_str(), keywords.get_mut(&keyword), &value) {
            ("description", Some(Value::String(outer)), Value::String(inner)) => {
                outer.push('\n');
                outer.push_str(inner);
            }
            _ => drop(keywords.insert(keyword, value)),
        }
    }
}

fn typed_or_null(of_value: &Map<String, Value>) -> Option<Map<String, Value>> {
    let combines = ["$ref", "anyOf", "oneOf", "allOf", "const", "not"];
    let kind = of_value.get("type").filter(|kind| kind.is_string())?;
    if combines.iter().any(|keyword| of_value.contains_key(*keyword)) {
        return None;
    }
    let mut merged = of_value.clone();
    merged.insert("type".to_owned(), json!([kind, "null"]));
    if let Some(values) = merged.get_mut("enum").and_then(Value::as_array_mut) {
        values.push(Value::Null);
    }
    Some(merged)
}

/// Null among the alternatives; of `oneOf` only if none of them takes null already, since exactly one is to hold.
fn one_of_or_null(of_value: &Map<String, Value>) -> Option<Map<String, Value>> {
    let is_known = |keyword: &String| matches!(keyword.as_str(), "oneOf" | "anyOf" | "description");
    let takes_no_null =
        |branch: &Value| branch.get("type").is_some_and(|kind| kind.is_string() && kind != "null");
    let null = json!({ "type": "null" });
    let mut merged = of_value.clone();
    let (alternatives, is_exclusive) = match (of_value.contains_key("oneOf"), of_value.contains_key("anyOf"))
    {
        (true, false) => ("oneOf", true),
        (false, true) => ("anyOf", false),
        _ => return None,
    };
    let branches = merged.get_mut(alternatives).and_then(Value::as_array_mut)?;
    if !of_value.keys().all(is_known) || (is_exclusive && !branches.iter().all(takes_no_null)) {
        return None;
    }
    if !branches.contains(&null) {
        branches.push(null);
    }
    Some(merged)
}
