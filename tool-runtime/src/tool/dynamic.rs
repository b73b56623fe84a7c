//! Tools that are known only when the program runs.

use super::{Options, Started};
use crate::context::CallContext;
use crate::output::{Failure, Reply, ToolOutput};
use serde_json::{Map, Value};
use std::error::Error;
use std::fmt::{self, Display};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

/// A tool whose name, description and parameters are known only when the program runs: of a plug-in, of a
/// remote server.
///
/// The handler gets the arguments as one JSON object. Text that it returns is told to the model as it is, `()`
/// and null as `ok`, any other [`Value`] as JSON; an error by its own text. What else it needs, it captures, or finds in
/// the [`CallContext`] that [`with_context`](DynamicTool::with_context) gives it.
///
/// The arguments are validated against `parameters` before the handler gets them: types, `properties`, `required`,
/// `additionalProperties`, `patternProperties`, `propertyNames`, `enum`, `const`, `items`, `prefixItems`,
/// `uniqueItems`, `anyOf`, `oneOf`, `allOf`, `not`, `$ref` within the schema, and every limit of numbers, strings, arrays
/// and objects. [`Registry::unsupported_keywords`](crate::Registry::unsupported_keywords) lists all other keywords of a schema,
/// which are ignored; `pattern` needs the feature `regex`. `format` and `default` are only for the model.
///
/// A schema and its arguments may come from anywhere: building a registry and validating arguments take little time and
/// memory, whatever they are. `build` fails with [`BuildErrorKind::SchemaLimit`](crate::registry::BuildErrorKind::SchemaLimit) if a schema exceeds a
/// limit, and arguments that would take too long to validate are answered with an error.
///
/// The request contains the schema as it is, with the keywords that servers require: an array without `items` gets them,
/// and those of a closed tuple are no longer `false`.
///
/// ```
/// use serde_json::json;
/// use tool_runtime::{DynamicTool, Registry};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let parameters = json!({
///     "type": "object",
///     "properties": { "city": { "type": "string" } },
///     "required": ["city"],
/// });
/// let weather = DynamicTool::new("get_weather", "Look up the weather.", parameters, |arguments| async move {
///     let city = arguments["city"].as_str().unwrap_or_default(); // it is there, and a text
///     Ok::<_, String>(format!("{city}: sunny"))
/// });
/// let registry = Registry::builder().dynamic(weather.read_only()).build()?;
/// assert_eq!(registry.call("get_weather", r#"{"city":"Beijing"}"#).await?, "Beijing: sunny");
/// # Ok(())
/// # }
/// ```
pub struct DynamicTool {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) parameters: Value,
    pub(crate) deny_unknown_arguments: bool,
    pub(crate) options: Options,
    pub(crate) handler: Handler,
}

/// What answers the calls of a dynamic tool.
pub(crate) type Handler = Arc<dyn Fn(Map<String, Value>, CallContext) -> Started<'static> + Send + Sync>;

impl DynamicTool {
    /// A tool that the handler answers. The model reads an error by its text, and the program has no more of it: see
    /// [`with_context`](DynamicTool::with_context). `parameters` is the JSON Schema of an object; null and
    /// `{}`, as definitions without parameters have them, accept any object.
    ///
    /// Whether the name and the parameters are such that servers take them is checked by
    /// [`RegistryBuilder::build`](crate::RegistryBuilder::build).
    pub fn new<H, F, T, E>(
        name: impl Into<String>,
        description: impl Into<String>,
        parameters: Value,
        handler: H,
    ) -> Self
    where
        H: Fn(Map<String, Value>) -> F + Send + Sync + 'static,
        F: Future<Output = Result<T, E>> + Send + 'static,
        T: Into<Value>,
        E: Display,
    {
        DynamicTool::of_handler(name.into(), description.into(), parameters, move |arguments, _| {
            let returned = handler(arguments);
            async move {
                match returned.await {
                    Ok(value) => Ok(value.into().into()),
                    Err(error) => Err(Failure::of_text(error.to_string())),
                }
            }
        })
    }

    /// The same, with a handler that gets the [`CallContext`] too: the id of the call, its token of cancellation, what
    /// the program attached to the batch. It may return a [`ToolOutput`]. The model reads its error by its text, also
    /// that of a [`ToolError`](crate::ToolError); the program has it whole, in
    /// [`CallError::Returned`](crate::CallError::Returned).
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::{DynamicTool, Registry, ToolOutput};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let parameters = json!({ "type": "object", "properties": {} });
    /// let remote = DynamicTool::with_context("ask", "Asks a server.", parameters, |arguments, call| async move {
    ///     let request = json!({ "method": "tools/call", "params": { "name": call.tool(), "arguments": arguments } });
    ///     let sending = async { request }; // it is sent here
    ///     match call.cancellation().run_until_cancelled(sending).await {
    ///         Some(answer) => Ok(ToolOutput::new("the server has answered").with_artifact(answer)),
    ///         None => Err("the server was told to stop"),
    ///     }
    /// });
    /// let registry = Registry::builder().dynamic(remote).build()?;
    /// assert_eq!(registry.call("ask", "{}").await?, "the server has answered");
    /// # Ok(())
    /// # }
    /// ```
    pub fn with_context<H, F, T, E>(
        name: impl Into<String>,
        description: impl Into<String>,
        parameters: Value,
        handler: H,
    ) -> Self
    where
        H: Fn(Map<String, Value>, CallContext) -> F + Send + Sync + 'static,
        F: Future<Output = Result<T, E>> + Send + 'static,
        T: Into<ToolOutput>,
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        DynamicTool::of_handler(name.into(), description.into(), parameters, move |arguments, context| {
            let returned = handler(arguments, context);
            async move {
                match returned.await {
                    Ok(output) => Ok(output.into()),
                    Err(error) => Err(Failure::of_error(error.into())),
                }
            }
        })
    }

    fn of_handler<F: Future<Output = Reply> + Send + 'static>(
        name: String,
        description: String,
        parameters: Value,
        handler: impl Fn(Map<String, Value>, CallContext) -> F + Send + Sync + 'static,
    ) -> Self {
        let handler = Arc::new(handler);
        let handler = move |arguments, context| -> Started<'static> {
            let handler = Arc::clone(&handler);
            // Called when the future is polled: until then, the call may be denied.
            Box::pin(async move { handler(arguments, context).await })
        };
        DynamicTool {
            name,
            description,
            parameters,
            deny_unknown_arguments: false,
            options: Options::NONE,
            handler: Arc::new(handler),
        }
    }

    /// Rejects arguments that `parameters` does not name, also where the schema is open: a misspelt optional argument is
    /// then an error that suggests the right name, and does not run as if it were absent. `false` by default, as JSON
    /// Schema has it.
    ///
    /// The schema that the model sees is closed as well. It stays open if its `additionalProperties` or
    /// `unevaluatedProperties` is a schema other than `true` or `{}`, since it is that of a map, or if its own `$ref` (not one
    /// inside of a property) cannot be followed. Objects inside of the arguments are not closed.
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::{DynamicTool, Registry};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let parameters = json!({ "type": "object", "properties": { "limit": { "type": "integer" } } });
    /// let list = DynamicTool::new("list", "Lists files.", parameters, |_| async { Ok::<_, String>("a.txt") });
    /// let registry = Registry::builder().dynamic(list.deny_unknown_arguments(true)).build()?;
    /// assert_eq!(
    ///     registry.call("list", r#"{"limmit":5}"#).await.expect_err("it is misspelt").to_string(),
    ///     "invalid arguments for `list`: `limmit` is not an argument, did you mean `limit`? (it takes `limit`)",
    /// );
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn deny_unknown_arguments(self, deny: bool) -> Self {
        DynamicTool { deny_unknown_arguments: deny, ..self }
    }

    /// It changes nothing.
    #[must_use]
    pub fn read_only(self) -> Self {
        DynamicTool { options: self.options.read_only(), ..self }
    }

    /// It may destroy what was there.
    #[must_use]
    pub fn destructive(self) -> Self {
        DynamicTool { options: self.options.destructive(), ..self }
    }

    /// To call it again with the same arguments changes nothing more.
    #[must_use]
    pub fn idempotent(self) -> Self {
        DynamicTool { options: self.options.idempotent(), ..self }
    }

    /// It runs only after the program approved the call.
    #[must_use]
    pub fn requires_approval(self) -> Self {
        DynamicTool { options: self.options.requires_approval(), ..self }
    }

    /// How long it may take: more than zero. A handler that blocks cannot be interrupted: let it await
    /// `tokio::task::spawn_blocking`. Needs a Tokio runtime with time enabled.
    #[must_use]
    pub fn timeout(self, allowed: Duration) -> Self {
        DynamicTool { options: self.options.timeout(allowed), ..self }
    }
}

impl fmt::Debug for DynamicTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynamicTool")
            .field("name", &self.name)
            .field("description", &self.description)
            .field("parameters", &self.parameters)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
