//! The steps of a run.

use super::before_request::StepError;
use super::cancel_on::{CancelOn, RunTokens};
use super::identical_calls::IdenticalCalls;
use super::logged_run::LoggedRun;
use super::message_changes::MessagesBefore;
use super::receive::Requested;
use super::reply_events::send_whole;
use super::reporter::Reporter;
use super::run::Settings;
use super::run_log::LogError;
use super::run_span::{ChatSpan, RunSpan};
use super::state::Pending;
use super::{Answer, ClassifyError, Event, RunEnd, RunError, Session};
use crate::context::RunContext;
use crate::conversation::{CallsToRun, ReplyWarning, Request};
use crate::message::{AssistantMessage, Chunk, Usage};
use crate::registry::Registry;
use futures_util::Stream;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

pub(super) struct RunLoop<'a, O: FnMut(&Event), P> {
    pub(super) session: &'a mut Session,
    pub(super) settings: Settings<'a>,
    pub(super) logged: Option<LoggedRun>,
    /// The number of requests so far.
    pub(super) requests: usize,
    pub(super) map_request: P,
    pub(super) reporter: Reporter<O>,
    /// The messages before the hooks of the next request, for the log.
    pub(super) messages_before: Option<MessagesBefore>,
    /// Whether the next request is the one that the provider has rejected as too long.
    pub(super) repeats_request: bool,
    /// Whether the session was compacted since the next request was rejected as too long.
    pub(super) has_shortened_request: bool,
    pub(super) identical_calls: IdenticalCalls,
    /// The tokens and calls that the budgets have counted.
    pub(super) counted: (Usage, u64),
}

impl<'a, O: FnMut(&Event), P> RunLoop<'a, O, P> {
    pub(super) fn new(
        session: &'a mut Session,
        settings: Settings<'a>,
        logged: Option<LoggedRun>,
        map_request: P,
        reporter: Reporter<O>,
    ) -> Self {
        let counted = (session.usage, session.process_calls);
        RunLoop {
            session,
            settings,
            logged,
            requests: 0,
            map_request,
            reporter,
            messages_before: None,
            repeats_request: false,
            has_shortened_request: false,
            identical_calls: IdenticalCalls::default(),
            counted,
        }
    }
}

/// The next step of a run.
pub(super) enum Step {
    Send(Request, Requested),
    End(RunEnd),
}

impl<'a, O: FnMut(&Event), P: FnMut(Request) -> Request> RunLoop<'a, O, P> {
    /// Runs the session to its end.
    pub(super) async fn complete<C, R, E>(
        &mut self,
        complete: C,
        classifier: &impl ClassifyError<E>,
    ) -> Result<RunEnd, RunError<E>>
    where
        C: FnMut(Request) -> R,
        R: Future<Output = Result<AssistantMessage, E>>,
    {
        let (span, cancel_on) = self.surroundings();
        // Boxed, since the future of a run would be large in the program.
        let steps = Box::pin(self.complete_steps(complete, classifier));
        let ended = span.instrument(cancel_on.during(steps)).await;
        let ended = self.store_end(ended).await;
        span.end(self.session.usage(), ended.is_err());
        ended
    }

    /// The span of the run, and the futures that cancel it.
    fn surroundings(&mut self) -> (RunSpan, CancelOn<'a>) {
        (
            RunSpan::new(&self.settings.registry, self.session.usage()),
            std::mem::take(&mut self.settings.cancel_on),
        )
    }

    async fn complete_steps<C, R, E>(
        &mut self,
        mut complete: C,
        classifier: &impl ClassifyError<E>,
    ) -> Result<RunEnd, RunError<E>>
    where
        C: FnMut(Request) -> R,
        R: Future<Output = Result<AssistantMessage, E>>,
    {
        self.settings.store.store_claim(self.session).await?;
        let mut end = self.replay_pending().await.map_err(RunError::Log)?;
        loop {
            let (request, requested) = match self.next(end).await? {
                Step::Send(request, requested) => (request, requested),
                Step::End(end) => return Ok(end),
            };
            let chat = ChatSpan::new(&*requested.wire);
            let reply = self.run_tokens().until_cancelled(chat.instrument(complete(request)));
            let Some(reply) = self.reporter.run(reply).await else {
                end = Some(RunEnd::Cancelled);
                continue;
            };
            chat.end(reply.as_ref().ok());
            let mut reply = match reply {
                Ok(reply) => reply,
                Err(error) if self.compact_rejected(classifier.__classify(&error)).await? => {
                    end = None;
                    continue;
                }
                Err(error) => return Err(RunError::Client(error)),
            };
            self.messages_before = None;
            // The recorded reply has the ids of the session: a new id differs in each process.
            self.session.make_ids_unique(&mut reply);
            self.settings.registry.use_own_keys(&mut reply);
            if let Err(error) = self.record(&reply).await {
                self.session.count_tokens(reply.usage());
                return Err(RunError::Log(error));
            }
            self.receive(reply, &requested);
            if self.session.pending().is_some() {
                self.settings.store.store_claim(self.session).await?;
            }
            end = self.run_pending().await.map_err(RunError::Log)?;
        }
    }

    /// Like `complete`, with streamed replies.
    pub(super) async fn stream<C, R, S, E>(
        &mut self,
        stream: C,
        classifier: &impl ClassifyError<E>,
    ) -> Result<RunEnd, RunError<E>>
    where
        C: FnMut(Request) -> R,
        R: Future<Output = Result<S, E>>,
        S: Stream,
        S::Item: Into<Chunk>,
    {
        let (span, cancel_on) = self.surroundings();
        let steps = Box::pin(self.stream_steps(stream, classifier));
        let ended = span.instrument(cancel_on.during(steps)).await;
        let ended = self.store_end(ended).await;
        span.end(self.session.usage(), ended.is_err());
        ended
    }

    async fn stream_steps<C, R, S, E>(
        &mut self,
        mut stream: C,
        classifier: &impl ClassifyError<E>,
    ) -> Result<RunEnd, RunError<E>>
    where
        C: FnMut(Request) -> R,
        R: Future<Output = Result<S, E>>,
        S: Stream,
        S::Item: Into<Chunk>,
    {
        self.settings.store.store_claim(self.session).await?;
        let mut end = self.replay_pending().await.map_err(RunError::Log)?;
        loop {
            let (request, requested) = match self.next(end).await? {
                Step::Send(request, requested) => (request.stream_usage(true), requested),
                Step::End(end) => return Ok(end),
            };
            let chat = ChatSpan::new(&*requested.wire);
            let chunks = self.run_tokens().until_cancelled(chat.instrument(stream(request)));
            let Some(chunks) = self.reporter.run(chunks).await else {
                end = Some(RunEnd::Cancelled);
                continue;
            };
            let chunks = match chunks {
                Ok(chunks) => chunks,
                Err(error) => {
                    chat.end(None);
                    if self.compact_rejected(classifier.__classify(&error)).await? {
                        end = None;
                        continue;
                    }
                    return Err(RunError::Client(error));
                }
            };
            let replies = self.session.replies;
            end = match self.receive_stream(chunks, requested, chat).await {
                Ok(end) => end,
                Err(RunError::Stream(error))
                    if self.session.replies == replies
                        && self.compact_rejected(error.error_kind()).await? =>
                {
                    None
                }
                Err(error) => return Err(error),
            };
        }
    }

    /// The next request, after the replies that the log has were received and their calls have run.
    async fn next(&mut self, mut end: Option<RunEnd>) -> Result<Step, StepError> {
        if std::mem::take(&mut self.repeats_request) {
            end = self.end_before_request(false);
            if end.is_none() {
                return Ok(self.request(None));
            }
        }
        loop {
            end = self.between_replies(end).await?;
            let step = self.request(end);
            let (Step::Send(_, requested), Some(logged)) = (&step, &self.logged) else { return Ok(step) };
            // It may wait for another run.
            let found = self
                .run_tokens()
                .until_cancelled(logged.log().find_reply(self.session, &self.settings.registry))
                .await;
            end = match found.transpose().map_err(StepError::Log)? {
                Some(None) => return Ok(step),
                Some(Some(mut reply)) => {
                    let requested = requested.clone();
                    // Its request shares the messages, and a change would copy them.
                    drop(step);
                    self.messages_before = None;
                    self.session.make_ids_unique(&mut reply);
                    self.receive(reply, &requested);
                    self.replay_pending().await.map_err(StepError::Log)?
                }
                None => Some(RunEnd::Cancelled),
            };
        }
    }

    async fn record(&mut self, reply: &AssistantMessage) -> Result<(), LogError> {
        let Some(logged) = &self.logged else { return Ok(()) };
        // If the run is dropped here, the next run receives the reply again: its ids are free, and are computed anew.
        let ids = self.session.ids.take();
        logged.log().record_reply(self.session, &self.settings.registry, reply).await?;
        self.session.ids = ids;
        Ok(())
    }

    pub(super) fn is_cancelled(&self) -> bool {
        let token = self.settings.registry.run_context().and_then(RunContext::token);
        token.into_iter().chain(&self.settings.stop).any(CancellationToken::is_cancelled)
    }

    /// The tokens that end the run while it waits, for futures that borrow the run.
    pub(super) fn run_tokens(&self) -> RunTokens {
        let cancellation = self.settings.registry.run_context().and_then(RunContext::token).cloned();
        RunTokens { cancellation, stop: self.settings.stop.clone() }
    }

    /// The return value of the run after this end.
    pub(super) fn ended<A: Answer>(&self, end: RunEnd) -> A::End {
        A::__end(end, self.settings.answer.as_deref(), self.session.final_text())
    }

    pub(super) fn end(&mut self, end: RunEnd) -> RunEnd {
        self.reporter.report(Event::RunEnded { end });
        end
    }

    /// The allowed tools of a request that the run allows as well.
    fn allowed_by_run(&self, names: &[String]) -> Vec<String> {
        let allowed = self.settings.registry.run_context().and_then(RunContext::allowed);
        let is_allowed = |name: &&String| {
            allowed.is_none()
                || self.settings.registry.entry(name).is_some_and(|tool| tool.is_allowed_by(allowed))
        };
        names.iter().filter(is_allowed).cloned().collect()
    }

    pub(super) fn warn(&mut self, warning: ReplyWarning) {
        self.session.state.conversation_mut().warn(warning.clone());
        self.session.count_change();
        self.reporter.report(warning);
    }

    /// Adds a complete reply, whose ids are unique, to the session.
    pub(super) fn receive(&mut self, reply: AssistantMessage, requested: &Requested) {
        if let Some(sender) = self.reporter.sender() {
            send_whole(sender, &reply, requested.answer.as_deref());
        }
        self.session.receive(reply, requested, self.settings.limits).report(&mut self.reporter);
    }

    /// The registry for the calls of a reply.
    pub(super) fn bind(&self, reply: u64, allowed_tools: Option<&Arc<[String]>>) -> Registry {
        let context = self.settings.registry.run_context().cloned().unwrap_or_default();
        let mut context = self.session.counted(context.reply_number(reply), self.settings.limits);
        if let Some(names) = allowed_tools {
            context = context.allowed_tools(self.allowed_by_run(names));
        }
        if let Some(sender) = self.reporter.sender().cloned() {
            context = context.with_start_gate(sender.start_gate());
            context = context.on_event(move |event| sender.send(Event::Call(event.clone())));
        }
        self.settings.registry.with(&context)
    }

    /// Runs the pending calls of a stored session or of a recorded reply, which the log may know.
    async fn replay_pending(&mut self) -> Result<Option<RunEnd>, LogError> {
        self.report_ended_calls();
        if let (Some(logged), Some(_)) = (&self.logged, self.session.pending()) {
            self.session.count_calls(self.settings.limits);
            // It may wait for another run.
            let tokens = self.run_tokens();
            let replay = logged.log().before_calls(self.session, &self.settings.registry);
            let replayed = tokens.until_cancelled(replay).await;
            self.report_ended_calls();
            if replayed.transpose()?.is_none() {
                return Ok(Some(RunEnd::Cancelled));
            }
        }
        self.session.remove_claim();
        self.run_pending().await
    }

    /// Sends the last events of the calls that have ended outside of a run.
    fn report_ended_calls(&mut self) {
        // One by one, since a listener may panic.
        while let Some(call) = self.session.state.conversation_mut().pop_unreported() {
            self.session.count_change();
            let event = call.into_event();
            self.settings.registry.send_event(&event);
            self.reporter.report(Event::Call(event));
        }
    }

    /// Runs the pending calls, if there are any. Returns the end of the run if some of them wait.
    pub(super) async fn run_pending(&mut self) -> Result<Option<RunEnd>, LogError> {
        let Some(pending) = self.session.state.pending() else { return Ok(None) };
        if self.is_cancelled() {
            return Ok(Some(RunEnd::Cancelled));
        }
        let number = self.session.replies.saturating_sub(1);
        let allowed_tools = pending.allowed_tools.clone();
        self.session.count_calls(self.settings.limits);
        let registry = self.bind(number, allowed_tools.as_ref());
        // Counted before the calls run, since their future may be dropped.
        self.session.count_change();
        if let Some(Pending { calls, within_limit, .. }) = self.session.state.pending_mut() {
            let to_run =
                CallsToRun { place: self.settings.place, within_limit: *within_limit, ..CallsToRun::KEEP };
            self.reporter.run(calls.run_calls(&registry, to_run)).await;
        }
        self.end_of_calls()
    }

    /// Finishes the pending calls. Returns the end of the run if some of them wait.
    pub(super) fn end_of_calls(&mut self) -> Result<Option<RunEnd>, LogError> {
        self.session.state.finish();
        if let Some(error) = self.logged.as_ref().and_then(LoggedRun::take_error) {
            return Err(error);
        }
        let Some(Pending { calls, within_limit, .. }) = self.session.state.pending() else { return Ok(None) };
        Ok(Some(if self.is_cancelled() {
            RunEnd::Cancelled
        } else if !calls.awaiting_approval().is_empty() {
            RunEnd::NeedsApproval
        } else if !calls.awaiting_input().is_empty() {
            RunEnd::NeedsInput
        } else if !calls.awaiting_result().is_empty() {
            RunEnd::NeedsResult
        } else if *within_limit < calls.calls().len() || calls.has_inner_calls() {
            RunEnd::CallLimit
        } else {
            // Only cancelled calls have no result and do not wait for anything.
            RunEnd::Cancelled
        }))
    }
}
