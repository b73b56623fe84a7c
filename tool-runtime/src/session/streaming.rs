//! Streamed replies in a run.

use super::pieces::Pieces;
use super::run_loop::{ReceivedReply, RunLoop, Sent};
use super::used::Limits;
use super::{Event, RunEnd, Session};
use crate::conversation::{Request, Unfinished};
use crate::dispatch::{EarlyCalls, RunningCalls, StreamedReply};
use crate::message::Chunk;
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
        sent: Sent,
    ) -> Result<Option<RunEnd>, StreamError>
    where
        S: Stream,
        S::Item: Into<Chunk>,
    {
        let number = self.session.replies;
        let registry = &self.bind(number, sent.allowed_tools.as_ref());
        let batch = &registry.new_batch(number);
        let mut pieces = Pieces::new(self.reporter.events());
        let assembler = match &self.wire {
            Some(wire) => ReplyAssembler::new().wire(Arc::clone(wire)),
            None => ReplyAssembler::new(),
        };
        let max_calls = self.session.used.remaining_calls(self.limits);
        let taken = std::mem::take(self.session.taken_ids());
        let streamed = StreamedReply::new(assembler, taken, max_calls);
        let (session, limits) = (&mut *self.session, self.limits);
        let mut receiving =
            Receiving { session, registry, limits, sent, streamed: Some(streamed), early: EarlyCalls::new() };
        // Dropped before `receiving`, which then knows which calls have begun.
        let mut running = RunningCalls::new();
        if let Some(streamed) = &mut receiving.streamed {
            let receive = streamed.receive(registry, batch, chunks, &mut running, |piece| pieces.send(piece));
            self.reporter.run(receive).await;
        }
        let Committed { received, interruption } = receiving.commit();
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
    sent: Sent,
    /// `None` once the reply has been committed.
    streamed: Option<StreamedReply>,
    early: EarlyCalls,
}

/// The end of a streamed reply.
#[derive(Default)]
struct Committed {
    /// `None` if the session does not have the reply, and the next run repeats the request.
    received: Option<ReceivedReply>,
    interruption: Option<StreamError>,
}

impl Receiving<'_> {
    /// Adds the reply to the session. A reply that broke off is dropped, unless a call of it has started: then the other
    /// calls fail, so that no call runs twice.
    fn commit(&mut self) -> Committed {
        let Some(mut streamed) = self.streamed.take() else { return Committed::default() };
        let has_ended = streamed.has_ended();
        let (reply, interruption) = streamed.assemble();
        let is_whole = has_ended && interruption.is_none();
        if !is_whole && streamed.early_calls().is_empty() {
            self.session.ids = Some(streamed.into_discarded());
            self.session.count_tokens(reply.usage());
            return Committed { received: None, interruption };
        }
        let (early, taken) = streamed.into_parts();
        self.session.ids = Some(taken);
        let received = self.session.receive(reply, std::mem::take(&mut self.sent), self.limits);
        self.session.count_calls(self.limits);
        if let (Some(pending), false) = (self.session.state.pending_mut(), is_whole) {
            let error = |tool| CallError::StreamInterrupted { tool };
            pending.calls.fail(error, |position| !early.contains_key(&position));
        }
        self.early = early;
        Committed { received: Some(received), interruption }
    }
}

impl Drop for Receiving<'_> {
    fn drop(&mut self) {
        self.commit();
        if let Some(pending) = self.session.state.pending_mut() {
            for (position, call) in std::mem::take(&mut self.early) {
                if call.has_begun() {
                    pending.calls.set_begun(position);
                }
                if let Some(message) = call.take_message() {
                    pending.calls.take_message(self.registry, position, message);
                }
            }
        }
        self.session.count_change();
        self.session.state.finish();
    }
}
