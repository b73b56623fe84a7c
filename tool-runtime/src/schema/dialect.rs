//! The `tools` array of a request.

use super::{Definition, ToolSchema, strict_parameters};
use serde_json::value::{RawValue, to_raw_value};

/// The form of tool definitions that a server accepts.
///
/// ```
/// use tool_runtime::schema::Dialect;
/// use tool_runtime::{Registry, tool, tools};
///
/// /// Look up the weather.
/// #[tool]
/// fn get_weather(city: &str, #[arg(default = 0)] days: u8) {}
///
/// let registry = Registry::new(tools![get_weather])?;
/// let loose = registry.schemas_for(Dialect::OpenAi).expect("there is a tool").get();
/// assert!(loose.contains(r#""required":["city"]"#));
/// let strict = registry.schemas_for(Dialect::OpenAiStrict).expect("there is a tool").get();
/// assert!(strict.contains(r#""required":["city","days"]"#) && strict.contains(r#""type":["integer","null"]"#));
/// # Ok::<(), tool_runtime::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// Chat Completions, as most servers accept it: `required` lists only the arguments that must be present.
    /// [`Registry::schemas`](crate::Registry::schemas) serializes in this form.
    #[default]
    OpenAi,
    /// The same with `strict: true`: the server makes the model follow the schema
    /// (<https://platform.openai.com/docs/guides/structured-outputs#supported-schemas>). Every property is required,
    /// and the model sends null for an absent argument. Limits that the server does not support are in the
    /// descriptions. A tool that takes a map with any keys, or any JSON, cannot be strict: see
    /// [`RegistryBuilder::dialect`].
    ///
    /// [`RegistryBuilder::dialect`]: crate::RegistryBuilder::dialect
    OpenAiStrict,
}

/// The `tools` array; `None` without tools, since servers reject `tools: []`.
pub(crate) fn tools_array(schemas: &[ToolSchema], dialect: Dialect) -> Option<Box<RawValue>> {
    if schemas.is_empty() {
        return None;
    }
    let array = match dialect {
        Dialect::OpenAi => to_raw_value(schemas),
        Dialect::OpenAiStrict => to_raw_value(&strict_array(schemas)),
    };
    // Serializing cannot fail: every schema is JSON text already.
    array.ok()
}

/// A tool that cannot be strict keeps its default form: servers accept both kinds in one request.
fn strict_array(schemas: &[ToolSchema]) -> Vec<Box<RawValue>> {
    let definition = |schema: &ToolSchema| match strict_parameters(schema.parameters()) {
        Ok(parameters) => to_raw_value(&Definition::new(schema, Some(&parameters))),
        Err(_) => to_raw_value(schema),
    };
    schemas.iter().filter_map(|schema| definition(schema).ok()).collect()
}
