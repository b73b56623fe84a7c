//! An HTTP client whose requests have tokens.

use super::http::{Events, Headers, HttpError, RepairingClient};
use super::tokens::{TokenError, TokenRejection, TokenSource};
use super::transport_error::token_rejection;
use http::HeaderValue;
use rmcp::model::{ClientJsonRpcMessage, ClientNotification, ClientRequest, JsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, InsufficientScopeError, StreamableHttpClient, StreamableHttpPostResponse,
    StreamableHttpResponseLimits,
};
use std::io;
use std::sync::Arc;
use tokio::time::Instant;

/// The number of times that one message is sent again with a token of more scopes.
const MAX_STEP_UPS: usize = 2;

/// The size from which a token is hidden in texts, in bytes. A shorter one is no secret, and is part of many words.
const MIN_HIDDEN_BYTES: usize = 4;

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
        let Some(tokens) = &self.tokens else {
            let result = send(token_of_settings.clone()).await;
            return result.map_err(|error| hide_token(error, token_of_settings.as_deref()));
        };
        let (mut is_renewed, mut step_ups, started) = (false, 0, Instant::now());
        let mut token = tokens.token().await.map_err(no_token)?;
        loop {
            check(token.as_deref()).map_err(no_token)?;
            let error = match send(token.as_deref().map(str::to_owned)).await {
                Err(error) => hide_token(error, token.as_deref()),
                result => return result,
            };
            let Some((lacks_scope, challenge)) = token_rejection(&error) else { return Err(error) };
            let is_last = if lacks_scope { step_ups == MAX_STEP_UPS } else { is_renewed };
            if is_last {
                tokens.renewal_failed();
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

/// Removes the token from the text of a server, which may repeat it, also if the text was cut within the token.
fn hide_token(error: HttpError, token: Option<&str>) -> HttpError {
    let Some(token) = token.filter(|token| token.len() >= MIN_HIDDEN_BYTES) else { return error };
    let hide = |text: &str| {
        let mut text = text.replace(token, "[token]");
        let mut starts = (MIN_HIDDEN_BYTES..token.len()).rev().filter_map(|length| token.get(..length));
        if let Some(start) = starts.find(|start| text.ends_with(start)) {
            text.replace_range(text.len() - start.len().., "[token]");
        }
        text
    };
    match error {
        HttpError::UnexpectedServerResponse(text) => HttpError::UnexpectedServerResponse(hide(&text).into()),
        HttpError::AuthRequired(error) => {
            HttpError::AuthRequired(AuthRequiredError::new(hide(&error.www_authenticate_header)))
        }
        HttpError::InsufficientScope(error) => {
            let challenge = hide(&error.www_authenticate_header);
            HttpError::InsufficientScope(InsufficientScopeError::new(challenge, None))
        }
        error => error,
    }
}

/// A token that is no value of a header would be an error of the transport otherwise, after which the call may have taken effect.
fn check(token: Option<&str>) -> Result<(), TokenError> {
    if token.is_none_or(|token| HeaderValue::from_str(token).is_ok()) {
        return Ok(());
    }
    let text =
        "the token cannot be the value of a header: it contains a line break or another control character";
    Err(TokenError::new(text))
}

/// Whether somebody waits for the response to a message. Nobody waits for a cancellation and for the subscription to changes, which
/// are sent at any time.
fn is_waited_for(message: &ClientJsonRpcMessage) -> bool {
    match message {
        JsonRpcMessage::Request(request) => {
            !matches!(request.request, ClientRequest::SubscriptionsListenRequest(_))
        }
        JsonRpcMessage::Notification(notification) => {
            matches!(notification.notification, ClientNotification::InitializedNotification(_))
        }
        _ => false,
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
        self.send(token, is_waited_for(&message), send).await
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
