//! The `tools` array of a request.

use super::{Definition, ToolSchema, strict_parameters};
use serde_json::value::{RawValue, to_raw_value};

/// The form of tool definitions that a server takes.
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
    /// Chat Completions, as most servers take it: an argument that may be absent is not required. The form in which
    /// [`Registry::schemas`](crate::Registry::schemas) serialises.
    #[default]
    OpenAi,
    /// The same with `strict: true`: the server makes the model follow the schema
    /// (<https://platform.openai.com/docs/guides/structured-outputs#supported-schemas>). Every property is required, and
    /// null stands for an absent argument; the description contains limits that the server does not know. A tool that
    /// takes a map with any keys, or any JSON, cannot be strict: see [`RegistryBuilder::dialect`].
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
    // Every schema has been serialised before.
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
