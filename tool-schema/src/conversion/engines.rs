//! Keywords that grammar engines compile.
//!
//! llama.cpp, vLLM and SGLang make a grammar of the schemas of all tools of a request, and reject the request if one of them
//! has a keyword that their engine does not compile. A published schema accepts a little more instead, and the description
//! has the keyword; the tool enforces it.

use super::Conversion;
use super::patterns::{MAX_REPETITIONS, is_accepted_for_keys, rewrite_pattern};
use super::references::{Reader, resolve};
use crate::description;
use crate::json::{descendants, remove_entry};
use crate::keywords::{KNOWN_FORMATS, accepts, each_entry, make_optional, unique};
use crate::unions::replace_one_of;
use serde_json::{Map, Value};
use std::collections::HashSet;

/// The maximum length next to a pattern.
const MAX_LENGTH_WITH_PATTERN: u32 = 100;

/// The least and the most of a value, and how many of them are exclusive. Engines reject an empty range.
const RANGES: [(&str, &str, u8); 6] = [
    ("minLength", "maxLength", 0),
    ("minItems", "maxItems", 0),
    ("minimum", "maximum", 0),
    ("minimum", "exclusiveMaximum", 1),
    ("exclusiveMinimum", "maximum", 1),
    ("exclusiveMinimum", "exclusiveMaximum", 2),
];

const REASON: &str = "grammar engines do not compile it";

/// The rule of servers with a grammar engine.
pub fn accept_in_engines(conversion: &mut Conversion<'_>) {
    resolve(conversion, Reader::Engine);
    // A model may not see the description of the parameters, only that of the tool.
    let description = remove_entry(&mut conversion.root, "description");
    conversion.each_schema(&mut |keywords| {
        let mut changes = simplify(keywords);
        changes.extend(simplify_foreign(keywords));
        changes
    });
    if let Some(Value::String(moved)) = remove_entry(&mut conversion.root, "description") {
        conversion.sentences.push(format!("Arguments: {moved}"));
    }
    conversion.root.extend(description.map(|description| ("description".to_owned(), description)));
}

/// Replaces or moves the keywords, also of functions, that engines do not compile. Returns the changes.
pub(crate) fn simplify(keywords: &mut Map<String, Value>) -> Vec<String> {
    let mut changes = rewrite_pattern(keywords, |_| false, ["grammar engines compile", REASON]);
    let format = keywords.get("format").and_then(Value::as_str);
    // Engines ignore the formats of numbers.
    let is_of_text = !keywords.contains_key("type") || accepts(keywords, "string");
    if is_of_text && format.is_some_and(|format| !KNOWN_FORMATS.contains(&format)) {
        move_keywords(keywords, &["format"], REASON, &mut changes);
    }
    // llguidance does not intersect a pattern with a large limit.
    let max_length = if keywords.contains_key("pattern") { MAX_LENGTH_WITH_PATTERN } else { MAX_REPETITIONS };
    let is_large = |&(keyword, max): &(&str, u32)| {
        keywords.get(keyword).and_then(Value::as_f64).is_some_and(|count| count > f64::from(max))
    };
    let limits = [("minLength", max_length), ("maxLength", max_length)];
    let limits = limits.into_iter().chain([("minItems", MAX_REPETITIONS), ("maxItems", MAX_REPETITIONS)]);
    let mut moved: Vec<&str> = limits.filter(is_large).map(|(keyword, _)| keyword).collect();
    let is_integer = accepts(keywords, "integer");
    for (least, most, exclusive) in RANGES {
        let [minimum, maximum] = [least, most].map(|keyword| keywords.get(keyword).and_then(Value::as_f64));
        let is_empty = |(minimum, maximum): (f64, f64)| match exclusive {
            0 => minimum > maximum,
            2 if is_integer => maximum - minimum <= 1.0,
            _ => minimum >= maximum,
        };
        if minimum.zip(maximum).is_some_and(is_empty) {
            moved.extend([least, most]);
        }
    }
    let bounds = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
    let is_fraction = |bound: &Value| bound.as_f64().is_some_and(|bound| bound.fract() != 0.0);
    let is_moved = |bound: &Value| is_wide(bound) || is_integer && is_fraction(bound);
    moved.extend(bounds.into_iter().filter(|keyword| keywords.get(*keyword).is_some_and(is_moved)));
    move_keywords(keywords, &unique(moved.into_iter()), REASON, &mut changes);
    remove_data_with_references(keywords, &mut changes);
    if keywords.contains_key("oneOf") {
        replace_one_of(keywords);
        changes.push("`oneOf` becomes `anyOf`, which grammar engines compile".to_owned());
    }
    match remove_entry(keywords, "uniqueItems") {
        Some(Value::Bool(true)) => {
            description::append(keywords, "Items are unique.");
            changes.push(format!("`uniqueItems` moves into the description, since {REASON}"));
        }
        Some(_) => changes.push("`uniqueItems` is left out, since it has no effect".to_owned()),
        None => {}
    }
    remove_false(keywords, &mut changes);
    changes
}

/// Whether engines cannot represent a bound: llama.cpp and xgrammar use 64 bits, llguidance fewer for floats.
fn is_wide(bound: &Value) -> bool {
    const TWO_POW_63: f64 = 9_223_372_036_854_775_808.0;
    bound.as_f64().is_some_and(|bound| bound.abs() >= TWO_POW_63)
}

/// Leaves out data with a `$ref`, which llama.cpp reads as a reference.
fn remove_data_with_references(keywords: &mut Map<String, Value>, changes: &mut Vec<String>) {
    let mut schemas = HashSet::new();
    each_entry(keywords, &mut |keyword, _, _| schemas.extend([keyword.to_owned()]));
    keywords.retain(|keyword, value| {
        let is_kept =
            schemas.contains(keyword) || descendants([&*value]).all(|(value, _)| value.get("$ref").is_none());
        if !is_kept {
            changes.push(format!("`{keyword}` is left out, since engines read each `$ref` as a reference"));
        }
        is_kept
    });
}

/// Replaces or moves the other keywords that engines do not compile. Returns the changes.
fn simplify_foreign(keywords: &mut Map<String, Value>) -> Vec<String> {
    const MOVED: [&[&str]; 3] = [
        &["not", "if", "then", "else", "dependentRequired", "dependentSchemas", "propertyNames"],
        &["contains", "minContains", "maxContains", "minProperties", "maxProperties"],
        &["unevaluatedProperties", "unevaluatedItems", "dependencies"],
    ];
    let mut changes = Vec::new();
    let mut moved = MOVED.concat();
    if keywords.get("enum").and_then(Value::as_array).is_some_and(Vec::is_empty) {
        moved.push("enum");
    }
    let patterns = keywords.get("patternProperties").and_then(Value::as_object);
    // llguidance rejects patterns that match the same key.
    let has_several = patterns.is_some_and(|patterns| patterns.len() > 1);
    let is_rejected =
        |(pattern, schema): (&String, &Value)| *schema == false || !is_accepted_for_keys(pattern);
    if has_several || patterns.into_iter().flatten().any(is_rejected) {
        // `additionalProperties` would apply to the keys that match.
        moved.extend(["patternProperties", "additionalProperties"]);
    }
    let has_false = |keyword: &&str| {
        let schemas = keywords.get(*keyword).and_then(Value::as_array);
        schemas.into_iter().flatten().any(|schema| *schema == false)
    };
    moved.extend(["anyOf", "allOf", "prefixItems"].into_iter().filter(has_false));
    move_keywords(keywords, &moved, REASON, &mut changes);
    changes
}

/// Leaves out properties, items and branches that accept no value.
pub(super) fn remove_false(keywords: &mut Map<String, Value>, changes: &mut Vec<String>) {
    let properties = keywords.get("properties").and_then(Value::as_object).into_iter().flatten();
    let left_out = properties.filter(|(_, schema)| **schema == false).map(|(name, _)| name.clone());
    let left_out: Vec<String> = left_out.collect();
    make_optional(keywords, &left_out);
    changes.extend(left_out.iter().map(|name| format!("`{name}` is left out, since it accepts no value")));
    if let Some(Value::Object(properties)) = keywords.get_mut("properties") {
        properties.retain(|_, schema| *schema != false);
    }
    for keyword in ["anyOf", "prefixItems"] {
        let Some(Value::Array(schemas)) = keywords.get_mut(keyword) else { continue };
        let count = schemas.iter().filter(|schema| **schema == false).count();
        if (1..schemas.len()).contains(&count) {
            schemas.retain(|schema| *schema != false);
            changes.push(format!("schemas in `{keyword}` that accept no value are left out"));
        }
    }
}

/// Moves these keywords into the description, for this reason.
pub(super) fn move_keywords(
    keywords: &mut Map<String, Value>,
    moved: &[&str],
    reason: &str,
    changes: &mut Vec<String>,
) {
    let present = moved.iter().filter(|keyword| keywords.contains_key(**keyword));
    changes.extend(present.map(|keyword| format!("`{keyword}` moves into the description, since {reason}")));
    description::move_keywords(keywords, moved);
}
