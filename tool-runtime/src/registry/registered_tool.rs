//! A tool of a registry: its definition, its options and its schemas.

use super::Registry;
use crate::schema::ToolSchema;
use crate::tool::{Annotations, Policy};
use serde_json::Value;

/// A tool of a registry: see [`Registry::tool`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct RegisteredTool<'a> {
    /// The definition for requests: name, description and parameters.
    pub schema: &'a ToolSchema,
    /// The properties that the tool declares.
    pub annotations: Annotations,
    /// The rules that dispatch enforces for its calls.
    pub policy: Policy,
    /// The name for people, which a user interface shows. Requests do not contain it.
    pub title: Option<&'a str>,
    /// The JSON Schema of the value that the tool returns, for example for a client of the Model Context Protocol. Requests
    /// do not contain it.
    ///
    /// The schema of a function describes its result as `serde` serializes it, of a `Result` the value of `Ok`. It has no
    /// `$schema`, and contains the schemas of other types in place; only types that contain themselves are in `$defs`. The
    /// schema of a [`DynamicTool`](super::DynamicTool) is the one that it was given.
    pub output_schema: Option<&'a Value>,
    /// The name of a dynamic tool before [`rename_invalid_names`](super::RegistryBuilder::rename_invalid_names) changed it;
    /// `None` if it was not changed.
    pub original_name: Option<&'a str>,
    /// Whether calls may use the tool: the [`RunContext`](crate::RunContext) that is bound to the registry allows it.
    pub is_allowed: bool,
    /// The keywords in the schema of the tool that are not enforced, with their locations.
    ///
    /// These are unknown keywords of a [`DynamicTool`](super::DynamicTool)'s schema, references that cannot be resolved or
    /// refer to themselves, keywords with invalid values, and patterns that the `regex` crate does not compile (without the
    /// feature `regex`, all patterns). They never cause the rejection of arguments: such a keyword counts as satisfied,
    /// `oneOf` ignores an additional match that relies on one, and a `not` that contains one accepts every value.
    pub unsupported_keywords: &'a [String],
    /// The schema against which arguments are validated; the published one
    /// [may accept more](macro@crate::tool#published-schemas). Needs the feature `testing`.
    #[cfg(feature = "testing")]
    pub enforced_schema: &'a Value,
}

impl Registry {
    /// The tool with this name; `None` if there is none.
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::{DynamicTool, Registry, RunContext, tool, tools};
    ///
    /// #[derive(serde::Serialize, schemars::JsonSchema)]
    /// struct Weather {
    ///     celsius: i8,
    /// }
    ///
    /// /// Looks up the weather.
    /// #[tool(read_only, title = "Weather forecast", timeout = "5s", output_schema)]
    /// async fn get_weather(city: &str) -> std::io::Result<Weather> {
    ///     Ok(Weather { celsius: 25 })
    /// }
    ///
    /// let parameters = json!({"type": "object", "properties": {"a": {"contains": {"type": "string"}}}});
    /// let find = DynamicTool::new("find", "", parameters, |_| async { Ok::<_, String>(()) });
    /// let registry = Registry::builder().tools(tools![get_weather]).dynamic(find).build()?;
    ///
    /// let weather = registry.tool("get_weather").ok_or("no such tool")?;
    /// assert_eq!(weather.schema.description(), "Looks up the weather.");
    /// assert_eq!(weather.title, Some("Weather forecast"));
    /// assert!(weather.annotations.is_read_only());
    /// assert_eq!(weather.annotations.destructive, None); // not declared
    /// assert_eq!(weather.policy.timeout.map(|limit| limit.as_secs()), Some(5));
    /// assert_eq!(weather.output_schema.ok_or("it is declared")?["required"], json!(["celsius"]));
    ///
    /// let bound = registry.with(&RunContext::new().allowed_tools(["get_weather"]));
    /// let find = bound.tool("find").ok_or("no such tool")?;
    /// assert_eq!(find.unsupported_keywords, ["`contains` at `/properties/a`"]);
    /// assert!(!find.is_allowed);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<RegisteredTool<'_>> {
        self.tools.index.find(name).map(|position| self.tool_at(position))
    }

    /// All tools, sorted by name.
    ///
    /// ```
    /// use tool_runtime::{Registry, tool, tools};
    ///
    /// /// Deletes a file.
    /// #[tool(destructive)]
    /// fn delete(path: &str) {}
    ///
    /// let registry = Registry::new(tools![delete])?;
    /// for tool in registry.tools() {
    ///     println!("{} (destructive: {})", tool.schema.name(), tool.annotations.is_destructive());
    /// }
    /// # Ok::<(), tool_runtime::BuildError>(())
    /// ```
    #[must_use]
    pub fn tools(&self) -> impl ExactSizeIterator<Item = RegisteredTool<'_>> {
        (0..self.tools.entries.len()).map(|position| self.tool_at(position))
    }

    fn tool_at(&self, position: usize) -> RegisteredTool<'_> {
        let entry = &self.tools.entries[position];
        RegisteredTool {
            schema: &self.tools.schemas[position],
            annotations: entry.options.annotations,
            policy: entry.policy(),
            title: entry.metadata.title.as_deref(),
            output_schema: entry.metadata.output_schema.as_ref(),
            original_name: entry.original_name.as_deref(),
            is_allowed: self
                .is_allowed(entry, self.run_context.as_ref().and_then(|context| context.allowed())),
            unsupported_keywords: &entry.validator.validator.unsupported_keywords,
            #[cfg(feature = "testing")]
            enforced_schema: &entry.enforced,
        }
    }
}
