//! A transport that decides which messages of a client reach rmcp.

use super::changes::Changes;
use super::running::{MAX_WAIT, RunningRequests};
use super::too_large_request::{self, TOO_LARGE};
use super::{McpRequest, Server};
use crate::message_size::{request_bytes, truncated};
use rmcp::RoleServer;
use rmcp::model::{
    ClientCapabilities, ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorData,
    GetExtensions as _, Implementation, InitializeRequestParams, JsonRpcMessage, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use tokio::time::Instant;

/// The size after which the name and the version of a client are truncated.
pub(super) const MAX_CLIENT_NAME_BYTES: usize = 256;

/// Rejects the messages that the program does not authorise, and requests whose id is in use. rmcp handles notifications of
/// cancellation before a handler can reject them.
pub(super) struct RequestTransport<T> {
    transport: T,
    running: RunningRequests,
    /// `None` over HTTP, where [`HttpService`](super::HttpService) and `Sessions` decide before a message reaches the session.
    server: Option<Server>,
    client_name: Option<String>,
    /// A message that has arrived, and the time until which it waits. `receive` may be dropped meanwhile.
    next: Option<(ClientJsonRpcMessage, Instant)>,
}

impl<T> RequestTransport<T> {
    pub(super) fn new(transport: T, server: Server) -> Self {
        let (running, server) = (RunningRequests::default(), Some(server));
        RequestTransport { transport, running, server, client_name: None, next: None }
    }

    /// The transport of a session whose messages are accepted already.
    #[cfg(feature = "http-server")]
    pub(super) fn accepted(transport: T, running: RunningRequests) -> Self {
        RequestTransport { transport, running, server: None, client_name: None, next: None }
    }

    /// Whether the message is handled; otherwise, the error.
    async fn accept(&mut self) -> Result<(), ErrorData> {
        let Some((message, end)) = &mut self.next else { return Ok(()) };
        let Some(server) = &self.server else { return Ok(()) };
        if let JsonRpcMessage::Request(request) = &*message {
            if request.request.method() == TOO_LARGE {
                return Err(too_large_request::error());
            }
            self.running.begin(&request.id, request_bytes(&request.request), *end).await?;
        }
        let authorized = server.authorize(&McpRequest::from_message(message, self.client_name.as_deref()));
        let extensions = match message {
            JsonRpcMessage::Request(request) => {
                if authorized.is_err() {
                    self.running.end(&request.id);
                }
                request.request.extensions_mut()
            }
            JsonRpcMessage::Notification(notification) => notification.notification.extensions_mut(),
            // A response to a request of this server.
            _ => return authorized.map(drop),
        };
        if let Some(authorized) = authorized? {
            extensions.insert(authorized);
        }
        Ok(())
    }

    /// The accepted message, if rmcp handles it.
    fn for_rmcp(&mut self, mut message: ClientJsonRpcMessage) -> Option<ClientJsonRpcMessage> {
        match &mut message {
            JsonRpcMessage::Request(request) => {
                if let Some(by_client) = self.running.token(&request.id) {
                    request.request.extensions_mut().insert(by_client);
                }
                match (&mut request.request, &self.server) {
                    (ClientRequest::InitializeRequest(initialize), _) => {
                        shorten(&mut initialize.params);
                        self.client_name = Some(initialize.params.client_info.name.clone());
                    }
                    (ClientRequest::SubscriptionsListenRequest(listen), Some(server)) => {
                        listen.extensions.insert(Changes::new(server));
                    }
                    _ => {}
                }
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification {
                    self.running.cancel(cancelled.params.request_id.as_ref()?);
                    return None;
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        Some(message)
    }
}

/// rmcp keeps these parameters as long as the connection. The server uses only one capability of clients.
fn shorten(params: &mut InitializeRequestParams) {
    let client = &params.client_info;
    let name = truncated(&client.name, MAX_CLIENT_NAME_BYTES);
    params.client_info = Implementation::new(name, truncated(&client.version, MAX_CLIENT_NAME_BYTES));
    let elicitation = params.capabilities.elicitation.take();
    params.capabilities = ClientCapabilities::default();
    params.capabilities.elicitation = elicitation;
    params.meta = None;
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for RequestTransport<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        let is_sent = match &message {
            JsonRpcMessage::Response(response) => self.running.end(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref().is_none_or(|id| self.running.end(id)),
            _ => true,
        };
        let sent = is_sent.then(|| self.transport.send(message));
        async move {
            match sent {
                Some(sent) => sent.await,
                None => Ok(()),
            }
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if self.next.is_none() {
                let message = self.transport.receive().await?;
                self.next = Some((message, Instant::now() + MAX_WAIT));
            }
            let accepted = self.accept().await;
            let (message, _) = self.next.take()?;
            match (accepted, message) {
                (Ok(()), message) => {
                    if let Some(message) = self.for_rmcp(message) {
                        return Some(message);
                    }
                }
                (Err(error), JsonRpcMessage::Request(request)) => {
                    let rejected = self.transport.send(JsonRpcMessage::error(error, Some(request.id)));
                    // Reading continues until too many responses wait.
                    tokio::spawn(rejected);
                }
                (Err(_), _) => {}
            }
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), T::Error>> + Send {
        self.transport.close()
    }
}
