//! The tokens of a client that signs in.

use super::OAuth;
use super::sign_in::SignIn;
use crate::client::paused_timeout::Pauses;
use crate::client::tokens::{BoxFuture, Refusal, Token, TokenError, TokenSource};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;
use tokio::task::AbortHandle;

/// The result of a renewal, which several requests share.
type Renewed = Result<Option<Token>, TokenError>;

/// The tokens of all connections of a client.
pub(in crate::client) struct OAuthTokens {
    sign_in: Arc<SignIn>,
    running: Mutex<Option<Running>>,
}

/// A renewal that runs. It continues if the requests that wait for it end.
struct Running {
    result: watch::Receiver<Option<Renewed>>,
    task: AbortHandle,
}

impl OAuthTokens {
    pub(in crate::client) fn new(oauth: OAuth, url: Arc<str>, pauses: Pauses) -> Self {
        OAuthTokens { sign_in: Arc::new(SignIn::new(oauth, url, pauses)), running: Mutex::default() }
    }

    /// The renewal that runs, or a new one.
    fn renewal(&self, refusal: Refusal<'_>) -> watch::Receiver<Option<Renewed>> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = &*running
            && running.result.borrow().is_none()
            // It has failed without a result otherwise.
            && running.result.has_changed().is_ok()
        {
            return running.result.clone();
        }
        let (sender, result) = watch::channel(None);
        let (sign_in, refusal) = (Arc::clone(&self.sign_in), refusal.to_owned());
        let renew = async move {
            let renewed = sign_in.renew(&refusal).await;
            sender.send_replace(Some(renewed));
        };
        let task = tokio::spawn(renew).abort_handle();
        *running = Some(Running { result: result.clone(), task });
        result
    }
}

impl TokenSource for OAuthTokens {
    fn token(&self) -> BoxFuture<'_, Renewed> {
        Box::pin(self.sign_in.token())
    }

    fn renew<'a>(&'a self, refusal: Refusal<'a>) -> BoxFuture<'a, Renewed> {
        Box::pin(async move {
            let mut result = self.renewal(refusal);
            let failed = || TokenError::new("the sign-in ended unexpectedly");
            let renewed = result.wait_for(Option::is_some).await.map_err(|_| failed())?;
            renewed.clone().unwrap_or_else(|| Err(failed()))
        })
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
