//! The properties and rules that tools declare.

use super::Registry;
use crate::tool::{Annotations, Policy};
use serde_json::Value;

impl Registry {
    /// The annotations of a tool: the properties that its author declares. `None` if there is no such tool.
    ///
    /// ```
    /// use tool_runtime::{Registry, tool, tools};
    ///
    /// /// Deletes a file.
    /// #[tool(destructive, idempotent)]
    /// fn delete(path: &str) {}
    ///
    /// let registry = Registry::new(tools![delete])?;
    /// let annotations = registry.annotations("delete").ok_or("no such tool")?;
    /// assert!(annotations.is_destructive() && annotations.is_idempotent());
    /// assert_eq!(annotations.read_only, None); // not declared
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn annotations(&self, name: &str) -> Option<Annotations> {
        self.tool(name).map(|tool| tool.options.annotations)
    }

    /// The policy of a tool: the rules that dispatch enforces for its calls. `None` if there is no such tool.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tool_runtime::{Registry, tool, tools};
    ///
    /// /// Deletes a file.
    /// #[tool(requires_approval, timeout = "5s")]
    /// async fn delete(path: &str) {}
    ///
    /// let registry = Registry::new(tools![delete])?;
    /// let policy = registry.policy("delete").ok_or("no such tool")?;
    /// assert!(policy.requires_approval);
    /// assert_eq!(policy.timeout, Some(Duration::from_secs(5)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn policy(&self, name: &str) -> Option<Policy> {
        self.tool(name).map(|tool| tool.policy())
    }

    /// The title of a tool: a name for people, which a user interface shows. Requests do not contain it. `None` if the
    /// tool has no title, or if there is no such tool.
    ///
    /// ```
    /// use tool_runtime::{Registry, tool, tools};
    ///
    /// /// Looks up the weather.
    /// #[tool(title = "Weather forecast")]
    /// fn get_weather(city: &str) {}
    ///
    /// let registry = Registry::new(tools![get_weather])?;
    /// assert_eq!(registry.title("get_weather"), Some("Weather forecast"));
    /// # Ok::<(), tool_runtime::BuildError>(())
    /// ```
    #[must_use]
    pub fn title(&self, name: &str) -> Option<&str> {
        self.tool(name)?.metadata.title.as_deref()
    }

    /// The JSON Schema of the value that a tool returns, for example for a client of the Model Context Protocol.
    /// Requests do not contain it. `None` if the tool does not have the option `output_schema`, or if there is no such
    /// tool.
    ///
    /// The schema of a function describes its result as `serde` serializes it, of a `Result` the value of `Ok`. It has
    /// no `$schema`, and contains the schemas of other types in place; only types that contain themselves are in
    /// `$defs`. The schema of a [`DynamicTool`](crate::DynamicTool) is the one that it was given.
    ///
    /// ```
    /// use tool_runtime::serde_json::json;
    /// use tool_runtime::{Registry, tool, tools};
    ///
    /// #[derive(serde::Serialize, schemars::JsonSchema)]
    /// struct Weather {
    ///     celsius: i8,
    /// }
    ///
    /// /// Looks up the weather.
    /// #[tool(output_schema)]
    /// fn get_weather(city: &str) -> std::io::Result<Weather> {
    ///     Ok(Weather { celsius: 25 })
    /// }
    ///
    /// let registry = Registry::new(tools![get_weather])?;
    /// let schema = registry.output_schema("get_weather").ok_or("it is declared")?;
    /// assert_eq!(schema["properties"]["celsius"]["type"], "integer");
    /// assert_eq!(schema["required"], json!(["celsius"]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn output_schema(&self, name: &str) -> Option<&Value> {
        self.tool(name)?.metadata.output_schema.as_ref()
    }
}
