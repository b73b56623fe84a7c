//! The next request of a run, or the end of the run.

use super::receive::Requested;
use super::run_loop::{RunLoop, Step};
use super::{Budget, Event, RunEnd, Session};
use crate::context::RunContext;
use crate::conversation::{Request, Retry};
use crate::message::Message;
use std::sync::Arc;

impl<O: FnMut(&Event), P: FnMut(Request) -> Request> RunLoop<'_, O, P> {
    /// The next request, unless the run ends with its calls, with the newest reply or at a limit.
    pub(super) fn request(&mut self, end: Option<RunEnd>) -> Step {
        if let Some(end) = end.or_else(|| self.end_before_request(false)) {
            return Step::End(self.end(end));
        }
        self.requests += 1;
        let request = self.session.state.conversation().request(&self.settings.registry);
        let request = match &self.settings.wire {
            Some(wire) => request.wire(Arc::clone(wire)),
            None => request,
        };
        let request = match &self.settings.answer {
            Some(answer) => request.with_answer(Arc::clone(&answer.tool)),
            None => request,
        };
        let request = match self.reporter.sender().cloned() {
            Some(sender) => request.on_retry(move |Retry { attempt, error, delay }| {
                let delay_ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
                sender.send(Event::RequestRetried { attempt, error, delay_ms });
            }),
            None => request,
        };
        let request = (self.map_request)(request);
        let (requested, warning) = Requested::new(&request, self.settings.answer.clone());
        let check_cache = self.settings.check_cache;
        let lost_cache = check_cache.and_then(|check_cache| check_cache(self.session, &request));
        for warning in warning.into_iter().chain(lost_cache) {
            self.warn(warning);
        }
        Step::Send(request, requested)
    }

    pub(super) fn end_before_request(&mut self, has_correction: bool) -> Option<RunEnd> {
        self.count_for_budgets();
        let Session { state, used, .. } = &*self.session;
        if let Some(Message::Assistant(reply)) = state.conversation().messages().last() {
            if let Some(end) = RunEnd::from_reply(reply).filter(|_| !has_correction) {
                return Some(end);
            }
        }
        if self.is_cancelled() {
            return Some(RunEnd::Cancelled);
        }
        let limits = self.settings.limits;
        if used.replies >= limits.replies {
            return Some(RunEnd::ReplyLimit);
        }
        if limits.tokens.is_some_and(|tokens| used.tokens >= tokens) {
            return Some(RunEnd::TokenLimit);
        }
        let budgets = self.settings.registry.run_context().map_or(&[][..], RunContext::budgets);
        if let Some(limit) = budgets.iter().find_map(Budget::reached) {
            return Some(limit.into());
        }
        if limits.identical_calls.is_some_and(|calls| self.identical_calls.count(self.session) >= calls) {
            return Some(RunEnd::IdenticalCallLimit);
        }
        limits.requests.filter(|&requests| self.requests >= requests).map(|_| RunEnd::RequestLimit)
    }

    /// The message for the model, if the provider discarded its call, or if its answer does not have the type of this run.
    pub(super) fn correction(&self) -> Option<String> {
        let Some(Message::Assistant(reply)) = self.session.messages().last() else { return None };
        if let Some(message) = reply.malformed_call() {
            let separator = if message.is_empty() { "" } else { ": " };
            return Some(format!(
                "The tool call was malformed and was not run{separator}{message}\nCall the tool again with one function call."
            ));
        }
        let format = self.settings.answer.as_ref()?;
        let is_answer = RunEnd::from_reply(reply) == Some(RunEnd::Answered);
        is_answer
            .then(|| format.validate(reply.text()).err())
            .flatten()
            .map(|invalid| invalid.message(format))
    }
}
