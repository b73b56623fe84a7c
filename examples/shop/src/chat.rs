//! A run of a session: the whole code between the server and the library.

use crate::Shop;
use crate::events::{self, Update};
use crate::request_error::RequestError;
use crate::users::User;
use std::sync::Arc;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio_util::sync::DropGuard;
use tool_runtime::dispatch::RunContext;
use tool_runtime::message::Message;
use tool_runtime::session::{Event, Session};

/// The number of replies to one user message.
const MAX_REPLIES: usize = 12;

/// A run in progress. Dropping it, when the client disconnects, cancels the run.
pub(crate) struct RunningChat {
    /// The events, and the end of the run. Unbounded: a client that reads slowly keeps the events of at most one run in
    /// memory.
    pub(crate) updates: UnboundedReceiver<Update>,
    _cancel_on_drop: DropGuard,
}

/// Loads the session of a user, decides, claims the session, runs it, passes its events on, and stores it.
pub(crate) async fn run(
    shop: Arc<Shop>,
    user: User,
    decide: impl FnOnce(&mut Session) -> Result<(), RequestError>,
) -> Result<RunningChat, RequestError> {
    shop.sessions.check_idle(user)?;
    let mut session = shop.sessions.load(user).await?;
    let loaded = session.revision();
    decide(&mut session)?;
    let claim = shop.sessions.claim(user, loaded, &session.claim()).await?;

    let token = shop.stopping.child_token();
    let run_id = format!("{}/{}", claim.id, count_user_messages(&session));
    let context = RunContext::new().state(user).run_id(run_id).cancellation(token.clone());
    let registry = shop.registry.with(&context);
    let (sender, updates) = unbounded_channel();
    let recorder = shop.live_runs.as_ref().map(|runs| runs.start(format!("Session {}", claim.id)));
    // A task of its own: the server drops the handler when the client disconnects, and the session has to be stored.
    shop.clone().runs.spawn(async move {
        let send = |event: &Event| {
            if let Some(recorder) = &recorder {
                recorder.record(event);
            }
            if let Some(update) = events::for_user(event) {
                let _ = sender.send(update);
            }
        };
        let run = session.run(&registry).max_replies(MAX_REPLIES).on_event(send);
        let ended = run.stream(|request| shop.model.stream(request)).await;
        let stored = claim.store(&session).await; // even after an error: the calls have taken effect
        let _ = sender.send(events::end(&session, ended, stored));
    });
    Ok(RunningChat { updates, _cancel_on_drop: token.drop_guard() })
}

/// Part of the key of each call. A run that continues after a crash repeats its calls with the same keys, so a tool finds
/// what it has already done. A new user message gives new keys.
fn count_user_messages(session: &Session) -> usize {
    session.messages().iter().filter(|message| matches!(message, Message::User(_))).count()
}
