//! The parameters of a tool as one JSON Schema.

use super::normalise::{complete, normalise, refer};
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
    definitions: Map<String, Value>,
) -> serde_json::Result<Box<RawValue>> {
    let required = parameters
        .iter()
        .zip(&described)
        .filter(|(_, described)| described.required)
        .map(|(parameter, _)| parameter.name)
        .collect();
    let mut definitions = definitions;
    definitions.values_mut().for_each(normalise);
    let normalised = definitions.clone();
    for (name, definition) in &mut definitions {
        // Not itself, but all that stands in it.
        let others = normalised.iter().filter(|(other, _)| *other != name);
        let others = others.map(|(name, definition)| (name.clone(), definition.clone())).collect();
        refer(definition, &others);
    }
    let properties = parameters
        .iter()
        .zip(described)
        .map(|(parameter, described)| {
            (parameter.name.to_owned(), property(parameter, described, &normalised))
        })
        .collect();
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

fn property(parameter: &Parameter, described: Described, definitions: &Map<String, Value>) -> Value {
    let mut schema = described.schema.to_value();
    // `true` is how a type says that it takes anything.
    if !schema.is_object() {
        schema = Map::new().into();
    }
    if let (Some(keywords), false) = (schema.as_object_mut(), parameter.description.is_empty()) {
        keywords.insert("description".to_owned(), parameter.description.into());
    }
    normalise(&mut schema);
    refer(&mut schema, definitions);
    if let Some(keywords) = schema.as_object_mut() {
        keywords
            .extend(parameter.keywords.iter().map(|&(keyword, value)| (keyword.to_owned(), value.into())));
    }
    schema
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
