//! The resources of a server.

use super::output::{content_parts, resource_block};
use super::pages::ListKind;
use super::{Client, ClientError};
use crate::message_size::{MAX_URI_BYTES, truncated};
use rmcp::model::{
    ClientRequest, ReadResourceRequest, ReadResourceRequestParams, Resource, ResourceContents,
    ResourceTemplate,
};
use serde_json::Value;
use tool_runtime::message::Part;

/// The sizes after which texts of a definition are truncated.
const MAX_DESCRIPTION_BYTES: usize = 16 * 1024;
const MAX_NAME_BYTES: usize = 1024;

impl Client {
    /// The resources of the server as they are now; none if the server has no resources. Descriptions are truncated after 16 KiB,
    /// and other texts after 1 KiB. A resource whose URI is missing or has more than 2 KiB is left out.
    ///
    /// Only the server opens a URI: this client never does, whatever its scheme is.
    ///
    /// ```no_run
    /// # async fn run(client: tool_runtime_mcp::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// for resource in client.resources().await? {
    ///     println!("{}: {:?}", resource.uri, client.read_resource(&*resource.uri).await?);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the server cannot be reached, does not respond in time, or has too many resources.
    pub async fn resources(&self) -> Result<Vec<Resource>, ClientError> {
        let listed = self.list(ListKind::Resources).await?;
        Ok(listed.iter().filter_map(resource).collect())
    }

    /// The templates of resources as they are now: a URI that results from one can be [read](Client::read_resource). The limits are
    /// those of [`resources`](Client::resources).
    ///
    /// # Errors
    ///
    /// Returns an error if the server cannot be reached, does not respond in time, or has too many templates.
    pub async fn resource_templates(&self) -> Result<Vec<ResourceTemplate>, ClientError> {
        let listed = self.list(ListKind::ResourceTemplates).await?;
        Ok(listed.iter().filter_map(template).collect())
    }

    /// Reads a resource, which may be one that no list contains. For the bytes of other files, see
    /// [`resource_contents`](Client::resource_contents). The parts fit a message of the user: text with its URI, images
    /// and PDF files; other data is a text that names it. They are limited as the result of a call is. The server states the URIs.
    ///
    /// The request has the [time limit](super::ClientBuilder::timeout) of a call, and is sent again after the connection was
    /// lost.
    ///
    /// # Errors
    ///
    /// Returns an error if the URI has more than 2 KiB, the server cannot be reached, does not respond in time, or rejects the
    /// request.
    pub async fn read_resource(&self, uri: impl Into<String>) -> Result<Vec<Part>, ClientError> {
        let contents = self.contents(uri.into()).await?;
        let blocks = contents.iter().map(resource_block).collect();
        Ok(content_parts(blocks, &self.0.settings))
    }

    /// Like [`read_resource`](Client::read_resource), with the contents as the server has sent them, for the program: texts, and
    /// bytes of any type in base64. Their limit is that of a message, 16 MiB.
    ///
    /// ```no_run
    /// use tool_runtime_mcp::rmcp::model::ResourceContents;
    ///
    /// # async fn run(client: tool_runtime_mcp::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// for contents in client.resource_contents("shop://catalogue.zip").await? {
    ///     if let ResourceContents::BlobResourceContents { uri, blob, .. } = contents {
    ///         println!("{uri}: {blob}"); // base64
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`read_resource`](Client::read_resource), and contents that are no text and no bytes.
    pub async fn resource_contents(
        &self,
        uri: impl Into<String>,
    ) -> Result<Vec<ResourceContents>, ClientError> {
        let contents = self.contents(uri.into()).await?;
        let read = contents.into_iter().map(serde_json::from_value).collect::<Result<_, _>>();
        read.map_err(|_| ClientError::UnexpectedResponse)
    }

    async fn contents(&self, uri: String) -> Result<Vec<Value>, ClientError> {
        if uri.len() > MAX_URI_BYTES {
            return Err(ClientError::UriTooLong { limit: MAX_URI_BYTES });
        }
        let request = ReadResourceRequest::new(ReadResourceRequestParams::new(uri));
        let mut result = self.request(ClientRequest::ReadResourceRequest(request)).await?;
        match result["contents"].take() {
            Value::Array(contents) => Ok(contents),
            _ => Err(ClientError::UnexpectedResponse),
        }
    }
}

fn text(definition: &Value, field: &str, limit: usize) -> Option<String> {
    definition[field].as_str().map(|text| truncated(text, limit))
}

/// The URI, which is not truncated.
fn uri<'a>(definition: &'a Value, field: &str) -> Option<&'a str> {
    definition[field].as_str().filter(|uri| !uri.is_empty() && uri.len() <= MAX_URI_BYTES)
}

fn resource(definition: &Value) -> Option<Resource> {
    let uri = uri(definition, "uri")?;
    let name = text(definition, "name", MAX_NAME_BYTES).unwrap_or_else(|| uri.to_owned());
    let mut resource = Resource::new(uri, name);
    resource.title = text(definition, "title", MAX_NAME_BYTES);
    resource.description = text(definition, "description", MAX_DESCRIPTION_BYTES);
    resource.mime_type = text(definition, "mimeType", MAX_NAME_BYTES);
    resource.size = definition["size"].as_u64();
    Some(resource)
}

fn template(definition: &Value) -> Option<ResourceTemplate> {
    let uri = uri(definition, "uriTemplate")?;
    let name = text(definition, "name", MAX_NAME_BYTES).unwrap_or_else(|| uri.to_owned());
    let mut template = ResourceTemplate::new(uri, name);
    template.title = text(definition, "title", MAX_NAME_BYTES);
    template.description = text(definition, "description", MAX_DESCRIPTION_BYTES);
    template.mime_type = text(definition, "mimeType", MAX_NAME_BYTES);
    Some(template)
}
