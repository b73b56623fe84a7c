//! The metaschema of JSON Schema 2020-12.

use crate::validator::{Budget, Validator};
use serde_json::{Value, json};
use std::sync::OnceLock;

/// The errors of a schema, each with its place; empty if it is a schema of JSON Schema 2020-12.
pub(crate) fn metaschema_errors(schema: &Value) -> Vec<String> {
    static VALIDATOR: OnceLock<Option<Validator>> = OnceLock::new();
    let validator = VALIDATOR.get_or_init(|| Validator::new(&metaschema()).ok());
    let Some(validator) = validator else { return Vec::new() };
    let text = crate::json::to_text(schema);
    let errors = validator.errors(validator.root, "", &text, &mut Budget::new(&text));
    errors.iter().map(ToString::to_string).collect()
}

/// The keywords with the types of their values, as <https://json-schema.org/draft/2020-12/schema> has them in several
/// documents.
fn metaschema() -> Value {
    let schema = json!({ "$ref": "#" });
    let schemas = json!({ "type": "object", "additionalProperties": schema });
    let list = json!({ "type": "array", "items": schema, "minItems": 1 });
    let names = json!({ "type": "array", "items": { "type": "string" }, "uniqueItems": true });
    let (text, flag, number) =
        (json!({ "type": "string" }), json!({ "type": "boolean" }), json!({ "type": "number" }));
    let count = json!({ "type": "integer", "minimum": 0 });
    let kind = json!({ "enum": ["array", "boolean", "integer", "null", "number", "object", "string"] });
    let kinds =
        json!({ "anyOf": [kind, { "type": "array", "items": kind, "minItems": 1, "uniqueItems": true }] });
    let groups: [(&[&str], &Value); 10] = [
        (
            &[
                "$id",
                "$schema",
                "$ref",
                "$anchor",
                "$dynamicRef",
                "$dynamicAnchor",
                "$comment",
                "title",
                "description",
            ],
            &text,
        ),
        (&["pattern", "format", "contentEncoding", "contentMediaType"], &text),
        (&["deprecated", "readOnly", "writeOnly", "uniqueItems"], &flag),
        (&["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"], &number),
        (
            &[
                "minLength",
                "maxLength",
                "minItems",
                "maxItems",
                "minContains",
                "maxContains",
                "minProperties",
                "maxProperties",
            ],
            &count,
        ),
        (&["$defs", "definitions", "properties", "patternProperties", "dependentSchemas"], &schemas),
        (&["allOf", "anyOf", "oneOf", "prefixItems"], &list),
        (
            &[
                "items",
                "contains",
                "additionalProperties",
                "propertyNames",
                "unevaluatedItems",
                "unevaluatedProperties",
            ],
            &schema,
        ),
        (&["not", "if", "then", "else", "contentSchema"], &schema),
        (&["required"], &names),
    ];
    let mut properties: serde_json::Map<String, Value> = groups
        .into_iter()
        .flat_map(|(keywords, value)| keywords.iter().map(|keyword| ((*keyword).to_owned(), value.clone())))
        .collect();
    properties.insert("type".to_owned(), kinds);
    properties.insert("multipleOf".to_owned(), json!({ "type": "number", "exclusiveMinimum": 0 }));
    properties
        .insert("dependentRequired".to_owned(), json!({ "type": "object", "additionalProperties": names }));
    for keyword in ["enum", "examples"] {
        properties.insert(keyword.to_owned(), json!({ "type": "array" }));
    }
    json!({ "type": ["object", "boolean"], "properties": properties })
}
