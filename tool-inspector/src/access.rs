//! The requests that the server accepts. There is no login, so a page of another site must not reach it through the browser of the user.

use crate::api_error::ApiError;
use axum::extract::{Request, State};
use axum::http::header::{HOST, HeaderMap, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use std::sync::Arc;

/// The header of requests that change something. A browser sends it to another site only if that site allows it.
const OWN_REQUEST: &str = "x-tool-inspector";

/// The names under which the server can be reached, in addition to those of the loopback interface.
#[derive(Clone, Debug, Default)]
pub(crate) struct AllowedHosts(pub(crate) Arc<[String]>);

/// Middleware: rejects requests for another host, of another site, and those without the header of the page.
///
/// The check of the host rejects pages whose own name leads to the address of this server (DNS rebinding).
pub(crate) async fn check_access(
    State(allowed): State<AllowedHosts>,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let host = host(&request).unwrap_or_default();
    if !allowed.contains(host) {
        let text =
            format!("the inspector does not answer for the host `{host}`: see `Inspector::allow_hosts`");
        return Err(ApiError::new(StatusCode::FORBIDDEN, text));
    }
    if !is_own_origin(request.headers(), host) {
        return Err(ApiError::new(StatusCode::FORBIDDEN, "the request comes from another site"));
    }
    let changes_nothing = matches!(*request.method(), Method::GET | Method::HEAD);
    if !changes_nothing && !request.headers().contains_key(OWN_REQUEST) {
        let text = format!("the request has no header `{OWN_REQUEST}`");
        return Err(ApiError::new(StatusCode::FORBIDDEN, text));
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
        let allowed = AllowedHosts([String::from("tools.example"), String::from("lan:8080")].into());
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
            "[::2]:1",
        ] {
            assert!(!allowed.contains(host), "{host}");
        }
    }
}
