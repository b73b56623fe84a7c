//! The client of the program, which sends the request of a step.

use super::{Agent, BoxError};
use futures_util::Stream;
use std::marker::PhantomData;
use std::pin::Pin;
use tool_runtime::conversation::Request;
use tool_runtime::session::{Event, Run, RunEnd, RunError};
use tool_runtime::stream::Chunk;
use tool_runtime::{AssistantMessage, Registry, Session};

pub(super) type RunFuture<'a> = Pin<Box<dyn Future<Output = Result<RunEnd, RunError<BoxError>>> + Send + 'a>>;

/// Runs a step of a session with the client of the program.
pub(super) trait RunStep: Send + Sync {
    fn run<'a>(
        &'a self,
        agent: &'a Agent,
        id: &'a str,
        session: &'a mut Session,
        registry: &'a Registry,
    ) -> RunFuture<'a>;
}

/// The run of one step: the calls are handed out, and there is at most one request.
fn step<'a>(agent: &Agent, session: &'a mut Session, registry: &Registry) -> Run<'a> {
    (agent.configure)(session.run(registry)).hand_out_calls().max_requests(1)
}

fn send_event(agent: &Agent, id: &str, event: &Event) {
    if let Some(listener) = &agent.on_event {
        listener(id, event);
    }
}

/// A client that returns whole replies.
pub(super) struct Completes<C, E> {
    complete: C,
    error: PhantomData<fn() -> E>,
}

impl<C, E> Completes<C, E> {
    pub(super) fn new(complete: C) -> Self {
        Completes { complete, error: PhantomData }
    }
}

impl<C, R, E> RunStep for Completes<C, E>
where
    C: Fn(Request) -> R + Send + Sync,
    R: Future<Output = Result<AssistantMessage, E>> + Send + 'static,
    E: Into<BoxError> + 'static,
{
    fn run<'a>(
        &'a self,
        agent: &'a Agent,
        id: &'a str,
        session: &'a mut Session,
        registry: &'a Registry,
    ) -> RunFuture<'a> {
        let run = step(agent, session, registry).on_event(move |event| send_event(agent, id, event));
        Box::pin(run.complete(|request| {
            let reply = (self.complete)(request);
            async { reply.await.map_err(Into::into) }
        }))
    }
}

/// A client that streams replies.
pub(super) struct Streams<C, S, E> {
    stream: C,
    types: PhantomData<fn() -> (S, E)>,
}

impl<C, S, E> Streams<C, S, E> {
    pub(super) fn new(stream: C) -> Self {
        Streams { stream, types: PhantomData }
    }
}

impl<C, R, S, E> RunStep for Streams<C, S, E>
where
    C: Fn(Request) -> R + Send + Sync,
    R: Future<Output = Result<S, E>> + Send + 'static,
    S: Stream + Send + 'static,
    S::Item: Into<Chunk> + Send,
    E: Into<BoxError> + 'static,
{
    fn run<'a>(
        &'a self,
        agent: &'a Agent,
        id: &'a str,
        session: &'a mut Session,
        registry: &'a Registry,
    ) -> RunFuture<'a> {
        let run = step(agent, session, registry).on_event(move |event| send_event(agent, id, event));
        Box::pin(run.stream(|request| {
            let chunks = (self.stream)(request);
            async { chunks.await.map_err(Into::into) }
        }))
    }
}
