//! The tokens of requests over HTTP.

use super::transport_error::BoxError;
use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::Mutex;
use tokio::time::Instant;

/// A token, which is never printed.
pub(super) type Token = Arc<str>;

pub(super) type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Gives the tokens of requests.
pub(super) trait TokenSource: Send + Sync {
    /// The token of the next request; `None` for a request without one.
    fn token(&self) -> BoxFuture<'_, Result<Option<Token>, TokenError>>;

    /// A token in place of the one that the server has not accepted; `None` if there is no other one.
    fn renew<'a>(&'a self, rejection: TokenRejection<'a>)
    -> BoxFuture<'a, Result<Option<Token>, TokenError>>;

    /// The server has not accepted a renewed token either.
    fn renewal_failed(&self) {}
}

/// The reason why a server has not accepted a request.
#[derive(Clone, Copy)]
pub(super) struct TokenRejection<'a> {
    /// The token of the request.
    pub(super) token: Option<&'a Token>,
    /// The status is 403: the token has too few scopes.
    pub(super) lacks_scope: bool,
    /// The header `WWW-Authenticate`.
    #[cfg_attr(not(feature = "oauth"), allow(dead_code, reason = "only OAuth reads it"))]
    pub(super) challenge: &'a str,
    /// Whether a person may be asked to sign in.
    #[cfg_attr(not(feature = "oauth"), allow(dead_code, reason = "only OAuth asks a person"))]
    pub(super) may_ask: bool,
    /// The time at which the request was sent first.
    #[cfg_attr(not(feature = "oauth"), allow(dead_code, reason = "only OAuth reads it"))]
    pub(super) started: Instant,
}

/// A [`TokenRejection`] for a task.
#[cfg(feature = "oauth")]
pub(super) struct OwnedRejection {
    pub(super) token: Option<Token>,
    pub(super) lacks_scope: bool,
    pub(super) challenge: String,
    pub(super) may_ask: bool,
}

#[cfg(feature = "oauth")]
impl TokenRejection<'_> {
    pub(super) fn to_owned(self) -> OwnedRejection {
        let TokenRejection { token, lacks_scope, challenge, may_ask, .. } = self;
        OwnedRejection { token: token.cloned(), lacks_scope, challenge: challenge.to_owned(), may_ask }
    }
}

/// The reason why there is no token.
#[derive(Clone)]
pub(super) struct TokenError(Arc<dyn Error + Send + Sync>);

impl TokenError {
    pub(super) fn new(error: impl Into<BoxError>) -> Self {
        TokenError(error.into().into())
    }
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the client has no token")
    }
}

impl fmt::Debug for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TokenError").field(&self.0).finish()
    }
}

impl Error for TokenError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.0)
    }
}

/// The function of a program that gives the current token.
pub(super) type GiveToken = Arc<dyn Fn() -> BoxFuture<'static, Result<String, BoxError>> + Send + Sync>;

/// The tokens of one connection, from a function of the program.
pub(super) struct GivenTokens {
    give: GiveToken,
    current: Mutex<Option<Token>>,
}

impl GivenTokens {
    pub(super) fn new(give: GiveToken) -> Self {
        GivenTokens { give, current: Mutex::default() }
    }

    async fn ask(&self) -> Result<Token, TokenError> {
        let give = Arc::clone(&self.give);
        // A panic is an error of the task.
        let given = tokio::spawn(async move { give().await }).await;
        let given = given.map_err(|_| TokenError::new("the function of `bearer_token` panicked"))?;
        Ok(given.map_err(TokenError::new)?.into())
    }
}

impl TokenSource for GivenTokens {
    fn token(&self) -> BoxFuture<'_, Result<Option<Token>, TokenError>> {
        Box::pin(async {
            let mut current = self.current.lock().await;
            if current.is_none() {
                *current = Some(self.ask().await?);
            }
            Ok(current.clone())
        })
    }

    fn renew<'a>(
        &'a self,
        rejection: TokenRejection<'a>,
    ) -> BoxFuture<'a, Result<Option<Token>, TokenError>> {
        Box::pin(async move {
            // The function does not know which scopes are missing.
            if rejection.lacks_scope {
                return Ok(None);
            }
            let mut current = self.current.lock().await;
            // Another request may have renewed the token meanwhile.
            if current.as_ref() == rejection.token {
                *current = Some(self.ask().await?);
            }
            Ok(current.clone())
        })
    }
}
