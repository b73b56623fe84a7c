//! What the model is told of a tool.

mod dialect;
mod normalise;
mod parameters;
mod strict;

pub use dialect::Dialect;
pub(crate) use dialect::tools_array;
pub(crate) use parameters::{as_given as parameters_as_given, of_tool as parameters_of_tool};
pub(crate) use strict::{NotStrict, parameters as strict_parameters};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use std::borrow::Cow;
use std::sync::Arc;

/// The definition of one tool, which serialises as an entry of the `tools` array of Chat Completions:
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
    /// Shared, since a subset of a registry has the same.
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

    /// What the model calls.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the model reads of it; may be empty.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The JSON Schema of its arguments: for a tool of a [`Registry`](crate::Registry) that of an object, for a
    /// definition that was read whatever it held.
    #[must_use]
    pub fn parameters(&self) -> &RawValue {
        &self.parameters
    }
}

/// Equal when they are written equally.
impl PartialEq for ToolSchema {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.description, self.parameters.get())
            == (&other.name, &other.description, other.parameters.get())
    }
}

#[derive(Serialize)]
struct Written<'a> {
    r#type: &'static str,
    function: WrittenFunction<'a>,
}

#[derive(Serialize)]
struct WrittenFunction<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    strict: Option<bool>,
    parameters: &'a RawValue,
}

impl<'a> Written<'a> {
    fn as_it_is(schema: &'a ToolSchema) -> Self {
        let (name, description, parameters) = (&*schema.name, &*schema.description, &*schema.parameters);
        Written {
            r#type: "function",
            function: WrittenFunction { name, description, strict: None, parameters },
        }
    }

    fn strictly(schema: &'a ToolSchema, parameters: &'a RawValue) -> Self {
        let mut written = Written::as_it_is(schema);
        written.function = WrittenFunction { strict: Some(true), parameters, ..written.function };
        written
    }
}

impl Serialize for ToolSchema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Written::as_it_is(self).serialize(serializer)
    }
}

#[derive(Deserialize)]
struct Read {
    function: ReadFunction,
}

#[derive(Deserialize)]
struct ReadFunction {
    name: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    parameters: Option<serde_json::Value>,
}

impl<'de> Deserialize<'de> for ToolSchema {
    /// A definition without `parameters` is that of a tool without parameters.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Read { function } = Read::deserialize(deserializer)?;
        let parameters = match function.parameters {
            Some(parameters) => to_raw_value(&parameters),
            None => parameters::of_tool(&[], Vec::new(), serde_json::Map::new()),
        };
        Ok(ToolSchema {
            name: function.name.into(),
            description: function.description.unwrap_or_default().into(),
            parameters: parameters.map_err(serde::de::Error::custom)?.into(),
        })
    }
}
