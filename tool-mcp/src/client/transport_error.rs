//! Errors of transports.

use rmcp::service::{ClientInitializeError, ServiceError};
use std::error::Error;
use std::iter::successors;

/// The reason why a connection cannot be established, without the names of types that rmcp adds.
pub(super) fn cause(error: ClientInitializeError) -> Box<dyn Error + Send + Sync> {
    match error {
        ClientInitializeError::TransportError { error, .. } => error.error,
        other => other.into(),
    }
}

/// The text of an error and of its sources.
pub(super) fn full_text(error: &(dyn Error + 'static)) -> String {
    let texts: Vec<String> =
        successors(Some(error), |&error| source(error)).map(ToString::to_string).collect();
    texts.join(": ")
}

/// Whether there was no connection over which the request could be sent.
pub(super) fn was_unconnected(error: &ServiceError) -> bool {
    successors(error.source(), |&error| source(error)).any(is_without_connection)
}

#[cfg(feature = "http-client")]
type HttpError = rmcp::transport::streamable_http_client::StreamableHttpError<reqwest::Error>;

/// The source of an error. The error of rmcp contains the text of that of the HTTP client, but not the error.
#[cfg(feature = "http-client")]
fn source<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    match error.downcast_ref() {
        Some(HttpError::Client(error)) => error.source(),
        _ => error.source(),
    }
}

#[cfg(feature = "http-client")]
fn is_without_connection(error: &(dyn Error + 'static)) -> bool {
    matches!(error.downcast_ref(), Some(HttpError::Client(error)) if error.is_connect())
}

#[cfg(not(feature = "http-client"))]
fn source<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    error.source()
}

#[cfg(not(feature = "http-client"))]
fn is_without_connection(_: &(dyn Error + 'static)) -> bool {
    false
}
