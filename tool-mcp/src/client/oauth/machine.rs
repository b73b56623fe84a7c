//! The sign-in of a program.

use super::sign_in::access_token;
use crate::client::tokens::Token;
#[cfg(feature = "oauth-jwt")]
use rmcp::transport::auth::JwtSigningAlgorithm;
use rmcp::transport::auth::{AuthError, AuthorizationManager, ClientCredentialsConfig};
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;

/// The identity of a program that signs in itself.
#[derive(Clone)]
pub(super) enum Machine {
    Secret {
        id: String,
        secret: String,
    },
    #[cfg(feature = "oauth-jwt")]
    Key {
        id: String,
        key: Vec<u8>,
        algorithm: JwtSigningAlgorithm,
    },
}

impl Machine {
    pub(super) async fn sign_in(
        &self,
        mut manager: AuthorizationManager,
        mut scopes: Vec<String>,
        resource: String,
    ) -> Result<Token, AuthError> {
        if scopes.is_empty() {
            scopes = manager.select_initial_scopes(&[]).await;
        }
        let resource = Some(resource);
        let config = match self.clone() {
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
}
