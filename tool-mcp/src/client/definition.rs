//! The definitions of a server's tools.

use super::Client;
use crate::message_size::truncated;
use rmcp::model::JsonObject;
use serde_json::Value;
use std::error::Error;
use std::sync::{Arc, OnceLock};
use tool_runtime::registry::Annotations;
use tool_runtime::{CallContext, DynamicTool, ToolOutput};

/// The size after which a description is truncated.
const MAX_DESCRIPTION_BYTES: usize = 16 * 1024;

/// The size of a name. A tool with a longer one is skipped, since a truncated name cannot be called. The protocol recommends at
/// most 128 characters.
const MAX_NAME_BYTES: usize = 512;

/// The size after which a title is truncated.
const MAX_TITLE_BYTES: usize = 1024;

/// The definition of a tool of a server, with truncated texts and without the fields that cannot be read.
#[derive(Clone, Debug)]
pub struct RemoteTool {
    name: String,
    title: Option<String>,
    description: String,
    parameters: Value,
    output_schema: Option<Value>,
    annotations: Annotations,
}

impl RemoteTool {
    /// The name of the tool on its server, without the prefix.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The title, a name for people, truncated after 1 KiB.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// The JSON Schema of the parameters.
    #[must_use]
    pub fn parameters(&self) -> &Value {
        &self.parameters
    }

    /// The description, truncated after 16 KiB.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The annotations that the server declares; none with
    /// [`ignore_annotations`](super::ClientBuilder::ignore_annotations). They are statements of the server: do not rely on them
    /// if you do not trust it.
    #[must_use]
    pub fn annotations(&self) -> Annotations {
        self.annotations
    }

    /// Reads a definition. A field that cannot be read is left out. The registry skips a tool whose schema is not that of an
    /// object.
    pub(super) fn from_value(definition: &Value) -> Self {
        let text = |field: &str| definition[field].as_str().unwrap_or_default();
        let hints = &definition["annotations"];
        let hint = |name: &str| hints[name].as_bool();
        let mut annotations = Annotations::default();
        annotations.read_only = hint("readOnlyHint");
        annotations.idempotent = hint("idempotentHint");
        annotations.open_world = hint("openWorldHint");
        // The protocol defines it only for tools that are not read-only.
        annotations.destructive = hint("destructiveHint").filter(|_| annotations.read_only != Some(true));
        let title = definition["title"].as_str().or(hints["title"].as_str());
        // A tool without a name, or with a truncated one, could not be called. The registry reports it because of this schema.
        let (name, parameters) = match text("name") {
            "" => ("unnamed".to_owned(), Value::Bool(false)),
            name if name.len() > MAX_NAME_BYTES => {
                (format!("a_name_of_more_than_{MAX_NAME_BYTES}_bytes"), Value::Bool(false))
            }
            name => (name.to_owned(), parameters(&definition["inputSchema"])),
        };
        RemoteTool {
            name,
            title: title.map(|title| truncated(title, MAX_TITLE_BYTES)),
            description: truncated(text("description"), MAX_DESCRIPTION_BYTES),
            parameters,
            output_schema: definition.get("outputSchema").filter(|schema| schema.is_object()).cloned(),
            annotations,
        }
    }

    pub(super) fn into_tool(mut self, client: &Client) -> DynamicTool {
        if client.0.settings.ignore_annotations {
            self.annotations = Annotations::default();
        }
        // Those of the configured tool, which exists only after its handler.
        let annotations: Arc<OnceLock<Annotations>> = Arc::default();
        let (remote, name, declared) = (client.clone(), self.name.clone(), Arc::clone(&annotations));
        let handler = move |arguments: JsonObject, call| {
            let (client, name) = (remote.clone(), name.clone());
            let annotations = declared.get().copied().unwrap_or_default();
            async move { client.call(name, arguments, &call, annotations).await }
        };
        let tool = self.into_tool_with(client, handler);
        annotations.get_or_init(|| tool.declared_annotations());
        tool
    }

    /// The tool with this handler.
    pub(super) fn into_tool_with<F, T, E>(
        self,
        client: &Client,
        handler: impl Fn(JsonObject, CallContext) -> F + Send + Sync + 'static,
    ) -> DynamicTool
    where
        F: Future<Output = Result<T, E>> + Send + 'static,
        T: Into<ToolOutput>,
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        let settings = &client.0.settings;
        let local_name = format!("{}{}", settings.prefix, self.name);
        let mut tool =
            DynamicTool::with_context(local_name, self.description.clone(), self.parameters.clone(), handler)
                .annotations(self.annotations)
                .timeout(settings.timeout)
                .deny_unknown_arguments(settings.deny_unknown_arguments);
        if let Some(title) = &self.title {
            tool = tool.title(title);
        }
        if let Some(schema) = &self.output_schema {
            tool = tool.output_schema(schema.clone());
        }
        if let Some(configure) = &settings.configure {
            tool = configure(&self, tool);
        }
        tool
    }
}

/// The schema of the parameters. Some servers leave it out for a tool without parameters, or leave out its type, although
/// the protocol requires both.
fn parameters(schema: &Value) -> Value {
    match schema {
        Value::Object(keywords) if !keywords.contains_key("type") => {
            let mut keywords = keywords.clone();
            keywords.insert("type".to_owned(), "object".into());
            Value::Object(keywords)
        }
        other => other.clone(),
    }
}
