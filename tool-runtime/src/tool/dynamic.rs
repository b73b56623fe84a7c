//! Tools that are defined at run time.

use super::{Metadata, Options, ToolFuture};
use crate::context::CallContext;
use crate::output::{FunctionError, Pending, ToolOutput};
use serde_json::{Map, Value};
use std::error::Error;
use std::fmt::{self, Display};
use std::future::Future;
use std::sync::Arc;

/// A tool whose name, description and parameters are defined at run time, for example by a plug-in or a remote server.
///
/// The handler receives the arguments as one JSON object. It returns anything that converts to a [`ToolOutput`]: the
/// model receives a string unchanged, `()` and null as `ok`, and numbers and any other [`Value`] as JSON. The model
/// receives the `Display` text of an error. The handler captures its state, or takes it from the [`CallContext`] that
/// [`with_context`](DynamicTool::with_context) passes to it.
///
/// The arguments are validated against `parameters` before the handler runs: types, `properties`, `required`,
/// `additionalProperties`, `patternProperties`, `propertyNames`, `enum`, `const`, `items`, `prefixItems`,
/// `uniqueItems`, `anyOf`, `oneOf`, `allOf`, `not`, `$ref` within the schema, and every limit of numbers, strings,
/// arrays and objects. [`RegisteredTool::unsupported_keywords`](crate::registry::RegisteredTool::unsupported_keywords) lists
/// all other keywords of a schema, which are ignored; `pattern` needs the feature `regex`. `format` and `default` are only
/// for the model.
///
/// The schema and the arguments may be untrusted: the time and memory to build a registry and to validate arguments are
/// bounded. `build` fails with [`BuildErrorKind::SchemaLimit`](crate::registry::BuildErrorKind::SchemaLimit) if a schema
/// exceeds a limit, and arguments that would take too long to validate are an error.
///
/// The schema may have keywords of an older draft of JSON Schema, or of OpenAPI. Those of drafts 4 to 7, `required: true` of
/// draft 3 and `nullable` of OpenAPI are converted, with the meaning that they have there. Keywords next to `$ref` apply as
/// in JSON Schema 2020-12, also in drafts where they did not. A schema that cannot be converted to JSON Schema 2020-12 is a
/// [`BuildErrorKind::InvalidSchema`](crate::registry::BuildErrorKind::InvalidSchema).
///
/// A request contains the schema in a form that its provider accepts: for example, providers reject a union at the root, and
/// grammar engines a pattern with a lookahead. As little as possible is changed, rules that the provider does not accept go
/// into descriptions, and [`Body::report`](crate::wire::Body::report) lists each change. Two changes are not listed, since
/// they do not change which arguments are valid: `$schema` is removed, and an object without `properties` gets empty ones.
/// The arguments are always validated against the schema of the tool.
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
///     let city = arguments["city"].as_str().unwrap_or_default(); // validated: always a string
///     Ok::<_, String>(format!("{city}: sunny"))
/// });
/// let registry = Registry::builder().dynamic(weather.read_only()).build()?;
/// assert_eq!(registry.call("get_weather", json!({"city": "Beijing"})).await.text(), "Beijing: sunny");
/// # Ok(())
/// # }
/// ```
pub struct DynamicTool {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) parameters: Value,
    pub(crate) deny_unknown_arguments: bool,
    pub(crate) options: Options,
    pub(crate) metadata: Metadata,
    pub(crate) handler: Handler,
}

/// The handler of a dynamic tool.
pub(crate) type Handler = Arc<dyn Fn(Map<String, Value>, CallContext) -> ToolFuture<'static> + Send + Sync>;

impl DynamicTool {
    /// Creates a tool whose calls run the handler.
    ///
    /// `parameters` is the JSON Schema of an object; null and `{}` accept any object. The model receives the `Display`
    /// text of an error, and the error itself is not kept; [`with_context`](DynamicTool::with_context) keeps it.
    ///
    /// [`RegistryBuilder::build`](crate::RegistryBuilder::build) validates the name and the parameters.
    pub fn new<H, F, T, E>(
        name: impl Into<String>,
        description: impl Into<String>,
        parameters: Value,
        handler: H,
    ) -> Self
    where
        H: Fn(Map<String, Value>) -> F + Send + Sync + 'static,
        F: Future<Output = Result<T, E>> + Send + 'static,
        T: Into<ToolOutput>,
        E: Display,
    {
        DynamicTool::from_handler(name.into(), description.into(), parameters, move |arguments, _| {
            let returned = handler(arguments);
            async move {
                match returned.await {
                    Ok(output) => {
                        output.into().reject_unserializable().map_err(FunctionError::Unserializable)
                    }
                    Err(error) => Err(FunctionError::from_text(error.to_string())),
                }
            }
        })
    }

    /// Like [`new`](DynamicTool::new), with a handler that also receives the [`CallContext`]: the id of the call, its
    /// cancellation token and its run context.
    ///
    /// The model receives the `Display` text of an error, even of a [`ToolError`](crate::ToolError); the program finds
    /// the error in [`CallError::Returned`](crate::CallError::Returned).
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
    ///     let response = async { request }; // send the request here
    ///     match call.cancellation().run_until_cancelled(response).await {
    ///         Some(response) => Ok(ToolOutput::from("the server has responded").with_artifact(response)),
    ///         None => Err("the request was cancelled"),
    ///     }
    /// });
    /// let registry = Registry::builder().dynamic(remote).build()?;
    /// assert_eq!(registry.call("ask", ()).await.text(), "the server has responded");
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
        DynamicTool::from_handler(name.into(), description.into(), parameters, move |arguments, context| {
            let returned = handler(arguments, context);
            async move {
                match returned.await {
                    Ok(output) => {
                        output.into().reject_unserializable().map_err(FunctionError::Unserializable)
                    }
                    Err(error) => Err(FunctionError::from_error(error.into())),
                }
            }
        })
    }

    /// Creates a tool that runs elsewhere: in a browser, on another machine, by a person. It has no handler.
    ///
    /// The arguments of its calls are validated. A [`Session`](crate::Session) ends its run with
    /// [`NeedsResult`](crate::session::RunEnd::NeedsResult) and lists the calls
    /// ([`awaiting_result`](crate::Session::awaiting_result)); [`provide_result`](crate::Session::provide_result) sets the
    /// result. In a [`dispatch`](crate::Registry::dispatch), such a call fails with
    /// [`CallError::NeedsResult`](crate::CallError::NeedsResult).
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::session::{RunEnd, Session};
    /// # use tool_runtime::conversation::Request;
    /// # use tool_runtime::{AssistantMessage, ToolCall};
    /// use tool_runtime::{DynamicTool, Registry};
    ///
    /// # async fn complete(request: Request) -> Result<AssistantMessage, std::io::Error> {
    /// #     Ok(match request.messages().len() {
    /// #         1 => AssistantMessage::from_tool_calls(vec![ToolCall::new("call_1", "get_position", "{}")]),
    /// #         _ => AssistantMessage::from_text("You are in Rome."),
    /// #     })
    /// # }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let position = DynamicTool::external("get_position", "The position of the user.", json!({"type": "object"}));
    /// let registry = Registry::builder().dynamic(position.read_only()).build()?;
    ///
    /// let mut session = Session::new().user("Where am I?");
    /// assert_eq!(session.run(&registry).complete(complete).await?, RunEnd::NeedsResult);
    /// for call in session.awaiting_result() {
    ///     session.provide_result(&call.id, json!({"city": "Rome"}))?; // from the browser, in a later request
    /// }
    /// assert_eq!(session.run(&registry).complete(complete).await?, RunEnd::Answered);
    /// assert_eq!(session.final_text(), "You are in Rome.");
    /// # Ok(())
    /// # }
    /// ```
    pub fn external(name: impl Into<String>, description: impl Into<String>, parameters: Value) -> Self {
        DynamicTool::from_handler(name.into(), description.into(), parameters, |_, _| async {
            Ok(Pending { ticket: None }.into())
        })
    }

    fn from_handler<F: Future<Output = Result<ToolOutput, FunctionError>> + Send + 'static>(
        name: String,
        description: String,
        parameters: Value,
        handler: impl Fn(Map<String, Value>, CallContext) -> F + Send + Sync + 'static,
    ) -> Self {
        let handler = Arc::new(handler);
        let handler = move |arguments, context| -> ToolFuture<'static> {
            let handler = Arc::clone(&handler);
            // The handler is called when the future is polled, since the call may still be denied before.
            Box::pin(async move { handler(arguments, context).await })
        };
        DynamicTool {
            name,
            description,
            parameters,
            deny_unknown_arguments: false,
            options: Options::NONE,
            metadata: Metadata::default(),
            handler: Arc::new(handler),
        }
    }

    /// Rejects arguments that `parameters` does not name, even if the schema is open: a misspelt optional argument is
    /// then an error that suggests the correct name. Default: `false`, as in JSON Schema.
    ///
    /// The schema in the request is closed as well. It stays open if its `additionalProperties` or
    /// `unevaluatedProperties` is a schema other than `true` or `{}`, since it then describes a map, or if its own
    /// `$ref` (not one inside a property) cannot be resolved. Objects inside the arguments are not closed.
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
    ///     registry.call("list", json!({"limmit": 5})).await.text(),
    ///     "Error: invalid arguments for `list`: `limmit` is not an argument. Call it again, but rename `limmit` to `limit`.",
    /// );
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn deny_unknown_arguments(self, deny: bool) -> Self {
        DynamicTool { deny_unknown_arguments: deny, ..self }
    }
}

impl fmt::Debug for DynamicTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynamicTool")
            .field("name", &self.name)
            .field("description", &self.description)
            .field("parameters", &self.parameters)
            .field("options", &self.options)
            .field("metadata", &self.metadata)
            .finish_non_exhaustive()
    }
}
