//! The requests that the server accepts. There is no login, so a page of another site must not reach it through the browser of the user.

use crate::api_error::ApiError;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::{HOST, HeaderMap, HeaderValue, ORIGIN};
use axum::http::uri::Authority;
use axum::middleware::Next;
use axum::response::Response;
use std::sync::Arc;

/// The header of the requests of the page. A browser sends it to another site only if that site allows it.
const OWN_REQUEST: &str = "x-tool-inspector";
/// The header with which a browser reports the site of a request: <https://www.w3.org/TR/fetch-metadata/>.
const FETCH_SITE: &str = "sec-fetch-site";
const FETCH_MODE: &str = "sec-fetch-mode";

/// The hosts for which the server answers, in addition to those of the loopback interface.
#[derive(Clone, Debug, Default)]
pub(crate) struct AllowedHosts(pub(crate) Vec<String>);

/// Middleware: rejects requests for another host, and those that do not come from the page.
///
/// The check of the host rejects pages whose own name leads to the address of this server (DNS rebinding).
pub(crate) async fn check_access(
    State(allowed): State<Arc<AllowedHosts>>,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let reject = |text: String| Err(ApiError::new(StatusCode::FORBIDDEN, text));
    let host = host(&request).unwrap_or_default();
    if !allowed.contains(host) {
        return reject(format!(
            "the inspector does not answer for the host `{host}`: see `Inspector::allow_hosts`"
        ));
    }
    let is_for_data = request.uri().path().starts_with("/api/");
    if !is_own_origin(request.headers(), host) || !is_own_site(request.headers(), is_for_data) {
        return reject("the request comes from another site".to_owned());
    }
    if is_for_data && !request.headers().contains_key(OWN_REQUEST) {
        return reject(format!("the request has no header `{OWN_REQUEST}`"));
    }
    Ok(next.run(request).await)
}

/// The host of a request, with its port. HTTP/2 has it in the address.
fn host(request: &Request) -> Option<&str> {
    let header = request.headers().get(HOST).and_then(|host| host.to_str().ok());
    header.or_else(|| request.uri().authority().map(Authority::as_str))
}

/// Whether the request comes from a page of this host. Programs other than browsers send no origin.
fn is_own_origin(headers: &HeaderMap, host: &str) -> bool {
    let Some(origin) = headers.get(ORIGIN) else { return true };
    let site = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
    site.is_some_and(|(scheme, site)| matches!(scheme, "http" | "https") && site.eq_ignore_ascii_case(host))
}

/// Whether a browser reports this site, or that the user has opened the address. A link of another site may lead to the page.
fn is_own_site(headers: &HeaderMap, is_for_data: bool) -> bool {
    let header = |name: &str| headers.get(name).map(HeaderValue::as_bytes);
    let is_link = !is_for_data && header(FETCH_MODE) == Some(b"navigate");
    header(FETCH_SITE).is_none_or(|site| matches!(site, b"same-origin" | b"none") || is_link)
}

impl AllowedHosts {
    fn contains(&self, host: &str) -> bool {
        let name = name_of(host);
        let is_loopback =
            ["localhost", "127.0.0.1", "[::1]"].iter().any(|own| name.eq_ignore_ascii_case(own));
        is_loopback
            || self.0.iter().any(|own| own.eq_ignore_ascii_case(host) || own.eq_ignore_ascii_case(name))
    }
}

/// A host without its port.
fn name_of(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::AllowedHosts;

    #[test]
    fn only_the_names_of_this_machine_and_the_allowed_ones_are_accepted() {
        let allowed = AllowedHosts(vec!["tools.example".to_owned(), "lan:8080".to_owned()]);
        for host in [
            "localhost:4000",
            "LOCALHOST",
            "127.0.0.1",
            "[::1]:4000",
            "tools.example",
            "Tools.example:1",
            "lan:8080",
        ] {
            assert!(allowed.contains(host), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "lan",
            "lan:80",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "user@localhost",
            "localhost.",
            "[::2]:1",
        ] {
            assert!(!allowed.contains(host), "{host}");
        }
    }
}
