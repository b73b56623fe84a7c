//! The parts of a client's request.

use rmcp::model::{ClientJsonRpcMessage, ClientNotification, ClientRequest, GetMeta as _, JsonRpcMessage};
use std::borrow::Cow;
use std::fmt;

/// A message of a client, or an HTTP request without a message, for the function of [`Server::batch`](super::Server::batch).
#[derive(Clone)]
pub struct McpRequest<'a> {
    method: Option<&'a str>,
    tool: Option<&'a str>,
    client_name: Option<Cow<'a, str>>,
    #[cfg(feature = "http-server")]
    http: Option<&'a http::request::Parts>,
}

impl<'a> McpRequest<'a> {
    #[cfg(feature = "http-server")]
    pub(super) fn from_http(
        http: &'a http::request::Parts,
        method: Option<&'a str>,
        tool: Option<&'a str>,
        client_name: Option<&'a str>,
    ) -> Self {
        McpRequest { method, tool, client_name: client_name.map(Cow::Borrowed), http: Some(http) }
    }

    /// A message of a connection, whose client has introduced itself with this name.
    pub(super) fn from_message(message: &'a ClientJsonRpcMessage, client_name: Option<&'a str>) -> Self {
        let mut read = McpRequest {
            method: None,
            tool: None,
            client_name: client_name.map(Cow::Borrowed),
            #[cfg(feature = "http-server")]
            http: None,
        };
        match message {
            JsonRpcMessage::Request(request) => {
                let request = &request.request;
                read.method = Some(request.method());
                read.tool = called_tool(request);
                let of_request = match request {
                    ClientRequest::InitializeRequest(request) => {
                        Some(Cow::Borrowed(&*request.params.client_info.name))
                    }
                    _ => request.get_meta().client_info().map(|client| Cow::Owned(client.name)),
                };
                read.client_name = of_request.or(read.client_name);
            }
            JsonRpcMessage::Notification(notification) => {
                read.method = notification_method(&notification.notification);
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

    /// The parts of the HTTP request: its method, headers, and the extensions that a layer has added. `None` over another
    /// transport.
    #[cfg(feature = "http-server")]
    #[must_use]
    pub fn http(&self) -> Option<&'a http::request::Parts> {
        self.http
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
