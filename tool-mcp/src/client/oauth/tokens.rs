//! The tokens of a client that signs in.

use super::OAuth;
use super::sign_in::SignIn;
use crate::client::paused_timeout::Pauses;
use crate::client::tokens::{BoxFuture, Token, TokenError, TokenRejection, TokenSource};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::Instant;

/// The number of renewals of other requests that a request waits for.
const MAX_SHARED: usize = 4;

/// The result of a renewal, which several requests share.
type Renewed = Result<Option<Token>, TokenError>;

/// The end of a renewal, and its result.
type Ended = (Instant, Renewed);

/// The tokens of all connections of a client.
pub(in crate::client) struct OAuthTokens {
    sign_in: Arc<SignIn>,
    running: Mutex<Option<Running>>,
}

/// A renewal that runs. It continues if the requests that wait for it end.
struct Running {
    result: watch::Receiver<Option<Ended>>,
    task: AbortHandle,
}

impl OAuthTokens {
    pub(in crate::client) fn new(oauth: OAuth, url: &str, pauses: Pauses) -> Self {
        OAuthTokens { sign_in: Arc::new(SignIn::new(oauth, url, pauses)), running: Mutex::default() }
    }

    /// The renewal that runs, or a new one. The second value is whether it is a new one.
    fn renewal(&self, rejection: TokenRejection<'_>) -> (watch::Receiver<Option<Ended>>, bool) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = &*running {
            let is_shared = match &*running.result.borrow() {
                // Without a sender, it has ended without a result.
                None => running.result.has_changed().is_ok(),
                // Nobody is asked again for requests that were sent before.
                Some((ended, renewed)) => renewed.is_err() && *ended >= rejection.started,
            };
            if is_shared {
                return (running.result.clone(), false);
            }
        }
        let (sender, result) = watch::channel(None);
        let (sign_in, rejection) = (Arc::clone(&self.sign_in), rejection.to_owned());
        let renew = async move {
            let renewed = sign_in.renew(&rejection).await;
            sender.send_replace(Some((Instant::now(), renewed)));
        };
        let task = tokio::spawn(renew).abort_handle();
        *running = Some(Running { result: result.clone(), task });
        (result, true)
    }
}

impl TokenSource for OAuthTokens {
    fn token(&self) -> BoxFuture<'_, Renewed> {
        Box::pin(self.sign_in.token())
    }

    fn renew<'a>(&'a self, rejection: TokenRejection<'a>) -> BoxFuture<'a, Renewed> {
        Box::pin(async move {
            for _ in 0..MAX_SHARED {
                let (mut result, is_new) = self.renewal(rejection);
                let failed = || TokenError::new("the sign-in ended unexpectedly");
                let ended = result.wait_for(Option::is_some).await.map_err(|_| failed())?;
                let renewed = ended.as_ref().map_or_else(|| Err(failed()), |(_, renewed)| renewed.clone());
                // The other request may have been one for which nobody is asked.
                if is_new || !matches!(renewed, Ok(None)) {
                    return renewed;
                }
            }
            Ok(None)
        })
    }

    fn renewal_failed(&self) {
        self.sign_in.renewal_failed();
    }
}

impl Drop for OAuthTokens {
    fn drop(&mut self) {
        let running = self.running.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = running {
            running.task.abort();
        }
    }
}
