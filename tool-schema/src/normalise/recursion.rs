//! Definitions of recursive types.

use crate::fingerprint;
use crate::json::{definition_name, remove_entry};
use crate::keywords::each_subschema;
use crate::nullable::null_schema;
use serde_json::{Map, Value, json};

/// Gives the definitions of a tool plain names, and replaces each copy of a definition with a reference.
pub fn resolve_definitions(
    definitions: Map<String, Value>,
    schemas: &mut [&mut Value],
) -> Map<String, Value> {
    let mut resolved = Map::new();
    for (name, mut definition) in definitions {
        rename(&mut definition);
        resolved.insert(plain_name(&name), definition);
    }
    for schema in schemas.iter_mut() {
        rename(schema);
    }
    // Two passes: a definition may contain a copy of one that is resolved after it.
    for _ in 0..2 {
        let known = resolved.clone();
        for definition in resolved.values_mut().filter_map(Value::as_object_mut) {
            // Only its subschemas: replaced as a whole, it would refer to itself.
            each_subschema(definition, &mut |subschema| replace_with_ref(subschema, &known));
        }
    }
    for schema in schemas {
        replace_with_ref(schema, &resolved);
    }
    resolved
}

/// Replaces a copy of a definition with a reference: schemars inlines a recursive type once before it defines it.
fn replace_with_ref(schema: &mut Value, definitions: &Map<String, Value>) {
    let Value::Object(keywords) = schema else { return };
    each_subschema(keywords, &mut |subschema| replace_with_ref(subschema, definitions));
    let found = definitions.iter().find_map(|(name, definition)| {
        let definition = definition.as_object()?;
        let matching = matches_definition(keywords, definition)?;
        Some((format!("{PREFIX}{name}"), definition.get("description").cloned(), matching))
    });
    let Some((reference, description, matching)) = found else { return };
    let mut kept: Vec<(String, Value)> = Vec::new();
    for annotation in ANNOTATIONS {
        let value = remove_entry(keywords, annotation);
        let value = value.filter(|value| annotation != "description" || Some(value) != description.as_ref());
        kept.extend(value.map(|value| (annotation.to_owned(), value)));
    }
    keywords.clear();
    match matching {
        Match::Same => drop(keywords.insert("$ref".to_owned(), reference.into())),
        Match::Nullable => {
            keywords.insert("anyOf".to_owned(), json!([{ "$ref": reference }, null_schema()]));
        }
    }
    keywords.extend(kept);
}

const PREFIX: &str = "#/$defs/";

/// The annotations that a field may have next to a reference.
const ANNOTATIONS: [&str; 3] = ["description", "default", "examples"];

/// A name for a definition that references and engines accept. The name of a generic or renamed type may contain any
/// character.
pub(crate) fn plain_name(name: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.');
    if name.chars().all(is_plain) {
        return name.to_owned();
    }
    let plain: String = name.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect();
    // Two names may differ only in the replaced characters.
    format!("{plain}_{:08x}", fingerprint(name.bytes()) & 0xffff_ffff)
}

/// Changes each reference to the plain name of its definition.
fn rename(schema: &mut Value) {
    let Value::Object(keywords) = schema else { return };
    if let Some(Value::String(reference)) = keywords.get_mut("$ref") {
        if let Some(name) = definition_name(reference) {
            *reference = format!("{PREFIX}{}", plain_name(&name));
        }
    }
    each_subschema(keywords, &mut rename);
}

enum Match {
    Same,
    /// The same, or null.
    Nullable,
}

/// Compares a schema with a definition, without their annotations.
fn matches_definition(keywords: &Map<String, Value>, definition: &Map<String, Value>) -> Option<Match> {
    let count_constraints = |keywords: &Map<String, Value>| {
        keywords.keys().filter(|keyword| !ANNOTATIONS.contains(&keyword.as_str())).count()
    };
    if count_constraints(keywords) != count_constraints(definition) {
        return None;
    }
    let mut matching = Match::Same;
    for (keyword, value) in keywords.iter().filter(|(keyword, _)| !ANNOTATIONS.contains(&keyword.as_str())) {
        let defined = definition.get(keyword)?;
        if value == defined {
            continue;
        }
        let is_nullable = match keyword.as_str() {
            "type" => *value == json!([defined, "null"]),
            "oneOf" | "anyOf" => only_adds_null(value, defined),
            _ => false,
        };
        if !is_nullable {
            return None;
        }
        matching = Match::Nullable;
    }
    Some(matching)
}

/// Whether the alternatives are those of the definition, followed by null.
fn only_adds_null(alternatives: &Value, defined: &Value) -> bool {
    match (alternatives.as_array().and_then(|all| all.split_last()), defined.as_array()) {
        (Some((last, others)), Some(defined)) => *last == null_schema() && others == &defined[..],
        _ => false,
    }
}
