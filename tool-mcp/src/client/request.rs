//! A request that has no effect, and may be sent again.

use super::connection::{Connection, pauses};
use super::error::ClientError;
use super::transport_error::{Rejection, rejection, request_cause};
use super::{Client, call::MAX_ERROR_BYTES};
use crate::message_size::truncated;
use rmcp::model::{CancelledNotificationParam, ClientRequest, ErrorCode, RequestId, ServerResult};
use rmcp::service::{Peer, PeerRequestOptions, RoleClient, ServiceError};
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::time::{sleep, timeout};

impl Client {
    /// The result of a request as JSON. The request is sent again after its connection was lost.
    pub(super) async fn request(&self, request: ClientRequest) -> Result<Value, ClientError> {
        let allowed = self.0.settings.timeout;
        let responded = timeout(allowed, self.request_until_response(request)).await;
        responded.map_err(|_| ClientError::TimedOut { allowed })?
    }

    async fn request_until_response(&self, request: ClientRequest) -> Result<Value, ClientError> {
        let mut pauses = pauses();
        loop {
            let connection = self.connection().await?;
            let error = match connection.send(request.clone()).await {
                Ok(ServerResult::ReadResourceResult(result)) => return to_value(result),
                Ok(ServerResult::GetPromptResult(result)) => return to_value(result),
                Ok(ServerResult::CustomResult(result)) => return Ok(result.0),
                Ok(_) | Err(ServiceError::UnexpectedResponse) => {
                    return Err(ClientError::UnexpectedResponse);
                }
                Err(ServiceError::McpError(error)) => {
                    let message = truncated(&error.message, MAX_ERROR_BYTES);
                    return Err(ClientError::Protocol { code: error.code.0, message });
                }
                Err(error) => error,
            };
            let is_lost = matches!(error, ServiceError::TransportClosed | ServiceError::TransportSend(_));
            match (rejection(&error), pauses.next()) {
                (Some(Rejection::Unreadable(message)), _) => {
                    return Err(ClientError::Protocol { code: ErrorCode::PARSE_ERROR.0, message });
                }
                (None | Some(Rejection::MayRepeat), Some(pause)) if is_lost => {
                    self.abandon(&connection).await;
                    sleep(pause).await;
                }
                (Some(Rejection::Unauthorized), _) => {
                    return Err(ClientError::Unauthorized(request_cause(error)));
                }
                _ => return Err(ClientError::NoResponse(request_cause(error))),
            }
        }
    }
}

fn to_value(result: impl serde::Serialize) -> Result<Value, ClientError> {
    serde_json::to_value(result).map_err(|_| ClientError::UnexpectedResponse)
}

impl Connection {
    async fn send(&self, request: ClientRequest) -> Result<ServerResult, ServiceError> {
        let handle = self.peer.send_request_with_option(request, PeerRequestOptions::no_options()).await?;
        let mut sent = SentRequest { peer: self.peer.clone(), id: Some(handle.id.clone()) };
        let response = handle.await_response().await;
        sent.id = None;
        response
    }
}

/// A request that was sent. If it is dropped before the response, the server is notified.
struct SentRequest {
    peer: Peer<RoleClient>,
    /// `None` after the response.
    id: Option<RequestId>,
}

impl Drop for SentRequest {
    fn drop(&mut self) {
        let (Some(id), Ok(runtime)) = (self.id.take(), Handle::try_current()) else { return };
        let peer = self.peer.clone();
        let cancelled =
            CancelledNotificationParam::new(Some(id), Some("the request was cancelled".to_owned()));
        // The server may have ended.
        runtime.spawn(async move { peer.notify_cancelled(cancelled).await.ok() });
    }
}
