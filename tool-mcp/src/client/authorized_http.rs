//! An HTTP client whose requests have tokens.

use super::http::{Events, Headers, HttpError, RepairingClient};
use super::tokens::{TokenError, TokenRejection, TokenSource};
use super::transport_error::token_rejection;
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClient, StreamableHttpPostResponse, StreamableHttpResponseLimits,
};
use std::io;
use std::sync::Arc;
use tokio::time::Instant;

/// The number of times that one message is sent again with a token of more scopes.
const MAX_STEP_UPS: usize = 2;

/// Sends a message again with another token, if the server has not accepted the first one. The server has not handled the message
/// then.
#[derive(Clone)]
pub(super) struct AuthorizedClient {
    client: RepairingClient,
    /// `None`: the token of the settings, if they have one.
    tokens: Option<Arc<dyn TokenSource>>,
}

impl AuthorizedClient {
    pub(super) fn new(client: RepairingClient, tokens: Option<Arc<dyn TokenSource>>) -> Self {
        AuthorizedClient { client, tokens }
    }

    /// Sends a request. `may_ask` is whether a person may be asked to sign in for it.
    async fn send<T, F>(
        &self,
        token_of_settings: Option<String>,
        may_ask: bool,
        send: impl Fn(Option<String>) -> F,
    ) -> Result<T, HttpError>
    where
        F: Future<Output = Result<T, HttpError>>,
    {
        let Some(tokens) = &self.tokens else { return send(token_of_settings).await };
        let (mut is_renewed, mut step_ups, started) = (false, 0, Instant::now());
        let mut token = tokens.token().await.map_err(no_token)?;
        loop {
            let error = match send(token.as_deref().map(str::to_owned)).await {
                Err(error) => error,
                result => return result,
            };
            let Some((lacks_scope, challenge)) = token_rejection(&error) else { return Err(error) };
            let is_last = if lacks_scope { step_ups == MAX_STEP_UPS } else { is_renewed };
            if is_last {
                return Err(error);
            }
            if lacks_scope {
                step_ups += 1;
            } else {
                is_renewed = true;
            }
            let rejection =
                TokenRejection { token: token.as_ref(), lacks_scope, challenge, may_ask, started };
            let renewed = tokens.renew(rejection).await.map_err(no_token)?;
            // The server would not accept the same token.
            if renewed.is_none() || renewed == token {
                return Err(error);
            }
            token = renewed;
        }
    }
}

/// The error of a request that has no token and is not sent.
fn no_token(error: TokenError) -> HttpError {
    HttpError::Io(io::Error::other(error))
}

impl StreamableHttpClient for AuthorizedClient {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        let limits = StreamableHttpResponseLimits::default();
        self.post_message_with_response_limits(uri, message, session, token, headers, limits).await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
        limits: StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        let send = |token| {
            let (uri, message, session) = (Arc::clone(&uri), message.clone(), session.clone());
            self.client.post_message_with_response_limits(
                uri,
                message,
                session,
                token,
                headers.clone(),
                limits,
            )
        };
        self.send(token, true, send).await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<(), HttpError> {
        let send = |token| {
            self.client.delete_session(Arc::clone(&uri), Arc::clone(&session), token, headers.clone())
        };
        self.send(token, false, send).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event_id: Option<String>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<Events, HttpError> {
        let limit = StreamableHttpResponseLimits::default().max_sse_event_size;
        self.get_stream_with_max_sse_event_size(uri, session, last_event_id, token, headers, limit).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event_id: Option<String>,
        token: Option<String>,
        headers: Headers,
        limit: usize,
    ) -> Result<Events, HttpError> {
        let send = |token| {
            let (uri, session, last_event_id) = (Arc::clone(&uri), session.clone(), last_event_id.clone());
            self.client.get_stream_with_max_sse_event_size(
                uri,
                session,
                last_event_id,
                token,
                headers.clone(),
                limit,
            )
        };
        // Nobody waits for events, so nobody is asked.
        self.send(token, false, send).await
    }
}
