//! The files of the page.

use crate::api_error::ApiError;
use axum::extract::{OriginalUri, Path, Request};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Response};

/// Only the files of this server run and are loaded, whatever a tool or a history contains.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    img-src 'self' data:; base-uri 'self'; form-action 'none'; frame-ancestors 'none'";

const PAGE: &str = include_str!("../page/page.html");

/// The file with this name, and its type.
macro_rules! files {
    ($($name:literal: $kind:literal,)*) => {
        fn find(name: &str) -> Option<(&'static str, &'static str)> {
            match name {
                $($name => Some(($kind, include_str!(concat!("../page/", $name)))),)*
                _ => None,
            }
        }
    };
}

files! {
    "call_panels.js": "text/javascript; charset=utf-8",
    "call_progress.js": "text/javascript; charset=utf-8",
    "call_result.js": "text/javascript; charset=utf-8",
    "call_run.js": "text/javascript; charset=utf-8",
    "call_view.js": "text/javascript; charset=utf-8",
    "changes.js": "text/javascript; charset=utf-8",
    "definitions.js": "text/javascript; charset=utf-8",
    "element.js": "text/javascript; charset=utf-8",
    "form.js": "text/javascript; charset=utf-8",
    "form_input.js": "text/javascript; charset=utf-8",
    "json_text.js": "text/javascript; charset=utf-8",
    "live_run.js": "text/javascript; charset=utf-8",
    "message_view.js": "text/javascript; charset=utf-8",
    "overview.js": "text/javascript; charset=utf-8",
    "page.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "parameter_table.js": "text/javascript; charset=utf-8",
    "parts.js": "text/javascript; charset=utf-8",
    "prices.js": "text/javascript; charset=utf-8",
    "schema.js": "text/javascript; charset=utf-8",
    "server.js": "text/javascript; charset=utf-8",
    "session_source.js": "text/javascript; charset=utf-8",
    "sessions_page.js": "text/javascript; charset=utf-8",
    "setting.js": "text/javascript; charset=utf-8",
    "timeline.js": "text/javascript; charset=utf-8",
    "timeline_marks.js": "text/javascript; charset=utf-8",
    "timeline_page.js": "text/javascript; charset=utf-8",
    "tool_list.js": "text/javascript; charset=utf-8",
    "tool_page.js": "text/javascript; charset=utf-8",
    "try_call.js": "text/javascript; charset=utf-8",
    "visible_text.js": "text/javascript; charset=utf-8",
    "words.js": "text/javascript; charset=utf-8",
}

/// The page. Its addresses start at the path under which a program has nested it.
pub(crate) async fn page(OriginalUri(address): OriginalUri) -> Html<String> {
    let path = address.path().trim_end_matches('/');
    let base = format!("{path}/").replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
    Html(PAGE.replace("{base}", &base))
}

pub(crate) async fn file(Path(name): Path<String>) -> Result<Response, ApiError> {
    let (kind, text) = find(&name).ok_or_else(|| ApiError::not_found("there is no such file"))?;
    Ok(([(CONTENT_TYPE, kind)], text).into_response())
}

/// Middleware: adds the headers of each response.
pub(crate) async fn add_headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    // The histories of users stay out of the files of the browser.
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
