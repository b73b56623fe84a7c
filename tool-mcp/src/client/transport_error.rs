//! Errors of transports.

use rmcp::service::{ClientInitializeError, ServiceError};
use std::error::Error;
use std::iter::successors;

/// The reason why a connection cannot be established, without the names of types that rmcp adds.
pub(super) fn cause(error: ClientInitializeError) -> Box<dyn Error + Send + Sync> {
    match error {
        ClientInitializeError::TransportError { error, .. } => error.error,
        ClientInitializeError::ConnectionClosed(_) => {
            "the connection was closed before the server responded; if it is a program, see its standard error".into()
        }
        other => other.into(),
    }
}

/// The text of an error and of its sources.
pub(super) fn full_text(error: &(dyn Error + 'static)) -> String {
    let texts: Vec<String> =
        successors(Some(error), |&error| next_source(error)).map(ToString::to_string).collect();
    texts.join(": ")
}

/// Whether there was no connection over which the request could be sent.
pub(super) fn failed_to_connect(error: &ServiceError) -> bool {
    successors(error.source(), |&error| next_source(error)).any(is_connect_error)
}

#[cfg(feature = "http-client")]
type HttpError = rmcp::transport::streamable_http_client::StreamableHttpError<reqwest::Error>;

/// The source of an error. The text of this error of rmcp already contains that of the HTTP client's error, so the next source
/// is that of the latter.
#[cfg(feature = "http-client")]
fn next_source<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    match error.downcast_ref() {
        Some(HttpError::Client(error)) => error.source(),
        _ => error.source(),
    }
}

#[cfg(feature = "http-client")]
fn is_connect_error(error: &(dyn Error + 'static)) -> bool {
    matches!(error.downcast_ref(), Some(HttpError::Client(error)) if error.is_connect())
}

#[cfg(not(feature = "http-client"))]
fn next_source<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    error.source()
}

#[cfg(not(feature = "http-client"))]
fn is_connect_error(_: &(dyn Error + 'static)) -> bool {
    false
}
