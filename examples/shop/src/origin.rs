//! Requests of other sites. There is no login, so the browser of the user must not send requests for another page.

use crate::request_error::RequestError;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::{HOST, HeaderMap, HeaderName, ORIGIN};
use axum::middleware::Next;
use axum::response::Response;

/// Middleware of the server: rejects requests of other sites.
pub(crate) async fn check_origin(request: Request, next: Next) -> Result<Response, RequestError> {
    if is_own(request.headers()) {
        Ok(next.run(request).await)
    } else {
        Err(RequestError::new(StatusCode::FORBIDDEN, "the request comes from another site"))
    }
}

/// Whether a request is for a name of this computer, since another name may lead a browser here as well, and not from a page
/// with another origin. Programs other than browsers send no origin.
fn is_own(headers: &HeaderMap) -> bool {
    let header = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let host = header(HOST).unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    let is_own_name = matches!(name, "localhost" | "127.0.0.1" | "[::1]");
    is_own_name && header(ORIGIN).is_none_or(|origin| origin == format!("http://{host}"))
}
