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

/// The text of the file with this name.
macro_rules! files {
    ($($name:literal,)*) => {
        fn find(name: &str) -> Option<&'static str> {
            match name {
                $($name => Some(include_str!(concat!("../page/", $name))),)*
                _ => None,
            }
        }
    };
}

files! {
    "base.css",
    "call_panels.js",
    "call_progress.js",
    "call_result.js",
    "call_run.js",
    "call_view.js",
    "changes.js",
    "definitions.js",
    "element.js",
    "form.css",
    "form.js",
    "form_input.js",
    "json_text.js",
    "layout.css",
    "list_pages.js",
    "live_run.js",
    "message_view.js",
    "overview.js",
    "page.js",
    "parameter_table.js",
    "parts.js",
    "prices.js",
    "retries.js",
    "schema.js",
    "server.js",
    "session_page.js",
    "sessions_page.js",
    "setting.js",
    "text.css",
    "timeline.css",
    "timeline.js",
    "timeline_marks.js",
    "timeline_page.js",
    "tool_list.js",
    "tool_page.js",
    "try_call.js",
    "visible_text.js",
    "words.js",
}

/// The page. Its addresses start at the path under which a program has nested it.
pub(crate) async fn page(OriginalUri(address): OriginalUri) -> Html<String> {
    let path = address.path().trim_end_matches('/');
    let base = format!("{path}/").replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
    Html(PAGE.replace("{base}", &base))
}

pub(crate) async fn file(Path(name): Path<String>) -> Result<Response, ApiError> {
    let text = find(&name).ok_or_else(|| ApiError::not_found("there is no such file"))?;
    let is_style = name.rsplit('.').next() == Some("css");
    let kind = if is_style { "text/css; charset=utf-8" } else { "text/javascript; charset=utf-8" };
    Ok(([(CONTENT_TYPE, kind)], text).into_response())
}

/// Middleware: adds the headers of each response.
pub(crate) async fn add_headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    // The histories of users stay out of the files of the browser.
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
