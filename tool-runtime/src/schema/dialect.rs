//! The `tools` array, as a server wants it.

use super::{ToolSchema, Written, strict};
use serde_json::value::{RawValue, to_raw_value};

/// How the definitions of tools are written for a server.
///
/// ```
/// use tool_runtime::{Dialect, Registry, tool, tools};
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
    /// Chat Completions, which most servers speak: what the model may leave out is not required, and what it sends is
    /// checked here. What [`Registry::schemas`](crate::Registry::schemas) serialises as.
    #[default]
    OpenAi,
    /// The same with `strict: true`: the server makes the model keep to the schema
    /// (<https://platform.openai.com/docs/guides/structured-outputs#supported-schemas>). Every property is required, and
    /// null stands for an argument that is left out; limits that the server does not know go into the description. A
    /// tool that takes a map or any JSON cannot be strict: see [`RegistryBuilder::dialect`].
    ///
    /// [`RegistryBuilder::dialect`]: crate::RegistryBuilder::dialect
    OpenAiStrict,
}

/// The array of the request; none without tools, since servers refuse `tools: []`.
pub(crate) fn tools_array(schemas: &[ToolSchema], dialect: Dialect) -> Option<Box<RawValue>> {
    if schemas.is_empty() {
        return None;
    }
    let array = match dialect {
        Dialect::OpenAi => to_raw_value(schemas),
        Dialect::OpenAiStrict => to_raw_value(&strict_array(schemas)),
    };
    // A schema was JSON before: writing it again meets nothing new.
    array.ok()
}

/// A tool that cannot be strict stands as it is: servers take it beside those that are.
fn strict_array(schemas: &[ToolSchema]) -> Vec<Box<RawValue>> {
    let strictly = |schema: &ToolSchema| match strict::parameters(schema.parameters()) {
        Ok(parameters) => to_raw_value(&Written::strictly(schema, &parameters)),
        Err(_) => to_raw_value(schema),
    };
    schemas.iter().filter_map(|schema| strictly(schema).ok()).collect()
}
