//! Tool definitions and the tool choice: how entries of `tools` and `tool_choice` are read and written.

use crate::schema::{ToolSchema, WrittenDefinition, from_parameters};
use crate::tool_choice::ToolChoice;
use crate::wire::chat_completions::FUNCTIONS;
use crate::wire::definitions::convert_foreign;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use tool_runtime_schema::schema_text;

#[derive(Serialize)]
pub(in crate::wire) struct Definition<'a> {
    r#type: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    strict: bool,
    parameters: &'a RawValue,
}

impl<'a> Definition<'a> {
    /// The definition of a tool, with the parameters in OpenAI's strict form if it has one.
    pub(in crate::wire) fn new(
        (tool, written): (&'a ToolSchema, &'a WrittenDefinition),
        strict: Option<&'a RawValue>,
    ) -> Self {
        let (name, description) = (tool.name(), written.description(tool));
        let (strict, parameters) = (strict.is_some(), strict.unwrap_or(written.parameters(tool)));
        Definition { r#type: "function", function: Function { name, description, strict, parameters } }
    }
}

/// The definition is written once and cached: a request copies its bytes.
impl Serialize for ToolSchema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let cached = &self.forms().definition;
        if let Some(definition) = cached.get() {
            return definition.serialize(serializer);
        }
        let written = self.written(FUNCTIONS.wire, FUNCTIONS.rules);
        let definition = Definition::new((self, &written), None);
        let definition = to_raw_value(&definition).map_err(serde::ser::Error::custom)?;
        cached.get_or_init(|| definition).serialize(serializer)
    }
}

#[derive(Deserialize)]
struct ReadDefinition {
    function: ReadFunction,
}

#[derive(Deserialize)]
struct ReadFunction {
    name: String,
    description: Option<String>,
    parameters: Option<Value>,
}

impl<'de> Deserialize<'de> for ToolSchema {
    /// A definition without `parameters` describes a tool without parameters.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let ReadDefinition { function } = ReadDefinition::deserialize(deserializer)?;
        let parameters = match function.parameters {
            Some(parameters) => schema_text(&parameters),
            None => from_parameters(&[], &[], &Map::new()).map(|schema| schema.published),
        };
        let parameters = parameters.map_err(D::Error::custom)?;
        let description = function.description.unwrap_or_default();
        Ok(ToolSchema::from_foreign(function.name.into(), description.into(), parameters, convert_foreign))
    }
}

#[derive(Serialize)]
struct Named<'a> {
    r#type: &'static str,
    function: BTreeMap<&'static str, &'a str>,
}

impl Serialize for ToolChoice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            ToolChoice::Auto => serializer.serialize_str("auto"),
            ToolChoice::None => serializer.serialize_str("none"),
            ToolChoice::Required => serializer.serialize_str("required"),
            ToolChoice::Tool(name) => {
                let function = BTreeMap::from([("name", &**name)]);
                Named { r#type: "function", function }.serialize(serializer)
            }
        }
    }
}

impl<'de> Deserialize<'de> for ToolChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let choice = Value::deserialize(deserializer)?;
        match choice.as_str() {
            Some("auto") => return Ok(ToolChoice::Auto),
            Some("none") => return Ok(ToolChoice::None),
            // Mistral calls it "any".
            Some("required" | "any") => return Ok(ToolChoice::Required),
            _ => {}
        }
        match choice.pointer("/function/name").and_then(Value::as_str) {
            Some(name) => Ok(ToolChoice::Tool(name.to_owned())),
            None => Err(D::Error::custom(format_args!(
                "expected \"auto\", \"none\", \"required\" or a function to call, got {choice}"
            ))),
        }
    }
}
