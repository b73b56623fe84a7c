//! Schemas that reject unknown arguments.

use crate::json::referenced;
use crate::keywords::{names, take_object};
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// Closes the schema of an object, so that it rejects every key that it does not name. A map, which has a schema for
/// its other keys, stays open, and so does a schema whose references cannot be resolved.
pub fn close(schema: &mut Value) {
    let Some(known) = known_keys(schema) else { return };
    let Some(keywords) = schema.as_object_mut() else { return };
    for (keyword, names) in [("properties", known.names), ("patternProperties", known.patterns)] {
        if names.is_empty() {
            continue;
        }
        let mut schemas = take_object(keywords, keyword);
        for name in names {
            schemas.entry(name).or_insert_with(|| json!({}));
        }
        keywords.insert(keyword.to_owned(), schemas.into());
    }
    keywords.insert("additionalProperties".to_owned(), false.into());
}

#[derive(Default)]
struct KnownKeys {
    names: Vec<String>,
    patterns: Vec<String>,
}

/// The keys that a schema names in any subschema that applies to the object itself; `None` if the schema stays open.
fn known_keys(schema: &Value) -> Option<KnownKeys> {
    let mut known = KnownKeys::default();
    let (mut parts, mut references) = (vec![schema], HashSet::new());
    while let Some(part) = parts.pop() {
        let Some(keywords) = part.as_object() else { continue };
        for (keyword, value) in keywords {
            match keyword.as_str() {
                "properties" => known.names.extend(keys(value)),
                "patternProperties" => known.patterns.extend(keys(value)),
                "required" => known.names.extend(names(Some(value))),
                "propertyNames" => known.names.extend(names(value.get("enum"))),
                "additionalProperties" | "unevaluatedProperties" if is_schema_of_keys(value) => return None,
                "anyOf" | "oneOf" | "allOf" => parts.extend(value.as_array().into_iter().flatten()),
                "if" | "then" | "else" => parts.push(value),
                "dependentSchemas" | "dependentRequired" | "dependencies" => {
                    known.names.extend(keys(value));
                    for dependency in value.as_object().into_iter().flat_map(Map::values) {
                        known.names.extend(names(Some(dependency)));
                        parts.push(dependency);
                    }
                }
                "$ref" => {
                    let reference = value.as_str()?;
                    if references.insert(reference) {
                        parts.push(referenced(schema, reference)?);
                    }
                }
                "$dynamicRef" | "$recursiveRef" => return None,
                _ => {}
            }
        }
    }
    Some(known)
}

fn keys(value: &Value) -> impl Iterator<Item = String> {
    value.as_object().into_iter().flat_map(Map::keys).cloned()
}

/// `{}` and `true` accept any key, as a schema without the keyword does.
fn is_schema_of_keys(value: &Value) -> bool {
    value.as_object().is_some_and(|keywords| !keywords.is_empty())
}
