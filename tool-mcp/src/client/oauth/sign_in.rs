//! How tokens are obtained and renewed.

use super::OAuth;
use super::bound_store::BoundStore;
use super::discovery::Discovery;
use super::person::{ask, new_session};
use crate::client::paused_timeout::Pauses;
use crate::client::tokens::{OwnedRejection, Token, TokenError};
use crate::client::transport_error::full_text;
use crate::message_size::truncated;
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, CredentialStore as _, InMemoryCredentialStore, OAuthClientConfig,
    OAuthTokenResponse, StoredCredentials, WWWAuthenticateParams,
};
use serde_json::Value;
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

/// The size after which the text of an error is truncated, in bytes. It may contain the body of a response.
pub(super) const MAX_ERROR_BYTES: usize = 2 * 1024;

/// The time in which nobody is asked to sign in, after the server has rejected a new token.
const PAUSE_OF_PAGES: Duration = Duration::from_secs(300);

/// Signs in at the authorisation server of one server.
pub(super) struct SignIn {
    oauth: OAuth,
    store: BoundStore,
    pauses: Pauses,
    discovery: Result<Discovery, TokenError>,
    session: Mutex<Option<Session>>,
    /// The time at which the server has last rejected a new token.
    rejected: std::sync::Mutex<Option<Instant>>,
}

/// The manager that has obtained the stored token.
struct Session {
    manager: AuthorizationManager,
    client_id: String,
    issuer: Option<String>,
}

impl SignIn {
    pub(super) fn new(oauth: OAuth, url: &str, pauses: Pauses) -> Self {
        let store = oauth.store.clone().unwrap_or_else(|| Arc::new(InMemoryCredentialStore::new()));
        let store = BoundStore::new(store, url);
        let discovery = Discovery::new(&oauth, url, store.clone());
        SignIn {
            oauth,
            store,
            pauses,
            discovery,
            session: Mutex::default(),
            rejected: std::sync::Mutex::default(),
        }
    }

    /// The token that is stored, even if it has expired: the server rejects it then, and names the authorisation server.
    pub(super) async fn token(&self) -> Result<Option<Token>, TokenError> {
        Ok(self.stored().await?.and_then(|stored| stored_token(&stored)))
    }

    pub(super) fn renewal_failed(&self) {
        *self.rejected.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    async fn stored(&self) -> Result<Option<StoredCredentials>, TokenError> {
        self.store.load().await.map_err(TokenError::new)
    }

    /// Another token than the rejected one.
    pub(super) async fn renew(&self, rejection: &OwnedRejection) -> Result<Option<Token>, TokenError> {
        let stored = self.stored().await?;
        let token = stored.as_ref().and_then(stored_token);
        // Another request, or another process with the same store, has renewed it.
        if token.is_some() && token != rejection.token {
            return Ok(token);
        }
        let discovery = self.discovery.as_ref().map_err(Clone::clone)?;
        discovery.requests.begin();
        let failed = |error| self.describe(error, discovery);
        let (is_machine, stored) = (self.oauth.machine.is_some(), stored.as_ref());
        if let Some(stored) = stored.filter(|_| !is_machine && !rejection.lacks_scope) {
            let refreshed = self.refresh(stored, &rejection.challenge, discovery).await;
            if let Some(token) = refreshed.map_err(failed)? {
                return Ok(Some(token));
            }
        }
        if !is_machine && !rejection.may_ask {
            return Ok(None);
        }
        let scopes = self.scopes(rejection, stored, discovery).await;
        let Some(scopes) = scopes.map_err(failed)? else { return Ok(None) };
        if let Some(machine) = &self.oauth.machine {
            let (manager, _) = discovery.find(&rejection.challenge).await.map_err(failed)?;
            let token = machine.sign_in(manager, scopes, discovery.url.to_string()).await;
            return token.map(Some).map_err(failed);
        }
        let rejected = *self.rejected.lock().unwrap_or_else(PoisonError::into_inner);
        if rejected.is_some_and(|rejected| rejected.elapsed() < PAUSE_OF_PAGES) {
            let text = "the server has rejected a new token; a person can sign in again 5 minutes later";
            return Err(TokenError::new(text));
        }
        let limit = self.oauth.sign_in_timeout;
        let signed_in = timeout(limit, self.sign_in_person(scopes, &rejection.challenge, discovery)).await;
        let manager = signed_in.map_err(|_| {
            TokenError::new(format!("nobody has signed in within {limit:?}; raise `sign_in_timeout`"))
        })??;
        let stored = self.stored().await?.ok_or_else(|| {
            TokenError::new("the store of tokens must return the credentials that it saves, with all fields")
        })?;
        let token = stored_token(&stored);
        let StoredCredentials { client_id, issuer, .. } = stored;
        *self.session.lock().await = Some(Session { manager, client_id, issuer });
        Ok(token)
    }

    /// A new token from the refresh token. `None` if a sign-in is necessary.
    async fn refresh(
        &self,
        stored: &StoredCredentials,
        challenge: &str,
        discovery: &Discovery,
    ) -> Result<Option<Token>, AuthError> {
        let (client_id, issuer) = (stored.client_id.clone(), stored.issuer.clone());
        let mut session = self.session.lock().await;
        let is_same = |session: &Session| session.client_id == client_id && session.issuer == issuer;
        let manager = if let Some(session) = session.take().filter(is_same) {
            session.manager
        } else {
            let (mut manager, found) = discovery.find(challenge).await?;
            // Only the authorisation server that has issued the refresh token may receive it.
            if issuer.is_none() || found != issuer {
                return Ok(None);
            }
            let redirect_uri = self.oauth.redirect_uri.as_deref().unwrap_or(discovery.url.as_str());
            let mut client = OAuthClientConfig::new(&client_id, redirect_uri);
            if let Some((id, Some(secret))) = &self.oauth.client
                && *id == client_id
            {
                client = client.with_client_secret(secret);
            }
            manager.configure_client(client)?;
            manager
        };
        // Those of metadata that is not used.
        discovery.requests.failure();
        match (manager.refresh_token().await, discovery.requests.failure()) {
            (Ok(response), _) => {
                *session = Some(Session { manager, client_id, issuer });
                Ok(Some(access_token(&response)))
            }
            (Err(error @ AuthError::CredentialStoreError(_)), _) => Err(error),
            // A later attempt may be possible without a person.
            (Err(_), Some(failure)) => Err(AuthError::TokenRefreshFailed(failure)),
            (Err(_), None) => Ok(None),
        }
    }

    /// The scopes to ask for: none if the server or its metadata decides. `None` if the token has the missing scopes already, or a
    /// program must not have them.
    async fn scopes(
        &self,
        rejection: &OwnedRejection,
        stored: Option<&StoredCredentials>,
        discovery: &Discovery,
    ) -> Result<Option<Vec<String>>, AuthError> {
        let chosen = &self.oauth.scopes;
        if !rejection.lacks_scope {
            return Ok(Some(chosen.clone()));
        }
        let challenge = &rejection.challenge;
        let missing: Vec<String> = match WWWAuthenticateParams::parse(challenge, &discovery.url).scope {
            Some(scopes) => scopes.split_whitespace().map(str::to_owned).collect(),
            None => discovery.find(challenge).await?.0.select_initial_scopes(&[]).await,
        };
        let mut scopes = stored.map(|stored| stored.granted_scopes.clone()).unwrap_or_default();
        let granted = scopes.len();
        // A person sees the scopes, and nobody sees those of a program.
        let is_limited = self.oauth.machine.is_some() && !chosen.is_empty();
        for scope in missing {
            if !scopes.contains(&scope) && (!is_limited || chosen.contains(&scope)) {
                scopes.push(scope);
            }
        }
        Ok(Some(scopes).filter(|scopes| scopes.len() > granted))
    }

    async fn sign_in_person(
        &self,
        scopes: Vec<String>,
        challenge: &str,
        discovery: &Discovery,
    ) -> Result<AuthorizationManager, TokenError> {
        let (Some(open), Some(redirect_uri)) = (&self.oauth.open, &self.oauth.redirect_uri) else {
            return Err(TokenError::new("a person must sign in: set `open` and `redirect_uri` of `OAuth`"));
        };
        let failed = |error| self.describe(error, discovery);
        let (manager, _) = discovery.find(challenge).await.map_err(failed)?;
        let session = new_session(&self.oauth, manager, scopes, redirect_uri).await.map_err(failed)?;
        let redirect = ask(open, session.get_authorization_url(), &self.pauses).await?;
        session.handle_callback_url(&redirect).await.map_err(failed)?;
        Ok(session.auth_manager)
    }

    /// An error of rmcp, with the reason that it does not contain, and without the secret, which a server may repeat.
    fn describe(&self, error: AuthError, discovery: &Discovery) -> TokenError {
        let mut text = full_text(&error);
        let failure = discovery.requests.failure().filter(|failure| !text.contains(failure.as_str()));
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
}

fn stored_token(stored: &StoredCredentials) -> Option<Token> {
    stored.token_response.as_ref().map(access_token)
}

/// The token of a response. Its type is of a crate that is no dependency of this one.
pub(super) fn access_token(response: &OAuthTokenResponse) -> Token {
    let response = serde_json::to_value(response).unwrap_or_default();
    response.get("access_token").and_then(Value::as_str).unwrap_or_default().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_sign_in_needs_https() {
        let oauth = OAuth::client_credentials("a-program", "s3cret");
        let sign_in = SignIn::new(oauth, "http://tools.example.com/mcp", Pauses::default());
        let (token, challenge) = (None, "Bearer".to_owned());
        let rejection = OwnedRejection { token, lacks_scope: false, challenge, may_ask: true };
        let error = sign_in.renew(&rejection).await.expect_err("it is rejected");
        assert!(full_text(&error).ends_with("the URL must have the scheme `https`"), "{error:?}");
    }
}
