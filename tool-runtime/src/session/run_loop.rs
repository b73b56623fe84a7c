//! The steps of a run.

use super::limits::Limits;
use super::receive::Requested;
use super::reply_events::send_whole;
use super::reporter::Reporter;
use super::state::Pending;
use super::{Event, RunEnd, Session};
use crate::context::BatchContext;
use crate::conversation::{ReplyWarning, Request, Unfinished};
use crate::message::{AssistantMessage, Message};
use crate::registry::Registry;
use crate::wire::Wire;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

pub(super) struct RunLoop<'a, O, P> {
    pub(super) session: &'a mut Session,
    pub(super) registry: Registry,
    pub(super) limits: Limits,
    pub(super) wire: Option<Arc<dyn Wire>>,
    pub(super) prepare: P,
    pub(super) reporter: Reporter<O>,
}

/// The next step of a run.
pub(super) enum Step {
    Send(Request, Requested),
    End(RunEnd),
}

impl<O: FnMut(&Event), P: FnMut(Request) -> Request> RunLoop<'_, O, P> {
    fn is_cancelled(&self) -> bool {
        self.registry.batch().and_then(BatchContext::token).is_some_and(CancellationToken::is_cancelled)
    }

    /// Awaits the future of the client; `None` if the batch is cancelled before.
    ///
    /// The returned future does not borrow the run: a shared reference to a listener is `Send` only if the listener is `Sync`.
    pub(super) fn until_cancelled<F: Future>(
        &self,
        future: F,
    ) -> impl Future<Output = Option<F::Output>> + use<O, P, F> {
        let token = self.registry.batch().and_then(BatchContext::token).cloned();
        async move {
            match token {
                Some(token) => token.run_until_cancelled(future).await,
                None => Some(future.await),
            }
        }
    }

    pub(super) fn end(&mut self, end: RunEnd) -> RunEnd {
        self.reporter.report(Event::RunEnded { end });
        end
    }

    /// The next request, unless the run ends with its calls, with the newest reply or at a limit.
    pub(super) fn next(&mut self, end: Option<RunEnd>) -> Step {
        if let Some(end) = end.or_else(|| self.end_before_request()) {
            return Step::End(self.end(end));
        }
        let request = self.session.state.conversation().request(&self.registry);
        let request = match &self.wire {
            Some(wire) => request.with_wire(Arc::clone(wire)),
            None => request,
        };
        let request = (self.prepare)(request);
        let (requested, warning) = Requested::new(&request);
        if let Some(warning) = warning {
            self.warn(warning);
        }
        Step::Send(request, requested)
    }

    fn end_before_request(&self) -> Option<RunEnd> {
        let Session { state, used, .. } = &*self.session;
        if let Some(Message::Assistant(reply)) = state.conversation().messages().last() {
            if let Some(end) = RunEnd::of(reply) {
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

    /// The allowed tools of a request that the batch allows as well.
    fn allowed_by_batch(&self, names: &[String]) -> Vec<String> {
        let allowed = self.registry.batch().and_then(BatchContext::allowed);
        let is_allowed = |name: &&String| match (allowed, self.registry.tool(name)) {
            (Some(allowed), tool) => tool.is_some_and(|tool| tool.is_in(allowed)),
            (None, _) => true,
        };
        names.iter().filter(is_allowed).cloned().collect()
    }

    fn warn(&mut self, warning: ReplyWarning) {
        self.session.state.conversation_mut().warn(warning.clone());
        self.session.count_change();
        self.reporter.report(warning);
    }

    /// Adds a complete reply to the session.
    pub(super) fn receive(&mut self, mut reply: AssistantMessage, requested: &Requested) {
        self.session.make_ids_unique(&mut reply);
        if let Some(sender) = self.reporter.sender() {
            send_whole(sender, &reply);
        }
        self.session.receive(reply, requested, self.limits).report(&mut self.reporter);
    }

    /// The registry for the calls of a reply.
    pub(super) fn bind(&self, reply: u64, allowed_tools: Option<&Arc<[String]>>) -> Registry {
        let batch = self.registry.batch().cloned().unwrap_or_default();
        let mut batch = batch.reply_number(reply).counting_in(&self.session.begun_calls);
        if let Some(names) = allowed_tools {
            batch = batch.allowed_tools(self.allowed_by_batch(names));
        }
        if let Some(sender) = self.reporter.sender().cloned() {
            batch = batch.on_event(move |event| sender.send(Event::Call(event.clone())));
        }
        self.registry.with(&batch)
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
        let running = calls.run_calls(&registry, Unfinished::Keep, |position| position < *within_limit);
        self.reporter.run(running).await;
        self.end_of_calls()
    }

    /// Finishes the pending calls. Returns the end of the run if some of them wait.
    pub(super) fn end_of_calls(&mut self) -> Option<RunEnd> {
        self.session.state.finish();
        let Pending { calls, within_limit, .. } = self.session.state.pending()?;
        Some(if self.is_cancelled() {
            RunEnd::Cancelled
        } else if !calls.awaiting_decision().is_empty() {
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
