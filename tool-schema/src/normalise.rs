//! Normalisation of the schemas that schemars generates: the result is shorter, and accepts only what serde decodes.

mod arrays;
mod enums;
mod flattened;
mod numbers;
mod recursion;

pub use arrays::is_closed_tuple;
pub(crate) use enums::merge_unit_variants;
pub use numbers::TypeBounds;
pub(crate) use recursion::plain_name;
pub use recursion::resolve_definitions;

use crate::json::remove_entry;
use crate::keywords::{KNOWN_FORMATS, each_subschema};
use crate::nullable::{null_schema, nullable};
use serde_json::{Map, Value, json};

/// The keys of a map of unsigned integers, as serde reads them: no sign, no leading zero.
pub const UNSIGNED_KEYS: &str = r"^(0|[1-9]\d*)$";
/// The keys of a map of signed integers.
pub const SIGNED_KEYS: &str = r"^(0|-?[1-9]\d*)$";

/// Normalises a schema and its subschemas. Subschemas come first, so that each step finds their final form.
pub fn normalise(schema: &mut Value, bounds: TypeBounds) {
    let Value::Object(keywords) = schema else { return };
    flattened::normalise(keywords);
    each_subschema(keywords, &mut |subschema| {
        replace_true(subschema);
        normalise(subschema, bounds);
    });
    // A title repeats the name of the type. `default: null` repeats that the argument is optional.
    remove_entry(keywords, "title");
    if keywords.get("default") == Some(&Value::Null) {
        remove_entry(keywords, "default");
    }
    numbers::replace_format(keywords, bounds);
    remove_unknown_format(keywords);
    narrow_integer_keys(keywords);
    arrays::normalise(keywords);
    merge_unit_variants(keywords);
    mark_empty_struct(keywords);
    merge_null(keywords);
}

/// Adds what servers and engines require to a schema that schemars did not generate. It accepts the same values as
/// before.
pub(crate) fn complete(keywords: &mut Map<String, Value>) {
    each_subschema(keywords, &mut |subschema| {
        replace_true(subschema);
        subschema.as_object_mut().into_iter().for_each(complete);
    });
    arrays::complete(keywords);
}

/// Replaces `true`, which some servers reject, with the equivalent `{}`.
fn replace_true(schema: &mut Value) {
    if *schema == Value::Bool(true) {
        *schema = json!({});
    }
}

/// Removes a format that only schemars uses, such as `partial-time`.
fn remove_unknown_format(keywords: &mut Map<String, Value>) {
    let is_known = |format: &Value| format.as_str().is_some_and(|format| KNOWN_FORMATS.contains(&format));
    if keywords.get("format").is_some_and(|format| !is_known(format)) {
        remove_entry(keywords, "format");
    }
}

/// serde decodes an integer key only in the form in which JSON writes integers.
fn narrow_integer_keys(keywords: &mut Map<String, Value>) {
    let Some(patterns) = keywords.get_mut("patternProperties").and_then(Value::as_object_mut) else { return };
    for (from_schemars, narrowed) in [(r"^\d+$", UNSIGNED_KEYS), (r"^-?\d+$", SIGNED_KEYS)] {
        if let Some(schema) = remove_entry(patterns, from_schemars) {
            patterns.insert(narrowed.to_owned(), schema);
        }
    }
}

/// Gives a struct without fields empty `properties`, which distinguish it from an object with any keys.
fn mark_empty_struct(keywords: &mut Map<String, Value>) {
    const OTHER_CONTENT: [&str; 7] =
        ["properties", "additionalProperties", "patternProperties", "anyOf", "oneOf", "allOf", "$ref"];
    if keywords.get("type").is_some_and(|kind| kind == "object")
        && !OTHER_CONTENT.iter().any(|keyword| keywords.contains_key(*keyword))
    {
        keywords.insert("properties".to_owned(), json!({}));
    }
}

/// Shortens the schema of an option: `anyOf: [{type: T, ..}, {type: null}]` as `type: [T, null], ..`, and null as one
/// more branch of a union.
fn merge_null(keywords: &mut Map<String, Value>) {
    let is_option =
        |keyword: &String| matches!(keyword.as_str(), "anyOf" | "description" | "default" | "examples");
    if !keywords.keys().all(is_option) {
        return;
    }
    let mut value = match keywords.get("anyOf").and_then(Value::as_array).map(Vec::as_slice) {
        Some([Value::Object(value), null]) if *null == null_schema() => value.clone(),
        _ => return,
    };
    if !can_accept_null_in_place(&value) {
        return;
    }
    nullable(&mut value);
    remove_entry(keywords, "anyOf");
    for (keyword, value) in value {
        match (keyword.as_str(), keywords.get_mut(&keyword), &value) {
            ("description", Some(Value::String(outer)), Value::String(inner)) => {
                outer.push('\n');
                outer.push_str(inner);
            }
            _ => drop(keywords.insert(keyword, value)),
        }
    }
}

/// Whether [`nullable`] only adds null to a type or a union. A `oneOf` gets null only if no other branch accepts it,
/// since exactly one branch must.
fn can_accept_null_in_place(schema: &Map<String, Value>) -> bool {
    const COMBINING: [&str; 6] = ["$ref", "anyOf", "oneOf", "allOf", "const", "not"];
    let is_typed = schema.get("type").is_some_and(Value::is_string);
    if is_typed && !COMBINING.iter().any(|keyword| schema.contains_key(*keyword)) {
        return true;
    }
    let rejects_null =
        |branch: &Value| branch.get("type").is_some_and(|kind| kind.is_string() && kind != "null");
    let one_of = schema.get("oneOf").and_then(Value::as_array);
    schema.keys().all(|keyword| matches!(keyword.as_str(), "oneOf" | "anyOf" | "description"))
        && schema.contains_key("oneOf") != schema.contains_key("anyOf")
        && one_of.is_none_or(|branches| branches.iter().all(rejects_null))
}
