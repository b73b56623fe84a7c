//! Tool definitions: the name, the description and the JSON Schema of the arguments that a request contains.
//!
//! [`ToolSchema`] is the definition of one tool, [`Dialect`] selects plain or strict definitions, and [`ToolChoice`]
//! controls whether the model calls a tool.

mod close;
mod description;
mod dialect;
mod keywords;
mod normalise;
mod nullable;
mod parameters;
mod publish;
mod strict;

#[doc(inline)]
pub use crate::tool_choice::ToolChoice;
pub use dialect::Dialect;
pub(crate) use dialect::tools_array;
pub(crate) use parameters::{ParametersSchema, from_dynamic, from_parameters, is_any_object};
pub(crate) use strict::{NotStrict, strict_parameters};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use std::borrow::Cow;
use std::sync::Arc;

/// The definition of one tool. It serializes as an entry of the `tools` array of Chat Completions:
/// <https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools>.
///
/// ```
/// use tool_runtime::{Registry, tool, tools};
///
/// /// The time of day.
/// #[tool]
/// fn now() -> &'static str {
///     "12:00"
/// }
///
/// let registry = Registry::new(tools![now])?;
/// assert_eq!(
///     serde_json::to_string(registry.schemas())?,
///     concat!(
///         r#"[{"type":"function","function":{"name":"now","description":"The time of day.","#,
///         r#""parameters":{"type":"object","properties":{},"additionalProperties":false}}}]"#,
///     ),
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ToolSchema {
    name: Cow<'static, str>,
    description: Cow<'static, str>,
    /// Shared between a registry and its subsets.
    parameters: Arc<RawValue>,
}

impl ToolSchema {
    pub(crate) fn new(
        name: Cow<'static, str>,
        description: Cow<'static, str>,
        parameters: Box<RawValue>,
    ) -> Self {
        ToolSchema { name, description, parameters: parameters.into() }
    }

    /// The name that the model calls.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The description that the model reads; may be empty.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The JSON Schema of the arguments. In a [`Registry`](crate::Registry) it is always the schema of an object; a
    /// deserialized definition may contain any schema.
    #[must_use]
    pub fn parameters(&self) -> &RawValue {
        &self.parameters
    }
}

/// Compares the JSON text.
impl PartialEq for ToolSchema {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.description, self.parameters.get())
            == (&other.name, &other.description, other.parameters.get())
    }
}

#[derive(Serialize)]
struct Definition<'a> {
    r#type: &'static str,
    function: FunctionDefinition<'a>,
}

#[derive(Serialize)]
struct FunctionDefinition<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    strict: Option<bool>,
    parameters: &'a RawValue,
}

impl<'a> Definition<'a> {
    /// `strict`: the strict form of the parameters, if the definition is strict.
    fn new(schema: &'a ToolSchema, strict: Option<&'a RawValue>) -> Self {
        let function = FunctionDefinition {
            name: &schema.name,
            description: &schema.description,
            strict: strict.map(|_| true),
            parameters: strict.unwrap_or(&schema.parameters),
        };
        Definition { r#type: "function", function }
    }
}

impl Serialize for ToolSchema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Definition::new(self, None).serialize(serializer)
    }
}

#[derive(Deserialize)]
struct DefinitionData {
    function: FunctionData,
}

#[derive(Deserialize)]
struct FunctionData {
    name: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    parameters: Option<serde_json::Value>,
}

impl<'de> Deserialize<'de> for ToolSchema {
    /// A definition without `parameters` describes a tool without parameters.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let DefinitionData { function } = DefinitionData::deserialize(deserializer)?;
        let parameters = match function.parameters {
            Some(parameters) => to_raw_value(&parameters),
            None => from_parameters(&[], &[], serde_json::Map::new()).map(|schema| schema.published),
        };
        Ok(ToolSchema {
            name: function.name.into(),
            description: function.description.unwrap_or_default().into(),
            parameters: parameters.map_err(serde::de::Error::custom)?.into(),
        })
    }
}
