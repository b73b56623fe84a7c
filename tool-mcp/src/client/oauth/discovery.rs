//! The authorisation server of a server.

use super::OAuth;
use super::addresses::{Addresses, is_loopback};
use super::bound_store::BoundStore;
use super::requests::Requests;
use crate::client::tokens::TokenError;
use reqwest::Url;
use rmcp::transport::auth::{AuthError, AuthorizationManager};
use std::sync::Arc;

/// Finds the authorisation server that a server names.
pub(super) struct Discovery {
    pub(super) url: Url,
    pub(super) requests: Arc<Requests>,
    store: BoundStore,
    /// The only issuer that the program trusts, if it has one.
    issuer: Option<String>,
}

/// A manager with the metadata of an authorisation server, and its issuer.
pub(super) type Found = (AuthorizationManager, Option<String>);

impl Discovery {
    pub(super) fn new(oauth: &OAuth, url: &str, store: BoundStore) -> Result<Self, TokenError> {
        let url = Url::parse(url).map_err(TokenError::new)?;
        if url.scheme() != "https" && !is_loopback(&url) {
            let text = format!("a sign-in for `{url}` is not possible: the URL must have the scheme `https`");
            return Err(TokenError::new(text));
        }
        let addresses = Addresses::new(&url, oauth.allow_private_addresses);
        let requests = Arc::new(Requests::new(addresses).map_err(TokenError::new)?);
        Ok(Discovery { url, requests, store, issuer: oauth.issuer.clone() })
    }

    /// The authorisation server that this challenge of the server names.
    pub(super) async fn find(&self, challenge: &str) -> Result<Found, AuthError> {
        let requests = Arc::clone(&self.requests);
        let mut manager =
            AuthorizationManager::new_with_oauth_http_client(self.url.as_str(), requests).await?;
        manager.set_credential_store(self.store.clone());
        let challenge = Some(challenge).filter(|challenge| !challenge.is_empty());
        let found = manager.resolve_metadata_from_challenge(challenge).await?.metadata;
        let name = |issuer: &str| issuer.trim_end_matches('/').to_owned();
        if let Some(expected) = &self.issuer
            && found.issuer.as_deref().map(name) != Some(name(expected))
        {
            return Err(AuthError::AuthorizationServerMismatch {
                expected_issuer: expected.clone(),
                received_issuer: found.issuer.unwrap_or_default(),
            });
        }
        // A program opens this one.
        let checked = self.requests.check(&found.authorization_endpoint);
        checked.map_err(|error| AuthError::MetadataError(error.to_string()))?;
        let issuer = found.issuer.clone();
        manager.set_metadata(found);
        Ok((manager, issuer))
    }
}
