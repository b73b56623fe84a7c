//! The metadata of a server that requires tokens (RFC 9728).

use bytes::Bytes;
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN, ALLOW,
    CONTENT_TYPE, HeaderValue,
};
use http::{Method, Request, Response, StatusCode, Uri};
use http_body_util::Full;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::error::Error;
use std::fmt;
use std::future::{Ready, ready};
use std::task::{Context, Poll};
use tower_service::Service;

/// The path of the metadata on a host.
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// The authorisation that a server requires: see [`Server::bearer_tokens`](super::Server::bearer_tokens).
#[derive(Clone, Debug)]
#[must_use = "pass it to `Server::bearer_tokens`, and serve its metadata"]
pub struct Authorization {
    resource: String,
    servers: Vec<String>,
    scopes: Vec<String>,
}

impl Authorization {
    /// The authorisation of the server with this URL, as clients reach it, by the authorisation servers with these issuers.
    ///
    /// ```
    /// use tool_runtime_mcp::Authorization;
    ///
    /// let authorization = Authorization::new("https://tools.example.com/mcp", ["https://auth.example.com"])?.scopes(["tools"]);
    /// assert_eq!(authorization.metadata_path(), "/.well-known/oauth-protected-resource/mcp");
    /// assert_eq!(authorization.metadata()["scopes_supported"][0], "tools");
    /// # Ok::<(), tool_runtime_mcp::AuthorizationError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if one of them is no URL with the scheme `http` or `https` and a host.
    pub fn new<S: Into<String>>(
        resource: impl Into<String>,
        servers: impl IntoIterator<Item = S>,
    ) -> Result<Self, AuthorizationError> {
        let (resource, scopes) = (resource.into(), Vec::new());
        let servers: Vec<String> = servers.into_iter().map(Into::into).collect();
        if let Some(url) = [&resource].into_iter().chain(&servers).find(|url| !is_http(url)) {
            return Err(AuthorizationError { url: url.clone() });
        }
        Ok(Authorization { resource, servers, scopes })
    }

    /// Sets the scopes that clients ask for. Default: none, so that the authorisation server decides.
    pub fn scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// The metadata as JSON: [`metadata_service`](Authorization::metadata_service) serves it.
    #[must_use]
    pub fn metadata(&self) -> Value {
        let mut metadata = json!({
            "resource": self.resource,
            "authorization_servers": self.servers,
            "bearer_methods_supported": ["header"],
        });
        if !self.scopes.is_empty() {
            metadata["scopes_supported"] = json!(self.scopes);
        }
        metadata
    }

    /// The path at which clients look for the metadata, on the host of the server.
    #[must_use]
    pub fn metadata_path(&self) -> String {
        format!("{WELL_KNOWN}{}", self.origin_and_path().1)
    }

    /// A [`tower` service](Service) of the metadata, for [`metadata_path`](Authorization::metadata_path). Websites of each origin
    /// may read it.
    ///
    /// ```
    /// use tool_runtime_mcp::Authorization;
    ///
    /// let authorization = Authorization::new("https://tools.example.com/mcp", ["https://auth.example.com"])?;
    /// let router: axum::Router =
    ///     axum::Router::new().route_service(&authorization.metadata_path(), authorization.metadata_service());
    /// # drop(router);
    /// # Ok::<(), tool_runtime_mcp::AuthorizationError>(())
    /// ```
    #[must_use]
    pub fn metadata_service(&self) -> MetadataService {
        MetadataService { metadata: self.metadata().to_string().into() }
    }

    fn origin_and_path(&self) -> (&str, &str) {
        let start = self.resource.find("://").map_or(0, |scheme| scheme + 3);
        let end = self.resource.find(['?', '#']).unwrap_or(self.resource.len());
        let url = self.resource.get(..end).unwrap_or_default();
        let path = url.get(start..).and_then(|rest| rest.find('/')).map_or(url.len(), |path| start + path);
        let (origin, path) = url.split_at(path);
        (origin, path.trim_end_matches('/'))
    }

    /// The header `WWW-Authenticate` of a rejected request. Without scopes, it names those that clients ask for.
    pub(super) fn challenge(&self, error: Option<&str>, scopes: Option<&[String]>) -> HeaderValue {
        let (origin, path) = self.origin_and_path();
        let mut challenge =
            format!("Bearer resource_metadata={}", quoted(&format!("{origin}{WELL_KNOWN}{path}")));
        if let Some(error) = error {
            challenge.push_str(", error=");
            challenge.push_str(&quoted(error));
        }
        let scopes = scopes.unwrap_or(&self.scopes);
        if !scopes.is_empty() {
            challenge.push_str(", scope=");
            challenge.push_str(&quoted(&scopes.join(" ")));
        }
        // The characters are those of a header.
        HeaderValue::from_str(&challenge).unwrap_or_else(|_| HeaderValue::from_static("Bearer"))
    }
}

fn is_http(url: &str) -> bool {
    let Ok(url) = url.parse::<Uri>() else { return false };
    matches!(url.scheme_str(), Some("http" | "https")) && url.host().is_some_and(|host| !host.is_empty())
}

/// The URL of an [`Authorization`] cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorizationError {
    url: String,
}

impl fmt::Display for AuthorizationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` cannot be used: use a URL such as `https://tools.example.com/mcp`", self.url)
    }
}

impl Error for AuthorizationError {}

/// A quoted string of a header. Characters that have no place in it, and none in a URL or a scope, are left out.
fn quoted(text: &str) -> String {
    let is_plain = |letter: &char| matches!(letter, ' '..='~') && !matches!(letter, '"' | '\\');
    format!("\"{}\"", text.chars().filter(is_plain).collect::<String>())
}

/// A [`tower` service](Service) of the metadata of a server that requires tokens: see
/// [`Authorization::metadata_service`].
#[derive(Clone, Debug)]
pub struct MetadataService {
    metadata: Bytes,
}

impl<B> Service<Request<B>> for MetadataService {
    type Response = Response<Full<Bytes>>;
    type Error = Infallible;
    type Future = Ready<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let (status, body) = match *request.method() {
            Method::GET | Method::HEAD => (StatusCode::OK, self.metadata.clone()),
            // A browser asks before a request with headers of its own.
            Method::OPTIONS => (StatusCode::NO_CONTENT, Bytes::new()),
            _ => (StatusCode::METHOD_NOT_ALLOWED, Bytes::new()),
        };
        let mut response = Response::new(Full::new(body));
        *response.status_mut() = status;
        for (name, value) in [
            (CONTENT_TYPE, "application/json"),
            (ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
            (ACCESS_CONTROL_ALLOW_METHODS, "GET"),
            (ACCESS_CONTROL_ALLOW_HEADERS, "*"),
            (ALLOW, "GET"),
        ] {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        ready(Ok(response))
    }
}
