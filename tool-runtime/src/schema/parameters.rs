//! The parameters of a tool as one JSON Schema.

use super::close::close;
use super::conversion::{InvalidSchema, standard};
use super::keywords::take_object;
use super::normalise::{complete, normalise, resolve_definitions};
use super::publish::publish;
use crate::arguments::{ParamSchema, Parameter};
use crate::json::{object, pairs};
use crate::validator::ExceededLimit;
use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

/// The two schemas of a tool's arguments.
pub(crate) struct ParametersSchema {
    /// The arguments are validated against this one.
    pub(crate) enforced: Value,
    /// A request contains this one. That of a function accepts a little more, since grammar engines do not compile every
    /// schema.
    pub(crate) published: Box<RawValue>,
}

/// The schemas of a function's arguments: a closed object, in the published schema with its properties in declared order.
///
/// `described` has the schema of each parameter's type; `definitions` has the schemas of recursive types.
pub(crate) fn from_parameters(
    parameters: &[Parameter],
    described: &[ParamSchema],
    mut definitions: Map<String, Value>,
) -> serde_json::Result<ParametersSchema> {
    let names = || parameters.iter().map(|parameter| parameter.name);
    let required = names().zip(described).filter(|(_, described)| described.required).map(|(name, _)| name);
    let required: Vec<&str> = required.collect();
    definitions.values_mut().for_each(normalise);
    let mut schemas: Vec<Value> =
        described.iter().map(|described| described.schema.clone().to_value()).collect();
    for (parameter, schema) in parameters.iter().zip(&mut schemas) {
        describe(schema, parameter.description);
        normalise(schema);
    }
    let mut definitions = resolve_definitions(definitions, &mut schemas.iter_mut().collect::<Vec<_>>());
    for (parameter, schema) in parameters.iter().zip(&mut schemas) {
        let keywords = parameter.keywords.iter().map(|&(keyword, value)| (keyword.to_owned(), value.into()));
        schema.as_object_mut().into_iter().for_each(|schema| schema.extend(keywords.clone()));
    }
    let enforced = json!({
        "type": "object",
        "properties": object(names().map(str::to_owned).zip(schemas.iter().cloned())),
        "required": required,
        "additionalProperties": false,
        "$defs": definitions,
    });
    schemas.iter_mut().chain(definitions.values_mut()).for_each(publish);
    let published = Published {
        r#type: "object",
        properties: Ordered(names().map(str::to_owned).zip(schemas).collect()),
        required,
        additional_properties: false,
        definitions,
    };
    Ok(ParametersSchema { enforced, published: to_raw_value(&published)? })
}

/// The schemas of a dynamic tool: the given schema, with the keywords that servers require.
///
/// Null and `{}` mean any object. `is_closed`: arguments that the schema does not name are rejected.
pub(crate) fn from_dynamic(mut schema: Value, is_closed: bool) -> Result<ParametersSchema, SchemaError> {
    if is_any_object(&schema) {
        schema = json!({ "type": "object" });
    }
    complete(&mut schema);
    if let Some(keywords) = schema.as_object_mut() {
        keywords.remove("$schema");
        // The schema that a reference refers to has its own.
        if !keywords.contains_key("$ref") {
            keywords.entry("properties").or_insert_with(|| Map::new().into());
        }
    }
    if is_closed {
        close(&mut schema);
    }
    Ok(ParametersSchema { published: to_raw_value(&schema)?, enforced: standard(schema)? })
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

impl From<InvalidSchema> for SchemaError {
    fn from(invalid: InvalidSchema) -> Self {
        SchemaError::Invalid(invalid)
    }
}

impl From<ExceededLimit> for SchemaError {
    fn from(limit: ExceededLimit) -> Self {
        SchemaError::Limit(limit)
    }
}

/// Whether a definition has no parameters or `{}`, which mean any object.
fn is_any_object(schema: &Value) -> bool {
    schema.is_null() || schema.as_object().is_some_and(Map::is_empty)
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

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Published {
    r#type: &'static str,
    properties: Ordered,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    required: Vec<&'static str>,
    additional_properties: bool,
    #[serde(rename = "$defs", skip_serializing_if = "Map::is_empty")]
    definitions: Map<String, Value>,
}

/// The text of a schema whose properties have the order of this one, in which a model writes the arguments.
pub(super) fn with_order_of(
    original: &RawValue,
    mut converted: Map<String, Value>,
) -> serde_json::Result<Box<RawValue>> {
    let keywords = pairs(original.get()).unwrap_or_default();
    let names = keywords.iter().find(|(keyword, _)| keyword == "properties");
    let names = names.and_then(|(_, properties)| pairs(properties)).unwrap_or_default();
    let mut properties = take_object(&mut converted, "properties");
    let in_order = names.into_iter().filter_map(|(name, _)| properties.remove_entry(&*name));
    to_raw_value(&Converted { properties: Ordered(in_order.collect()), rest: converted })
}

#[derive(Serialize)]
struct Converted {
    properties: Ordered,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// A map that keeps the order of its entries, which `serde_json::Map` may not.
struct Ordered(Vec<(String, Value)>);

impl Serialize for Ordered {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, schema) in &self.0 {
            map.serialize_entry(name, schema)?;
        }
        map.end()
    }
}
