//! The parameters of a tool as one JSON Schema.

use super::normalise::{complete, normalise, settle};
use crate::arguments::{Described, Parameter};
use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

/// The schema of a tool's arguments: an object that is closed, its properties in declared order.
///
/// `described` are the parameters as their types describe them; `definitions` those types that refer to
/// themselves, which cannot be written in place.
pub(crate) fn of_tool(
    parameters: &[Parameter],
    described: Vec<Described>,
    mut definitions: Map<String, Value>,
) -> serde_json::Result<Box<RawValue>> {
    let required = parameters
        .iter()
        .zip(&described)
        .filter(|(_, described)| described.required)
        .map(|(parameter, _)| parameter.name)
        .collect();
    definitions.values_mut().for_each(normalise);
    let mut properties: Vec<Value> =
        described.into_iter().map(|described| described.schema.to_value()).collect();
    for (parameter, schema) in parameters.iter().zip(&mut properties) {
        describe(schema, parameter.description);
        normalise(schema);
    }
    let definitions = settle(definitions, &mut properties.iter_mut().collect::<Vec<_>>());
    for (parameter, schema) in parameters.iter().zip(&mut properties) {
        let keywords = parameter.keywords.iter().map(|&(keyword, value)| (keyword.to_owned(), value.into()));
        schema.as_object_mut().into_iter().for_each(|schema| schema.extend(keywords.clone()));
    }
    let names = parameters.iter().map(|parameter| parameter.name.to_owned());
    let properties = names.zip(properties).collect();
    to_raw_value(&Parameters {
        r#type: "object",
        properties: Ordered(properties),
        required,
        additional_properties: false,
        definitions,
    })
}

/// The schema that a program gave, with what servers refuse to do without: an object has `properties`, an array
/// `items`.
pub(crate) fn as_given(mut schema: Value) -> Value {
    if schema.is_null() {
        schema = json!({ "type": "object" });
    }
    complete(&mut schema);
    if let Some(keywords) = schema.as_object_mut() {
        keywords.remove("$schema");
        keywords.entry("properties").or_insert_with(|| Map::new().into());
    }
    schema
}

fn describe(schema: &mut Value, description: &str) {
    // `true` is how a type says that it takes anything.
    if !schema.is_object() {
        *schema = Map::new().into();
    }
    if let (Some(keywords), false) = (schema.as_object_mut(), description.is_empty()) {
        keywords.insert("description".to_owned(), description.into());
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Parameters {
    r#type: &'static str,
    properties: Ordered,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    required: Vec<&'static str>,
    additional_properties: bool,
    #[serde(rename = "$defs", skip_serializing_if = "Map::is_empty")]
    definitions: Map<String, Value>,
}

/// A map that keeps its order, which `serde_json::Map` need not.
pub(super) struct Ordered(pub(super) Vec<(String, Value)>);

impl Serialize for Ordered {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, schema) in &self.0 {
            map.serialize_entry(name, schema)?;
        }
        map.end()
    }
}
