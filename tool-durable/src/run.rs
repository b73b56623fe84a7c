//! Runs of a session with a journal.

use crate::call::{RecordedRun, run_recorded};
use crate::error::{JournalError, JournaledRunError};
use crate::journal::Journal;
use crate::log::{JournalLog, NewestUser};
use crate::stop::Stop;
use futures_core::Stream;
use std::fmt;
use std::future::pending;
use std::sync::Arc;
use tool_runtime::AssistantMessage;
#[cfg(doc)]
use tool_runtime::RunContext;
use tool_runtime::conversation::Request;
use tool_runtime::dispatch::{CancellationToken, ReadyCall, ToolResult};
use tool_runtime::schemars::JsonSchema;
use tool_runtime::serde::de::DeserializeOwned;
use tool_runtime::session::{AnswerAs, Event, Run, RunEnd, RunError, TypedEnd};
use tool_runtime::stream::Chunk;
use tool_runtime::wire::Wire;

/// Adds a journal to a [`Run`] of a session.
pub trait DurableRun<'a, O, P, A>: Sized {
    /// Records the replies and the calls of the run in a journal, and continues an earlier run of this session that a crash
    /// has ended. The [`RunContext`] needs a [`run_id`](RunContext::run_id): one for each session, and always the same.
    ///
    /// The [crate documentation](crate) has an example.
    fn journal<J: Journal + Clone + 'static>(self, journal: &J) -> JournaledRun<'a, J, O, P, A>;
}

impl<'a, O, P, A> DurableRun<'a, O, P, A> for Run<'a, O, P, A> {
    fn journal<J: Journal + Clone + 'static>(self, journal: &J) -> JournaledRun<'a, J, O, P, A> {
        JournaledRun { run: self, journal: journal.clone() }
    }
}

/// The settings of a [`Run`] with a journal. [`complete`](JournaledRun::complete) or [`stream`](JournaledRun::stream) starts
/// it.
///
/// [`DurableRun::journal`] creates it. The other methods are those of [`Run`].
#[must_use = "nothing runs before `complete` or `stream`"]
pub struct JournaledRun<'a, J, O = fn(&Event), P = fn(Request) -> Request, A = ()> {
    run: Run<'a, O, P, A>,
    journal: J,
}

impl<'a, J, O: FnMut(&Event), P: FnMut(Request) -> Request, A> JournaledRun<'a, J, O, P, A> {
    /// See [`Run::wire`].
    pub fn wire(self, wire: impl Wire + 'static) -> Self {
        JournaledRun { run: self.run.wire(wire), ..self }
    }

    /// See [`Run::max_replies`].
    pub fn max_replies(self, replies: usize) -> Self {
        JournaledRun { run: self.run.max_replies(replies), ..self }
    }

    /// See [`Run::max_calls`].
    pub fn max_calls(self, calls: usize) -> Self {
        JournaledRun { run: self.run.max_calls(calls), ..self }
    }

    /// See [`Run::max_tokens_total`].
    pub fn max_tokens_total(self, tokens: u64) -> Self {
        JournaledRun { run: self.run.max_tokens_total(tokens), ..self }
    }

    /// See [`Run::around_call`]. The middleware runs inside of the journal: it does not receive calls that have a
    /// recorded result.
    pub fn around_call<L, F>(self, layer: L) -> Self
    where
        L: Fn(ReadyCall) -> F + Send + Sync + 'static,
        F: Future<Output = ToolResult> + Send + 'static,
    {
        JournaledRun { run: self.run.around_call(layer), ..self }
    }

    /// See [`Run::cancel_on`].
    pub fn cancel_on(self, future: impl Future + Send + 'a) -> Self {
        JournaledRun { run: self.run.cancel_on(future), ..self }
    }

    /// See [`Run::stop_after_calls`].
    pub fn stop_after_calls(self, token: CancellationToken) -> Self {
        JournaledRun { run: self.run.stop_after_calls(token), ..self }
    }

    /// See [`Run::map_request`].
    pub fn map_request<Q: FnMut(Request) -> Request>(self, map: Q) -> JournaledRun<'a, J, O, Q, A> {
        JournaledRun { run: self.run.map_request(map), journal: self.journal }
    }

    /// See [`Run::on_event`]. Recorded replies have their events again, and recorded results a last event with
    /// [`Cause::Recorded`](tool_runtime::dispatch::Cause::Recorded).
    pub fn on_event<G: FnMut(&Event)>(self, on_event: G) -> JournaledRun<'a, J, G, P, A> {
        JournaledRun { run: self.run.on_event(on_event), journal: self.journal }
    }

    /// See [`Run::answer_as`].
    pub fn answer_as<T: DeserializeOwned + JsonSchema>(self) -> JournaledRun<'a, J, O, P, AnswerAs<T>> {
        JournaledRun { run: self.run.answer_as(), journal: self.journal }
    }
}

impl<'a, J, O, P, A> JournaledRun<'a, J, O, P, A>
where
    J: Journal + Clone + 'static,
    O: FnMut(&Event),
    P: FnMut(Request) -> Request,
{
    /// Adds the log and the middleware.
    fn start(self) -> Result<StartedRun<'a, O, P, A>, JournalError> {
        let JournaledRun { run, journal } = self;
        let context = run.__run_context();
        let run_id = context.key(0, 0).ok_or(JournalError::NoRunId)?.run_id;
        let token = context.child_token();
        let stop = Arc::new(Stop::new(token.clone()));
        let log = JournalLog {
            journal: journal.clone(),
            context: context.clone(),
            run_id,
            is_claimed: run.__session().is_claimed(),
            stop: Arc::clone(&stop),
            newest_user: NewestUser::default(),
        };
        let shared = Arc::new((journal, Arc::clone(&stop)));
        let run = run.__with_run_context(&context.cancellation(token)).log(log).around_call_outermost(
            move |call| {
                let shared = Arc::clone(&shared);
                async move { run_or_stop(&shared.0, &shared.1, call).await }
            },
        );
        Ok(StartedRun { run, stop })
    }
}

/// A run with its log and its middleware, and the stop after an error of the journal.
struct StartedRun<'a, O, P, A> {
    run: Run<'a, O, P, A>,
    stop: Arc<Stop>,
}

/// Runs a call with its journal. After an error of the journal, the call stays pending until the run stops.
async fn run_or_stop<J: Journal>(journal: &J, stop: &Stop, call: ReadyCall) -> ToolResult {
    if let Some(running) = stop.begin_call() {
        if call.is_early() {
            // The journal does not have its reply yet. The call has no effect: after a crash, it runs again, or another one
            // in its place.
            return call.run().await;
        }
        match run_recorded(journal, &call).await {
            Ok(RecordedRun { result, error }) => {
                if let Some(error) = error {
                    stop.fail(error);
                }
                return result;
            }
            Err(error) => stop.fail(error),
        }
        drop(running);
    }
    pending().await
}

/// The end of a run, unless the journal has stopped it.
fn ended<T, E>(ended: Result<T, E>, stop: &Stop) -> Result<T, JournaledRunError<E>> {
    match stop.take_error() {
        Some(error) => Err(JournaledRunError::Journal(error)),
        None => ended.map_err(JournaledRunError::Run),
    }
}

impl<J, O, P> JournaledRun<'_, J, O, P>
where
    J: Journal + Clone + 'static,
    O: FnMut(&Event),
    P: FnMut(Request) -> Request,
{
    /// Runs the session, like [`Run::complete`]. A recorded reply replaces a request.
    ///
    /// # Errors
    ///
    /// Returns the error of `complete`, or that of the journal.
    pub async fn complete<C, R, E>(self, complete: C) -> Result<RunEnd, JournaledRunError<E>>
    where
        C: FnMut(Request) -> R,
        R: Future<Output = Result<AssistantMessage, E>>,
    {
        let StartedRun { run, stop } = self.start().map_err(JournaledRunError::Journal)?;
        ended(run.complete(complete).await, &stop)
    }

    /// Runs the session with streamed replies, like [`Run::stream`]. Calls of `read_only` tools start while the reply is
    /// received, and are not recorded; all others start at its end, when it is recorded.
    ///
    /// # Errors
    ///
    /// Returns the error of `stream`, that of an interrupted reply, or that of the journal.
    pub async fn stream<C, R, S, E>(self, stream: C) -> Result<RunEnd, JournaledRunError<RunError<E>>>
    where
        C: FnMut(Request) -> R,
        R: Future<Output = Result<S, E>>,
        S: Stream,
        S::Item: Into<Chunk>,
    {
        let StartedRun { run, stop } = self.start().map_err(JournaledRunError::Journal)?;
        ended(run.stream(stream).await, &stop)
    }
}

impl<J, O, P, T> JournaledRun<'_, J, O, P, AnswerAs<T>>
where
    J: Journal + Clone + 'static,
    O: FnMut(&Event),
    P: FnMut(Request) -> Request,
    T: DeserializeOwned + JsonSchema,
{
    /// Runs the session to an answer of the type `T`: see [`Run::answer_as`].
    ///
    /// # Errors
    ///
    /// Returns the error of `complete`, or that of the journal.
    pub async fn complete<C, R, E>(self, complete: C) -> Result<TypedEnd<T>, JournaledRunError<E>>
    where
        C: FnMut(Request) -> R,
        R: Future<Output = Result<AssistantMessage, E>>,
    {
        let StartedRun { run, stop } = self.start().map_err(JournaledRunError::Journal)?;
        ended(run.complete(complete).await, &stop)
    }

    /// Runs the session with streamed replies to an answer of the type `T`: see [`Run::answer_as`].
    ///
    /// # Errors
    ///
    /// Returns the error of `stream`, that of an interrupted reply, or that of the journal.
    pub async fn stream<C, R, S, E>(self, stream: C) -> Result<TypedEnd<T>, JournaledRunError<RunError<E>>>
    where
        C: FnMut(Request) -> R,
        R: Future<Output = Result<S, E>>,
        S: Stream,
        S::Item: Into<Chunk>,
    {
        let StartedRun { run, stop } = self.start().map_err(JournaledRunError::Journal)?;
        ended(run.stream(stream).await, &stop)
    }
}

impl<J, O, P, A> fmt::Debug for JournaledRun<'_, J, O, P, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JournaledRun").field("run", &self.run).finish_non_exhaustive()
    }
}
