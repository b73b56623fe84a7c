//! Logs of runs.

use super::Session;
use crate::message::AssistantMessage;
use crate::registry::Registry;
#[cfg(doc)]
use crate::session::{Run, RunEnd};
use std::pin::Pin;
use std::sync::Arc;

/// Records the replies of a run, so that a run of the same session after a crash receives the same replies. Without it,
/// the run would ask the model again, and the model could repeat an effect in another call.
///
/// [`Run::log`] sets it. The crate `tool-runtime-durable` has a log in a file, which also records calls.
///
/// ```
/// use std::collections::HashMap;
/// use std::sync::{Arc, Mutex, PoisonError};
/// use tool_runtime::session::{RunEnd, RunLog, RunLogFuture, Session};
/// use tool_runtime::{AssistantMessage, Registry, tools};
/// # use tool_runtime::conversation::Request;
/// # async fn complete(_: Request) -> Result<AssistantMessage, std::io::Error> { Ok(AssistantMessage::from_text("Hello!")) }
/// # async fn offline(_: Request) -> Result<AssistantMessage, std::io::Error> { Err(std::io::ErrorKind::NotConnected.into()) }
///
/// /// A real log writes to a disk, and stops the run if it cannot.
/// #[derive(Default)]
/// struct Log(Mutex<HashMap<u64, AssistantMessage>>);
///
/// impl RunLog for Log {
///     fn find_reply<'a>(&'a self, session: &'a Session) -> RunLogFuture<'a, Option<AssistantMessage>> {
///         let replies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
///         let reply = replies.get(&session.replies()).cloned();
///         Box::pin(async move { Ok(reply) })
///     }
///
///     fn record_reply<'a>(&'a self, session: &'a Session, reply: &'a AssistantMessage) -> RunLogFuture<'a, ()> {
///         self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(session.replies(), reply.clone());
///         Box::pin(async { Ok(()) })
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = Registry::new(tools![])?;
/// let log = Arc::new(Log::default());
/// let mut session = Session::new().user("Hello!");
/// let stored = serde_json::to_string(&session)?;
/// let _ = session.run(&registry).log(Arc::clone(&log)).complete(complete).await?;
///
/// let mut session: Session = serde_json::from_str(&stored)?; // the session before the run
/// let end = session.run(&registry).log(log).complete(offline).await?;
/// assert_eq!((end, session.final_text()), (RunEnd::Answered, "Hello!"));
/// # Ok(())
/// # }
/// ```
pub trait RunLog: Send + Sync {
    /// The next reply of the session; `None` if it is not recorded. [`Session::replies`] is its number. A run calls it
    /// before each request, and does not send the request if there is a reply.
    fn find_reply<'a>(&'a self, session: &'a Session) -> RunLogFuture<'a, Option<AssistantMessage>>;

    /// Records the next reply of the session. A run calls it when the reply is complete, before the session has it and before
    /// its calls start, except for calls of `read_only` tools, which may start while a reply is streamed.
    fn record_reply<'a>(&'a self, session: &'a Session, reply: &'a AssistantMessage) -> RunLogFuture<'a, ()>;

    /// A run calls it before it starts the [pending](Session::pending) calls: those of a stored session, and those of a
    /// recorded reply. It can set the results of calls that have run in an earlier process
    /// ([`Session::replay_result`]), and approve calls that were approved there. Default: it changes nothing.
    fn before_calls<'a>(&'a self, session: &'a mut Session, registry: &'a Registry) -> RunLogFuture<'a, ()> {
        let _ = (session, registry);
        Box::pin(async { Ok(()) })
    }
}

/// The future of a [`RunLog`].
pub type RunLogFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StopRun>> + Send + 'a>>;

/// The log cannot be used, and keeps the error for the program. The run ends with [`RunEnd::Cancelled`]; a reply that is not
/// recorded is dropped. Its calls do not start, except for the `read_only` calls that start while it is streamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a log creates it")]
pub struct StopRun;

impl<L: RunLog + ?Sized> RunLog for Arc<L> {
    fn find_reply<'a>(&'a self, session: &'a Session) -> RunLogFuture<'a, Option<AssistantMessage>> {
        (**self).find_reply(session)
    }

    fn record_reply<'a>(&'a self, session: &'a Session, reply: &'a AssistantMessage) -> RunLogFuture<'a, ()> {
        (**self).record_reply(session, reply)
    }

    fn before_calls<'a>(&'a self, session: &'a mut Session, registry: &'a Registry) -> RunLogFuture<'a, ()> {
        (**self).before_calls(session, registry)
    }
}
