//! The steps of a run.

use super::answer_format::AnswerFormat;
use super::cancel_on::CancelOn;
use super::limits::Limits;
use super::receive::Requested;
use super::reply_events::send_whole;
use super::reporter::Reporter;
use super::run_log::{RunLog, StopRun};
use super::run_span::{ChatSpan, RunSpan};
use super::state::Pending;
use super::{Event, RunEnd, RunError, Session};
use crate::context::RunContext;
use crate::conversation::{CallsToRun, ReplyWarning, Request};
use crate::dispatch::unless_cancelled;
use crate::message::{AssistantMessage, Chunk, Message};
use crate::registry::Registry;
use crate::wire::Wire;
use futures_util::Stream;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

pub(super) struct RunLoop<'a, O: FnMut(&Event), P> {
    pub(super) session: &'a mut Session,
    pub(super) registry: Registry,
    pub(super) limits: Limits,
    pub(super) wire: Option<Arc<dyn Wire>>,
    pub(super) log: Option<Box<dyn RunLog>>,
    pub(super) map_request: P,
    pub(super) reporter: Reporter<O>,
    /// The format of the answer, if it has a type.
    pub(super) answer: Option<Arc<AnswerFormat>>,
    pub(super) cancel_on: CancelOn<'a>,
    /// The token that stops the run after the calls of a reply.
    pub(super) stop: Option<CancellationToken>,
}

/// The next step of a run.
enum Step {
    Send(Request, Requested),
    End(RunEnd),
}

impl<'a, O: FnMut(&Event), P: FnMut(Request) -> Request> RunLoop<'a, O, P> {
    /// Runs the session to its end.
    pub(super) async fn complete<C, R, E>(&mut self, complete: C) -> Result<RunEnd, E>
    where
        C: FnMut(Request) -> R,
        R: Future<Output = Result<AssistantMessage, E>>,
    {
        let (span, cancel_on) = self.surroundings();
        // Boxed, since the future of a run would be large in the program.
        let steps = Box::pin(self.complete_steps(complete));
        let ended = span.instrument(cancel_on.during(steps)).await;
        span.end(self.session.usage(), ended.is_err());
        ended
    }

    /// The span of the run, and the futures that cancel it.
    fn surroundings(&mut self) -> (RunSpan, CancelOn<'a>) {
        (RunSpan::new(&self.registry, self.session.usage()), std::mem::take(&mut self.cancel_on))
    }

    async fn complete_steps<C, R, E>(&mut self, mut complete: C) -> Result<RunEnd, E>
    where
        C: FnMut(Request) -> R,
        R: Future<Output = Result<AssistantMessage, E>>,
    {
        let mut end = self.replay_pending().await;
        loop {
            let (request, requested) = match self.next(end).await {
                Step::Send(request, requested) => (request, requested),
                Step::End(end) => return Ok(end),
            };
            let chat = ChatSpan::new(&*requested.wire);
            let Some(reply) = self.until_cancelled(chat.instrument(complete(request))).await else {
                return Ok(self.end(RunEnd::Cancelled));
            };
            chat.end(reply.as_ref().ok());
            let mut reply = reply?;
            // The recorded reply has the ids of the session: a new id differs in each process.
            self.session.make_ids_unique(&mut reply);
            self.registry.use_own_keys(&mut reply);
            if let Err(StopRun) = self.record(&reply).await {
                self.session.count_tokens(reply.usage());
                return Ok(self.end(RunEnd::Cancelled));
            }
            self.receive(reply, &requested);
            end = self.run_pending().await;
        }
    }

    /// Like `complete`, with streamed replies.
    pub(super) async fn stream<C, R, S, E>(&mut self, stream: C) -> Result<RunEnd, RunError<E>>
    where
        C: FnMut(Request) -> R,
        R: Future<Output = Result<S, E>>,
        S: Stream,
        S::Item: Into<Chunk>,
    {
        let (span, cancel_on) = self.surroundings();
        let steps = Box::pin(self.stream_steps(stream));
        let ended = span.instrument(cancel_on.during(steps)).await;
        span.end(self.session.usage(), ended.is_err());
        ended
    }

    async fn stream_steps<C, R, S, E>(&mut self, mut stream: C) -> Result<RunEnd, RunError<E>>
    where
        C: FnMut(Request) -> R,
        R: Future<Output = Result<S, E>>,
        S: Stream,
        S::Item: Into<Chunk>,
    {
        let mut end = self.replay_pending().await;
        loop {
            let (request, requested) = match self.next(end).await {
                Step::Send(request, requested) => (request.stream_usage(true), requested),
                Step::End(end) => return Ok(end),
            };
            let chat = ChatSpan::new(&*requested.wire);
            let Some(chunks) = self.until_cancelled(chat.instrument(stream(request))).await else {
                return Ok(self.end(RunEnd::Cancelled));
            };
            let chunks = match chunks {
                Ok(chunks) => chunks,
                Err(error) => {
                    chat.end(None);
                    return Err(RunError::Client(error));
                }
            };
            end = self.receive_stream(chunks, requested, chat).await.map_err(RunError::Stream)?;
        }
    }

    /// The next request, after the replies that the log has were received and their calls have run.
    async fn next(&mut self, mut end: Option<RunEnd>) -> Step {
        loop {
            let step = self.request(end);
            let (Step::Send(_, requested), Some(log)) = (&step, &self.log) else { return step };
            end = match log.find_reply(self.session).await {
                Ok(None) => return step,
                Ok(Some(mut reply)) => {
                    let requested = requested.clone();
                    // Its request shares the messages, and a change would copy them.
                    drop(step);
                    self.session.make_ids_unique(&mut reply);
                    self.receive(reply, &requested);
                    self.replay_pending().await
                }
                Err(StopRun) => Some(RunEnd::Cancelled),
            };
        }
    }

    async fn record(&mut self, reply: &AssistantMessage) -> Result<(), StopRun> {
        let Some(log) = &self.log else { return Ok(()) };
        // If the run is dropped here, the next run receives the reply again: its ids are free, and are computed anew.
        let ids = self.session.ids.take();
        log.record_reply(self.session, reply).await?;
        self.session.ids = ids;
        Ok(())
    }

    fn is_cancelled(&self) -> bool {
        let token = self.registry.run_context().and_then(RunContext::token);
        token.into_iter().chain(&self.stop).any(CancellationToken::is_cancelled)
    }

    /// Awaits the future of the client; `None` if the run is cancelled before.
    ///
    /// The returned future does not borrow the run: a shared reference to a listener is `Send` only if the listener is `Sync`.
    fn until_cancelled<F: Future>(
        &self,
        future: F,
    ) -> impl Future<Output = Option<F::Output>> + use<'a, O, P, F> {
        let (token, stop) =
            (self.registry.run_context().and_then(RunContext::token).cloned(), self.stop.clone());
        async move {
            let future = unless_cancelled(stop.as_ref(), future);
            unless_cancelled(token.as_ref(), future).await.flatten()
        }
    }

    fn end(&mut self, end: RunEnd) -> RunEnd {
        self.reporter.report(Event::RunEnded { end });
        end
    }

    /// The next request, unless the run ends with its calls, with the newest reply or at a limit.
    fn request(&mut self, end: Option<RunEnd>) -> Step {
        let correction = self.correction();
        if let Some(end) = end.or_else(|| self.end_before_request(correction.is_some())) {
            return Step::End(self.end(end));
        }
        if let Some(message) = correction {
            self.session.push(Message::user(message));
        }
        let request = self.session.state.conversation().request(&self.registry);
        let request = match &self.wire {
            Some(wire) => request.wire(Arc::clone(wire)),
            None => request,
        };
        let request = match &self.answer {
            Some(answer) => request.with_answer(Arc::clone(&answer.tool)),
            None => request,
        };
        let request = (self.map_request)(request);
        let (requested, warning) = Requested::new(&request, self.answer.clone());
        if let Some(warning) = warning {
            self.warn(warning);
        }
        Step::Send(request, requested)
    }

    fn end_before_request(&self, has_correction: bool) -> Option<RunEnd> {
        let Session { state, used, .. } = &*self.session;
        if let Some(Message::Assistant(reply)) = state.conversation().messages().last() {
            if let Some(end) = RunEnd::from_reply(reply).filter(|_| !has_correction) {
                return Some(end);
            }
        }
        if self.is_cancelled() {
            return Some(RunEnd::Cancelled);
        }
        if used.replies >= self.limits.replies {
            return Some(RunEnd::ReplyLimit);
        }
        self.limits.tokens.filter(|&tokens| used.tokens >= tokens).map(|_| RunEnd::TokenLimit)
    }

    /// The message for the model, if the provider discarded its call, or if its answer does not have the type of this run.
    fn correction(&self) -> Option<String> {
        let Some(Message::Assistant(reply)) = self.session.messages().last() else { return None };
        if let Some(message) = reply.malformed_call() {
            let separator = if message.is_empty() { "" } else { ": " };
            return Some(format!(
                "The tool call was malformed and was not run{separator}{message}\nCall the tool again with one function call."
            ));
        }
        let format = self.answer.as_ref()?;
        let is_answer = RunEnd::from_reply(reply) == Some(RunEnd::Answered);
        is_answer
            .then(|| format.validate(reply.text()).err())
            .flatten()
            .map(|invalid| invalid.message(format))
    }

    /// The allowed tools of a request that the run allows as well.
    fn allowed_by_run(&self, names: &[String]) -> Vec<String> {
        let allowed = self.registry.run_context().and_then(RunContext::allowed);
        let is_allowed = |name: &&String| {
            allowed.is_none() || self.registry.entry(name).is_some_and(|tool| tool.is_allowed_by(allowed))
        };
        names.iter().filter(is_allowed).cloned().collect()
    }

    fn warn(&mut self, warning: ReplyWarning) {
        self.session.state.conversation_mut().warn(warning.clone());
        self.session.count_change();
        self.reporter.report(warning);
    }

    /// Adds a complete reply, whose ids are unique, to the session.
    pub(super) fn receive(&mut self, reply: AssistantMessage, requested: &Requested) {
        if let Some(sender) = self.reporter.sender() {
            send_whole(sender, &reply, requested.answer.as_deref());
        }
        self.session.receive(reply, requested, self.limits).report(&mut self.reporter);
    }

    /// The registry for the calls of a reply.
    pub(super) fn bind(&self, reply: u64, allowed_tools: Option<&Arc<[String]>>) -> Registry {
        let context = self.registry.run_context().cloned().unwrap_or_default();
        let mut context = context.reply_number(reply).counting_in(&self.session.begun_calls);
        if let Some(names) = allowed_tools {
            context = context.allowed_tools(self.allowed_by_run(names));
        }
        if let Some(sender) = self.reporter.sender().cloned() {
            context = context.with_start_gate(sender.start_gate());
            context = context.on_event(move |event| sender.send(Event::Call(event.clone())));
        }
        self.registry.with(&context)
    }

    /// Runs the pending calls of a stored session or of a recorded reply, which the log may know.
    async fn replay_pending(&mut self) -> Option<RunEnd> {
        self.report_ended_calls();
        self.session.state.pending()?;
        if let (Some(log), false) = (&self.log, self.is_cancelled()) {
            self.session.count_calls(self.limits);
            let replayed = log.before_calls(self.session, &self.registry).await;
            self.report_ended_calls();
            if let Err(StopRun) = replayed {
                return Some(RunEnd::Cancelled);
            }
        }
        self.run_pending().await
    }

    /// Sends the last events of the calls that have ended outside of a run.
    fn report_ended_calls(&mut self) {
        // One by one, since a listener may panic.
        while let Some(call) = self.session.state.conversation_mut().pop_unreported() {
            self.session.count_change();
            let event = call.into_event();
            self.registry.send_event(&event);
            self.reporter.report(Event::Call(event));
        }
    }

    /// Runs the pending calls, if there are any. Returns the end of the run if some of them wait.
    pub(super) async fn run_pending(&mut self) -> Option<RunEnd> {
        let pending = self.session.state.pending()?;
        if self.is_cancelled() {
            return Some(RunEnd::Cancelled);
        }
        let number = self.session.replies.saturating_sub(1);
        let registry = self.bind(number, pending.allowed_tools.as_ref());
        self.session.count_calls(self.limits);
        // Counted before the calls run, since their future may be dropped.
        self.session.count_change();
        let Pending { calls, within_limit, .. } = self.session.state.pending_mut()?;
        let running =
            calls.run_calls(&registry, CallsToRun { within_limit: *within_limit, ..CallsToRun::KEEP });
        self.reporter.run(running).await;
        self.end_of_calls()
    }

    /// Finishes the pending calls. Returns the end of the run if some of them wait.
    pub(super) fn end_of_calls(&mut self) -> Option<RunEnd> {
        self.session.state.finish();
        let Pending { calls, within_limit, .. } = self.session.state.pending()?;
        Some(if self.is_cancelled() {
            RunEnd::Cancelled
        } else if !calls.awaiting_approval().is_empty() {
            RunEnd::NeedsApproval
        } else if !calls.awaiting_result().is_empty() {
            RunEnd::NeedsResult
        } else if *within_limit < calls.calls().len() {
            RunEnd::CallLimit
        } else {
            // Only cancelled calls have no result and do not wait.
            RunEnd::Cancelled
        })
    }
}
