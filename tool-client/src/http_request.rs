//! One request in HTTP, and its response.

use crate::error::{Rejection, wait_of};
use crate::key::{Key, without_keys};
use crate::model::shown;
use crate::retry_after::retry_after;
use crate::signature::Signature;
use crate::{Model, ModelError};
use bytes::Bytes;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Response, Url};
use std::time::{Duration, SystemTime};
use tool_runtime::conversation::Request;
use tool_runtime::wire::{ErrorKind, WireError};

/// A request, which each attempt sends.
pub(crate) struct HttpRequest {
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// The time limit of a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

const JSON: HeaderValue = HeaderValue::from_static("application/json");

impl Model {
    pub(crate) fn http_request(&self, request: &Request, stream: bool) -> Result<HttpRequest, ModelError> {
        if let Some(problem) = &self.invalid_field {
            return Err(ModelError::invalid(problem));
        }
        let body = request.clone().wire(self.wire.clone()).body().map_err(ModelError::NotWritten)?;
        let body = self.api.add_fields(body, &self.name, stream);
        let body = self.fields.iter().fold(body, |body, (name, value)| body.with(name.clone(), value));
        let body = serde_json::to_vec(&body).map_err(|error| ModelError::invalid(error.to_string()))?;
        Ok(HttpRequest { url: self.url(stream)?, headers: self.headers(stream)?, body: body.into() })
    }

    fn url(&self, stream: bool) -> Result<Url, ModelError> {
        let server = self.server().ok_or_else(|| {
            ModelError::invalid("the model has no region: set `Model::region` or the variable AWS_REGION")
        })?;
        let mut url = Url::parse(&server).map_err(|error| {
            ModelError::invalid(format!(
                "the base URL is invalid ({error}): it starts with `https://` or `http://`"
            ))
        })?;
        let added = self.api.add_path(&mut url, &self.name, stream);
        added.ok_or_else(|| {
            ModelError::invalid("the base URL has no host: it starts with `https://` or `http://`")
        })?;
        Ok(url)
    }

    fn headers(&self, stream: bool) -> Result<HeaderMap, ModelError> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, JSON);
        headers.insert(ACCEPT, if stream { self.api.framing().media_type() } else { JSON });
        self.api.add_version(&mut headers);
        if let Some(key) = &self.key {
            let (name, before) = self.api.key_header();
            let value = key.header(before).ok_or_else(|| {
                ModelError::invalid("the key has a character that a header cannot have, such as a line break")
            })?;
            headers.insert(name, value);
        }
        Ok(headers)
    }

    /// Sends the request once. The response has a successful status.
    pub(crate) async fn post(&self, request: &HttpRequest) -> Result<Response, ModelError> {
        let client = self.connected_client()?;
        let signature = match &self.key {
            Some(_) => Signature::default(),
            None => self.credentials.sign(request, self.region.as_deref()).await?,
        };
        let post =
            client.post(request.url.clone()).headers(request.headers.clone()).headers(signature.headers);
        let response = post.body(request.body.clone()).send().await;
        let response = response.map_err(|error| connection_error(&request.url, error))?;
        if response.status().is_success() {
            return Ok(response);
        }
        Err(self.rejection(response, &signature.secrets).await)
    }

    fn connected_client(&self) -> Result<&reqwest::Client, ModelError> {
        if let Some(client) = self.http_client.get() {
            return Ok(client);
        }
        let client = reqwest::Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            // A header with a key would go to the other server too.
            .redirect(Policy::none())
            .user_agent(concat!("tool-runtime-client/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|source| ModelError::NoHttpClient { source })?;
        Ok(self.http_client.get_or_init(|| client))
    }

    /// The error of a response without a successful status.
    async fn rejection(&self, response: Response, secrets: &[Key]) -> ModelError {
        let (url, status, headers) = (shown(response.url()), response.status(), response.headers().clone());
        if status.is_redirection() {
            let location = headers.get(LOCATION).and_then(|location| location.to_str().ok());
            let location = location.and_then(|location| response.url().join(location).ok());
            let location = location.as_ref().map_or_else(|| "another address".to_owned(), shown);
            return ModelError::Rejected(Rejection {
                url,
                status: status.as_u16(),
                message: format!("the server redirects to {location}; set the base URL to its server"),
                kind: ErrorKind::Other,
                retry_after: None,
                should_retry: None,
            });
        }
        // Without a body, the status is the error.
        let body = self.read_text(response).await.unwrap_or_default();
        let body = without_keys(&body, self.key.iter().chain(secrets));
        let kind = ErrorKind::from_response(status.as_u16(), &body);
        let reason = || match body.trim() {
            "" => status.canonical_reason().unwrap_or("no message").to_owned(),
            text => text.chars().take(MAX_MESSAGE).collect(),
        };
        ModelError::Rejected(Rejection {
            url,
            status: status.as_u16(),
            message: self.wire.read_error(&body).unwrap_or_else(reason),
            kind,
            retry_after: retry_after(&headers, SystemTime::now()).or_else(|| wait_of(kind)),
            should_retry: headers.get("x-should-retry").and_then(|retry| match retry.as_bytes() {
                b"true" => Some(true),
                b"false" => Some(false),
                _ => None,
            }),
        })
    }

    /// The error of a body with a successful status: an error of the server, or not a reply. It may quote the body.
    pub(crate) fn body_error(&self, error: WireError, body: &str, url: &Url) -> ModelError {
        let body = without_keys(body, &self.key);
        match self.wire.read_reply(&body).err().unwrap_or(error) {
            WireError::Server { message, .. } => {
                let kind = ErrorKind::from_response(200, &body);
                ModelError::Rejected(Rejection {
                    url: shown(url),
                    status: 200,
                    message,
                    kind,
                    retry_after: wait_of(kind),
                    should_retry: None,
                })
            }
            error => ModelError::NotAReply(error),
        }
    }
}

/// The maximum of characters of the message of a server that sends no JSON.
const MAX_MESSAGE: usize = 500;

/// An error of the connection to this address.
pub(crate) fn connection_error(url: &Url, error: reqwest::Error) -> ModelError {
    // Its address has the query.
    ModelError::Connection { url: shown(url), source: error.without_url() }
}

impl HttpRequest {
    /// The address for an error.
    pub(crate) fn shown_url(&self) -> String {
        shown(&self.url)
    }
}
