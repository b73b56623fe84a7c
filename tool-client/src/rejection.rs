//! Errors of servers.

use crate::quoted::Quoted;
use crate::retry_after::retry_after;
use crate::secret::redacted_url;
use crate::send::{ErrorContext, Received};
use crate::{Model, ModelError};
use futures_util::StreamExt as _;
use reqwest::header::LOCATION;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tool_runtime::stream::StreamError;
use tool_runtime::wire::{ErrorKind, WireError};

/// The error of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rejection {
    /// The URL, without its query.
    pub url: String,
    /// The HTTP status, which may be 200.
    pub status: u16,
    /// The message of the server.
    pub message: String,
    /// The kind of the error.
    pub kind: ErrorKind,
    /// The time after which the server accepts requests again, if it sent it.
    pub retry_after: Option<Duration>,
    /// Whether the server asks to repeat the request, if it sent it: the header `x-should-retry` of Anthropic and OpenAI.
    pub should_retry: Option<bool>,
}

/// The time limit of the body of an error. Without the body, the status decides.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// The maximum of the body of an error, in bytes.
const MAX_BODY: usize = 1 << 20;

/// The maximum of characters of the message of a server that sends no JSON.
const MAX_MESSAGE: usize = 500;

impl Rejection {
    fn new(context: &ErrorContext, status: u16, message: &str, kind: ErrorKind) -> Self {
        let retry_after = match kind {
            ErrorKind::RateLimit { retry_after, .. } => retry_after,
            _ => None,
        };
        let (url, message) = (context.url.clone(), context.secrets.redact(message));
        Rejection { url, status, message, kind, retry_after, should_retry: None }
    }

    /// The error of the server in a stream; `None` for any other error.
    pub(crate) fn from_stream(error: &StreamError, context: &ErrorContext) -> Option<Self> {
        let (StreamError::Server { message, .. }, Some(kind)) = (error, error.error_kind()) else {
            return None;
        };
        Some(Rejection::new(context, 200, message, kind))
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rejection { url, status, message, .. } = self;
        match status {
            200..300 => write!(f, "{url} sent an error: {}", Quoted(message))?,
            _ => write!(f, "{url} responded with status {status}: {}", Quoted(message))?,
        }
        if [404, 405].contains(status) {
            f.write_str("; check the base URL and the name of the model")?;
        }
        match self.retry_after {
            Some(time) => write!(f, "; the server accepts requests again in {time:?}"),
            None => Ok(()),
        }
    }
}

impl Model {
    /// The error of a response without a successful status.
    pub(crate) async fn rejected(&self, received: Received) -> ModelError {
        let (status, headers) = (received.response.status(), received.response.headers().clone());
        let context = Arc::clone(&received.context);
        if status.is_redirection() {
            let location = headers.get(LOCATION).and_then(|location| location.to_str().ok());
            let location = location.and_then(|location| received.response.url().join(location).ok());
            let location = location.as_ref().map_or_else(|| "another URL".to_owned(), redacted_url);
            let message = format!("the server redirects to {location}; set the base URL to its server");
            let rejection = Rejection::new(&context, status.as_u16(), &message, ErrorKind::Other);
            return ModelError::Rejected(rejection);
        }
        let body = context.secrets.redact(&self.error_body(received).await);
        let reason = || match body.trim() {
            "" => status.canonical_reason().unwrap_or("no message").to_owned(),
            text => text.chars().take(MAX_MESSAGE).collect(),
        };
        let message = self.wire.read_error(&body).unwrap_or_else(reason);
        let kind = ErrorKind::from_response(status.as_u16(), &body);
        let mut rejection = Rejection::new(&context, status.as_u16(), &message, kind);
        rejection.retry_after = retry_after(&headers, SystemTime::now()).or(rejection.retry_after);
        rejection.should_retry = headers.get("x-should-retry").and_then(|retry| match retry.as_bytes() {
            b"true" => Some(true),
            b"false" => Some(false),
            _ => None,
        });
        ModelError::Rejected(rejection)
    }

    /// The beginning of the body, up to its end, its limits or the end of the connection.
    async fn error_body(&self, received: Received) -> String {
        let mut bytes = self.bytes(received, BODY_TIMEOUT);
        let mut body = Vec::new();
        while let Some(Ok(piece)) = bytes.next().await {
            body.extend_from_slice(&piece);
            if body.len() > MAX_BODY {
                break;
            }
        }
        String::from_utf8_lossy(&body).into_owned()
    }

    /// The error of a body with a successful status: an error of the server, or not a reply. It may quote the body.
    pub(crate) fn body_error(&self, error: WireError, body: &str, context: &ErrorContext) -> ModelError {
        let body = context.secrets.redact(body);
        match self.wire.read_reply(&body).err().unwrap_or(error) {
            WireError::Server { message, .. } => {
                let kind = ErrorKind::from_response(200, &body);
                ModelError::Rejected(Rejection::new(context, 200, &message, kind))
            }
            source => ModelError::NotAReply { url: context.url.clone(), source },
        }
    }
}
