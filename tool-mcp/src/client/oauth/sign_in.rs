//! How tokens are obtained and renewed.

use super::addresses::{Addresses, is_loopback};
use super::requests::Requests;
use super::{Machine, OAuth, Open};
use crate::client::paused_timeout::Pauses;
use crate::client::tokens::{OwnedRejection, Token, TokenError};
use crate::client::transport_error::full_text;
use crate::message_size::truncated;
use reqwest::Url;
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationRequest, AuthorizationSession, ClientCredentialsConfig,
    CredentialStore as _, OAuthClientConfig, OAuthTokenResponse, StoredCredentials, WWWAuthenticateParams,
};
use serde_json::Value;
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio::sync::Mutex;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// The size after which the text of an error is truncated, in bytes. It may contain the body of a response.
const MAX_ERROR_BYTES: usize = 2 * 1024;

/// Signs in at the authorisation server of one server.
pub(super) struct SignIn {
    oauth: OAuth,
    url: Arc<str>,
    pauses: Pauses,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    manager: Option<AuthorizationManager>,
    /// Whether the manager has the metadata and the client, and can refresh a token.
    is_ready: bool,
    requests: Option<Arc<Requests>>,
}

impl SignIn {
    pub(super) fn new(oauth: OAuth, url: Arc<str>, pauses: Pauses) -> Self {
        SignIn { oauth, url, pauses, state: Mutex::default() }
    }

    /// The token that is stored, refreshed if it has expired. `None` if a sign-in is necessary.
    pub(super) async fn token(&self) -> Result<Option<Token>, TokenError> {
        if self.stored().await?.is_none() {
            return Ok(None);
        }
        let mut state = self.state.lock().await;
        let requests = self.requests(&mut state)?;
        requests.begin();
        let found = async {
            let manager = self.manager(&mut state, &requests).await?;
            match manager.get_access_token().await {
                // It has expired, and the manager cannot refresh it yet.
                Err(AuthError::InternalError(_)) if !state.is_ready => {
                    self.ready(&mut state, &requests).await?.get_access_token().await
                }
                found => found,
            }
        };
        match found.await {
            Ok(token) => Ok(Some(token.into())),
            Err(error) if needs_sign_in(&error) => Ok(None),
            Err(error) => Err(self.describe(error, &requests)),
        }
    }

    /// Another token than the rejected one.
    pub(super) async fn renew(&self, rejection: &OwnedRejection) -> Result<Option<Token>, TokenError> {
        let mut state = self.state.lock().await;
        let stored = self.stored().await?;
        let token = stored.as_ref().and_then(|stored| Some(access_token(stored.token_response.as_ref()?)));
        // Another request, or another process with the same store, has renewed it.
        if token.is_some() && token != rejection.token {
            return Ok(token);
        }
        let requests = self.requests(&mut state)?;
        requests.begin();
        if stored.is_some() && !rejection.lacks_scope {
            let refreshed = async { self.ready(&mut state, &requests).await?.refresh_token().await };
            match refreshed.await {
                Ok(response) => return Ok(Some(access_token(&response))),
                Err(error) if needs_sign_in(&error) => {}
                Err(error) => return Err(self.describe(error, &requests)),
            }
        }
        let scopes = self.scopes(rejection, stored.as_ref(), &requests).await;
        let Some(scopes) = scopes.map_err(|error| self.describe(error, &requests))? else { return Ok(None) };
        if let Some(machine) = &self.oauth.machine {
            let token = self.sign_in_machine(machine, scopes, rejection, &requests);
            return token.await.map(Some).map_err(|error| self.describe(error, &requests));
        }
        if !rejection.may_ask {
            return Ok(None);
        }
        // Other requests use the token of the store meanwhile, and their requests do not count.
        *state = State::default();
        drop(state);
        let limit = self.oauth.sign_in_timeout;
        let signed_in = timeout(limit, self.sign_in_person(scopes, rejection, &requests)).await;
        let manager = signed_in.map_err(|_| {
            TokenError::new(format!("nobody has signed in within {limit:?}; raise `sign_in_timeout`"))
        })??;
        let mut state = self.state.lock().await;
        *state = State { manager: Some(manager), is_ready: true, requests: Some(requests) };
        let stored = self.stored().await?;
        Ok(stored.and_then(|stored| Some(access_token(stored.token_response.as_ref()?))))
    }

    /// The scopes to ask for: none if the server or its metadata decides. `None` if the token has the missing scopes already.
    async fn scopes(
        &self,
        rejection: &OwnedRejection,
        stored: Option<&StoredCredentials>,
        requests: &Arc<Requests>,
    ) -> Result<Option<Vec<String>>, AuthError> {
        if !rejection.lacks_scope {
            return Ok(Some(self.oauth.scopes.clone()));
        }
        let url = Url::parse(&self.url)?;
        let missing: Vec<String> = match WWWAuthenticateParams::parse(&rejection.challenge, &url).scope {
            Some(scopes) => scopes.split_whitespace().map(str::to_owned).collect(),
            None => self.discover(&rejection.challenge, requests).await?.select_initial_scopes(&[]).await,
        };
        let mut scopes = stored.map(|stored| stored.granted_scopes.clone()).unwrap_or_default();
        let granted = scopes.len();
        for scope in missing {
            if !scopes.contains(&scope) {
                scopes.push(scope);
            }
        }
        Ok(Some(scopes).filter(|scopes| scopes.len() > granted))
    }

    async fn stored(&self) -> Result<Option<StoredCredentials>, TokenError> {
        let stored = self.oauth.store.load().await.map_err(TokenError::new)?;
        Ok(stored.filter(|stored| stored.token_response.is_some()))
    }

    fn requests(&self, state: &mut State) -> Result<Arc<Requests>, TokenError> {
        if let Some(requests) = &state.requests {
            return Ok(Arc::clone(requests));
        }
        let url = Url::parse(&self.url).map_err(TokenError::new)?;
        if url.scheme() != "https" && !is_loopback(&url) {
            let text = format!("a sign-in for `{url}` is not possible: the URL must have the scheme `https`");
            return Err(TokenError::new(text));
        }
        let addresses = Addresses::new(&url, self.oauth.allow_private_addresses);
        let requests = Arc::new(Requests::new(addresses).map_err(TokenError::new)?);
        state.requests = Some(Arc::clone(&requests));
        Ok(requests)
    }

    async fn new_manager(&self, requests: &Arc<Requests>) -> Result<AuthorizationManager, AuthError> {
        let requests = Arc::clone(requests);
        let mut manager = AuthorizationManager::new_with_oauth_http_client(&*self.url, requests).await?;
        manager.set_credential_store(self.oauth.store.clone());
        Ok(manager)
    }

    async fn manager<'a>(
        &self,
        state: &'a mut State,
        requests: &Arc<Requests>,
    ) -> Result<&'a mut AuthorizationManager, AuthError> {
        if state.manager.is_none() {
            state.manager = Some(self.new_manager(requests).await?);
        }
        state.manager.as_mut().ok_or(AuthError::AuthorizationRequired)
    }

    /// The manager, with the metadata and the client of the stored token.
    async fn ready<'a>(
        &self,
        state: &'a mut State,
        requests: &Arc<Requests>,
    ) -> Result<&'a mut AuthorizationManager, AuthError> {
        let is_ready = state.is_ready;
        let manager = self.manager(state, requests).await?;
        if is_ready {
            return state.manager.as_mut().ok_or(AuthError::AuthorizationRequired);
        }
        if !manager.initialize_from_store().await? {
            return Err(AuthError::AuthorizationRequired);
        }
        // rmcp configures neither the redirect URI nor a secret.
        if let (Some(stored), Some(redirect_uri)) = (self.oauth.store.load().await?, &self.oauth.redirect_uri)
        {
            let mut client = OAuthClientConfig::new(stored.client_id, redirect_uri);
            if let Some((id, Some(secret))) = &self.oauth.client
                && *id == client.client_id
            {
                client = client.with_client_secret(secret);
            }
            manager.configure_client(client)?;
        }
        state.is_ready = true;
        state.manager.as_mut().ok_or(AuthError::AuthorizationRequired)
    }

    /// A manager with the metadata of the authorisation server.
    async fn discover(
        &self,
        challenge: &str,
        requests: &Arc<Requests>,
    ) -> Result<AuthorizationManager, AuthError> {
        let mut manager = self.new_manager(requests).await?;
        let challenge = Some(challenge).filter(|challenge| !challenge.is_empty());
        let found = manager.resolve_metadata_from_challenge(challenge).await?;
        // A program opens this one.
        let checked = requests.check(&found.metadata.authorization_endpoint);
        checked.map_err(|error| AuthError::MetadataError(error.to_string()))?;
        manager.set_metadata(found.metadata);
        Ok(manager)
    }

    async fn sign_in_machine(
        &self,
        machine: &Machine,
        mut scopes: Vec<String>,
        rejection: &OwnedRejection,
        requests: &Arc<Requests>,
    ) -> Result<Token, AuthError> {
        let mut manager = self.discover(&rejection.challenge, requests).await?;
        if scopes.is_empty() {
            scopes = manager.select_initial_scopes(&[]).await;
        }
        let resource = Some(self.url.to_string());
        let config = match machine.clone() {
            Machine::Secret { id, secret } => ClientCredentialsConfig::ClientSecret {
                client_id: id,
                client_secret: secret,
                scopes,
                resource,
            },
            #[cfg(feature = "oauth-jwt")]
            Machine::Key { id, key, algorithm } => ClientCredentialsConfig::PrivateKeyJwt {
                client_id: id,
                signing_key: key,
                signing_algorithm: algorithm,
                token_endpoint_audience: None,
                scopes,
                resource,
            },
        };
        manager.validate_client_credentials_metadata(&config)?;
        manager.configure_client_credentials(&config)?;
        // The future of rmcp stays on one thread: with private keys, it is not `Send`.
        let runtime = Handle::current();
        let exchange = move || runtime.block_on(manager.exchange_client_credentials(&config));
        let exchanged = spawn_blocking(exchange).await;
        Ok(access_token(&exchanged.map_err(|error| AuthError::InternalError(error.to_string()))??))
    }

    /// Lets a person sign in. A client may only ask for the scopes that it has registered with, so a new one is registered each time.
    async fn sign_in_person(
        &self,
        scopes: Vec<String>,
        rejection: &OwnedRejection,
        requests: &Arc<Requests>,
    ) -> Result<AuthorizationManager, TokenError> {
        let (Some(open), Some(redirect_uri)) = (&self.oauth.open, &self.oauth.redirect_uri) else {
            return Err(TokenError::new("a person must sign in: set `open` and `redirect_uri` of `OAuth`"));
        };
        let session = self.new_session(scopes, redirect_uri, rejection, requests).await;
        let session = session.map_err(|error| self.describe(error, requests))?;
        let redirect = self.ask(open, session.get_authorization_url()).await?;
        let exchanged = session.handle_callback_url(&redirect).await;
        exchanged.map_err(|error| self.describe(error, requests))?;
        Ok(session.auth_manager)
    }

    async fn new_session(
        &self,
        scopes: Vec<String>,
        redirect_uri: &str,
        rejection: &OwnedRejection,
        requests: &Arc<Requests>,
    ) -> Result<AuthorizationSession, AuthError> {
        let manager = self.discover(&rejection.challenge, requests).await?;
        let name = self.oauth.client_name.as_deref().unwrap_or(env!("CARGO_PKG_NAME"));
        let mut request = AuthorizationRequest::new(redirect_uri).with_client_name(name).with_scopes(scopes);
        request = request.with_initial_scope_selection();
        if let Some(url) = &self.oauth.client_metadata_url {
            request = request.with_client_metadata_url(url);
        }
        if let Some((id, secret)) = &self.oauth.client {
            request = request.with_preregistered_client(id);
            request.client_secret.clone_from(secret);
        }
        AuthorizationSession::new(manager, request).await.map_err(|(_, error)| error)
    }

    /// An error of rmcp, with the reason that it does not contain, and without the secret, which a server may repeat.
    fn describe(&self, error: AuthError, requests: &Requests) -> TokenError {
        let mut text = full_text(&error);
        let failure = requests.failure().filter(|failure| !text.contains(failure.as_str()));
        let secret = self.oauth.secret().filter(|secret| text.contains(*secret));
        if failure.is_none() && secret.is_none() && text.len() <= MAX_ERROR_BYTES {
            return TokenError::new(error);
        }
        if let Some(failure) = failure {
            text = format!("{text}: {failure}");
        }
        if let Some(secret) = secret {
            text = text.replace(secret, "[secret]");
        }
        TokenError::new(truncated(&text, MAX_ERROR_BYTES))
    }

    /// Waits for the redirect of a person's browser.
    async fn ask(&self, open: &Open, url: &str) -> Result<String, TokenError> {
        let pause = self.pauses.begin();
        let redirect = open(url.to_owned()).await.map_err(TokenError::new)?;
        drop(pause);
        let parsed = Url::parse(&redirect).map_err(|error| {
            TokenError::new(format!("`open` must return the URL of the redirect, but it is no URL: {error}"))
        })?;
        let parameter =
            |name: &str| parsed.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value);
        if let Some(error) = parameter("error") {
            let description = parameter("error_description").unwrap_or_default();
            let text = format!("the authorisation server has rejected the sign-in: {error}: {description}");
            return Err(TokenError::new(truncated(&text, MAX_ERROR_BYTES)));
        }
        Ok(redirect)
    }
}

/// Whether the token cannot be refreshed, because it has no refresh token, or the authorisation server does not accept it or no longer
/// knows the client.
fn needs_sign_in(error: &AuthError) -> bool {
    match error {
        AuthError::AuthorizationRequired | AuthError::TokenRefreshRejected(_) => true,
        AuthError::TokenRefreshFailed(text) => {
            text.contains("invalid_client") || text.contains("unauthorized_client")
        }
        _ => false,
    }
}

/// The token of a response. Its type is of a crate that is no dependency of this one.
fn access_token(response: &OAuthTokenResponse) -> Token {
    let response = serde_json::to_value(response).unwrap_or_default();
    response.get("access_token").and_then(Value::as_str).unwrap_or_default().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_sign_in_needs_https() {
        let oauth = OAuth::client_credentials("a-program", "s3cret");
        let sign_in = SignIn::new(oauth, "http://tools.example.com/mcp".into(), Pauses::default());
        let (token, challenge) = (None, "Bearer".to_owned());
        let rejection = OwnedRejection { token, lacks_scope: false, challenge, may_ask: true };
        let error = sign_in.renew(&rejection).await.expect_err("it is rejected");
        assert!(full_text(&error).ends_with("the URL must have the scheme `https`"), "{error:?}");
    }
}
