//! A run of a session: the whole code between the server and the library.

use crate::Shop;
use crate::events::{self, Message};
use crate::problem::Problem;
use crate::users::User;
use std::sync::Arc;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio_util::sync::DropGuard;
use tool_runtime::dispatch::BatchContext;
use tool_runtime::message::Message as ChatMessage;
use tool_runtime::session::{Event, Session};

/// The number of replies to one user message.
const MAX_REPLIES: usize = 12;

/// A run in progress. Dropping it, when the client disconnects, cancels the run.
pub(crate) struct RunningChat {
    /// The events, and how the run has ended. Its length is limited by the number of replies.
    pub(crate) messages: UnboundedReceiver<Message>,
    _cancels_on_disconnect: DropGuard,
}

/// Loads the session of a user, decides, claims the session, runs it, passes its events on, and stores it.
pub(crate) async fn run(
    shop: Arc<Shop>,
    user: User,
    decide: impl FnOnce(&mut Session) -> Result<(), Problem>,
) -> Result<RunningChat, Problem> {
    let mut session = shop.sessions.load(user).await?;
    let loaded = session.revision();
    decide(&mut session)?;
    let claim = shop.sessions.claim(user, loaded, &session.claim()).await?;

    let token = shop.stopping.child_token();
    let run_id = format!("{}/{}", claim.id, count_user_messages(&session));
    let batch = BatchContext::new().state(user).run_id(run_id).cancellation(token.clone());
    let registry = shop.registry.with(&batch);
    let (sender, messages) = unbounded_channel();
    // A task of its own: the server drops the handler when the client disconnects, and the session has to be stored.
    shop.clone().runs.spawn(async move {
        let send = |event: &Event| {
            if let Some(event) = events::for_user(event) {
                let _ = sender.send(event);
            }
        };
        let run = session.run(&registry).max_replies(MAX_REPLIES).on_event(send);
        let ended = run.stream(|request| shop.model.stream(request)).await;
        let stored = claim.store(&session).await; // whatever has happened
        let _ = sender.send(events::end(&session, ended, stored));
    });
    Ok(RunningChat { messages, _cancels_on_disconnect: token.drop_guard() })
}

/// Part of the keys of tool calls. After a crash, the session has lost the replies of its last run: when it continues, a call
/// has the same key again and finds its effect. A call after a new message of the user must not.
fn count_user_messages(session: &Session) -> usize {
    session.messages().iter().filter(|message| matches!(message, ChatMessage::User(_))).count()
}
