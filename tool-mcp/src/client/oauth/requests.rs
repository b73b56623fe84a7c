//! The requests of a sign-in, with their limits.

use super::addresses::Addresses;
use reqwest::Url;
use reqwest::redirect::Policy;
use rmcp::transport::auth::{OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture, OAuthHttpRequest};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The time limit of a request.
const MAX_TIME: Duration = Duration::from_secs(30);

/// The size limit of a response, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// The number of requests of one sign-in. Metadata may name any number of authorisation servers, each with several URLs.
const MAX_REQUESTS: usize = 40;

/// Sends the requests of rmcp, which checks only a part of the URLs and does not limit their number.
pub(super) struct Requests {
    client: reqwest::Client,
    addresses: Addresses,
    left: AtomicUsize,
    /// The reason why the last request has failed, since some errors of rmcp do not contain it.
    failure: Mutex<Option<String>>,
}

impl Requests {
    pub(super) fn new(addresses: Addresses) -> reqwest::Result<Self> {
        let client = reqwest::Client::builder()
            .timeout(MAX_TIME)
            .redirect(Policy::none())
            .dns_resolver(Arc::new(addresses.clone()))
            .build()?;
        Ok(Requests { client, addresses, left: AtomicUsize::new(0), failure: Mutex::default() })
    }

    /// Starts to count, for a new sign-in.
    pub(super) fn begin(&self) {
        self.left.store(MAX_REQUESTS, Ordering::Relaxed);
        self.failure();
    }

    /// The reason of the last failure since this was called.
    pub(super) fn failure(&self) -> Option<String> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Checks a URL that a person opens.
    pub(super) fn check(&self, url: &str) -> Result<(), OAuthHttpClientError> {
        let url = Url::parse(url).map_err(|error| format!("`{url}` is not a URL: {error}"))?;
        Ok(self.addresses.check(&url)?)
    }

    async fn send(&self, request: OAuthHttpRequest) -> Result<http::Response<Vec<u8>>, OAuthHttpClientError> {
        let take = |left: usize| left.checked_sub(1);
        if self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_err() {
            return Err(format!("the sign-in needs more than {MAX_REQUESTS} requests").into());
        }
        let request = reqwest::Request::try_from(request.request)?;
        self.addresses.check(request.url())?;
        let mut received = self.client.execute(request).await?;
        let mut body = Vec::new();
        while let Some(chunk) = received.chunk().await? {
            if chunk.len() > MAX_BYTES - body.len() {
                return Err(format!("a response has more than {MAX_BYTES} bytes").into());
            }
            body.extend_from_slice(&chunk);
        }
        let mut response = http::Response::new(body);
        *response.status_mut() = received.status();
        *response.headers_mut() = std::mem::take(received.headers_mut());
        Ok(response)
    }
}

impl OAuthHttpClient for Requests {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            let sent = self.send(request).await;
            if let Err(error) = &sent {
                let text = crate::client::transport_error::full_text(&**error);
                *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
            }
            sent
        })
    }
}
