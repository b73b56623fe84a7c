//! Tools with which a model lists and reads the resources of a server.

use super::definition::RemoteTool;
use super::{Client, ClientError, ConnectError};
use crate::message_size::{MAX_URI_BYTES, truncated};
use rmcp::model::JsonObject;
use serde_json::{Value, json};
use std::fmt::{self, Write as _};
use tool_runtime::{DynamicTool, ToolOutput};

pub(super) const LIST_RESOURCES: &str = "list_resources";
pub(super) const READ_RESOURCE: &str = "read_resource";

/// The number of resources of a page, by default and at most.
const DEFAULT_PAGE: usize = 50;
const MAX_PAGE: usize = 200;

/// The size after which the description of a resource is truncated in the list.
const MAX_DESCRIPTION_BYTES: usize = 200;

/// The tools, without those whose names a tool of the server has.
pub(super) fn resource_tools(client: &Client, taken: impl Fn(&str) -> bool) -> Vec<DynamicTool> {
    let mut tools = Vec::new();
    if !taken(LIST_RESOURCES) {
        tools.push(list_resources(client));
    }
    if !taken(READ_RESOURCE) {
        tools.push(read_resource(client));
    }
    tools
}

fn definition(name: &str, description: &str, properties: &Value, required: &Value) -> RemoteTool {
    RemoteTool::from_value(&json!({
        "name": name,
        "description": description,
        "inputSchema": {"type": "object", "properties": properties, "required": required},
        "annotations": {"readOnlyHint": true},
    }))
}

fn list_resources(client: &Client) -> DynamicTool {
    let description = format!(
        "List the resources of this server, such as files and records, page by page. `{}{READ_RESOURCE}` reads one.",
        client.0.settings.prefix
    );
    let properties = json!({
        "page": {"type": "integer", "minimum": 1, "description": "The page; 1 if it is left out."},
        "limit": {"type": "integer", "minimum": 1, "maximum": MAX_PAGE,
            "description": format!("The number of resources of a page; {DEFAULT_PAGE} if it is left out.")},
    });
    let definition = definition(LIST_RESOURCES, &description, &properties, &json!([]));
    let remote = client.clone();
    definition.into_tool_with(client, move |arguments: JsonObject, _| {
        let client = remote.clone();
        let number = |name: &str, default: usize| {
            arguments
                .get(name)
                .and_then(Value::as_u64)
                .and_then(|number| usize::try_from(number).ok())
                .unwrap_or(default)
        };
        let (page, limit) = (number("page", 1).max(1), number("limit", DEFAULT_PAGE).clamp(1, MAX_PAGE));
        async move { client.resource_page(page, limit).await.map(ToolOutput::from) }
    })
}

fn read_resource(client: &Client) -> DynamicTool {
    let description = format!(
        "Read a resource of this server by its URI. `{}{LIST_RESOURCES}` lists URIs and templates of URIs.",
        client.0.settings.prefix
    );
    let properties = json!({
        "uri": {"type": "string", "minLength": 1, "maxLength": MAX_URI_BYTES, "description": "The URI, for example from a link in a result."},
    });
    let definition = definition(READ_RESOURCE, &description, &properties, &json!(["uri"]));
    let remote = client.clone();
    definition.into_tool_with(client, move |arguments: JsonObject, _| {
        let client = remote.clone();
        let uri = arguments.get("uri").and_then(Value::as_str).unwrap_or_default().to_owned();
        async move {
            let parts =
                client.read_resource(uri).await.map_err(|error| ResourceError::new(&client, error))?;
            Ok::<_, ResourceError>(parts.into_iter().fold(ToolOutput::new(), ToolOutput::with_part))
        }
    })
}

impl Client {
    /// The text of a page.
    async fn resource_page(&self, page: usize, limit: usize) -> Result<String, ResourceError> {
        let failed = |error| ResourceError::new(self, error);
        let templates = self.resource_templates().await.map_err(failed)?;
        let resources = self.resources().await.map_err(failed)?;
        let templates = templates.iter().map(|template| {
            let (title, description) = (template.title.as_ref(), template.description.as_ref());
            line(
                &template.uri_template,
                title.unwrap_or(&template.name),
                template.mime_type.as_ref(),
                description,
            )
        });
        let templates: Vec<String> =
            templates.map(|line| format!("{line} (a template: replace the braces)")).collect();
        let resources = resources.iter().map(|resource| {
            let (title, description) = (resource.title.as_ref(), resource.description.as_ref());
            line(&resource.uri, title.unwrap_or(&resource.name), resource.mime_type.as_ref(), description)
        });
        let lines: Vec<String> = templates.into_iter().chain(resources).collect();
        let pages = lines.len().div_ceil(limit).max(1);
        if page > pages {
            return Err(ResourceError {
                text: format!("there are {pages} pages; choose one from 1 to {pages}"),
                source: None,
            });
        }
        if lines.is_empty() {
            return Ok("The server has no resources.".to_owned());
        }
        let first = (page - 1) * limit;
        let last = lines.len().min(first + limit);
        let mut text = format!("Page {page} of {pages}: {} to {last} of {}.", first + 1, lines.len());
        if page < pages {
            // Writing to a string does not fail.
            write!(text, " Page {} has the next ones.", page + 1).ok();
        }
        for line in &lines[first..last] {
            text.push('\n');
            text.push_str(line);
        }
        Ok(truncated(&text, self.0.settings.max_result_bytes))
    }
}

fn line(uri: &str, name: &str, mime_type: Option<&String>, description: Option<&String>) -> String {
    let description = description.map(|text| truncated(text, MAX_DESCRIPTION_BYTES));
    let name = Some(truncated(name, MAX_DESCRIPTION_BYTES)).filter(|name| name != uri);
    let details = [Some(format!("- {uri}")), name, mime_type.cloned(), description];
    let text = details.into_iter().flatten().collect::<Vec<_>>().join(": ");
    // One line for each resource.
    let ends_line = |letter: char| letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}');
    text.chars().map(|letter| if ends_line(letter) { ' ' } else { letter }).collect()
}

/// The error of a call. The model reads the text.
#[derive(Debug)]
struct ResourceError {
    text: String,
    source: Option<ClientError>,
}

impl ResourceError {
    fn new(client: &Client, error: ClientError) -> Self {
        let text = match &error {
            ClientError::Protocol { message, .. } => {
                format!("{message}. `{}{LIST_RESOURCES}` lists the resources.", client.0.settings.prefix)
            }
            ClientError::UriTooLong { .. } => error.to_string(),
            ClientError::TimedOut { .. } | ClientError::ListTimedOut { .. } => {
                "the server did not respond in time. Try again later.".to_owned()
            }
            ClientError::Unauthorized(_) | ClientError::Connect(ConnectError::Unauthorized(_)) => {
                "the server of the resources requires authorisation that this program does not have. Ask the user to sign in again."
                    .to_owned()
            }
            // The reason is not for the model.
            ClientError::Connect(_) | ClientError::NoResponse(_) | ClientError::List { .. } => {
                "the server of the resources cannot be reached. Try again later.".to_owned()
            }
            _ => "the server responded with something other than a resource".to_owned(),
        };
        ResourceError { text, source: Some(error) }
    }
}

impl fmt::Display for ResourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for ResourceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|error| error as _)
    }
}
