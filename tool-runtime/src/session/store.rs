//! The storage of a session during a run.

use super::before_request::StepError;
use super::run_loop::RunLoop;
use super::{Event, HookError, HookFuture, Run, RunEnd, RunError, Session};
use std::future::ready;

/// Stores a session: [`Run::store`] calls it. A closure `FnMut(&Session) -> Result<(), HookError>` is one; implement it for a store
/// that awaits, such as a database.
pub trait SessionStore: Send {
    /// Replaces the stored session. Replace it in one step, so that a crash leaves the earlier one.
    fn store<'a>(&'a mut self, session: &'a Session) -> HookFuture<'a, ()>;
}

impl<F: FnMut(&Session) -> Result<(), HookError> + Send> SessionStore for F {
    fn store<'a>(&'a mut self, session: &'a Session) -> HookFuture<'a, ()> {
        Box::pin(ready(self(session)))
    }
}

/// The store of a run.
#[derive(Default)]
pub(super) struct RunStore<'a> {
    store: Option<Box<dyn SessionStore + 'a>>,
    /// The revision of the session that was stored last.
    revision: Option<u64>,
}

impl RunStore<'_> {
    /// Stores a claim of the session, if it has changed.
    pub(super) async fn store_claim(&mut self, session: &mut Session) -> Result<(), StepError> {
        let Some(store) = &mut self.store else { return Ok(()) };
        if self.revision == Some(session.revision()) {
            return Ok(());
        }
        let claimed = session.claim();
        store.store(&claimed).await.map_err(StepError::Store)?;
        self.revision = Some(session.revision());
        Ok(())
    }
}

impl<O: FnMut(&Event), P> RunLoop<'_, O, P> {
    /// Stores the session at the end of the run, also after an error.
    pub(super) async fn store_end<E>(
        &mut self,
        ended: Result<RunEnd, RunError<E>>,
    ) -> Result<RunEnd, RunError<E>> {
        let Some(store) = &mut self.settings.store.store else { return ended };
        let stored = store.store(self.session).await;
        ended.and_then(|end| stored.map(|()| end).map_err(RunError::Store))
    }
}

impl<'a, O, P, A, K> Run<'a, O, P, A, K> {
    /// Stores the session when the run starts, before the calls of each reply start, before each request, and at the end of the run,
    /// also after an error. Default: the program stores it.
    ///
    /// Until the end, the stored session is a [claim](Session::claim). If the process ends during the run, a run of the stored session
    /// continues: a call that had begun runs again only if its tool is `read_only` or `idempotent`, and any other gets the error that it
    /// may have taken effect. Without a [log](Run::log), the stored session does not have the results since the last request.
    ///
    /// Calls of `read_only` and `idempotent` tools of a streamed reply may start before it is stored. A cancelled run waits for the
    /// store.
    ///
    /// ```
    /// use tool_runtime::session::{HookError, RunEnd, Session};
    /// use tool_runtime::{Registry, tools};
    /// # use tool_runtime::AssistantMessage;
    /// # use tool_runtime::conversation::Request;
    /// # async fn complete(_: Request) -> Result<AssistantMessage, std::io::Error> { Ok(AssistantMessage::from_text("Hi!")) }
    ///
    /// fn save(session: &Session) -> Result<(), HookError> {
    ///     let file = std::env::temp_dir().join(format!("session_{}.json", std::process::id()));
    ///     std::fs::write(file.with_extension("new"), serde_json::to_vec(session)?)?;
    ///     Ok(std::fs::rename(file.with_extension("new"), file)?)
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = Registry::new(tools![])?;
    /// let mut session = Session::new().user("Hello!");
    /// assert_eq!(session.run(&registry).store(save).complete(complete).await?, RunEnd::Answered);
    /// # std::fs::remove_file(std::env::temp_dir().join(format!("session_{}.json", std::process::id())))?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// An error of the store ends the run with [`RunError::Store`], before the calls start or the request is sent.
    pub fn store(mut self, store: impl SessionStore + 'a) -> Self {
        self.settings.store.store = Some(Box::new(store));
        self
    }
}
