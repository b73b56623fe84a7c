//! The sign-in of a person.

use super::sign_in::MAX_ERROR_BYTES;
use super::{OAuth, Open};
use crate::client::paused_timeout::Pauses;
use crate::client::tokens::TokenError;
use crate::message_size::truncated;
use reqwest::Url;
use rmcp::transport::auth::{AuthError, AuthorizationManager, AuthorizationRequest, AuthorizationSession};

/// Starts a sign-in. A client may only ask for the scopes that it has registered with, so a new one is registered each time.
pub(super) async fn new_session(
    oauth: &OAuth,
    manager: AuthorizationManager,
    scopes: Vec<String>,
    redirect_uri: &str,
) -> Result<AuthorizationSession, AuthError> {
    let name = oauth.client_name.as_deref().unwrap_or(env!("CARGO_PKG_NAME"));
    let mut request = AuthorizationRequest::new(redirect_uri).with_client_name(name).with_scopes(scopes);
    request = request.with_initial_scope_selection();
    if let Some(url) = &oauth.client_metadata_url {
        request = request.with_client_metadata_url(url);
    }
    if let Some((id, secret)) = &oauth.client {
        request = request.with_preregistered_client(id);
        request.client_secret.clone_from(secret);
    }
    AuthorizationSession::new(manager, request).await.map_err(|(_, error)| error)
}

/// Waits for the redirect of a person's browser.
pub(super) async fn ask(open: &Open, url: &str, pauses: &Pauses) -> Result<String, TokenError> {
    let pause = pauses.begin();
    let redirect = open(url.to_owned()).await.map_err(TokenError::new)?;
    drop(pause);
    let parsed = Url::parse(&redirect).map_err(|error| {
        TokenError::new(format!("`open` must return the URL of the redirect, but it is no URL: {error}"))
    })?;
    let parameter = |name: &str| parsed.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value);
    if let Some(error) = parameter("error") {
        let description = parameter("error_description").unwrap_or_default();
        let text = format!("the authorisation server has rejected the sign-in: {error}: {description}");
        return Err(TokenError::new(truncated(&text, MAX_ERROR_BYTES)));
    }
    Ok(redirect)
}
