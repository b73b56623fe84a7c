//! The response to a message over HTTP, with the limits and repairs of [`REPAIR_LINE`].
//!
//! rmcp classifies responses in the same way, but parses a body of JSON of 16 MiB to a tree, which takes up to 2 GiB, and rejects
//! one that has half a surrogate pair.

use super::http::{Events, HttpError};
use super::response_line::REPAIR_LINE;
use futures_util::StreamExt as _;
use http::header::{AsHeaderName, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, StatusCode};
use reqwest::Response;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::common::http_header::{EVENT_STREAM_MIME_TYPE, HEADER_SESSION_ID, JSON_MIME_TYPE};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError, SseError, StreamableHttpPostResponse,
    StreamableHttpResponseLimits,
};
use sse_stream::{Sse, SseStream};
use std::borrow::Cow;
use std::io;

/// The bytes of a body that an error quotes.
const MAX_QUOTED: usize = 256;

/// The beginning of the error of a body that cannot be parsed: rmcp has no variant for it.
pub(super) const UNREADABLE: &str = "could not parse the JSON response";

/// Reads the response to a message. `has_session` is whether the message was sent in a session.
pub(super) async fn read(
    mut response: Response,
    message: &ClientJsonRpcMessage,
    has_session: bool,
    sizes: StreamableHttpResponseLimits,
) -> Result<StreamableHttpPostResponse, HttpError> {
    let status = response.status();
    match (status, challenge(&response)) {
        (StatusCode::UNAUTHORIZED, Some(challenge)) => {
            return Err(HttpError::AuthRequired(AuthRequiredError::new(challenge)));
        }
        (StatusCode::FORBIDDEN, Some(challenge)) => {
            return Err(HttpError::InsufficientScope(InsufficientScopeError::new(challenge, None)));
        }
        (StatusCode::ACCEPTED | StatusCode::NO_CONTENT, _) => {
            return match request_id(message) {
                None => Ok(StreamableHttpPostResponse::Accepted),
                Some(_) => Err(no_response(&format!("status {status}"))),
            };
        }
        (StatusCode::NOT_FOUND, _) if has_session => return Err(HttpError::SessionExpired),
        _ => {}
    }
    let content_type = header(&response, CONTENT_TYPE);
    let media_type = content_type.as_deref().and_then(|value| value.split(';').next()).map(str::trim);
    let has_type = |expected: &str| media_type.is_some_and(|given| given.eq_ignore_ascii_case(expected));
    if !status.is_success() {
        return read_failure(response, message, has_type(JSON_MIME_TYPE), sizes.max_error_response_size)
            .await;
    }
    let session = header(&response, HEADER_SESSION_ID);
    let id = request_id(message);
    // A notification may have an empty response.
    let is_empty = id.is_none() && response.content_length() == Some(0);
    if has_type(EVENT_STREAM_MIME_TYPE) && !is_empty {
        let events = events(response, id.cloned(), sizes.max_sse_event_size);
        return Ok(StreamableHttpPostResponse::Sse(events, session));
    }
    // Nothing waits for the response to a notification.
    let Some(id) = id else { return Ok(StreamableHttpPostResponse::Accepted) };
    if !has_type(JSON_MIME_TYPE) {
        return Err(HttpError::UnexpectedContentType(content_type));
    }
    let body = read_body(&mut response, sizes.max_json_response_size).await?;
    if body.len() > sizes.max_json_response_size {
        return Ok(StreamableHttpPostResponse::Json(too_large(id, sizes.max_json_response_size), session));
    }
    let repaired = REPAIR_LINE.apply(&body);
    let text = repaired.as_deref().unwrap_or(&body);
    match serde_json::from_slice(text) {
        Ok(message) if responds_to(&message, id) => Ok(StreamableHttpPostResponse::Json(message, session)),
        Ok(_) => Err(no_response(&quoted(&body))),
        // A batch became one line for each message.
        Err(_) if text.contains(&b'\n') && repaired.is_some() => {
            let events = batch_events(text, id).ok_or_else(|| no_response(&quoted(&body)))?;
            let events = futures_util::stream::iter(events.into_iter().map(Ok)).boxed();
            Ok(StreamableHttpPostResponse::Sse(events, session))
        }
        Err(error) => {
            let text = format!("{UNREADABLE}: {error}: {}", quoted(&body));
            Err(HttpError::UnexpectedServerResponse(text.into()))
        }
    }
}

/// Whether this is the response to the request with this id. An error whose id is not a number is one of any call: see
/// `TrackedTransport`.
fn responds_to(message: &ServerJsonRpcMessage, id: &RequestId) -> bool {
    match message {
        JsonRpcMessage::Response(response) => match (&response.id, id) {
            // Some servers return a number as a string.
            (RequestId::String(text), RequestId::Number(number)) => text.parse() == Ok(*number),
            (given, id) => given == id,
        },
        JsonRpcMessage::Error(error) => match &error.id {
            Some(RequestId::Number(_)) => error.id.as_ref() == Some(id),
            _ => true,
        },
        _ => false,
    }
}

/// The messages of a batch, up to the response to the request, with which rmcp ends the stream. Responses to other requests are
/// left out. `None` without a response.
fn batch_events(lines: &[u8], id: &RequestId) -> Option<Vec<Sse>> {
    let mut events = Vec::new();
    for line in lines.split(|&byte| byte == b'\n') {
        let Ok(message) = serde_json::from_slice::<ServerJsonRpcMessage>(line) else { continue };
        let is_response = responds_to(&message, id);
        if is_response || matches!(message, JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_)) {
            events.push(Sse::default().data(String::from_utf8_lossy(line)));
        }
        if is_response {
            return Some(events);
        }
    }
    None
}

/// The error of a request that has no response, for which it would wait otherwise.
fn no_response(received: &str) -> HttpError {
    let text = format!("the HTTP response does not contain the response to the request: {received}");
    HttpError::UnexpectedServerResponse(text.into())
}

/// An error of the protocol that the body contains, or the status.
async fn read_failure(
    mut response: Response,
    message: &ClientJsonRpcMessage,
    is_json: bool,
    limit: usize,
) -> Result<StreamableHttpPostResponse, HttpError> {
    let status = response.status();
    let is_unavailable = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
    let failure = HttpStatusError::new(status.as_u16(), header(&response, RETRY_AFTER));
    if is_unavailable && (!is_json || status == StatusCode::TOO_MANY_REQUESTS) {
        return Err(failure.into());
    }
    let mut body = read_body(&mut response, limit).await.unwrap_or_default();
    body.truncate(limit);
    let is_unauthorized = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    let is_discovery = matches!(message, JsonRpcMessage::Request(request)
        if matches!(request.request, ClientRequest::DiscoverRequest(_)));
    let is_for_request = |parsed: &ServerJsonRpcMessage| {
        is_discovery || request_id(message).is_none_or(|id| responds_to(parsed, id))
    };
    let parsed = serde_json::from_slice(&body).ok().filter(|_| is_json && !is_unauthorized);
    let error = match parsed.filter(is_for_request) {
        Some(JsonRpcMessage::Error(error)) => Some(error),
        _ => None,
    };
    match error {
        Some(mut error) => {
            // A server that rejects the protocol of the first request may not know its id.
            if is_discovery {
                error.id = request_id(message).cloned();
            }
            let session = header(&response, HEADER_SESSION_ID);
            Ok(StreamableHttpPostResponse::Json(JsonRpcMessage::Error(error), session))
        }
        None if is_unavailable => Err(failure.into()),
        None => {
            let text = format!("HTTP {status}: {}", quoted(&body));
            Err(HttpError::UnexpectedServerResponse(text.into()))
        }
    }
}

/// The first bytes of a body: one more than the limit if it is larger.
async fn read_body(response: &mut Response, limit: usize) -> reqwest::Result<Vec<u8>> {
    let mut body = Vec::new();
    while body.len() <= limit
        && let Some(chunk) = response.chunk().await?
    {
        body.extend_from_slice(&chunk[..chunk.len().min(limit + 1 - body.len())]);
    }
    Ok(body)
}

/// The events of a stream. An event that is too large becomes an error of the request, so that rmcp does not resume the stream:
/// the server would send the event again.
fn events(response: Response, id: Option<RequestId>, limit: usize) -> Events {
    let (mut size, mut is_line_empty, mut last) = (0, true, 0);
    let chunks = response.bytes_stream().map(move |chunk| {
        let chunk = chunk.map_err(io::Error::other)?;
        for &byte in &chunk {
            match byte {
                b'\n' if last == b'\r' => {}
                b'\r' | b'\n' if is_line_empty => size = 0,
                b'\r' | b'\n' => is_line_empty = true,
                _ => (size, is_line_empty) = (size + 1, false),
            }
            last = byte;
        }
        if size > limit { Err(io::Error::from(io::ErrorKind::FileTooLarge)) } else { Ok(chunk) }
    });
    let is_too_large = |error: &SseError| match error {
        SseError::Body(error) => {
            error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::FileTooLarge)
        }
        _ => false,
    };
    let replace = move |event: Result<Sse, SseError>| match (event, &id) {
        (Err(error), Some(id)) if is_too_large(&error) => serde_json::to_string(&too_large(id, limit))
            .map(|error| Sse::default().data(error))
            .map_err(|_| error),
        (event, _) => event,
    };
    SseStream::from_bytes_stream(chunks).map(replace).boxed()
}

fn too_large(id: &RequestId, limit: usize) -> ServerJsonRpcMessage {
    let text = format!("the response of the server is too large: it may have {limit} bytes");
    JsonRpcMessage::error(ErrorData::parse_error(text, None), Some(id.clone()))
}

fn request_id(message: &ClientJsonRpcMessage) -> Option<&RequestId> {
    match message {
        JsonRpcMessage::Request(request) => Some(&request.id),
        _ => None,
    }
}

/// The beginning of a body, for an error.
fn quoted(body: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(&body[..body.len().min(MAX_QUOTED)])
}

/// The header `WWW-Authenticate` for tokens, or the first one.
fn challenge(response: &Response) -> Option<String> {
    let challenges = response.headers().get_all(WWW_AUTHENTICATE);
    let is_bearer = |value: &&HeaderValue| {
        value.as_bytes().get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"bearer"))
    };
    let challenge = challenges.iter().find(is_bearer).or_else(|| challenges.iter().next())?;
    Some(String::from_utf8_lossy(challenge.as_bytes()).into_owned())
}

fn header(response: &Response, name: impl AsHeaderName) -> Option<String> {
    response.headers().get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}
