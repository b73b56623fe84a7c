//! The parts of a client's request.

use rmcp::RoleServer;
use rmcp::service::RequestContext;
use std::fmt;

/// A request of a client, for the function of [`Server::batch`](super::Server::batch).
#[derive(Clone, Copy)]
pub struct McpRequest<'a> {
    context: &'a RequestContext<RoleServer>,
    tool: Option<&'a str>,
}

impl<'a> McpRequest<'a> {
    pub(super) fn new(context: &'a RequestContext<RoleServer>, tool: Option<&'a str>) -> Self {
        McpRequest { context, tool }
    }

    /// The name of the called tool; `None` for `tools/list`.
    #[must_use]
    pub fn tool(&self) -> Option<&'a str> {
        self.tool
    }

    /// The request in the types of [`rmcp`]: the version of the protocol, metadata, extensions.
    #[must_use]
    pub fn context(&self) -> &'a RequestContext<RoleServer> {
        self.context
    }

    /// The name of the client's program, as the client states it: do not rely on it for authorisation.
    #[must_use]
    pub fn client_name(&self) -> Option<String> {
        self.context.client_info().map(|client| client.name)
    }

    /// The parts of the HTTP request: headers, and the extensions that a layer has added. `None` over another transport.
    #[cfg(feature = "http-server")]
    #[must_use]
    pub fn http(&self) -> Option<&'a http::request::Parts> {
        self.context.extensions.get()
    }
}

impl fmt::Debug for McpRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpRequest").field("tool", &self.tool).finish_non_exhaustive()
    }
}
