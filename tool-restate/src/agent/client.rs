//! The client of the program, which sends the request of a step.

use super::{Agent, BoxError};
use futures_util::Stream;
use std::pin::Pin;
use std::sync::Arc;
use tool_runtime::conversation::Request;
use tool_runtime::session::{Event, Run, RunEnd, RunError};
use tool_runtime::stream::Chunk;
use tool_runtime::{AssistantMessage, Registry, Session};

type Listener<'a> = Box<dyn FnMut(&Event) + Send + 'a>;
type RunFuture<'a> = Pin<Box<dyn Future<Output = Result<RunEnd, RunError<BoxError>>> + Send + 'a>>;

/// Runs a step with the client of the program.
pub(super) type Client = dyn for<'a> Fn(Run<'a, Listener<'a>>) -> RunFuture<'a> + Send + Sync;

/// A client that returns whole replies.
pub(super) fn completing<C, R, E>(complete: C) -> Arc<Client>
where
    C: Fn(Request) -> R + Send + Sync + 'static,
    R: Future<Output = Result<AssistantMessage, E>> + Send + 'static,
    E: Into<BoxError> + 'static,
{
    let complete = Arc::new(complete);
    Arc::new(move |run| {
        let complete = Arc::clone(&complete);
        Box::pin(run.complete(move |request| {
            let reply = complete(request);
            async { reply.await.map_err(Into::into) }
        }))
    })
}

/// A client that streams replies.
pub(super) fn streaming<C, R, S, E>(stream: C) -> Arc<Client>
where
    C: Fn(Request) -> R + Send + Sync + 'static,
    R: Future<Output = Result<S, E>> + Send + 'static,
    S: Stream + Send + 'static,
    S::Item: Into<Chunk> + Send,
    E: Into<BoxError> + 'static,
{
    let stream = Arc::new(stream);
    Arc::new(move |run| {
        let stream = Arc::clone(&stream);
        Box::pin(run.stream(move |request| {
            let chunks = stream(request);
            async { chunks.await.map_err(Into::into) }
        }))
    })
}

impl Agent {
    /// Runs a session until its next reply: the calls are handed out, and there is at most one request.
    pub(super) async fn run_step(
        &self,
        id: &str,
        session: &mut Session,
        registry: &Registry,
    ) -> Result<RunEnd, RunError<BoxError>> {
        let listener: Listener<'_> = Box::new(|event| {
            if let Some(on_event) = &self.on_event {
                on_event(id, event);
            }
        });
        let run = (self.configure)(session.run(registry)).hand_out_calls().max_requests(1);
        (self.client)(run.on_event(listener)).await
    }
}
