//! One attempt to send a request.

use crate::http_request::HttpRequest;
use crate::secret::{Secrets, redacted_url};
use crate::signature::Signature;
use crate::{Model, ModelError};
use reqwest::Response;
use reqwest::redirect::Policy;
use std::sync::Arc;
use std::time::Duration;

/// A response, and the context of its errors.
pub(crate) struct Received {
    pub(crate) response: Response,
    pub(crate) context: Arc<ErrorContext>,
}

/// The values that each error of a response needs.
pub(crate) struct ErrorContext {
    /// The URL for a message.
    pub(crate) url: String,
    /// The secrets that the server may repeat.
    pub(crate) secrets: Secrets,
}

/// The time limit of a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

impl Model {
    /// Sends the request once.
    pub(crate) async fn send(&self, request: &HttpRequest) -> Result<Received, ModelError> {
        let client = self.client()?;
        let signature = match &self.key {
            Some(_) => Signature::default(),
            None => self.credentials.sign(request, self.region.as_deref()).await?,
        };
        let post =
            client.post(request.url.clone()).headers(request.headers.clone()).headers(signature.headers);
        let response = post.body(request.body.clone()).send().await;
        let (url, secrets) = (redacted_url(&request.url), request.secrets.clone().and(signature.secrets));
        let response = response.map_err(|error| ModelError::connection(&url, error))?;
        let received = Received { response, context: Arc::new(ErrorContext { url, secrets }) };
        if received.response.status().is_success() {
            return Ok(received);
        }
        Err(self.rejected(received).await)
    }

    fn client(&self) -> Result<&reqwest::Client, ModelError> {
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
}
