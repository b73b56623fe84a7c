//! The resources of a server, which functions of the program read.

use super::Server;
use super::contained::Responding;
use super::resource_body::ResourceBody;
use super::uri_template::{UriTemplate, UriTemplateError, Variables};
use crate::message_size::{MAX_URI_BYTES, truncated};
use rmcp::model::{ErrorData, ReadResourceResult, Resource, ResourceTemplate};
use serde_json::json;
use std::fmt::{self, Display};
use std::sync::Arc;
use tool_runtime::RunContext;

/// A client's request of a resource, for the function of [`Server::resource`] or [`Server::resource_template`].
#[derive(Clone)]
pub struct ResourceRequest {
    uri: String,
    variables: Variables,
    run: RunContext,
}

impl ResourceRequest {
    /// The URI that the client has sent.
    #[must_use]
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// The value of a variable of the template, without percent-encoding. `None` if the template has no such variable.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.iter().find(|(other, _)| other == name).map(|(_, value)| &**value)
    }

    /// The run context of the request, with the [state](RunContext::get) of its user: see [`Server::context_per_request`].
    #[must_use]
    pub fn run_context(&self) -> &RunContext {
        &self.run
    }
}

impl fmt::Debug for ResourceRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResourceRequest")
            .field("uri", &self.uri)
            .field("variables", &self.variables)
            .finish_non_exhaustive()
    }
}

type Read = Arc<dyn Fn(ResourceRequest) -> Responding<Result<ResourceBody, String>> + Send + Sync>;

fn boxed<F, B, E>(read: impl Fn(ResourceRequest) -> F + Send + Sync + 'static) -> Read
where
    F: Future<Output = Result<B, E>> + Send + 'static,
    B: Into<ResourceBody>,
    E: Display,
{
    let read = Arc::new(read);
    Arc::new(move |request| {
        let read = Arc::clone(&read);
        // The function itself may panic, and does so in the future then.
        Box::pin(async move { read(request).await.map(Into::into).map_err(|error| error.to_string()) })
    })
}

/// The resources and templates, in the order in which the program has added them.
#[derive(Clone, Default)]
pub(super) struct Resources {
    fixed: Vec<(Resource, Read)>,
    templates: Vec<(ResourceTemplate, UriTemplate, Read)>,
}

/// A resource that a client may read.
pub(super) struct Found {
    read: Read,
    request: ResourceRequest,
    mime_type: Option<String>,
}

impl Resources {
    pub(super) fn is_empty(&self) -> bool {
        self.fixed.is_empty() && self.templates.is_empty()
    }

    pub(super) fn list(&self) -> Vec<Resource> {
        self.fixed.iter().map(|(resource, _)| resource.clone()).collect()
    }

    pub(super) fn templates(&self) -> Vec<ResourceTemplate> {
        self.templates.iter().map(|(template, ..)| template.clone()).collect()
    }

    /// Whether the program has added this template.
    pub(super) fn has_template(&self, uri_template: &str) -> bool {
        self.templates.iter().any(|(template, ..)| template.uri_template == uri_template)
    }

    /// Whether a client may read this URI, or the function of a template decides about it.
    pub(super) fn has(&self, uri: &str) -> bool {
        self.lookup(uri).is_some()
    }

    fn lookup(&self, uri: &str) -> Option<(&Read, Variables, Option<&String>)> {
        if let Some((resource, read)) = self.fixed.iter().find(|(resource, _)| resource.uri == uri) {
            return Some((read, Variables::new(), resource.mime_type.as_ref()));
        }
        self.templates.iter().find_map(|(template, parsed, read)| {
            Some((read, parsed.matches(uri)?, template.mime_type.as_ref()))
        })
    }

    /// The resource with this URI.
    pub(super) fn find(&self, uri: String, run: RunContext) -> Result<Found, ErrorData> {
        let Some((read, variables, mime_type)) = self.lookup(&uri) else { return Err(not_found(&uri)) };
        let (read, mime_type) = (Arc::clone(read), mime_type.cloned());
        Ok(Found { read, request: ResourceRequest { uri, variables, run }, mime_type })
    }
}

impl Found {
    /// Reads the resource.
    pub(super) fn read(self) -> Responding<Result<ReadResourceResult, ErrorData>> {
        Box::pin(async move {
            let uri = self.request.uri.clone();
            let body = (self.read)(self.request).await;
            let body = body.map_err(|error| ErrorData::internal_error(error, None))?;
            let contents = body.into_contents(&uri, self.mime_type.as_deref());
            contents.map(ReadResourceResult::new).ok_or_else(|| not_found(&uri))
        })
    }
}

/// rmcp sends another code from protocol 2026-07-28 on.
pub(super) fn not_found(uri: &str) -> ErrorData {
    let uri = truncated(uri, MAX_URI_BYTES);
    let text = format!(
        "there is no resource `{uri}`; `resources/list` and `resources/templates/list` name those of the server"
    );
    ErrorData::resource_not_found(text, Some(json!({"uri": uri})))
}

impl Server {
    /// Adds a resource, which the function reads whenever a client asks for it. A resource with the same URI is replaced.
    ///
    /// The function returns text, bytes, or another [`ResourceBody`]; `None` means that there is no such resource. The client
    /// receives the text of an error. A panic is an error of the request, and so is a function that takes more than 60 seconds. The
    /// future is dropped if the client cancels the request. Every client sees the list of resources; the function decides by
    /// the [run context](ResourceRequest::run_context) who may read, and who may subscribe to updates.
    ///
    /// ```
    /// use tool_runtime::{Registry, tools};
    /// use tool_runtime_mcp::rmcp::model::Resource;
    /// use tool_runtime_mcp::serve;
    ///
    /// let terms = Resource::new("shop://terms", "terms").with_mime_type("text/markdown");
    /// let logo = Resource::new("shop://logo", "logo").with_mime_type("image/png");
    /// let server = serve(Registry::new(tools![])?)
    ///     .resource(terms, |_| async { Ok::<_, &str>("No returns.") })
    ///     .resource(logo, |_| async { std::fs::read("logo.png") });
    /// # drop(server);
    /// # Ok::<(), tool_runtime::BuildError>(())
    /// ```
    pub fn resource<F, B, E>(
        mut self,
        resource: Resource,
        read: impl Fn(ResourceRequest) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<B, E>> + Send + 'static,
        B: Into<ResourceBody>,
        E: Display,
    {
        let resources = self.add_resources();
        resources.fixed.retain(|(other, _)| other.uri != resource.uri);
        resources.fixed.push((resource, boxed(read)));
        self
    }

    /// Adds the resources whose URIs match a template. It works like [`resource`](Server::resource), and a resource with a URI of
    /// its own is preferred. Of several templates that match, the first one is used.
    ///
    /// `{name}` matches one or more characters other than `/`, and `{+name}` also `/`. Each variable is as short as possible. Its
    /// value has no percent-encoding. A URI does not match if a value has a control character or a segment `.` or `..`, or if the
    /// value of `{name}` has a slash that is encoded. A URI has at most 2 KiB. The value of `{+name}` may begin with `/`: a path
    /// that is joined with it is replaced.
    ///
    /// ```
    /// use tool_runtime::{Registry, tools};
    /// use tool_runtime_mcp::rmcp::model::ResourceTemplate;
    /// use tool_runtime_mcp::serve;
    ///
    /// # fn run() -> Result<(), Box<dyn std::error::Error>> {
    /// let order = ResourceTemplate::new("shop://orders/{id}", "order").with_mime_type("application/json");
    /// let server = serve(Registry::new(tools![])?).resource_template(order, |request| async move {
    ///     let found = (request.variable("id") == Some("A-17")).then_some(r#"{"pieces": 2}"#);
    ///     Ok::<_, &str>(found) // `None`: there is no such order
    /// })?;
    /// # drop(server);
    /// # Ok(())
    /// # }
    /// # run().expect("the template is valid");
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the template has other expressions, two variables without text between them, or a variable twice.
    pub fn resource_template<F, B, E>(
        mut self,
        template: ResourceTemplate,
        read: impl Fn(ResourceRequest) -> F + Send + Sync + 'static,
    ) -> Result<Self, UriTemplateError>
    where
        F: Future<Output = Result<B, E>> + Send + 'static,
        B: Into<ResourceBody>,
        E: Display,
    {
        let parsed = UriTemplate::parse(&template.uri_template)?;
        let resources = self.add_resources();
        resources.templates.retain(|(other, ..)| other.uri_template != template.uri_template);
        resources.templates.push((template, parsed, boxed(read)));
        Ok(self)
    }

    fn add_resources(&mut self) -> &mut Resources {
        self.info.capabilities.resources.get_or_insert_default().subscribe = Some(true);
        &mut Arc::make_mut(&mut self.offers).resources
    }
}
