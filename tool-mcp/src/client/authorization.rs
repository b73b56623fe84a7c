//! The settings of a client that concern authorisation.

use super::authorized_http::AuthorizedClient;
use super::builder::ClientBuilder;
use super::connection::{Connector, connect_over};
use super::http::RepairingClient;
use super::tokens::{GivenTokens, TokenSource};
use super::tracked_transport::Channel;
use super::transport_error::BoxError;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig as HttpConfig;
use std::sync::Arc;
use std::time::Duration;

/// Creates the tokens of a connection.
type CreateTokens = Box<dyn Fn() -> Option<Arc<dyn TokenSource>> + Send + Sync>;

/// Connects over HTTP, with these tokens.
pub(super) fn connect_over_http(mut config: HttpConfig, tokens: CreateTokens) -> Connector {
    let mut resume = ExponentialBackoff::default();
    (resume.max_times, resume.base_duration) = (Some(3), Duration::from_millis(100));
    config.retry_config = Arc::new(resume);
    // The client connects again itself, since rmcp answers the other calls of the session with an error.
    config.reinit_on_expired_session = false;
    let create = move || {
        let client = RepairingClient::new().map(|client| AuthorizedClient::new(client, tokens()));
        let config = config.clone();
        async move { Ok::<_, reqwest::Error>(StreamableHttpClientTransport::with_client(client?, config)) }
    };
    connect_over(Channel::Http, create)
}

impl ClientBuilder {
    /// Sets the function that gives the bearer token of the requests, for a client over HTTP. It runs each time the client
    /// connects, and once more if the server responds with the status 401: the server has not run the call then, and the call is
    /// sent once more with the new token. If that is rejected as well, the call is an error ([`RemoteError::Unauthorized`]).
    /// Default: no token, or that of [`http_with`](super::Client::http_with), which cannot be renewed.
    ///
    /// The token is sent to the origin of the URL only. Redirects to other origins are not followed. An error or a panic of the
    /// function, or a token that cannot be the value of a header, is the reason of the failed call, or of
    /// [`connect`](ClientBuilder::connect).
    ///
    /// ```no_run
    /// use tool_runtime_mcp::Client;
    ///
    /// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = Client::http("https://example.com/mcp")
    ///     .bearer_token(|| async { std::fs::read_to_string("/run/secrets/token").map(|token| token.trim().to_owned()) })
    ///     .connect()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// [`RemoteError::Unauthorized`]: super::RemoteError::Unauthorized
    pub fn bearer_token<F, T, E>(self, give: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<T, E>> + Send + 'static,
        T: Into<String>,
        E: Into<BoxError>,
    {
        let give = Arc::new(move || -> super::tokens::BoxFuture<'static, Result<String, BoxError>> {
            let given = give();
            Box::pin(async move { given.await.map(Into::into).map_err(Into::into) })
        });
        self.with_tokens(Box::new(move || Some(Arc::new(GivenTokens::new(give.clone())))))
    }

    /// Sets how the client signs in, for a client over HTTP whose server requires authorisation: see [`OAuth`](super::OAuth),
    /// which has an example. Default: it does not.
    #[cfg(feature = "oauth")]
    pub fn oauth(self, oauth: super::OAuth) -> Self {
        use super::oauth::OAuthTokens;
        let pauses = super::paused_timeout::Pauses::default();
        let url = self.http.as_ref().map(|config| &*config.uri).unwrap_or_default();
        let tokens: Arc<dyn TokenSource> = Arc::new(OAuthTokens::new(oauth, url, pauses.clone()));
        let mut builder = self.with_tokens(Box::new(move || Some(Arc::clone(&tokens))));
        builder.connector.pauses = pauses;
        builder
    }

    fn with_tokens(mut self, tokens: CreateTokens) -> Self {
        self.connector = match &self.http {
            Some(config) => connect_over_http(config.clone(), tokens),
            None => connect_over(Channel::Stream, || async {
                Err::<tokio::io::DuplexStream, _>("only a client over HTTP has tokens: use `Client::http`")
            }),
        };
        self
    }
}
