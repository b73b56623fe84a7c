//! Tool definitions: the name, the description and the JSON Schema of the arguments that a request contains.
//!
//! # Published and enforced schemas
//!
//! The schema of a tool comes from the types of its parameters, and the tool enforces it: the tool message for invalid
//! arguments lists the errors, even if `serde` alone would accept the arguments. The request contains the schema in a
//! form that grammar engines compile (llama.cpp, xgrammar, llguidance). That form accepts slightly more; the
//! documentation of [`#[tool]`](macro@crate::tool#published-schemas) lists the differences.
//!
//! Some servers make the model follow the schema of a tool with `strict: true`. Strict schemas are a setting of a wire:
//! `wire::ChatCompletions::new().strict(true)`. Each provider has its own rules for them, so a tool has one form for
//! OpenAI ([`ToolSchema::openai_strict`]) and one for Anthropic ([`ToolSchema::anthropic_strict`]). A tool that cannot
//! have the form, for example because it takes a map with any keys, is sent without `strict`, and
//! [`Body::report`](crate::wire::Body::report) lists it with the reasons.
//!
//! # Order of properties
//!
//! A model writes its arguments, and a typed answer, in the order of the properties in the schema. Declare the field in which
//! it reasons before the one with the result: with the feature `preserve_order`, schemas have the declared order, on each wire
//! and in each strict form, also inside other types, in schemas of [`DynamicTool`](crate::DynamicTool) and of MCP servers, and after
//! `serde_json::to_value` of a request.
//!
//! The feature enables `preserve_order` of `serde_json`, which concerns all crates of the program: a
//! [`serde_json::Map`] keeps the order in which entries are inserted, and [`remove`](serde_json::Map::remove) moves the last
//! entry to the place of the removed one ([`retain`](serde_json::Map::retain) moves none). A program that needs sorted maps
//! sets `default-features = false` and enables `collect` where it uses it; properties are then sorted by name, unless another
//! crate enables `preserve_order` of `serde_json`.
//!
//! ```
//! use tool_runtime::{Registry, tool, tools};
//!
//! /// Decides about a refund.
//! #[tool]
//! fn decide(reasons: String, is_granted: bool) {}
//!
//! let registry = Registry::new(tools![decide])?;
//! # if cfg!(feature = "preserve_order") {
//! assert_eq!(
//!     registry.schemas()[0].parameters().get(),
//!     concat!(
//!         r#"{"type":"object","required":["reasons","is_granted"],"additionalProperties":false,"#,
//!         r#""properties":{"reasons":{"type":"string"},"is_granted":{"type":"boolean"}}}"#,
//!     ),
//! );
//! # }
//! # Ok::<(), tool_runtime::BuildError>(())
//! ```
//!
//! [`ToolSchema`] is the definition of one tool, with its parameters in the strict forms of providers, and [`ToolChoice`]
//! controls whether the model calls a tool. [`NotStrict`] is a reason why a tool has no strict form:
//!
//! ```
//! use tool_runtime::{Registry, tool, tools};
//!
//! /// Tags a page.
//! #[tool]
//! fn tag(page: &str, tags: std::collections::BTreeMap<String, String>) {}
//!
//! let registry = Registry::new(tools![tag])?;
//! let reasons = registry.schemas()[0].openai_strict().expect_err("it has a map");
//! assert_eq!(reasons[0].path, "tags");
//! assert_eq!(reasons[0].to_string(), "`tags` is a map, whose keys are not fixed");
//! # Ok::<(), tool_runtime::BuildError>(())
//! ```

mod answer;
mod anthropic_strict;
mod forms;
mod generator;
mod metaschema;
mod parameters;
mod property_keys;
mod written;

#[doc(inline)]
pub use crate::tool_choice::ToolChoice;
pub(crate) use answer::{AnswerSchema, from_answer};
pub use anthropic_strict::AnthropicStrict;
pub(crate) use forms::Forms;
pub(crate) use generator::inline_settings;
pub(crate) use metaschema::InvalidSchema;
pub(crate) use parameters::{ParametersSchema, SchemaError, from_dynamic, from_parameters};
pub(crate) use property_keys::PropertyKeys;
#[doc(inline)]
pub use tool_runtime_schema::strict::NotStrict;
pub(crate) use written::WrittenDefinition;
#[cfg(feature = "testing")]
pub(crate) use written::broken_rule;

use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use tool_runtime_schema::conversion::standardise;
use tool_runtime_schema::schema_text;
use written::Convert;

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
///         r#""parameters":{"type":"object","additionalProperties":false,"properties":{}}}}]"#,
///     ),
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct ToolSchema {
    name: Cow<'static, str>,
    description: Cow<'static, str>,
    forms: Arc<Forms>,
    /// The schema of the result, if the tool declares one.
    #[cfg_attr(not(feature = "responses"), allow(dead_code, reason = "only this wire sends it"))]
    output_schema: Option<Arc<RawValue>>,
}

impl ToolSchema {
    pub(crate) fn new(
        name: Cow<'static, str>,
        description: Cow<'static, str>,
        parameters: Box<RawValue>,
    ) -> Self {
        let keys = PropertyKeys::new(&parameters, |schema| schema);
        ToolSchema::from_forms(name, description, Forms::new(parameters, keys, None))
    }

    fn from_forms(name: Cow<'static, str>, description: Cow<'static, str>, forms: Forms) -> Self {
        ToolSchema { name, description, forms: Arc::new(forms), output_schema: None }
    }

    /// The definition of a tool whose result has this schema.
    pub(crate) fn with_output_schema(mut self, schema: &Value) -> Self {
        self.output_schema = schema_text(schema).ok().map(Arc::from);
        self
    }

    /// A foreign definition, which this function converts for each wire.
    pub(crate) fn from_foreign(
        name: Cow<'static, str>,
        description: Cow<'static, str>,
        parameters: Box<RawValue>,
        convert: Convert,
    ) -> Self {
        let keys = PropertyKeys::new(&parameters, standardise);
        ToolSchema::from_forms(name, description, Forms::new(parameters, keys, Some(convert)))
    }

    /// A tool whose strict forms have other parameters.
    #[cfg(feature = "search")]
    pub(crate) fn with_strict_parameters(
        name: Cow<'static, str>,
        description: Cow<'static, str>,
        parameters: Box<RawValue>,
        strict_parameters: Box<RawValue>,
    ) -> Self {
        let mut forms = Forms::new(parameters, None, None);
        forms.strict_parameters = Some(strict_parameters);
        ToolSchema::from_forms(name, description, forms)
    }

    /// The tool with written names in place of the keys that a provider rejects; `None` if it has no such keys.
    #[cfg(feature = "search")]
    pub(crate) fn with_written_keys(&self) -> Option<Self> {
        let written = self.forms.property_keys()?.written_parameters()?;
        Some(ToolSchema::new(self.name.clone(), self.description.clone(), written))
    }

    pub(crate) fn forms(&self) -> &Arc<Forms> {
        &self.forms
    }

    /// The schema of the result.
    #[cfg(feature = "responses")]
    pub(crate) fn output_schema(&self) -> Option<&RawValue> {
        self.output_schema.as_deref()
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
    /// deserialized definition may contain any schema. That of a [`DynamicTool`](crate::DynamicTool) is the given one, with
    /// `properties` and without `$schema`; requests contain it in the form that their provider accepts.
    #[must_use]
    pub fn parameters(&self) -> &RawValue {
        &self.forms.parameters
    }
}

impl fmt::Debug for ToolSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolSchema")
            .field("name", &self.name)
            .field("description", &self.description)
            .field("parameters", &self.forms.parameters)
            .finish_non_exhaustive()
    }
}

/// Compares the JSON text.
impl PartialEq for ToolSchema {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.description, self.parameters().get())
            == (&other.name, &other.description, other.parameters().get())
    }
}
