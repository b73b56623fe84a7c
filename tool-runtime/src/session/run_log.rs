//! Logs of runs.

use super::{MessageChanges, Session};
use crate::message::AssistantMessage;
use crate::output::ToolResult;
use crate::registry::{ReadyCall, Registry};
use std::error::Error;
use std::pin::Pin;

/// Records the replies and the calls of a run, so that a run of the same session after a crash receives the same replies and
/// results. Without it, the run would ask the model again, and the model could repeat an effect in another call.
///
/// [`Run::log`](super::Run::log) sets it. The crate `tool-runtime-durable` has a log in a file.
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
/// /// A real log writes to a disk, and returns an error if it cannot.
/// #[derive(Default)]
/// struct Log(Mutex<HashMap<u64, AssistantMessage>>);
///
/// impl RunLog for Log {
///     fn find_reply<'a>(&'a self, session: &'a mut Session, _: &'a Registry) -> RunLogFuture<'a, Option<AssistantMessage>> {
///         let replies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
///         let reply = replies.get(&session.replies()).cloned();
///         Box::pin(async move { Ok(reply) })
///     }
///
///     fn record_reply<'a>(
///         &'a self,
///         session: &'a Session,
///         _: &'a Registry,
///         reply: &'a AssistantMessage,
///     ) -> RunLogFuture<'a, ()> {
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
/// let _ = session.run(&registry).log(log.clone()).complete(complete).await?;
///
/// let mut session: Session = serde_json::from_str(&stored)?; // the session before the run
/// let end = session.run(&registry).log(log).complete(offline).await?;
/// assert_eq!((end, session.final_text()), (RunEnd::Answered, "Hello!"));
/// # Ok(())
/// # }
/// ```
///
/// The `registry` of each method is that of the run, with its [run context](Registry::run_context).
///
/// After an error of the log, no further call begins, calls that run finish, and the run returns
/// [`RunError::Log`](super::RunError::Log). The session stays valid: a reply that is not recorded is dropped, and a call that has not
/// begun stays pending.
pub trait RunLog: Send + Sync {
    /// The next reply of the session; `None` if it is not recorded. [`Session::replies`] is its number. A run calls it
    /// before each request, and does not send the request if there is a reply. It may wait while another run requests the same
    /// reply: if the run is cancelled meanwhile, the future is dropped. The other run may have changed the messages before the reply:
    /// then this method repeats the changes.
    fn find_reply<'a>(
        &'a self,
        session: &'a mut Session,
        registry: &'a Registry,
    ) -> RunLogFuture<'a, Option<AssistantMessage>>;

    /// Repeats what the inbox, the hooks and the compaction of an earlier run changed before the next reply
    /// ([`Session::replay_changes`]). Returns whether that reply is recorded and follows this session: then the run does not call its
    /// hooks, and takes no message from the inbox. A run calls it before each request, and before it ends. Default: nothing is
    /// recorded.
    fn replay_changes<'a>(
        &'a self,
        session: &'a mut Session,
        registry: &'a Registry,
    ) -> RunLogFuture<'a, bool> {
        let _ = (session, registry);
        Box::pin(async { Ok(false) })
    }

    /// Records what the inbox, the hooks and the compaction have changed before the next request. If the provider rejects
    /// the request as too long, it is called
    /// once more, with all changes. Default: it does nothing.
    fn record_changes<'a>(
        &'a self,
        session: &'a Session,
        registry: &'a Registry,
        changes: MessageChanges,
    ) -> RunLogFuture<'a, ()> {
        let _ = (session, registry, changes);
        Box::pin(async { Ok(()) })
    }

    /// Records the next reply of the session. A run calls it when the reply is complete, before the session has it and before
    /// its calls start, except for calls of `read_only` tools, which may start while a reply is streamed.
    fn record_reply<'a>(
        &'a self,
        session: &'a Session,
        registry: &'a Registry,
        reply: &'a AssistantMessage,
    ) -> RunLogFuture<'a, ()>;

    /// A run calls it before it starts the [pending](Session::pending) calls: those of a stored session, and those of a
    /// recorded reply. It can set the results of calls that have run in an earlier process
    /// ([`Session::replay_result`]), and approve calls that were approved there. A session that
    /// [was claimed](Session::is_claimed) is still claimed here. If the run is cancelled while it waits, the future is dropped.
    /// Default: it changes nothing.
    fn before_calls<'a>(&'a self, session: &'a mut Session, registry: &'a Registry) -> RunLogFuture<'a, ()> {
        let _ = (session, registry);
        Box::pin(async { Ok(()) })
    }

    /// Runs a call, outside of all middleware, and records its beginning and its result. It can return a recorded result
    /// without [running](ReadyCall::run) the call. Default: it runs the call.
    fn run_call(&self, call: ReadyCall) -> RunLogFuture<'_, LoggedResult> {
        Box::pin(async move { Ok(call.run().await.into()) })
    }

    /// A run calls it when it has ended or its future is dropped. If [`find_reply`](RunLog::find_reply) has returned `None` and no
    /// reply was recorded since, the run does not record that reply any more. Default: it does nothing.
    fn after_run(&self) {}
}

/// The future of a [`RunLog`].
pub type RunLogFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, LogError>> + Send + 'a>>;

/// The error of a [`RunLog`]: any error of the program.
pub type LogError = Box<dyn Error + Send + Sync>;

/// The result of a call in a run with a [`RunLog`].
#[derive(Debug)]
#[non_exhaustive]
pub struct LoggedResult {
    /// The result.
    pub result: ToolResult,
    /// The reason why the result of a call that has run is not recorded. The call keeps it, and the run ends with this error.
    pub error: Option<LogError>,
}

impl LoggedResult {
    /// The result of a call that has run, and that cannot be recorded.
    #[must_use]
    pub fn unrecorded(result: ToolResult, error: impl Into<LogError>) -> Self {
        LoggedResult { result, error: Some(error.into()) }
    }
}

impl From<ToolResult> for LoggedResult {
    fn from(result: ToolResult) -> Self {
        LoggedResult { result, error: None }
    }
}
