//! The start of a run: with replies that are complete, or that are streamed.

use super::logged_run::LoggedRun;
use super::reporter::Reporter;
use super::run_loop::RunLoop;
use super::{Answer, Budget, ClassifyError, Event, Run, RunError};
use crate::context::RunContext;
use crate::conversation::Request;
use crate::message::{AssistantMessage, Chunk};
use futures_util::Stream;

impl<'a, O: FnMut(&Event), P: FnMut(Request) -> Request, A: Answer, K> Run<'a, O, P, A, K> {
    /// Runs the session. `complete` sends a request with the client of the program, and returns the reply.
    ///
    /// ```
    /// use tool_runtime::conversation::Request;
    /// use tool_runtime::{AssistantMessage, Registry, Session, tools};
    ///
    /// struct Client;
    ///
    /// impl Client {
    ///     async fn complete(&self, request: Request) -> Result<AssistantMessage, serde_json::Error> {
    ///         let body = serde_json::to_string(&request)?; // with a `model`, send it to a server
    ///         # assert!(body.contains("Hello!"));
    ///         serde_json::from_str(r#"{"choices":[{"message":{"content":"Hi!"},"finish_reason":"stop"}]}"#)
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let (registry, client) = (Registry::new(tools![])?, Client);
    /// let mut session = Session::new().user("Hello!");
    /// let end = session.run(&registry).max_replies(10).complete(|request| client.complete(request)).await?;
    /// println!("{end}: {}", session.final_text());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The future can be dropped at any time: see [`Session`](super::Session). Cancelling the token of the bound
    /// [`RunContext`](crate::context::RunContext) ends the run at once, without waiting for the reply of the model.
    ///
    /// # Errors
    ///
    /// Returns the error of `complete`, or that of the [log](Run::log). An error of `complete` does not change the session, and
    /// another run repeats the request. After an error of the log, the session has the results of the calls that have run, and
    /// another run continues.
    pub async fn complete<C, R, E>(self, complete: C) -> Result<A::End, RunError<E>>
    where
        C: FnMut(Request) -> R,
        R: Future<Output = Result<AssistantMessage, E>>,
        K: ClassifyError<E>,
    {
        let (mut run, classifier) = self.start();
        let end = run.complete(complete, &classifier).await?;
        Ok(run.ended::<A>(end))
    }

    /// Like [`complete`](Run::complete), with streamed replies. `stream` sends a request with `"stream": true`, and returns the
    /// stream of its chunks: see [`Chunk`].
    ///
    /// ```
    /// use futures_util::stream::{self, Stream};
    /// use tool_runtime::conversation::Request;
    /// use tool_runtime::session::Event;
    /// use tool_runtime::{Registry, Session, tools};
    ///
    /// struct Client;
    ///
    /// impl Client {
    ///     /// The text after `data:` of each server-sent event.
    ///     async fn stream(&self, request: Request) -> std::io::Result<impl Stream<Item = std::io::Result<&'static str>>> {
    ///         let body = serde_json::to_string(&request)?; // with `model` and `"stream": true`, send it to a server
    ///         # assert!(body.contains("include_usage"));
    ///         Ok(stream::iter([
    ///             Ok(r#"{"choices":[{"delta":{"content":"Hi!"},"finish_reason":"stop"}]}"#),
    ///             Ok("[DONE]"),
    ///         ]))
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let (registry, client) = (Registry::new(tools![])?, Client);
    /// let mut session = Session::new().user("Hello!");
    /// let show = |event: &Event| {
    ///     if let Event::Text { text, .. } = event {
    ///         print!("{text}");
    ///     }
    /// };
    /// let end = session.run(&registry).on_event(show).stream(|request| client.stream(request)).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The text and the calls are reported while they arrive. Calls of `read_only` and `idempotent` tools start as soon as
    /// their arguments are complete, the others at the end of the reply, as in
    /// [`dispatch_stream`](crate::Registry::dispatch_stream). Arguments that are an empty object are complete at the end of the
    /// reply, since some servers send one before the arguments. On Chat Completions, the request asks for the tokens that the
    /// reply takes.
    ///
    /// # Errors
    ///
    /// Returns the error of `stream`, that of an interrupted reply, or that of the [log](Run::log).
    pub async fn stream<C, R, S, E>(self, stream: C) -> Result<A::End, RunError<E>>
    where
        C: FnMut(Request) -> R,
        R: Future<Output = Result<S, E>>,
        S: Stream,
        S::Item: Into<Chunk>,
        K: ClassifyError<E>,
    {
        let (mut run, classifier) = self.start();
        let end = run.stream(stream, &classifier).await?;
        Ok(run.ended::<A>(end))
    }

    fn start(self) -> (RunLoop<'a, O, P>, K) {
        let Run { session, mut settings, map_request, on_event, classifier, .. } = self;
        let context = settings.registry.run_context().cloned().unwrap_or_default();
        let context = settings.budgets.drain(..).fold(context, RunContext::with_budget);
        context.budgets().iter().for_each(Budget::start);
        let context = context.for_run();
        let context = std::mem::take(&mut settings.layers).add_to(settings.cancel_on.with_token(context));
        let (logged, context) = LoggedRun::start(settings.log.take(), context);
        let context = match &logged {
            Some(logged) => context.with_run_log(logged.layer()),
            None => context,
        };
        settings.registry = settings.registry.with(&context);
        let reporter = Reporter::new(on_event, context.token().cloned());
        (RunLoop::new(session, settings, logged, map_request, reporter), classifier)
    }
}
