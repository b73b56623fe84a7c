//! The words of a tool's definition, by field.

use crate::Definition;
use crate::words::{is_number, stems, tokens};
use serde_json::Value;

/// In words of one field. The documentation of a tool is shorter; a longer one would make every query slow.
const MAX_FIELD_LENGTH: usize = 1_000;

/// The words of the fields of a definition: of its name, of its description, and of the names, descriptions and values of
/// its parameters, the nested ones too.
pub(crate) fn tool_words(tool: Definition<'_>) -> [Vec<String>; 3] {
    // Deeper schemas than the parser accepts have no words.
    let schema: Value = serde_json::from_str(tool.parameters).unwrap_or_default();
    let words = |text| limited(stems(tokens(text, MAX_FIELD_LENGTH)));
    let parameters = texts(&schema).flat_map(|text| tokens(text, MAX_FIELD_LENGTH)).take(MAX_FIELD_LENGTH);
    let mut parameters = limited(stems(parameters));
    // Numbers are values of examples there. A question contains others.
    parameters.retain(|word| !is_number(word));
    [words(tool.name), words(tool.description), parameters]
}

/// One identifier can have many parts.
fn limited(mut words: Vec<String>) -> Vec<String> {
    words.truncate(MAX_FIELD_LENGTH);
    words
}

/// Names of properties, descriptions and values, without recursion. References are not followed, so each text occurs
/// once.
fn texts(schema: &Value) -> impl Iterator<Item = &str> {
    let mut rest = vec![schema];
    let schemas = std::iter::from_fn(move || {
        let schema = rest.pop()?;
        for (keyword, value) in schema.as_object().into_iter().flatten() {
            match (keyword.as_str(), value) {
                ("properties" | "patternProperties" | "$defs" | "definitions", Value::Object(schemas)) => {
                    rest.extend(schemas.values());
                }
                ("anyOf" | "oneOf" | "allOf" | "prefixItems" | "items", Value::Array(schemas)) => {
                    rest.extend(schemas);
                }
                ("items" | "additionalProperties", schema) => rest.push(schema),
                _ => {}
            }
        }
        Some(schema)
    });
    schemas.flat_map(|schema| {
        let properties = schema.get("properties").and_then(Value::as_object).into_iter();
        let names = properties.flatten().map(|(name, _)| &**name);
        let values =
            schema.get("enum").and_then(Value::as_array).into_iter().flatten().chain(schema.get("const"));
        names.chain(schema.get("description").into_iter().chain(values).filter_map(Value::as_str))
    })
}
