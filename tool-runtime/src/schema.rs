//! Tool definitions: the name, the description and the JSON Schema of the arguments that a request contains.
//!
//! [`ToolSchema`] is the definition of one tool, with its parameters in the strict forms of providers, and [`ToolChoice`]
//! controls whether the model calls a tool.

mod answer;
mod close;
mod description;
mod forms;
mod generator;
mod keywords;
mod normalise;
mod nullable;
mod parameters;
mod publish;
#[cfg(feature = "gemini")]
mod references;
mod strict;

#[doc(inline)]
pub use crate::tool_choice::ToolChoice;
pub(crate) use answer::{AnswerSchema, from_answer};
pub(crate) use forms::Forms;
pub(crate) use generator::inline_settings;
pub(crate) use parameters::{ParametersSchema, from_dynamic, from_parameters, is_any_object};
#[cfg(feature = "gemini")]
pub(crate) use references::separate_references;
pub use strict::{AnthropicStrict, NotStrict};

use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
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
#[derive(Clone)]
pub struct ToolSchema {
    name: Cow<'static, str>,
    description: Cow<'static, str>,
    forms: Arc<Forms>,
}

impl ToolSchema {
    pub(crate) fn new(
        name: Cow<'static, str>,
        description: Cow<'static, str>,
        parameters: Box<RawValue>,
    ) -> Self {
        ToolSchema { name, description, forms: Arc::new(Forms::new(parameters)) }
    }

    /// A tool whose strict forms have other parameters.
    #[cfg(feature = "search")]
    pub(crate) fn with_strict_parameters(
        name: Cow<'static, str>,
        description: Cow<'static, str>,
        parameters: Box<RawValue>,
        strict_parameters: Box<RawValue>,
    ) -> Self {
        ToolSchema { name, description, forms: Arc::new(Forms::with_strict(parameters, strict_parameters)) }
    }

    pub(crate) fn forms(&self) -> &Arc<Forms> {
        &self.forms
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
        &self.forms.parameters
    }

    /// The parameters in the form that OpenAI's servers accept with `strict: true`
    /// (<https://platform.openai.com/docs/guides/structured-outputs#supported-schemas>), so that the server makes the
    /// model follow them. It is created once and cached.
    ///
    /// Every object is closed, every property is required, and an optional one accepts null. Keywords that the server
    /// rejects are in the descriptions. A value that is valid under this form and under the enforced schema runs.
    ///
    /// After this call, the registries that share this definition read a null in a call of the tool as an absent
    /// argument, since the model sends null for one. If another process sends the requests, set
    /// [`RegistryBuilder::null_means_absent`](crate::RegistryBuilder::null_means_absent).
    ///
    /// # Errors
    ///
    /// Returns every reason why there is no strict form, for example a map with any keys. Servers accept requests with
    /// both kinds of tools: send the tool without `strict`, with [`parameters`](ToolSchema::parameters).
    ///
    /// ```
    /// use tool_runtime::{Registry, tool, tools};
    ///
    /// /// Looks up the weather.
    /// #[tool]
    /// fn get_weather(city: &str, #[arg(default = 0)] days: u8) {}
    ///
    /// let registry = Registry::new(tools![get_weather])?;
    /// let schema = registry.get("get_weather").expect("it is there");
    /// assert!(schema.parameters().get().contains(r#""required":["city"]"#));
    /// let strict = schema.openai_strict().expect("it has no map").get();
    /// assert!(strict.contains(r#""required":["city","days"]"#) && strict.contains(r#""type":["integer","null"]"#));
    /// # Ok::<(), tool_runtime::BuildError>(())
    /// ```
    pub fn openai_strict(&self) -> Result<&RawValue, &[NotStrict]> {
        self.forms.openai_strict()
    }

    /// The parameters in the form that Anthropic's servers accept with `strict: true`
    /// (<https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations>), so that the
    /// server makes the model follow them. It is created once and cached.
    ///
    /// Every object is closed, and optional properties stay optional. Limits of numbers, strings and arrays, and other
    /// keywords that the server does not accept, are in the descriptions. A value that is valid under this form and
    /// under the enforced schema runs.
    ///
    /// # Errors
    ///
    /// Returns every reason why there is no strict form, for example a map with any keys or a recursive type. Servers
    /// accept requests with both kinds of tools: send the tool without `strict`, with
    /// [`parameters`](ToolSchema::parameters).
    ///
    /// ```
    /// use tool_runtime::{Registry, tool, tools};
    ///
    /// /// Looks up the weather.
    /// #[tool]
    /// fn get_weather(city: &str, #[arg(default = 0)] days: u8) {}
    ///
    /// let registry = Registry::new(tools![get_weather])?;
    /// let strict = registry.schemas()[0].anthropic_strict().expect("it has no map");
    /// assert_eq!((strict.optional, strict.unions), (1, 0));
    /// assert_eq!(
    ///     serde_json::from_str::<serde_json::Value>(strict.parameters.get())?["properties"]["days"],
    ///     serde_json::json!({"type": "integer", "description": "(default: 0, minimum: 0, maximum: 255)"}),
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn anthropic_strict(&self) -> Result<&AnthropicStrict, &[NotStrict]> {
        self.forms.anthropic_strict()
    }
}

impl fmt::Debug for ToolSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolSchema")
            .field("name", &self.name)
            .field("description", &self.description)
            .field("parameters", &self.forms.parameters)
            .finish()
    }
}

/// Compares the JSON text.
impl PartialEq for ToolSchema {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.description, self.parameters().get())
            == (&other.name, &other.description, other.parameters().get())
    }
}
