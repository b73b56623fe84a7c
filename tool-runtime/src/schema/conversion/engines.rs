//! Keywords that grammar engines compile.
//!
//! llama.cpp, vLLM and SGLang make a grammar of the schemas of all tools of a request, and reject the request if one of them has
//! a keyword that their engine does not compile. A published schema accepts a little more instead, and the description has the
//! keyword; the tool enforces it.

use super::Conversion;
use super::patterns::{MAX_REPETITIONS, is_rejected_for_keys, portable};
use super::references::{Reader, resolve};
use crate::json::remove_entry;
use crate::schema::description;
use crate::schema::keywords::KNOWN_FORMATS;
use crate::schema::publish::{is_wide, replace_one_of};
use crate::schema::strict::accepts;
use serde_json::{Map, Value};

/// The maximum length next to a pattern.
const MAX_LENGTH_WITH_PATTERN: u32 = 100;

/// The rule of servers with a grammar engine.
pub(crate) fn accept_in_engines(conversion: &mut Conversion) {
    resolve(conversion, Reader::Engine);
    // A model may not see the description of the parameters, only that of the tool.
    let description = remove_entry(&mut conversion.root, "description");
    conversion.each_schema(&mut |keywords| {
        let mut changes = simplify_texts(keywords);
        changes.extend(simplify_objects(keywords));
        changes
    });
    if let Some(Value::String(moved)) = remove_entry(&mut conversion.root, "description") {
        conversion.sentences.push(format!("Arguments: {moved}"));
    }
    conversion.root.extend(description.map(|description| ("description".to_owned(), description)));
}

/// Replaces or moves the limits of strings, arrays and numbers that engines do not compile. Returns the changes.
pub(in crate::schema) fn simplify_texts(keywords: &mut Map<String, Value>) -> Vec<String> {
    let mut changes = Vec::new();
    if let Some(Value::String(pattern)) = keywords.get_mut("pattern") {
        match portable(pattern) {
            Some(portable) if portable == *pattern => {}
            Some(portable) => {
                changes.push(format!(
                    "the pattern `{pattern}` is written as `{portable}`, which grammar engines compile"
                ));
                *pattern = portable;
            }
            None => move_keywords(keywords, &["pattern"], &mut changes),
        }
    }
    let format = keywords.get("format").and_then(Value::as_str);
    // Engines ignore the formats of numbers.
    let is_of_text = !keywords.contains_key("type") || accepts(keywords, "string");
    if is_of_text && format.is_some_and(|format| !KNOWN_FORMATS.contains(&format)) {
        move_keywords(keywords, &["format"], &mut changes);
    }
    // llguidance does not intersect a pattern with a large limit.
    let max_length = if keywords.contains_key("pattern") { MAX_LENGTH_WITH_PATTERN } else { MAX_REPETITIONS };
    let is_large = |&(keyword, max): &(&str, u32)| {
        keywords.get(keyword).and_then(Value::as_f64).is_some_and(|count| count > f64::from(max))
    };
    let limits = [("minLength", max_length), ("maxLength", max_length)];
    let limits = limits.into_iter().chain([("minItems", MAX_REPETITIONS), ("maxItems", MAX_REPETITIONS)]);
    let mut moved: Vec<&str> = limits.filter(is_large).map(|(keyword, _)| keyword).collect();
    for (least, most) in [("minLength", "maxLength"), ("minItems", "maxItems")] {
        let [minimum, maximum] = [least, most].map(|keyword| keywords.get(keyword).and_then(Value::as_f64));
        if minimum.zip(maximum).is_some_and(|(minimum, maximum)| minimum > maximum) {
            moved.extend([least, most]);
        }
    }
    let bounds = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
    moved.extend(bounds.into_iter().filter(|keyword| keywords.get(*keyword).is_some_and(is_wide)));
    move_keywords(keywords, &moved, &mut changes);
    changes
}

/// Replaces or moves the keywords of unions, objects and arrays that engines do not compile. Returns the changes.
fn simplify_objects(keywords: &mut Map<String, Value>) -> Vec<String> {
    const MOVED: [&str; 15] = [
        "not",
        "if",
        "then",
        "else",
        "dependentRequired",
        "dependentSchemas",
        "propertyNames",
        "contains",
        "minContains",
        "maxContains",
        "minProperties",
        "maxProperties",
        "unevaluatedProperties",
        "unevaluatedItems",
        "dependencies",
    ];
    let mut changes = Vec::new();
    if keywords.contains_key("oneOf") {
        replace_one_of(keywords);
        changes.push("`oneOf` is `anyOf`, which grammar engines compile".to_owned());
    }
    match remove_entry(keywords, "uniqueItems") {
        Some(Value::Bool(true)) => {
            description::append(keywords, "Items are unique.");
            changes.push(
                "`uniqueItems` is in the description, since grammar engines do not compile it".to_owned(),
            );
        }
        Some(_) => changes.push("`uniqueItems` is left out, since it has no effect".to_owned()),
        None => {}
    }
    let mut moved = MOVED.to_vec();
    if keywords.get("enum").and_then(Value::as_array).is_some_and(Vec::is_empty) {
        moved.push("enum");
    }
    let patterns = keywords.get("patternProperties").and_then(Value::as_object);
    if patterns.into_iter().flatten().any(|(pattern, _)| is_rejected_for_keys(pattern)) {
        moved.push("patternProperties");
    }
    move_keywords(keywords, &moved, &mut changes);
    changes
}

fn move_keywords(keywords: &mut Map<String, Value>, moved: &[&str], changes: &mut Vec<String>) {
    let present: Vec<&str> =
        moved.iter().copied().filter(|keyword| keywords.contains_key(*keyword)).collect();
    description::move_keywords(keywords, &present);
    let moved = present
        .iter()
        .map(|keyword| format!("`{keyword}` is in the description, since grammar engines do not compile it"));
    changes.extend(moved);
}
