//! Streamed replies in a run.

use super::limits::Limits;
use super::receive::{ReceivedReply, Requested};
use super::reply_events::EventForwarder;
use super::run_log::StopRun;
use super::run_loop::RunLoop;
use super::{Event, RunEnd, Session};
use crate::conversation::{Request, Unfinished};
use crate::dispatch::{EarlyCalls, EndedReply, RunningCalls, StreamedReply};
use crate::message::{AssistantMessage, Chunk};
use crate::outcome::CallError;
use crate::registry::Registry;
use crate::stream::{ReplyAssembler, StreamError};
use futures_util::future::{join, ready};
use futures_util::stream::{Stream, StreamExt as _};
use std::sync::Arc;

impl<O: FnMut(&Event), P: FnMut(Request) -> Request> RunLoop<'_, O, P> {
    /// Receives a reply, and runs its calls. Returns the end of the run if some of them wait.
    pub(super) async fn receive_stream<S>(
        &mut self,
        chunks: S,
        requested: Requested,
    ) -> Result<Option<RunEnd>, StreamError>
    where
        S: Stream,
        S::Item: Into<Chunk>,
    {
        let number = self.session.replies;
        let registry = &self.bind(number, requested.allowed_tools.as_ref());
        let batch = &registry.new_batch(number);
        let mut events = EventForwarder::new(self.reporter.sender(), requested.answer.as_ref());
        let assembler = ReplyAssembler::new().wire(Arc::clone(&requested.wire));
        // With a log, no call starts before the reply is recorded.
        let may_start_early = self.log.is_none();
        let max_calls = if may_start_early { self.session.used.remaining_calls(self.limits) } else { 0 };
        let taken = std::mem::take(self.session.taken_ids());
        let answer_tool = requested.answer.as_ref().map(|answer| answer.tool.schema.name());
        let streamed = Some(StreamedReply::new(assembler, taken, max_calls).with_answer_tool(answer_tool));
        let (session, limits, early) = (&mut *self.session, self.limits, EarlyCalls::new());
        let mut receiving = Receiving { session, registry, limits, requested, streamed, ended: None, early };
        // Dropped before `receiving`, which then knows which calls have begun.
        let mut running = RunningCalls::new();
        if let Some(streamed) = &mut receiving.streamed {
            let receive = streamed.receive(registry, batch, chunks, &mut running, |event| events.send(event));
            self.reporter.run(receive).await;
        }
        if let Some(log) = &self.log {
            if let Some((session, reply)) = receiving.complete_reply() {
                if let Err(StopRun) = log.record_reply(session, reply).await {
                    let error = "the reply cannot be recorded".to_owned();
                    self.reporter.report(Event::ReplyInterrupted { is_kept: false, error });
                    return Ok(Some(RunEnd::Cancelled));
                }
            }
        }
        let EndedStream { received, interruption } = receiving.end();
        if let Some(error) = &interruption {
            let (is_kept, error) = (received.is_some(), error.to_string());
            self.reporter.report(Event::ReplyInterrupted { is_kept, error });
        }
        if let Some(received) = received {
            received.report(&mut self.reporter);
        }
        if let Some(pending) = receiving.session.state.pending_mut() {
            let (within_limit, early) = (pending.within_limit, &receiving.early);
            let is_open = |position| position < within_limit && !early.contains_key(&position);
            let rest = pending.calls.run_calls(registry, Unfinished::Keep, is_open);
            self.reporter.run(join(running.for_each(|()| ready(())), rest)).await;
        }
        drop(receiving);
        let end = self.end_of_calls();
        match interruption {
            None => Ok(end),
            Some(StreamError::Cancelled) => Ok(Some(RunEnd::Cancelled)),
            Some(error) => Err(error),
        }
    }
}

/// A reply that is received. Dropping it keeps the finished results in the session.
struct Receiving<'a> {
    session: &'a mut Session,
    registry: &'a Registry,
    limits: Limits,
    requested: Requested,
    /// `None` once the reply has ended.
    streamed: Option<StreamedReply>,
    /// The reply while it is recorded. No call of it has started.
    ended: Option<EndedReply>,
    early: EarlyCalls,
}

/// The end of a streamed reply.
#[derive(Default)]
struct EndedStream {
    /// `None` if the session does not have the reply, and the next run repeats the request.
    received: Option<ReceivedReply>,
    interruption: Option<StreamError>,
}

impl Receiving<'_> {
    /// Ends the reply, and returns it if it is complete.
    fn complete_reply(&mut self) -> Option<(&Session, &AssistantMessage)> {
        self.ended = self.streamed.take().map(|streamed| streamed.end(self.registry));
        let ended = self.ended.as_ref().filter(|ended| ended.is_complete)?;
        Some((self.session, &ended.reply))
    }

    /// Adds the reply to the session. An interrupted reply is dropped, unless a call of it has started: then the other
    /// calls fail, so that no call runs twice.
    fn end(&mut self) -> EndedStream {
        let ended = self.ended.take().or_else(|| Some(self.streamed.take()?.end(self.registry)));
        let Some(ended) = ended else { return EndedStream::default() };
        let EndedReply { reply, is_complete, interruption, early, ids, .. } = ended;
        if !is_complete && early.is_empty() {
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
