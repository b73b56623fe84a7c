//! The parameters of a tool as one JSON Schema.

use super::normalise::normalise;
use crate::arguments::{Described, Parameter};
use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

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
    let properties = parameters
        .iter()
        .zip(described)
        .map(|(parameter, described)| (parameter.name, property(parameter, described)))
        .collect();
    let definitions = definitions
        .into_iter()
        .map(|(name, mut schema)| {
            normalise(&mut schema);
            (name, schema)
        })
        .collect();
    to_raw_value(&Parameters {
        r#type: "object",
        properties: Properties(properties),
        required,
        additional_properties: false,
        definitions,
    })
}

/// The schema that a program gave, with `properties`, since servers refuse an object without them.
pub(crate) fn as_given(mut schema: Value) -> serde_json::Result<Box<RawValue>> {
    if let Some(keywords) = schema.as_object_mut() {
        keywords.entry("properties").or_insert_with(|| Map::new().into());
    }
    to_raw_value(&schema)
}

fn property(parameter: &Parameter, described: Described) -> Value {
    let mut schema = described.schema.to_value();
    normalise(&mut schema);
    // `true` is how a type says that it takes anything.
    let mut keywords = match schema {
        Value::Object(keywords) => keywords,
        _ => Map::new(),
    };
    keywords.extend(parameter.keywords.iter().map(|&(keyword, value)| (keyword.to_owned(), value.into())));
    if !parameter.description.is_empty() {
        keywords.insert("description".to_owned(), parameter.description.into());
    }
    Value::Object(keywords)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Parameters {
    r#type: &'static str,
    properties: Properties,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    required: Vec<&'static str>,
    additional_properties: bool,
    #[serde(rename = "$defs", skip_serializing_if = "Map::is_empty")]
    definitions: Map<String, Value>,
}

/// A map that keeps its order, which `serde_json::Map` need not.
struct Properties(Vec<(&'static str, Value)>);

impl Serialize for Properties {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, schema) in &self.0 {
            map.serialize_entry(name, schema)?;
        }
        map.end()
    }
}
