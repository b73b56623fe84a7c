//! Responses of lines of JSON, which the page reads as they arrive.

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use futures_util::{Stream, StreamExt as _};
use std::convert::Infallible;

/// A response of these texts, each one or more lines.
pub(crate) fn lines_response(texts: impl Stream<Item = String> + Send + 'static) -> Response {
    let body = Body::from_stream(texts.map(Ok::<_, Infallible>));
    ([(CONTENT_TYPE, "application/x-ndjson")], body).into_response()
}
