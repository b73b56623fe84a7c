//! The steps of a run.

use super::pieces::send_whole;
use super::reporter::Reporter;
use super::state::{Pending, State};
use super::used::Limits;
use super::{Event, RunEnd, Session};
use crate::context::BatchContext;
use crate::conversation::{Received, ReplyWarning, Request, Unfinished};
use crate::message::{AssistantMessage, Message, Usage};
use crate::registry::Registry;
use crate::tool_choice::ToolChoice;
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
pub(super) enum Next {
    Request(Request, Sent),
    End(RunEnd),
}

/// The parts of a request that concern its reply.
#[derive(Clone, Default)]
pub(super) struct Sent {
    /// The tools that the reply may call; `None` for all.
    pub(super) allowed_tools: Option<Arc<[String]>>,
    /// The call that the reply must have.
    forced: Option<ToolChoice>,
}

impl<O: FnMut(&Event), P: FnMut(Request) -> Request> RunLoop<'_, O, P> {
    pub(super) fn token(&self) -> Option<CancellationToken> {
        self.registry.batch().and_then(BatchContext::token).cloned()
    }

    fn is_cancelled(&self) -> bool {
        self.token().is_some_and(|token| token.is_cancelled())
    }

    pub(super) fn end(&mut self, end: RunEnd) -> RunEnd {
        self.reporter.report(Event::RunEnded { end });
        end
    }

    /// The next request, unless the run ends with the newest reply or at a limit.
    pub(super) fn next(&mut self, end: Option<RunEnd>) -> Next {
        if let Some(end) = end.or_else(|| self.end_before_request()) {
            return Next::End(self.end(end));
        }
        let request = self.session.state.conversation().request(&self.registry);
        let request = match &self.wire {
            Some(wire) => request.with_wire(Arc::clone(wire)),
            None => request,
        };
        let request = (self.prepare)(request);
        let allowed_tools = request.allowed_tools().cloned();
        let (choice, is_possible) = request.tool_choice();
        let forced = Some(choice.clone()).filter(|_| is_possible);
        if !is_possible {
            let tool = forced_tool(choice);
            self.warn(ReplyWarning::IgnoredToolChoice { tool });
        }
        Next::Request(request, Sent { allowed_tools, forced })
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

    pub(super) fn warn(&mut self, warning: ReplyWarning) {
        self.session.state.conversation_mut().warn(warning.clone());
        self.session.count_change();
        self.reporter.report(warning);
    }

    /// Adds a complete reply to the session.
    pub(super) fn receive(&mut self, mut reply: AssistantMessage, sent: Sent) {
        self.session.make_ids_unique(&mut reply);
        if let Some(events) = self.reporter.events() {
            send_whole(events, &reply);
        }
        self.session.receive(reply, sent, self.limits).report(&mut self.reporter);
    }

    /// The registry for the calls of a reply.
    pub(super) fn bind(&self, reply: u64, allowed_tools: Option<&Arc<[String]>>) -> Registry {
        let batch = self.registry.batch().cloned().unwrap_or_default();
        let mut batch = batch.reply_number(reply).counting_in(&self.session.begun_calls);
        if let Some(names) = allowed_tools {
            batch = batch.allowed_tools(self.allowed_by_batch(names));
        }
        if let Some(events) = self.reporter.events().cloned() {
            batch = batch.on_event(move |event| events.send(Event::Call(event.clone())));
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
        // Before the run, since its future may be dropped.
        self.session.count_change();
        let pending = self.session.state.pending_mut()?;
        let within_limit = pending.within_limit;
        let running =
            pending.calls.run_calls(&registry, Unfinished::Keep, |position| position < within_limit);
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
            RunEnd::Cancelled
        })
    }
}

/// A reply that was added to a session.
pub(super) struct ReceivedReply {
    /// The number of the reply.
    reply: u64,
    usage: Option<Usage>,
    warnings: Vec<ReplyWarning>,
}

impl ReceivedReply {
    pub(super) fn report(self, reporter: &mut Reporter<impl FnMut(&Event)>) {
        let ReceivedReply { reply, usage, warnings } = self;
        for warning in warnings {
            reporter.report(warning);
        }
        reporter.report(Event::ReplyFinished { reply, usage });
    }
}

impl Session {
    /// Adds a reply whose ids are unique in the session.
    pub(super) fn receive(&mut self, reply: AssistantMessage, sent: Sent, limits: Limits) -> ReceivedReply {
        let mut warnings = ReplyWarning::of(&reply);
        warnings.extend(sent.warning(&reply));
        let usage = reply.usage();
        let number = self.replies;
        self.count_reply(&reply);
        self.count_change();
        if usage.is_none() && limits.tokens.is_some() {
            warnings.push(ReplyWarning::UnknownUsage);
        }
        if let State::Ready(conversation) = &mut self.state {
            let mut conversation = std::mem::take(conversation);
            for warning in &warnings {
                conversation.warn(warning.clone());
            }
            self.state = match conversation.receive(reply) {
                Received::Answer(conversation) => State::Ready(conversation),
                Received::ToolCalls(calls) => {
                    State::Pending(Pending { calls, within_limit: 0, allowed_tools: sent.allowed_tools })
                }
            };
        }
        ReceivedReply { reply: number, usage, warnings }
    }
}

impl Sent {
    fn warning(&self, reply: &AssistantMessage) -> Option<ReplyWarning> {
        let is_called = match self.forced.as_ref()? {
            ToolChoice::Auto | ToolChoice::None => true,
            ToolChoice::Required => !reply.tool_calls.is_empty(),
            ToolChoice::Tool(name) => reply.tool_calls.iter().any(|call| call.name == *name),
        };
        let tool = self.forced.as_ref().and_then(forced_tool);
        (!is_called).then_some(ReplyWarning::ForcedToolNotCalled { tool })
    }
}

fn forced_tool(choice: &ToolChoice) -> Option<String> {
    match choice {
        ToolChoice::Tool(name) => Some(name.clone()),
        _ => None,
    }
}
