//! Types that refer to themselves.

use super::each_subschema;
use crate::check::percent_decoded;
use serde_json::{Map, Value, json};

/// Settles what the definitions of a tool are called, and what each says of the others.
pub(in crate::schema) fn settle(
    definitions: Map<String, Value>,
    schemas: &mut [&mut Value],
) -> Map<String, Value> {
    let mut settled = Map::new();
    for (name, mut definition) in definitions {
        rename(&mut definition);
        settled.insert(plain_name(&name), definition);
    }
    for schema in schemas.iter_mut() {
        rename(schema);
    }
    // Twice, since a definition may hold one that is only settled after it.
    for _ in 0..2 {
        let known = settled.clone();
        for definition in settled.values_mut().filter_map(Value::as_object_mut) {
            // Not itself, but all that stands in it.
            each_subschema(definition, &mut |subschema| refer(subschema, &known));
        }
    }
    for schema in schemas {
        refer(schema, &settled);
    }
    settled
}

/// Puts a reference where a definition was written in place: schemars inlines a recursive type once before it
/// defines it.
fn refer(schema: &mut Value, definitions: &Map<String, Value>) {
    let Value::Object(keywords) = schema else { return };
    each_subschema(keywords, &mut |subschema| refer(subschema, definitions));
    let found = definitions.iter().find_map(|(name, definition)| {
        let definition = definition.as_object()?;
        let likeness = likeness(keywords, definition)?;
        Some((format!("{PREFIX}{name}"), definition.get("description").cloned(), likeness))
    });
    let Some((reference, description, likeness)) = found else { return };
    let mut own: Vec<(String, Value)> = Vec::new();
    for annotation in ANNOTATIONS {
        let value = keywords.remove(annotation);
        let value = value.filter(|value| annotation != "description" || Some(value) != description.as_ref());
        own.extend(value.map(|value| (annotation.to_owned(), value)));
    }
    keywords.clear();
    match likeness {
        Likeness::Same => drop(keywords.insert("$ref".to_owned(), reference.into())),
        Likeness::Nullable => {
            keywords.insert("anyOf".to_owned(), json!([{ "$ref": reference }, { "type": "null" }]));
        }
    }
    keywords.extend(own);
}

const PREFIX: &str = "#/$defs/";

/// What a field says in its own way.
const ANNOTATIONS: [&str; 3] = ["description", "default", "examples"];

/// The name of a generic or a renamed type may hold what a reference cannot, as it stands.
fn plain_name(name: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.');
    if name.chars().all(is_plain) {
        return name.to_owned();
    }
    let plain: String = name.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect();
    // Two names may be alike in what is plain of them.
    let whole = name.chars().fold(0_u32, |sum, letter| sum.wrapping_mul(31).wrapping_add(u32::from(letter)));
    format!("{plain}_{whole:x}")
}

/// Names the definitions in references as they are called now.
fn rename(schema: &mut Value) {
    let Value::Object(keywords) = schema else { return };
    if let Some(Value::String(reference)) = keywords.get_mut("$ref") {
        if let Some(encoded) = reference.strip_prefix(PREFIX) {
            let name = percent_decoded(encoded).replace("~1", "/").replace("~0", "~");
            *reference = format!("{PREFIX}{}", plain_name(&name));
        }
    }
    each_subschema(keywords, &mut rename);
}

enum Likeness {
    Same,
    /// The same, or null.
    Nullable,
}

/// But for what a field says in its own way.
fn likeness(keywords: &Map<String, Value>, definition: &Map<String, Value>) -> Option<Likeness> {
    let counted = |keywords: &Map<String, Value>| {
        keywords.keys().filter(|keyword| !ANNOTATIONS.contains(&keyword.as_str())).count()
    };
    if counted(keywords) != counted(definition) {
        return None;
    }
    let mut likeness = Likeness::Same;
    for (keyword, value) in keywords.iter().filter(|(keyword, _)| !ANNOTATIONS.contains(&keyword.as_str())) {
        let defined = definition.get(keyword)?;
        if value == defined {
            continue;
        }
        let is_nullable = match keyword.as_str() {
            "type" => *value == json!([defined, "null"]),
            "oneOf" | "anyOf" => is_one_more(value, defined),
            _ => false,
        };
        if !is_nullable {
            return None;
        }
        likeness = Likeness::Nullable;
    }
    Some(likeness)
}

/// Whether these are those alternatives, and null.
fn is_one_more(alternatives: &Value, defined: &Value) -> bool {
    match (alternatives.as_array().and_then(|all| all.split_last()), defined.as_array()) {
        (Some((last, others)), Some(defined)) => *last == json!({ "type": "null" }) && others == &defined[..],
        _ => false,
    }
}
