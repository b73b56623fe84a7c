//! Streamed replies in a run.

use super::limits::Limits;
use super::receive::{ReceivedReply, Requested};
use super::reply_events::EventForwarder;
use super::run_loop::RunLoop;
use super::run_span::ChatSpan;
use super::{Event, RunEnd, RunError, Session};
use crate::context::Order;
use crate::conversation::{CallsToRun, Request, StreamedCalls};
use crate::dispatch::{EarlyCalls, EndedReply, RunningCalls, StreamSettings, StreamedReply};
use crate::message::{AssistantMessage, Chunk};
use crate::outcome::CallError;
use crate::registry::Registry;
use crate::stream::{ReplyAssembler, StreamError};
use crate::tool::{Batch, Place, Unfinished};
use futures_util::future::{OptionFuture, join, ready};
use futures_util::stream::{Stream, StreamExt as _};
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

impl<O: FnMut(&Event), P: FnMut(Request) -> Request> RunLoop<'_, O, P> {
    /// Receives a reply, and runs its calls. Returns the end of the run if some of them wait.
    pub(super) async fn receive_stream<S, E>(
        &mut self,
        chunks: S,
        requested: Requested,
        chat: ChatSpan,
    ) -> Result<Option<RunEnd>, RunError<E>>
    where
        S: Stream,
        S::Item: Into<Chunk>,
    {
        let number = self.session.replies;
        let registry = &self.bind(number, requested.allowed_tools.as_ref());
        let order = Order::default();
        let order = registry.has_barriers().then_some(&order);
        let batch = &Batch { order, unfinished: Unfinished::Keep, ..registry.new_batch(number) };
        let mut events = EventForwarder::new(self.reporter.sender(), requested.answer.as_ref());
        let assembler = ReplyAssembler::new().wire(Arc::clone(&requested.wire));
        let settings = StreamSettings {
            // Calls are handed out when the session has the reply.
            max_calls: Some(match self.settings.place {
                Place::ThisProcess => self.session.remaining_calls(self.settings.limits),
                Place::AnotherProcess => 0,
            }),
            answer_tool: requested.answer.as_ref().map(|answer| answer.tool.schema.name().to_owned()),
            only_reads: self.logged.is_some(),
            stop: self.settings.stop.clone(),
        };
        let taken = std::mem::take(self.session.taken_ids());
        let mut receiving = Receiving {
            session: self.session,
            registry,
            limits: self.settings.limits,
            requested,
            streamed: Some(StreamedReply::new(assembler, taken, settings)),
            ended: None,
            early: EarlyCalls::new(),
            has_log: self.logged.is_some(),
        };
        // Dropped before `receiving`, which then knows which calls have begun.
        let mut running = RunningCalls::new();
        if let Some(streamed) = &mut receiving.streamed {
            let chunks = chat.instrument_stream(chunks);
            let receive = streamed.receive(registry, batch, chunks, &mut running, |event| events.send(event));
            self.reporter.run(receive).await;
        }
        chat.end(receiving.end_reply());
        if let (Some(logged), Some((session, reply))) = (&self.logged, receiving.complete_reply()) {
            let recorded = while_running(
                &mut running,
                logged.log().record_reply(session, &self.settings.registry, reply),
            );
            if let Err(error) = self.reporter.run(recorded).await {
                let reason = "the reply cannot be recorded".to_owned();
                self.reporter.report(Event::ReplyInterrupted { is_kept: false, error: reason });
                self.reporter.run(running.for_each(|()| ready(()))).await;
                return Err(RunError::Log(error));
            }
        }
        if receiving.complete_reply().is_some() {
            // The session has the reply now. Otherwise the run may repeat the request with further changes.
            self.messages_before = None;
        }
        let EndedStream { received, interruption } = receiving.end();
        if let Some(error) = &interruption {
            let (is_kept, error) = (received.is_some(), error.to_string());
            self.reporter.report(Event::ReplyInterrupted { is_kept, error });
        }
        if let Some(received) = received {
            received.report(&mut self.reporter);
        }
        if receiving.session.pending().is_some() {
            let stored = self.settings.store.store_claim(receiving.session);
            if let Err(error) = self.reporter.run(while_running(&mut running, stored)).await {
                self.reporter.run(running.for_each(|()| ready(()))).await;
                return Err(error.into());
            }
        }
        let context = registry.run_context().cloned().unwrap_or_default();
        let registry = &registry.with(&receiving.session.counted(context, self.settings.limits));
        let rest = receiving.session.state.pending_mut().map(|pending| {
            let streamed = Some(StreamedCalls { order, early: &receiving.early });
            let (place, within_limit) = (self.settings.place, pending.within_limit);
            let to_run = CallsToRun { place, within_limit, streamed, ..CallsToRun::KEEP };
            pending.calls.run_calls(registry, to_run)
        });
        let running = running.for_each(|()| ready(()));
        self.reporter.run(join(running, OptionFuture::from(rest))).await;
        drop(receiving);
        let end = self.end_of_calls().map_err(RunError::Log)?;
        match interruption {
            None => Ok(end),
            Some(StreamError::Cancelled) => Ok(Some(RunEnd::Cancelled)),
            Some(error) => Err(RunError::Stream(error)),
        }
    }
}

/// Awaits the future while calls run.
async fn while_running<F: Future>(running: &mut RunningCalls<'_>, future: F) -> F::Output {
    let mut future = pin!(future);
    poll_fn(|context| {
        while let Poll::Ready(Some(())) = running.poll_next_unpin(context) {}
        future.as_mut().poll(context)
    })
    .await
}

/// A reply that is received. Dropping it keeps the finished results in the session.
struct Receiving<'a> {
    session: &'a mut Session,
    registry: &'a Registry,
    limits: Limits,
    requested: Requested,
    /// `None` once the reply has ended.
    streamed: Option<StreamedReply>,
    /// The reply while it is recorded.
    ended: Option<EndedReply>,
    early: EarlyCalls,
    /// Whether a log records the reply. Then a reply that the log does not have is dropped: its calls had no effect.
    has_log: bool,
}

/// The end of a streamed reply.
#[derive(Default)]
struct EndedStream {
    /// `None` if the session does not have the reply, and the next run repeats the request.
    received: Option<ReceivedReply>,
    interruption: Option<StreamError>,
}

impl Receiving<'_> {
    /// Ends the reply, and returns it unless it was interrupted.
    fn end_reply(&mut self) -> Option<&AssistantMessage> {
        self.ended = self.streamed.take().map(|streamed| streamed.end(self.registry));
        self.ended.as_ref().filter(|ended| ended.interruption.is_none()).map(|ended| &ended.reply)
    }

    /// The reply that has ended, if it is complete.
    fn complete_reply(&self) -> Option<(&Session, &AssistantMessage)> {
        let ended = self.ended.as_ref().filter(|ended| ended.is_complete)?;
        Some((self.session, &ended.reply))
    }

    /// Adds the reply to the session. An interrupted reply is dropped, unless a call of it has started: then the other
    /// calls fail, so that no call runs twice.
    fn end(&mut self) -> EndedStream {
        let ended = self.ended.take().or_else(|| Some(self.streamed.take()?.end(self.registry)));
        let Some(ended) = ended else { return EndedStream::default() };
        let EndedReply { reply, is_complete, interruption, early, ids, .. } = ended;
        if !is_complete && (early.is_empty() || self.has_log) {
            self.session.ids = Some(ids.into_taken_before());
            self.session.count_tokens(reply.usage());
            return EndedStream { received: None, interruption };
        }
        self.session.ids = Some(ids.into_taken());
        let received = self.session.receive(reply, &self.requested, self.limits);
        self.session.count_calls(self.limits);
        if let (Some(pending), false) = (self.session.state.pending_mut(), is_complete) {
            let error = |tool| CallError::StreamInterrupted { tool };
            pending.calls.reject(self.registry, error, |position| !early.contains_key(&position));
        }
        self.early = early;
        EndedStream { received: Some(received), interruption }
    }
}

impl Drop for Receiving<'_> {
    fn drop(&mut self) {
        if let Some(unrecorded) = self.ended.take() {
            self.session.ids = Some(unrecorded.ids.into_taken_before());
            self.session.count_tokens(unrecorded.reply.usage());
        }
        self.end();
        if let Some(pending) = self.session.state.pending_mut() {
            pending.calls.take_early(self.registry, &self.early);
        }
        self.session.count_change();
        self.session.state.finish();
    }
}
