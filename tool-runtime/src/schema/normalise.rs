//! Rewrites the schema of a type as schemars generates it: shorter, and accepting only what serde decodes.

mod arrays;
mod enums;
mod flattened;
mod numbers;
mod recursion;

pub(super) use arrays::is_closed_tuple;
pub(super) use recursion::resolve_definitions;

use super::keywords::{KNOWN_FORMATS, each_subschema};
use crate::validator::{SIGNED_KEYS, UNSIGNED_KEYS};
use serde_json::{Map, Value, json};

/// Rewrites a schema and all that it contains. Subschemas come first, so that each step finds their final form.
pub(super) fn normalise(schema: &mut Value) {
    let Value::Object(keywords) = schema else { return };
    flattened::normalise(keywords);
    each_subschema(keywords, &mut |subschema| {
        replace_true(subschema);
        normalise(subschema);
    });
    // A title repeats the name of the type. A default of null is that of every absent argument.
    keywords.remove("title");
    if keywords.get("default") == Some(&Value::Null) {
        keywords.remove("default");
    }
    numbers::replace_format_with_bounds(keywords);
    remove_unknown_format(keywords);
    narrow_integer_keys(keywords);
    arrays::normalise(keywords);
    enums::merge_unit_variants(keywords);
    mark_empty_struct(keywords);
    merge_null(keywords);
}

/// Adds to a schema from elsewhere only what servers and engines require, and changes nothing that it accepts.
pub(super) fn complete(schema: &mut Value) {
    let Value::Object(keywords) = schema else { return };
    each_subschema(keywords, &mut |subschema| {
        replace_true(subschema);
        complete(subschema);
    });
    arrays::complete(keywords);
}

/// Writes a schema that accepts anything as `{}`: servers accept that everywhere, and `true` not everywhere.
fn replace_true(schema: &mut Value) {
    if *schema == Value::Bool(true) {
        *schema = json!({});
    }
}

/// Removes a format that only schemars knows, such as `partial-time`.
fn remove_unknown_format(keywords: &mut Map<String, Value>) {
    let is_known = |format: &Value| format.as_str().is_some_and(|format| KNOWN_FORMATS.contains(&format));
    if keywords.get("format").is_some_and(|format| !is_known(format)) {
        keywords.remove("format");
    }
}

/// serde decodes an integer key only in the form in which JSON writes integers.
fn narrow_integer_keys(keywords: &mut Map<String, Value>) {
    let Some(patterns) = keywords.get_mut("patternProperties").and_then(Value::as_object_mut) else { return };
    for (from_schemars, narrowed) in [(r"^\d+$", UNSIGNED_KEYS), (r"^-?\d+$", SIGNED_KEYS)] {
        if let Some(schema) = patterns.remove(from_schemars) {
            patterns.insert(narrowed.to_owned(), schema);
        }
    }
}

/// Gives a struct without fields its empty `properties`, which tell it from an object with any keys.
fn mark_empty_struct(keywords: &mut Map<String, Value>) {
    const OTHER_CONTENT: [&str; 7] =
        ["properties", "additionalProperties", "patternProperties", "anyOf", "oneOf", "allOf", "$ref"];
    if keywords.get("type").is_some_and(|kind| kind == "object")
        && !OTHER_CONTENT.iter().any(|keyword| keywords.contains_key(*keyword))
    {
        keywords.insert("properties".to_owned(), json!({}));
    }
}

/// Writes an option in fewer words: `anyOf: [{type: T, ..}, {type: null}]` as `type: [T, null], ..`, and null as one more
/// alternative of an enum.
fn merge_null(keywords: &mut Map<String, Value>) {
    let is_option =
        |keyword: &String| matches!(keyword.as_str(), "anyOf" | "description" | "default" | "examples");
    if !keywords.keys().all(is_option) {
        return;
    }
    let value = match keywords.get("anyOf").and_then(Value::as_array).map(Vec::as_slice) {
        Some([Value::Object(value), null]) if *null == json!({ "type": "null" }) => value,
        _ => return,
    };
    let Some(merged) = type_or_null(value).or_else(|| alternatives_or_null(value)) else { return };
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

fn type_or_null(value: &Map<String, Value>) -> Option<Map<String, Value>> {
    const COMBINING: [&str; 6] = ["$ref", "anyOf", "oneOf", "allOf", "const", "not"];
    let kind = value.get("type").filter(|kind| kind.is_string())?;
    if COMBINING.iter().any(|keyword| value.contains_key(*keyword)) {
        return None;
    }
    let mut merged = value.clone();
    merged.insert("type".to_owned(), json!([kind, "null"]));
    if let Some(values) = merged.get_mut("enum").and_then(Value::as_array_mut) {
        values.push(Value::Null);
    }
    Some(merged)
}

/// Null as one more alternative; with `oneOf` only if no other accepts null, since exactly one must.
fn alternatives_or_null(value: &Map<String, Value>) -> Option<Map<String, Value>> {
    let is_known = |keyword: &String| matches!(keyword.as_str(), "oneOf" | "anyOf" | "description");
    let rejects_null =
        |branch: &Value| branch.get("type").is_some_and(|kind| kind.is_string() && kind != "null");
    let null = json!({ "type": "null" });
    let mut merged = value.clone();
    let (alternatives, is_exclusive) = match (value.contains_key("oneOf"), value.contains_key("anyOf")) {
        (true, false) => ("oneOf", true),
        (false, true) => ("anyOf", false),
        _ => return None,
    };
    let branches = merged.get_mut(alternatives).and_then(Value::as_array_mut)?;
    if !value.keys().all(is_known) || (is_exclusive && !branches.iter().all(rejects_null)) {
        return None;
    }
    if !branches.contains(&null) {
        branches.push(null);
    }
    Some(merged)
}
