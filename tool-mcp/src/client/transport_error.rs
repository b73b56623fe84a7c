//! Errors of transports.

#[cfg(feature = "http-client")]
use super::tokens::TokenError;
use rmcp::service::{ClientInitializeError, ServiceError};
use std::error::Error;
use std::iter::successors;

pub(super) type BoxError = Box<dyn Error + Send + Sync>;

/// The reason why a connection cannot be established, without the names of types that rmcp adds.
pub(super) fn connect_cause(error: ClientInitializeError) -> BoxError {
    match error {
        ClientInitializeError::TransportError { error, .. } => without_transport(error.error),
        ClientInitializeError::ConnectionClosed(_) => {
            "the connection was closed before the server responded; if it is a program, see its standard error".into()
        }
        other => other.into(),
    }
}

/// The reason why a request has no response, without the names of types that rmcp adds.
pub(super) fn request_cause(error: ServiceError) -> BoxError {
    match error {
        ServiceError::TransportSend(error) => without_transport(error.error),
        ServiceError::TransportClosed => "the connection was closed".into(),
        other => other.into(),
    }
}

/// The text of an error and of its sources. A source with the same text is left out. A text of the server could forge a line of
/// a log, so characters that change a line are escaped.
pub(super) fn full_text(error: &(dyn Error + 'static)) -> String {
    let mut texts: Vec<String> = sources(Some(error)).map(ToString::to_string).collect();
    texts.dedup();
    let mut escaped = String::new();
    for letter in texts.join(": ").chars() {
        if letter.is_control()
            || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        {
            escaped.extend(letter.escape_default());
        } else {
            escaped.push(letter);
        }
    }
    escaped
}

fn sources<'a>(error: Option<&'a (dyn Error + 'static)>) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    successors(error, |&error| next_source(error))
}

/// The reason why an HTTP server has not handled a request, or why its response cannot be read.
#[cfg_attr(not(feature = "http-client"), allow(dead_code, reason = "only HTTP has it"))]
pub(super) enum Rejection {
    /// There was no connection, the server asks for fewer requests, or it does not know the session: the request can be sent
    /// again.
    MayRepeat,
    /// 401 or 403.
    Unauthorized,
    /// Another status from 400 to 499.
    Status(u16),
    /// The response cannot be parsed. The text quotes its beginning.
    Unreadable(String),
}

/// `None` if the server may have handled the request.
#[cfg(feature = "http-client")]
pub(super) fn rejection(error: &ServiceError) -> Option<Rejection> {
    if error.is_authorization_required() || is_unauthorized(error) {
        return Some(Rejection::Unauthorized);
    }
    sources(error.source()).filter_map(|error| error.downcast_ref()).find_map(|error: &HttpError| match error
    {
        HttpError::Client(error) if error.is_connect() => Some(Rejection::MayRepeat),
        HttpError::SessionExpired => Some(Rejection::MayRepeat),
        HttpError::UnexpectedServerResponse(text) if text.starts_with(super::http_response::UNREADABLE) => {
            Some(Rejection::Unreadable(text.to_string()))
        }
        error => match status(error)? {
            429 => Some(Rejection::MayRepeat),
            status @ 400..=499 => Some(Rejection::Status(status)),
            _ => None,
        },
    })
}

#[cfg(not(feature = "http-client"))]
pub(super) fn rejection(_: &ServiceError) -> Option<Rejection> {
    None
}

/// Whether the server requires another authorisation, or there is none for it.
#[cfg(feature = "http-client")]
pub(super) fn is_unauthorized(error: &(dyn Error + 'static)) -> bool {
    sources(Some(error)).any(|error| {
        let http = |error: &HttpError| {
            let is_forbidden = || matches!(status(error), Some(401 | 403));
            token_rejection(error).is_some()
                || matches!(error, HttpError::InsufficientScope(_))
                || is_forbidden()
        };
        error.is::<TokenError>() || error.downcast_ref().is_some_and(http)
    }) || token_error(error).is_some()
}

#[cfg(not(feature = "http-client"))]
pub(super) fn is_unauthorized(_: &(dyn Error + 'static)) -> bool {
    false
}

/// Whether a server has not accepted the token of a request, and its header `WWW-Authenticate`. The first value is whether the
/// token has too few scopes.
#[cfg(feature = "http-client")]
pub(super) fn token_rejection(error: &HttpError) -> Option<(bool, &str)> {
    match error {
        HttpError::AuthRequired(error) => Some((false, &error.www_authenticate_header)),
        HttpError::InsufficientScope(error) => {
            let challenge = &*error.www_authenticate_header;
            challenge.contains("insufficient_scope").then_some((true, challenge))
        }
        error => (status(error) == Some(401)).then_some((false, "")),
    }
}

/// The reason why the client has no token, if that is the reason of the error.
#[cfg(feature = "http-client")]
fn token_error(error: &(dyn Error + 'static)) -> Option<BoxError> {
    sources(Some(error)).find_map(|error| match error.downcast_ref() {
        Some(HttpError::Io(error)) => Some(error.get_ref()?.downcast_ref::<TokenError>()?.clone().into()),
        _ => None,
    })
}

#[cfg(not(feature = "http-client"))]
fn token_error(_: &(dyn Error + 'static)) -> Option<BoxError> {
    None
}

/// The reason why the client has no token, without the errors of the transport around it.
fn without_transport(error: BoxError) -> BoxError {
    token_error(&*error).unwrap_or(error)
}

#[cfg(feature = "http-client")]
type HttpError = rmcp::transport::streamable_http_client::StreamableHttpError<reqwest::Error>;

/// The status of a response. For most of them, rmcp has it only in the text of its error: `HTTP 400 Bad Request: ..`.
#[cfg(feature = "http-client")]
fn status(error: &HttpError) -> Option<u16> {
    match error {
        HttpError::HttpStatus(error) => Some(error.status),
        HttpError::UnexpectedServerResponse(text) => text.strip_prefix("HTTP ")?.get(..3)?.parse().ok(),
        HttpError::Client(error) => error.status().map(|status| status.as_u16()),
        _ => None,
    }
}

/// The source of an error. The text of this error of rmcp already contains that of the HTTP client's error, so the next source
/// is that of the latter.
#[cfg(feature = "http-client")]
fn next_source<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    match error.downcast_ref() {
        Some(HttpError::Client(error)) => error.source(),
        _ => error.source(),
    }
}

#[cfg(not(feature = "http-client"))]
fn next_source<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    error.source()
}

#[cfg(test)]
mod tests {
    use super::full_text;
    use std::io;

    #[test]
    fn a_text_of_a_server_forges_no_line_of_a_log() {
        let error = io::Error::other("x\nERROR forged\r\u{1b}[31m\u{2028}\u{202e} ünï");
        assert_eq!(full_text(&error), r"x\nERROR forged\r\u{1b}[31m\u{2028}\u{202e} ünï");
    }
}
