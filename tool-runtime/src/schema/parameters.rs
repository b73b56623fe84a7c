//! The parameters of a tool as one JSON Schema.

use super::metaschema::{InvalidSchema, standardise_checked};
use crate::arguments::{ParamSchema, Parameter};
use crate::json::{object, remove_entry};
use crate::validator::ExceededLimit;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tool_runtime_schema::{TypeBounds, close, normalise, publish, resolve_definitions, schema_text};

/// The two schemas of a tool's arguments.
pub(crate) struct ParametersSchema {
    /// The arguments are validated against this one.
    pub(crate) enforced: Value,
    /// A request contains this one. That of a function accepts a little more, since grammar engines do not compile every
    /// schema.
    pub(crate) published: Box<RawValue>,
}

/// The schemas of a function's arguments: a closed object.
///
/// `described` has the schema of each parameter's type; `definitions` has the schemas of recursive types.
pub(crate) fn from_parameters(
    parameters: &[Parameter],
    described: &[ParamSchema],
    definitions: &Map<String, Value>,
) -> serde_json::Result<ParametersSchema> {
    let schema = |bounds| object_schema(parameters, described, definitions.clone(), bounds);
    let published = schema_text(&schema(TypeBounds::Published))?;
    Ok(ParametersSchema { enforced: schema(TypeBounds::Enforced), published })
}

fn object_schema(
    parameters: &[Parameter],
    described: &[ParamSchema],
    mut definitions: Map<String, Value>,
    bounds: TypeBounds,
) -> Value {
    let names = || parameters.iter().map(|parameter| parameter.name);
    let required = names().zip(described).filter(|(_, described)| described.required).map(|(name, _)| name);
    let required: Vec<&str> = required.collect();
    definitions.values_mut().for_each(|definition| normalise(definition, bounds));
    let mut schemas: Vec<Value> =
        described.iter().map(|described| described.schema.clone().to_value()).collect();
    for (parameter, schema) in parameters.iter().zip(&mut schemas) {
        describe(schema, parameter.description);
        normalise(schema, bounds);
    }
    let mut definitions = resolve_definitions(definitions, &mut schemas.iter_mut().collect::<Vec<_>>());
    for (parameter, schema) in parameters.iter().zip(&mut schemas) {
        let keywords = parameter.keywords.iter().map(|&(keyword, value)| (keyword.to_owned(), value.into()));
        schema.as_object_mut().into_iter().for_each(|schema| schema.extend(keywords.clone()));
    }
    if bounds == TypeBounds::Published {
        schemas.iter_mut().chain(definitions.values_mut()).for_each(publish);
    }
    let mut object_schema = object([("type".to_owned(), "object".into())]);
    if !required.is_empty() {
        object_schema.insert("required".to_owned(), json!(required));
    }
    object_schema.insert("additionalProperties".to_owned(), false.into());
    let properties = object(names().map(str::to_owned).zip(schemas));
    object_schema.insert("properties".to_owned(), properties.into());
    if !definitions.is_empty() {
        object_schema.insert("$defs".to_owned(), definitions.into());
    }
    object_schema.into()
}

/// The schemas of a dynamic tool: the given schema, with `properties` and without `$schema`.
///
/// Null and `{}` mean any object. `is_closed`: arguments that the schema does not name are rejected.
pub(crate) fn from_dynamic(mut schema: Value, is_closed: bool) -> Result<ParametersSchema, SchemaError> {
    // No parameters, or `{}`, mean any object.
    if schema.is_null() || schema.as_object().is_some_and(Map::is_empty) {
        schema = json!({ "type": "object" });
    }
    if let Some(keywords) = schema.as_object_mut() {
        remove_entry(keywords, "$schema");
        // The schema that a reference refers to has its own.
        if !keywords.contains_key("$ref") {
            keywords.retain(|keyword, value| keyword != "properties" || !value.is_null());
            keywords.entry("properties").or_insert_with(|| Map::new().into());
        }
    }
    if is_closed {
        close(&mut schema);
    }
    Ok(ParametersSchema {
        published: schema_text(&schema)?,
        enforced: standardise_checked(schema).map_err(SchemaError::Invalid)?,
    })
}

/// Why a schema cannot be used.
pub(crate) enum SchemaError {
    Json(serde_json::Error),
    Invalid(InvalidSchema),
    Limit(ExceededLimit),
}

impl From<serde_json::Error> for SchemaError {
    fn from(error: serde_json::Error) -> Self {
        SchemaError::Json(error)
    }
}

impl From<ExceededLimit> for SchemaError {
    fn from(limit: ExceededLimit) -> Self {
        SchemaError::Limit(limit)
    }
}

fn describe(schema: &mut Value, description: &str) {
    // A type that accepts any value has the schema `true`.
    if !schema.is_object() {
        *schema = Map::new().into();
    }
    if let (Some(keywords), false) = (schema.as_object_mut(), description.is_empty()) {
        keywords.insert("description".to_owned(), description.into());
    }
}
