//! Requests to the engine over HTTP.

use crate::engine_error::EngineError;
use crate::protocol::MAX_BYTES;
use reqwest::{Client, StatusCode, Url};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// The first and the longest pause before a request is repeated.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));

/// An attempt that has reached the engine, and has taken longer than this, is not part of a series of failures.
const LONG_ATTEMPT: Duration = Duration::from_secs(3);

/// The engine that has just started may not know its services yet. Later, a service that it does not know is an error of the
/// deployment.
const START_TIME: Duration = Duration::from_secs(3);

/// A request of a handler.
pub(crate) struct Invocation<'a> {
    /// The service, the key of a virtual object, and the handler.
    pub(crate) target: &'a [&'a str],
    /// The engine handles requests with the same key once.
    pub(crate) idempotency_key: Option<&'a str>,
    pub(crate) body: Option<Vec<u8>>,
    /// For how long failing attempts are repeated.
    pub(crate) retry_for: Duration,
}

/// The ingress or the administration of an engine.
#[derive(Clone, Debug)]
pub(crate) struct Engine {
    address: String,
    pub(crate) client: Client,
}

/// The body of an error of the engine.
#[derive(Deserialize)]
struct ErrorBody {
    #[serde(default)]
    message: String,
    /// `invocation` for an error that the handler has returned.
    #[serde(default)]
    source: String,
}

impl Engine {
    pub(crate) fn new(address: String) -> Self {
        Engine { address, client: Client::new() }
    }

    /// Calls a handler, until the engine has a response of it.
    pub(crate) async fn call<T: DeserializeOwned>(
        &self,
        invocation: &Invocation<'_>,
    ) -> Result<T, EngineError> {
        let url = self.call_url(invocation)?;
        let (mut failing_since, mut pause) = (None, PAUSES.0);
        // The error of an attempt whose request may have arrived, whatever happens to the next ones.
        let mut lost_response = None;
        loop {
            let attempt = Instant::now();
            let error = match self.attempt(url.clone(), invocation).await {
                Ok(body) => return read(&body),
                Err(AttemptError::Handler(error)) => return Err(error),
                Err(AttemptError::Final(error)) => return Err(lost_response.unwrap_or(error)),
                Err(AttemptError::Repeat(error)) => error,
            };
            let has_connected = !matches!(&error, EngineError::Unreachable(error) if error.is_connect());
            if has_connected && attempt.elapsed() > LONG_ATTEMPT {
                // The engine has worked on it: the series of failures begins now.
                (failing_since, pause) = (None, PAUSES.0);
            }
            let is_unknown_service = matches!(error, EngineError::Rejected { status: 404, .. });
            let limit =
                if is_unknown_service { START_TIME.min(invocation.retry_for) } else { invocation.retry_for };
            if failing_since.get_or_insert_with(Instant::now).elapsed() >= limit {
                return Err(lost_response.unwrap_or(error));
            }
            if has_connected && matches!(error, EngineError::Unreachable(_)) {
                lost_response.get_or_insert(error);
            }
            sleep(pause).await;
            pause = (pause * 2).min(PAUSES.1);
        }
    }

    /// The address of a handler; an error if the target or the key is invalid.
    fn call_url(&self, invocation: &Invocation<'_>) -> Result<Url, EngineError> {
        if let Some(key) = invocation.idempotency_key
            && !is_key(key)
        {
            return Err(EngineError::InvalidKey(key.to_owned()));
        }
        if let Some(segment) = invocation.target.iter().find(|segment| matches!(**segment, "" | "." | "..")) {
            return Err(EngineError::InvalidId((*segment).to_owned()));
        }
        self.url(&[&["restate", "call"], invocation.target].concat())
    }

    async fn attempt(&self, url: Url, invocation: &Invocation<'_>) -> Result<Vec<u8>, AttemptError> {
        let mut request = self.client.post(url);
        if let Some(key) = invocation.idempotency_key {
            request = request.header("idempotency-key", key);
        }
        if let Some(body) = &invocation.body {
            request = request.header("content-type", "application/json").body(body.clone());
        }
        let unreachable = |error| AttemptError::Repeat(EngineError::Unreachable(error));
        let response = request.send().await.map_err(unreachable)?;
        let status = response.status();
        let body = response.bytes().await.map_err(unreachable)?;
        if status.is_success() {
            return Ok(body.into());
        }
        let error = rejected(status, &body);
        let is_of_handler =
            serde_json::from_slice::<ErrorBody>(&body).is_ok_and(|body| body.source == "invocation");
        let is_final = status.is_client_error() && !matches!(status.as_u16(), 404 | 408 | 425 | 429);
        Err(match error {
            error if is_of_handler => AttemptError::Handler(error),
            error if is_final => AttemptError::Final(error),
            // That of an engine that starts, stops, or has no partition leader at the moment.
            error => AttemptError::Repeat(error),
        })
    }

    /// Sends one request, and reads the response.
    pub(crate) async fn send<T: DeserializeOwned>(
        &self,
        method: reqwest::Method,
        path: &[&str],
        body: Option<&serde_json::Value>,
    ) -> Result<T, EngineError> {
        let request = self.client.request(method, self.url(path)?).header("accept", "application/json");
        let request = match body {
            Some(body) => request.header("content-type", "application/json").body(body.to_string()),
            None => request,
        };
        let response = request.send().await.map_err(EngineError::Unreachable)?;
        let status = response.status();
        let body = response.bytes().await.map_err(EngineError::Unreachable)?;
        if status.is_success() { read(&body) } else { Err(rejected(status, &body)) }
    }

    fn url(&self, path: &[&str]) -> Result<Url, EngineError> {
        let mut url = parse_address(&self.address)?;
        let invalid = || EngineError::InvalidAddress(self.address.clone());
        url.path_segments_mut().map_err(|()| invalid())?.pop_if_empty().extend(path);
        Ok(url)
    }
}

/// The error of an attempt, and whether the request is repeated.
enum AttemptError {
    /// The response of the handler, also to an earlier attempt.
    Handler(EngineError),
    Final(EngineError),
    Repeat(EngineError),
}

/// The URL of an HTTP address.
pub(crate) fn parse_address(address: &str) -> Result<Url, EngineError> {
    let url = Url::parse(address).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    url.ok_or_else(|| EngineError::InvalidAddress(address.to_owned()))
}

/// Whether a header can have the key.
fn is_key(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// The body of a request; an error if it is too large.
pub(crate) fn body(value: &impl Serialize) -> Result<Vec<u8>, EngineError> {
    let body = serde_json::to_vec(value).map_err(EngineError::InvalidRequest)?;
    if body.len() > MAX_BYTES { Err(EngineError::TooLarge { bytes: body.len() }) } else { Ok(body) }
}

/// A handler without a result sends an empty body.
fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, EngineError> {
    let body = if body.is_empty() { b"null" } else { body };
    serde_json::from_slice(body).map_err(EngineError::InvalidResponse)
}

fn rejected(status: StatusCode, body: &[u8]) -> EngineError {
    let message = match serde_json::from_slice::<ErrorBody>(body) {
        Ok(ErrorBody { source, message }) if source == "invocation" && status == StatusCode::CONFLICT => {
            return EngineError::Conflict(message);
        }
        Ok(ErrorBody { source, .. }) if source == "invocation" && status == StatusCode::NOT_FOUND => {
            return EngineError::NoSession;
        }
        Ok(body) if !body.message.is_empty() => body.message,
        _ if status == StatusCode::NOT_FOUND => {
            "there is no such path: is it the address of the ingress (port 8080) or of the administration (port 9070)?".to_owned()
        }
        _ => String::from_utf8_lossy(&body[..body.len().min(1000)]).into_owned(),
    };
    EngineError::Rejected { status: status.as_u16(), message }
}
