//! A store of tokens that gives them to the client of one server only.

use async_trait::async_trait;
use rmcp::transport::auth::{AuthError, CredentialRefreshGuard, CredentialStore, StoredCredentials};
use std::sync::Arc;

/// The additional field of a stored token with the URL of the server that it is for.
const SERVER: &str = "mcp_server";

/// A store that several managers of rmcp share. Tokens of another server are not in it.
#[derive(Clone)]
pub(super) struct BoundStore {
    store: Arc<dyn CredentialStore>,
    server: Arc<str>,
}

impl BoundStore {
    pub(super) fn new(store: Arc<dyn CredentialStore>, server: &str) -> Self {
        BoundStore { store, server: server.into() }
    }
}

#[async_trait]
impl CredentialStore for BoundStore {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        let stored = self.store.load().await?;
        Ok(stored.filter(|stored| {
            let response = stored.token_response.as_ref();
            response.is_some_and(|token| {
                token.extra_fields().0.get(SERVER).is_some_and(|server| *server == *self.server)
            })
        }))
    }

    async fn save(&self, mut credentials: StoredCredentials) -> Result<(), AuthError> {
        if let Some(token) = &mut credentials.token_response {
            let mut fields = token.extra_fields().clone();
            fields.0.insert(SERVER.to_owned(), (*self.server).into());
            token.set_extra_fields(fields);
        }
        self.store.save(credentials).await
    }

    async fn clear(&self) -> Result<(), AuthError> {
        self.store.clear().await
    }

    async fn on_refresh_token_rejected(&self, credentials: &StoredCredentials) -> Result<(), AuthError> {
        self.store.on_refresh_token_rejected(credentials).await
    }

    async fn acquire_refresh_guard(&self) -> Result<Option<CredentialRefreshGuard>, AuthError> {
        self.store.acquire_refresh_guard().await
    }
}
