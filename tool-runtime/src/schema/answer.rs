//! The schema of a typed answer.

use super::parameters::ParametersSchema;
use crate::json::definition_name;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tool_runtime_schema::{TypeBounds, normalise, publish, resolve_definitions, schema_text};

/// The schemas of a typed answer.
pub(crate) struct AnswerSchema {
    pub(crate) schemas: ParametersSchema,
    /// Whether the answer is the property `answer` of an object, since its type is not an object.
    pub(crate) is_wrapped: bool,
}

/// The schemas of a typed answer, which is an object, as providers require.
pub(crate) fn from_answer(schema: &Value, definitions: &Map<String, Value>) -> AnswerSchema {
    let [(enforced, is_wrapped), (published, _)] = [TypeBounds::Enforced, TypeBounds::Published]
        .map(|bounds| answer_schema(schema.clone(), definitions.clone(), bounds));
    // Writing a JSON value as JSON does not fail.
    let published = schema_text(&published).unwrap_or_else(|_| RawValue::NULL.to_owned());
    AnswerSchema { schemas: ParametersSchema { enforced, published }, is_wrapped }
}

/// The schema, and whether the answer is a property of an object.
fn answer_schema(
    mut schema: Value,
    mut definitions: Map<String, Value>,
    bounds: TypeBounds,
) -> (Value, bool) {
    if !schema.is_object() {
        // A type that accepts any value has the schema `true`.
        schema = Map::new().into();
    }
    definitions.values_mut().for_each(|definition| normalise(definition, bounds));
    normalise(&mut schema, bounds);
    let mut definitions = resolve_definitions(definitions, &mut [&mut schema]);
    // The root of a recursive type.
    if let Some(definition) = schema["$ref"].as_str().and_then(definition_name) {
        if let Some(definition) = definitions.get(&*definition).filter(|schema| is_plain_object(schema)) {
            schema = definition.clone();
        }
    }
    let is_wrapped = !is_plain_object(&schema);
    if bounds == TypeBounds::Published {
        definitions.values_mut().chain([&mut schema]).for_each(publish);
    }
    let mut object = schema;
    if is_wrapped {
        let properties = json!({ "answer": object });
        object = json!({ "type": "object", "properties": properties, "required": ["answer"], "additionalProperties": false });
    }
    // A map has none, and OpenAI rejects its schema: "object schema missing properties".
    if object["properties"].is_null() {
        object["properties"] = json!({});
    }
    if !definitions.is_empty() {
        object["$defs"] = definitions.into();
    }
    (object, is_wrapped)
}

/// Whether this is the schema of an object without alternatives, which providers accept at the root.
fn is_plain_object(schema: &Value) -> bool {
    const UNIONS_AND_REFERENCES: [&str; 7] = ["$ref", "anyOf", "oneOf", "allOf", "enum", "const", "not"];
    schema.get("type").is_some_and(|kind| kind == "object")
        && UNIONS_AND_REFERENCES.iter().all(|keyword| schema.get(keyword).is_none())
}
