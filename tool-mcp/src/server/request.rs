//! The parts of a client's request.

#[cfg(feature = "http-server")]
use super::bearer_token::Access;
#[cfg(feature = "http-server")]
use super::envelope::Envelope;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, GetMeta as _, JsonObject, JsonRpcMessage,
};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt;

/// A message of a client, or an HTTP request without a message, for the function of
/// [`Server::context_per_request`](super::Server::context_per_request).
#[derive(Clone)]
pub struct McpRequest<'a> {
    method: Option<&'a str>,
    tool: Option<&'a str>,
    client_name: Option<Cow<'a, str>>,
    meta: Option<Meta<'a>>,
    #[cfg(feature = "http-server")]
    http: Option<&'a http::request::Parts>,
    #[cfg(feature = "http-server")]
    access: Option<&'a Access>,
}

/// The `_meta` of a message.
#[derive(Clone, Copy)]
enum Meta<'a> {
    #[cfg_attr(not(feature = "http-server"), allow(dead_code, reason = "only HTTP has the text"))]
    Text(&'a RawValue),
    Object(&'a JsonObject),
}

impl<'a> McpRequest<'a> {
    /// A request over HTTP with this message. `client_name` is that of its session, for a message without one.
    #[cfg(feature = "http-server")]
    pub(super) fn from_http(
        http: &'a http::request::Parts,
        message: &'a Envelope<'a>,
        client_name: Option<&'a str>,
    ) -> Self {
        McpRequest {
            method: message.method.as_deref(),
            tool: message.tool.as_deref(),
            client_name: message.client_name.as_deref().or(client_name).map(Cow::Borrowed),
            meta: message.meta.map(Meta::Text),
            http: Some(http),
            access: None,
        }
    }

    /// The request with the rights of its token.
    #[cfg(feature = "http-server")]
    pub(super) fn with_access(mut self, access: Option<&'a Access>) -> Self {
        self.access = access;
        self
    }

    /// A message of a connection, whose client has introduced itself with this name.
    pub(super) fn from_message(message: &'a ClientJsonRpcMessage, client_name: Option<&'a str>) -> Self {
        let mut read = McpRequest {
            method: None,
            tool: None,
            client_name: client_name.map(Cow::Borrowed),
            meta: None,
            #[cfg(feature = "http-server")]
            http: None,
            #[cfg(feature = "http-server")]
            access: None,
        };
        match message {
            JsonRpcMessage::Request(request) => {
                let request = &request.request;
                read.method = Some(request.method());
                read.tool = called_tool(request);
                read.meta = Some(Meta::Object(request.get_meta()));
                let stated_name = match request {
                    ClientRequest::InitializeRequest(request) => {
                        Some(Cow::Borrowed(&*request.params.client_info.name))
                    }
                    _ => request.get_meta().client_info().map(|client| Cow::Owned(client.name)),
                };
                read.client_name = stated_name.or(read.client_name);
            }
            JsonRpcMessage::Notification(notification) => {
                read.method = notification_method(&notification.notification);
                read.meta = Some(Meta::Object(notification.notification.get_meta()));
            }
            _ => {}
        }
        read
    }

    /// The method of the message, for example `initialize`, `tools/call` or `notifications/cancelled`. `None` for an HTTP request
    /// that receives the events of a session or ends it, and for a response of the client.
    #[must_use]
    pub fn method(&self) -> Option<&'a str> {
        self.method
    }

    /// The name of the called tool; `None` unless the method is `tools/call`.
    #[must_use]
    pub fn tool(&self) -> Option<&'a str> {
        self.tool
    }

    /// The name of the client's program, as the client states it: do not rely on it for authorisation.
    #[must_use]
    pub fn client_name(&self) -> Option<String> {
        self.client_name.as_deref().map(str::to_owned)
    }

    /// The `_meta` of the message, for example a trace context, or fields that the client and the program have agreed on. `None` if
    /// it has none. The client states it: do not rely on it for authorisation.
    ///
    /// ```
    /// use tool_runtime::{Registry, RunContext, tools};
    /// use tool_runtime_mcp::serve;
    ///
    /// struct Trace(String);
    ///
    /// let server = serve(Registry::new(tools![])?).context_per_request(|request| {
    ///     let meta = request.meta().unwrap_or_default();
    ///     let trace = meta.get("traceparent").and_then(|trace| trace.as_str());
    ///     RunContext::new().state(Trace(trace.unwrap_or_default().to_owned()))
    /// });
    /// # drop(server);
    /// # Ok::<(), tool_runtime::BuildError>(())
    /// ```
    #[must_use]
    pub fn meta(&self) -> Option<Map<String, Value>> {
        let meta = match self.meta? {
            Meta::Text(text) => serde_json::from_str(text.get()).ok()?,
            Meta::Object(object) => object.clone(),
        };
        Some(meta).filter(|meta| !meta.is_empty())
    }

    /// The parts of the HTTP request: its method, headers, and the extensions that a layer has added. `None` over another
    /// transport.
    #[cfg(feature = "http-server")]
    #[must_use]
    pub fn http(&self) -> Option<&'a http::request::Parts> {
        self.http
    }

    /// The rights of the token, with its [subject](Access::subject) and [run context](Access::run_context). `None` without
    /// [`Server::bearer_tokens`](super::Server::bearer_tokens).
    #[cfg(feature = "http-server")]
    #[must_use]
    pub fn access(&self) -> Option<&'a Access> {
        self.access
    }
}

fn called_tool(request: &ClientRequest) -> Option<&str> {
    match request {
        ClientRequest::CallToolRequest(call) => Some(&call.params.name),
        // Its parameters are not those of the protocol: see `ConnectionHandler::on_custom_request`.
        ClientRequest::CustomRequest(call) if call.method == "tools/call" => {
            call.params.as_ref()?.get("name")?.as_str()
        }
        _ => None,
    }
}

fn notification_method(notification: &ClientNotification) -> Option<&str> {
    Some(match notification {
        ClientNotification::CancelledNotification(_) => "notifications/cancelled",
        ClientNotification::ProgressNotification(_) => "notifications/progress",
        ClientNotification::InitializedNotification(_) => "notifications/initialized",
        ClientNotification::RootsListChangedNotification(_) => "notifications/roots/list_changed",
        ClientNotification::CustomNotification(custom) => &custom.method,
        _ => return None,
    })
}

impl fmt::Debug for McpRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpRequest")
            .field("method", &self.method)
            .field("tool", &self.tool)
            .finish_non_exhaustive()
    }
}
