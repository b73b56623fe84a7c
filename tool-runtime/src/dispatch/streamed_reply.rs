//! A streamed reply while it is received.

use super::early_call::{EarlyCall, EarlyCalls, RunningCalls};
use super::unless_cancelled;
use crate::context::RunContext;
use crate::message::{AssistantMessage, TakenIds, ToolCall};
use crate::registry::Registry;
use crate::stream::{Chunk, ReplyAssembler, ReplyEvent, StreamError};
use crate::tool::Batch;
use crate::wire;
use futures_util::stream::{Stream, StreamExt as _};
use std::collections::{BTreeMap, BTreeSet};
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The number of chunks that are read before other tasks can run.
const MAX_CHUNKS_IN_A_ROW: usize = 64;

/// A reply that is received, and its calls that have started. It keeps both if the future of
/// [`receive`](StreamedReply::receive) is dropped.
#[derive(Default)]
pub(crate) struct StreamedReply {
    assembler: ReplyAssembler,
    ids: Ids,
    early: EarlyCalls,
    settings: StreamSettings,
    /// The complete calls that are no barriers.
    unordered: BTreeSet<usize>,
    /// The number of calls, from the first, that are complete and no barriers.
    before_barrier: usize,
}

/// Which calls may start while a reply is received.
#[derive(Default)]
pub(crate) struct StreamSettings {
    /// The number of calls that may start; `None` for no limit.
    pub(crate) max_calls: Option<usize>,
    /// The tool for a typed answer, which never runs.
    pub(crate) answer_tool: Option<String>,
    /// Whether only calls without effect start, since the reply may be requested again.
    pub(crate) only_reads: bool,
    /// Ends the stream when it is cancelled.
    pub(crate) stop: Option<CancellationToken>,
}

/// The ids of the calls of a reply.
#[derive(Default)]
pub(crate) struct Ids {
    /// The ids that no further call may have.
    taken: TakenIds,
    /// By position. A call has its id once the server has sent one; at the latest when it is complete.
    chosen: BTreeMap<usize, String>,
}

impl Ids {
    fn choose(&mut self, index: usize, id: &str, response_id: Option<&str>) -> &str {
        let Ids { taken, chosen } = self;
        chosen.entry(index).or_insert_with(|| taken.usable_id(id, index, response_id))
    }

    /// All ids that are taken.
    pub(crate) fn into_taken(self) -> TakenIds {
        self.taken
    }

    /// The ids that are taken without this reply.
    pub(crate) fn into_taken_before(self) -> TakenIds {
        let Ids { mut taken, chosen } = self;
        for id in chosen.values() {
            taken.release(id);
        }
        taken
    }
}

/// An event of a reply, with the call that it concerns.
pub(crate) struct StreamedEvent<'a> {
    pub(crate) event: ReplyEvent<'a>,
    pub(crate) call: Option<EventCall<'a>>,
}

/// The call that an event concerns.
pub(crate) struct EventCall<'a> {
    pub(crate) index: usize,
    /// The call so far.
    pub(crate) call: &'a ToolCall,
    /// The id that the call has in the conversation, once it is known.
    pub(crate) id: Option<&'a str>,
}

impl StreamedReply {
    pub(crate) fn new(assembler: ReplyAssembler, taken: TakenIds, settings: StreamSettings) -> Self {
        let ids = Ids { taken, ..Ids::default() };
        StreamedReply { assembler, ids, settings, ..StreamedReply::default() }
    }

    /// Reads the chunks until the reply has ended or the run is cancelled. Calls of tools that may run early are added to
    /// `running`, which this future polls.
    pub(crate) async fn receive<'a, S>(
        &mut self,
        registry: &'a Registry,
        batch: &'a Batch<'a>,
        chunks: S,
        running: &mut RunningCalls<'a>,
        mut on_event: impl FnMut(StreamedEvent<'_>),
    ) where
        S: Stream,
        S::Item: Into<Chunk>,
    {
        let starts_wait = batch.context().start_gate().is_some();
        let mut in_a_row = 0;
        // Dropped before the remaining tools run, since it holds a connection.
        let mut chunks = pin!(chunks);
        while !self.assembler.has_ended() {
            let next = poll_fn(|context| {
                while let Poll::Ready(Some(())) = running.poll_next_unpin(context) {}
                // Let other tasks run even if the stream is always ready, and let a listener receive the events for which calls
                // wait.
                let max_in_a_row = if starts_wait && !running.is_empty() { 1 } else { MAX_CHUNKS_IN_A_ROW };
                if in_a_row >= max_in_a_row {
                    in_a_row = 0;
                    context.waker().wake_by_ref();
                    return Poll::Pending;
                }
                let next = chunks.as_mut().poll_next(context);
                in_a_row = if next.is_ready() { in_a_row + 1 } else { 0 };
                next.map(|chunk| chunk.map(Into::into))
            });
            let next = unless_cancelled(self.settings.stop.as_ref(), next);
            let next = unless_cancelled(batch.context.and_then(RunContext::token), next).await;
            let next = next.flatten().unwrap_or_else(|| Some(Chunk::failed(StreamError::Cancelled)));
            let ready = self.take(next, &mut on_event, registry);
            let has_written_keys = wire::has_written_keys(self.assembler.wire_name());
            for (index, call) in ready {
                let early = Arc::new(EarlyCall::new(&call));
                self.early.insert(index, Arc::clone(&early));
                // The duration of a call that starts while the reply is streamed is measured from its own start.
                let started = batch.started.map(|_| Instant::now());
                let batch = Batch { started, has_written_keys, is_early: true, ..*batch };
                running.push(Box::pin(async move { early.run(registry, &batch, index, &call).await }));
            }
        }
    }

    /// Takes a chunk, or the end of the stream. Returns the complete calls that may start.
    fn take(
        &mut self,
        chunk: Option<Chunk>,
        on_event: &mut impl FnMut(StreamedEvent<'_>),
        registry: &Registry,
    ) -> Vec<(usize, ToolCall)> {
        let StreamedReply { assembler, ids, settings, unordered, before_barrier, .. } = self;
        let has_written_keys = wire::has_written_keys(assembler.wire_name());
        let events = match chunk {
            Some(chunk) => assembler.push(chunk),
            None => assembler.push_end(),
        };
        let null_is_absent = events.null_is_absent();
        let has_failed = events.clone().any(|event| matches!(event, ReplyEvent::Interrupted(_)));
        let mut ready = Vec::new();
        for event in events.clone() {
            let (ReplyEvent::CallAnnounced { index, .. }
            | ReplyEvent::CallArguments { index, .. }
            | ReplyEvent::CallComplete { index, .. }) = event
            else {
                on_event(StreamedEvent { event, call: None });
                continue;
            };
            let Some(call) = events.call(index) else { continue };
            let is_complete = matches!(event, ReplyEvent::CallComplete { .. });
            let has_id = is_complete || !call.id.is_empty();
            let id = has_id.then(|| ids.choose(index, &call.id, events.response_id()));
            let own = if is_complete && has_written_keys { registry.own_call(call) } else { None };
            let call = own.as_ref().unwrap_or(call);
            let event = if is_complete { ReplyEvent::CallComplete { index, call } } else { event };
            on_event(StreamedEvent { event, call: Some(EventCall { index, call, id }) });
            let is_within_limit = settings.max_calls.is_none_or(|limit| index < limit);
            if let (true, false, true, Some(id)) = (is_complete, has_failed, is_within_limit, id) {
                if registry.has_barriers() && !registry.is_barrier(call) {
                    unordered.insert(index);
                    while unordered.remove(before_barrier) {
                        *before_barrier += 1;
                    }
                }
                let is_in_turn = !registry.has_barriers() || index < *before_barrier;
                let may_start = registry.may_start_while_streaming(call, settings.only_reads);
                let is_wanted = is_in_turn && may_start && settings.answer_tool.as_ref() != Some(&call.name);
                if is_wanted && registry.run_context().is_none_or(RunContext::count_early_call) {
                    let mut call = call.clone();
                    (call.id, call.null_is_absent) = (id.to_owned(), null_is_absent);
                    ready.push((index, call));
                }
            }
        }
        ready
    }

    /// Ends the reply, whether it is complete or not. Its calls have the keys of their tools.
    pub(crate) fn end(self, registry: &Registry) -> EndedReply {
        let StreamedReply { assembler, mut ids, early, .. } = self;
        let has_ended = assembler.has_ended();
        let (mut reply, interruption) = assembler.assemble();
        let response_id = reply.origin.as_ref().and_then(|origin| origin.response_id.clone());
        reply.change_calls(|calls| {
            for (index, call) in calls.iter_mut().enumerate() {
                call.id = ids.choose(index, &call.id, response_id.as_deref()).to_owned();
                if let Some(early) = early.get(&index) {
                    // Arguments that arrive after the call was complete do not change it.
                    early.arguments().clone_into(&mut call.arguments);
                }
            }
        });
        let has_written_keys = registry.use_own_keys(&mut reply) || registry.has_written_keys(&reply);
        EndedReply {
            reply,
            has_written_keys,
            is_complete: has_ended && interruption.is_none(),
            interruption,
            early,
            ids,
        }
    }
}

/// A streamed reply that has ended.
pub(crate) struct EndedReply {
    /// The calls have their ids.
    pub(crate) reply: AssistantMessage,
    /// Whether the model received definitions with written names of keys.
    pub(crate) has_written_keys: bool,
    /// Whether the end of the reply arrived.
    pub(crate) is_complete: bool,
    /// The error that interrupted it.
    pub(crate) interruption: Option<StreamError>,
    /// The calls that have started.
    pub(crate) early: EarlyCalls,
    pub(crate) ids: Ids,
}
