//! The settings of a run between two replies: hooks, compaction, the inbox.

use super::compact::Compact;
#[cfg(doc)]
use super::{CompactReason, Event, RunEnd, Session};
use super::{ErrorClassifier, Flow, HookFuture, HookSession, Run};
use crate::wire::ErrorKind;

impl<'a, O, P, A, K> Run<'a, O, P, A, K> {
    /// Adds an async hook, which receives the session before each request, the first one included, and before the run ends, whatever
    /// the [`RunEnd`] is. It checks or changes the session, or [stops](Flow::Stop) the run; to store the session, use
    /// [`store`](Run::store). Default: none. Several hooks are called in the order in which they were added.
    ///
    /// Before a request, all calls have their results. At the end, calls may be [pending](Session::pending), or the newest message is
    /// the answer. If the hook decides about the pending calls or adds a user message, the run goes on. After an error of the run,
    /// and if its future is dropped, the hook is not called.
    ///
    /// A user message that a hook adds starts all limits again, except for [`max_requests`](Run::max_requests) and budgets.
    ///
    /// The future of the hook may borrow values outside of the run, and the run can be spawned: pass references into the future
    /// (`let accounts = &accounts;`), and change captured values in the closure, before `Box::pin`. A cancelled run waits for the
    /// future.
    ///
    /// ```
    /// use tool_runtime::session::{Flow, RunEnd, Session};
    /// use tool_runtime::{Registry, tools};
    /// # use tool_runtime::AssistantMessage;
    /// # use tool_runtime::conversation::Request;
    /// # async fn complete(_: Request) -> Result<AssistantMessage, std::io::Error> { Ok(AssistantMessage::from_text("Hi!")) }
    /// # #[derive(Default)]
    /// # struct Accounts(std::sync::Mutex<Vec<u64>>);
    /// # impl Accounts {
    /// #     async fn has_credit(&self, tokens: u64) -> std::io::Result<bool> {
    /// #         self.0.lock().unwrap().push(tokens);
    /// #         Ok(true)
    /// #     }
    /// # }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let run = tokio::spawn(async {
    ///     let (registry, accounts) = (Registry::new(tools![])?, Accounts::default());
    ///     let accounts = &accounts;
    ///     let mut session = Session::new().user("Hello!");
    ///     let run = session.run(&registry).between_replies(|session| {
    ///         Box::pin(async move {
    ///             let has_credit = accounts.has_credit(session.usage().total_tokens()).await?;
    ///             Ok(if has_credit { Flow::Continue } else { Flow::Stop })
    ///         })
    ///     });
    ///     let end = run.complete(complete).await?;
    ///     # assert_eq!(accounts.0.lock().unwrap().len(), 2);
    ///     Ok::<RunEnd, Box<dyn std::error::Error + Send + Sync>>(end)
    /// });
    /// assert_eq!(run.await?.map_err(|error| error.to_string())?, RunEnd::Answered);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// A [log](Run::log) records what a hook changes in the messages, together with the next reply. In a later run, the hook is not
    /// called before a reply that is recorded.
    ///
    /// # Errors
    ///
    /// An error of the hook ends the run with [`RunError::Hook`](super::RunError::Hook).
    pub fn between_replies(
        mut self,
        hook: impl for<'s> FnMut(HookSession<'s, 'a>) -> HookFuture<'s, Flow> + Send + 'a,
    ) -> Self {
        self.settings.hooks.push(hook);
        self
    }

    /// Shortens the session before a request, if it is too long, and after the provider has rejected a request as too long: then the
    /// run repeats the request once. Default: none. [`Event::Compacted`] reports each change.
    ///
    /// The provider's error is known in a streamed reply, and from the client with [`classify_error`](Run::classify_error).
    ///
    /// See [`Compact`] for an example, and the package `tool-runtime-compaction` for an implementation.
    ///
    /// # Errors
    ///
    /// An error of the compaction ends the run with [`RunError::Compaction`](super::RunError::Compaction).
    pub fn compact(mut self, compact: impl Compact + 'a) -> Self {
        self.settings.compact = Some(Box::new(compact));
        self
    }

    /// Sets the function that finds the kind of an error of the client, which has the status and the body of the response:
    /// [`ErrorKind::from_response`]. After [`ErrorKind::ContextTooLong`], the run [compacts](Run::compact) the session once, and
    /// repeats the request. Default: each error of the client ends the run.
    ///
    /// ```
    /// use tool_runtime::history::{TrimBudget, Trimmed};
    /// use tool_runtime::session::{Compact, CompactReason, HookFuture, RunEnd, Session};
    /// use tool_runtime::wire::ErrorKind;
    /// use tool_runtime::{AssistantMessage, Registry, tools};
    /// # use tool_runtime::conversation::Request;
    ///
    /// /// The error of a client.
    /// #[derive(Debug)]
    /// struct Rejected {
    ///     status: u16,
    ///     body: String,
    /// }
    /// # impl std::fmt::Display for Rejected {
    /// #     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str(&self.body) }
    /// # }
    /// # async fn complete(request: Request) -> Result<AssistantMessage, Rejected> {
    /// #     match request.messages().len() {
    /// #         ..3 => Ok(AssistantMessage::from_text("Hi!")),
    /// #         _ => Err(Rejected { status: 400, body: r#"{"error":{"code":"context_length_exceeded"}}"#.into() }),
    /// #     }
    /// # }
    /// # struct NewestExchange;
    /// # impl Compact for NewestExchange {
    /// #     fn compact<'a>(&'a mut self, session: &'a mut Session, reason: CompactReason) -> HookFuture<'a, Option<Trimmed>> {
    /// #         let trimmed = (reason == CompactReason::ContextTooLong).then(|| session.trim(&TrimBudget::max_messages(1)));
    /// #         Box::pin(async { Ok(trimmed) })
    /// #     }
    /// # }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let registry = Registry::new(tools![])?;
    /// # let mut session = Session::from(tool_runtime::Conversation::new().user("One?").assistant("One.").user("Two?"));
    /// # let compaction = NewestExchange;
    /// let kind = |error: &Rejected| ErrorKind::from_response(error.status, &error.body);
    /// let end = session.run(&registry).compact(compaction).classify_error(kind).complete(complete).await?;
    /// assert_eq!(end, RunEnd::Answered);
    /// # Ok(())
    /// # }
    /// ```
    pub fn classify_error<E, F: Fn(&E) -> ErrorKind>(self, kind: F) -> Run<'a, O, P, A, ErrorClassifier<F>> {
        let Run { session, settings, map_request, on_event, classifier: _, answer } = self;
        Run { session, settings, map_request, on_event, classifier: ErrorClassifier(kind), answer }
    }

    /// Continues the run if a message is in the [inbox](Session::inbox) when the model has answered. Default: the message waits for
    /// the next run. Each message starts all limits again, except for [`max_requests`](Run::max_requests) and budgets: set one of these
    /// if another program sends the messages.
    pub fn continue_with_inbox(mut self) -> Self {
        self.settings.continues_with_inbox = true;
        self
    }
}
