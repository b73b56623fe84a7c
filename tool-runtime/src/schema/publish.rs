//! The schema that a request contains: the enforced one in forms that every grammar engine compiles.
//!
//! llama.cpp, xgrammar, llguidance and outlines each reject some valid schemas, and then every request with the tool fails.
//! A published schema accepts all that the tool accepts, and a little more: see the documentation of `#[tool]`.

mod unions;

pub(super) use unions::distribute;

use super::description;
use super::normalise::{KNOWN_FORMATS, each_subschema};
use serde_json::{Map, Value, json};

pub(super) fn publish(schema: &mut Value) {
    let Value::Object(keywords) = schema else { return };
    // A field of a variant that must be absent; engines do not know `false`.
    if let Some(properties) = keywords.get_mut("properties").and_then(Value::as_object_mut) {
        properties.retain(|_, schema| *schema != Value::Bool(false));
    }
    each_subschema(keywords, &mut publish);
    remove_wide_bounds(keywords);
    split_at_zero(keywords);
    // One that the program wrote in `#[arg(schema(..))]`.
    if keywords.get("format").and_then(Value::as_str).is_some_and(|format| !KNOWN_FORMATS.contains(&format)) {
        description::move_in(keywords, &["format"]);
    }
    // llguidance rejects it.
    if keywords.remove("uniqueItems") == Some(Value::Bool(true)) {
        description::append(keywords, "Items are unique.");
    }
    // llguidance rejects it, and the variants of an enum exclude each other.
    if let Some(branches) = keywords.remove("oneOf") {
        keywords.entry("anyOf").or_insert(branches);
    }
    distribute(keywords);
}

/// Removes the bounds of types that are wider than engines count: llama.cpp and xgrammar in 64 bits, llguidance in fewer
/// for floats.
fn remove_wide_bounds(keywords: &mut Map<String, Value>) {
    const TWO_POW_63: f64 = 9_223_372_036_854_775_808.0;
    for keyword in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] {
        let bound = keywords.get(keyword).and_then(Value::as_f64);
        if bound.is_some_and(|bound| bound.abs() >= TWO_POW_63) {
            keywords.remove(keyword);
        }
    }
}

/// Writes `not: {const: 0}`, which llguidance rejects, as what is below and what is above 0.
fn split_at_zero(keywords: &mut Map<String, Value>) {
    if keywords.get("not") != Some(&json!({ "const": 0 })) || keywords.contains_key("anyOf") {
        return;
    }
    keywords.remove("not");
    let mut branches = Vec::new();
    let is_nullable = keywords.get("type") == Some(&json!(["integer", "null"]));
    for (keyword, bound) in [("maximum", -1), ("minimum", 1)] {
        let mut branch = Map::from_iter([("type".to_owned(), json!("integer"))]);
        for limit in ["minimum", "maximum"] {
            branch.extend(keywords.get(limit).map(|value| (limit.to_owned(), value.clone())));
        }
        branch.insert(keyword.to_owned(), bound.into());
        branches.push(Value::from(branch));
    }
    if is_nullable {
        branches.push(json!({ "type": "null" }));
    }
    keywords.retain(|keyword, _| !matches!(keyword.as_str(), "type" | "minimum" | "maximum"));
    keywords.insert("anyOf".to_owned(), branches.into());
}
