//! Delays and time limits that pass at once, or never.

use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Notify;
use tool_runtime_client::Model;
use tool_runtime_client::reqwest::Client;

const REPLY_TIMEOUT: Duration = Duration::from_secs(9_001);
const IDLE_TIMEOUT: Duration = Duration::from_secs(9_002);
/// The limit of the body of an error, which is no setting.
const ERROR_BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// The delays of a model, which end at once. Its time limits never pass, unless a test ends them.
#[derive(Clone, Default)]
pub(crate) struct Waits {
    delays: Arc<Mutex<Vec<Duration>>>,
    end_of_limits: Arc<Notify>,
    end_of_error_body: Arc<Notify>,
}

impl Waits {
    /// The model with these delays, and without a proxy of the environment, which does not know the stub server.
    pub(crate) fn set(&self, model: Model) -> Model {
        let client = Client::builder().no_proxy().build().expect("a client");
        let (waits, model) = (self.clone(), model.http_client(client));
        model.reply_timeout(REPLY_TIMEOUT).idle_timeout(IDLE_TIMEOUT).wait_with(move |time| {
            let waits = waits.clone();
            async move {
                if [REPLY_TIMEOUT, IDLE_TIMEOUT].contains(&time) {
                    waits.end_of_limits.notified().await;
                } else if time == ERROR_BODY_TIMEOUT {
                    waits.end_of_error_body.notified().await;
                } else {
                    waits.delays.lock().expect("no test panics here").push(time);
                }
            }
        })
    }

    /// The delays between attempts so far.
    pub(crate) fn delays(&self) -> Vec<Duration> {
        self.delays.lock().expect("no test panics here").clone()
    }

    /// Ends the time limit that is waited for.
    pub(crate) fn end_limit(&self) {
        self.end_of_limits.notify_one();
    }

    /// Ends the time limit of the body of an error.
    pub(crate) fn end_error_body(&self) {
        self.end_of_error_body.notify_one();
    }
}
