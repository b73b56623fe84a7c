//! Lists of a server, page by page.

use super::Client;
use super::builder::Settings;
use super::connection::Connection;
use super::error::ClientError;
use super::transport_error::{Rejection, rejection, request_cause};
use crate::message_size::value_bytes;
use rmcp::model::{
    ClientRequest, ErrorCode, ListPromptsRequest, ListResourceTemplatesRequest, ListResourcesRequest,
    ListToolsRequest, PaginatedRequestParams, ServerCapabilities, ServerResult,
};
use rmcp::service::ServiceError;
use serde_json::Value;
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::time::timeout;

/// A list of a server, in a [`ClientError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ListKind {
    /// `tools/list`.
    Tools,
    /// `resources/list`.
    Resources,
    /// `resources/templates/list`.
    ResourceTemplates,
    /// `prompts/list`.
    Prompts,
}

impl fmt::Display for ListKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ListKind::Tools => "tools",
            ListKind::Resources => "resources",
            ListKind::ResourceTemplates => "resource templates",
            ListKind::Prompts => "prompts",
        })
    }
}

impl ListKind {
    fn request(self, params: Option<PaginatedRequestParams>) -> ClientRequest {
        match self {
            ListKind::Tools => ListToolsRequest { params, ..ListToolsRequest::default() }.into(),
            ListKind::Resources => ListResourcesRequest { params, ..ListResourcesRequest::default() }.into(),
            ListKind::ResourceTemplates => {
                ListResourceTemplatesRequest { params, ..ListResourceTemplatesRequest::default() }.into()
            }
            ListKind::Prompts => ListPromptsRequest { params, ..ListPromptsRequest::default() }.into(),
        }
    }

    /// The field of the items in a page.
    fn field(self) -> &'static str {
        match self {
            ListKind::Tools => "tools",
            ListKind::Resources => "resources",
            ListKind::ResourceTemplates => "resourceTemplates",
            ListKind::Prompts => "prompts",
        }
    }

    fn is_offered(self, capabilities: &ServerCapabilities) -> bool {
        match self {
            ListKind::Tools => capabilities.tools.is_some(),
            ListKind::Resources | ListKind::ResourceTemplates => capabilities.resources.is_some(),
            ListKind::Prompts => capabilities.prompts.is_some(),
        }
    }

    fn limit(self, settings: &Settings) -> usize {
        if self == ListKind::Tools { settings.max_tools } else { settings.max_resources }
    }
}

impl Client {
    /// The items of a list as they are now, over a connection of this client.
    pub(super) async fn list(&self, kind: ListKind) -> Result<Vec<Value>, ClientError> {
        let connection = self.connection_for_list().await?;
        self.list_over(&connection, kind).await
    }

    pub(super) async fn list_over(
        &self,
        connection: &Arc<Connection>,
        kind: ListKind,
    ) -> Result<Vec<Value>, ClientError> {
        let allowed = self.0.settings.connect_timeout;
        let listed = timeout(allowed, connection.list_pages(kind, &self.0.settings)).await;
        let listed = listed.unwrap_or(Err(ClientError::ListTimedOut { kind, allowed }));
        let is_lost = match &listed {
            // The server has responded.
            Err(ClientError::List { source, .. }) => !matches!(
                source.downcast_ref(),
                Some(ServiceError::McpError(_) | ServiceError::UnexpectedResponse)
            ),
            Err(ClientError::ListTimedOut { .. }) => true,
            _ => false,
        };
        if is_lost {
            self.abandon(connection).await;
        }
        listed
    }
}

impl Connection {
    /// Whether the server offers this list. A server without it rejects the request.
    pub(super) fn offers(&self, kind: ListKind) -> bool {
        self.peer.peer_info().is_none_or(|server| kind.is_offered(&server.capabilities))
    }

    async fn list_pages(&self, kind: ListKind, settings: &Settings) -> Result<Vec<Value>, ClientError> {
        let limit = kind.limit(settings);
        if !self.offers(kind) {
            return Ok(Vec::new());
        }
        let (mut items, mut last_page) = (Vec::new(), 0..0);
        let (mut cursor, mut cursors) = (None, HashSet::new());
        let mut bytes = 0;
        // Also limits the number of empty pages.
        for _ in 0..=limit {
            let (page, next) = match self.list_page(kind, cursor).await {
                Ok(page) => page,
                // A server with resources may have no templates: both have the same capability.
                Err(ServiceError::McpError(error))
                    if kind == ListKind::ResourceTemplates && error.code == ErrorCode::METHOD_NOT_FOUND =>
                {
                    return Ok(items);
                }
                Err(error) if matches!(rejection(&error), Some(Rejection::Unauthorized)) => {
                    return Err(ClientError::Unauthorized(request_cause(error)));
                }
                Err(error) => return Err(ClientError::List { kind, source: request_cause(error) }),
            };
            let page_bytes =
                page.iter().map(value_bytes).sum::<usize>() + next.as_ref().map_or(0, String::len);
            if kind == ListKind::Tools {
                self.listed_bytes.fetch_add(page_bytes, Ordering::Relaxed);
            }
            bytes += page_bytes;
            if bytes > settings.max_list_bytes {
                return Err(ClientError::ListTooLarge { kind, limit: settings.max_list_bytes });
            }
            // A server that does not read cursors sends the same page again.
            if !page.is_empty() && page == items[last_page.clone()] {
                return Ok(items);
            }
            last_page = items.len()..items.len() + page.len();
            items.extend(page);
            if items.len() > limit {
                break;
            }
            // An empty cursor ends the list, and so does a repeated one, with which it would never end:
            // https://github.com/modelcontextprotocol/java-sdk/issues/628
            let Some(next) = next.filter(|next| !next.is_empty() && cursors.insert(next.clone())) else {
                return Ok(items);
            };
            cursor = Some(next);
        }
        Err(ClientError::TooMany { kind, limit })
    }

    /// The items of a page as JSON, since one invalid item must not hide the others, and the cursor of the next page.
    async fn list_page(
        &self,
        kind: ListKind,
        cursor: Option<String>,
    ) -> Result<(Vec<Value>, Option<String>), ServiceError> {
        let params = cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
        let mut page = match self.peer.send_request(kind.request(params)).await? {
            ServerResult::ListToolsResult(page) => serde_json::to_value(page).unwrap_or_default(),
            ServerResult::ListResourcesResult(page) => serde_json::to_value(page).unwrap_or_default(),
            ServerResult::ListResourceTemplatesResult(page) => serde_json::to_value(page).unwrap_or_default(),
            ServerResult::ListPromptsResult(page) => serde_json::to_value(page).unwrap_or_default(),
            ServerResult::CustomResult(page) => page.0,
            _ => return Err(ServiceError::UnexpectedResponse),
        };
        let next = page["nextCursor"].as_str().map(str::to_owned);
        match page.get_mut(kind.field()).map(Value::take) {
            Some(Value::Array(items)) => Ok((items, next)),
            _ => Err(ServiceError::UnexpectedResponse),
        }
    }
}
