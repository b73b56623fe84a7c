//! The step from a reply to the session.

use super::answer_format::AnswerFormat;
use super::limits::Limits;
use super::reporter::Reporter;
use super::state::{Pending, State};
use super::{Event, RunEnd, Session};
use crate::conversation::{Received, ReplyWarning, Request};
use crate::message::{AssistantMessage, Usage};
use crate::outcome::CallError;
use crate::output::ToolFailure;
use crate::tool_choice::ToolChoice;
use crate::wire::{self, Wire};
use std::sync::Arc;

/// The parts of a request that concern its reply.
#[derive(Clone, Debug)]
pub(super) struct Requested {
    /// The wire on which the request was written.
    pub(super) wire: Arc<dyn Wire>,
    /// The tools that the reply may call; `None` for all.
    pub(super) allowed_tools: Option<Arc<[String]>>,
    /// The tool choice; `None` if the request cannot have it.
    choice: Option<ToolChoice>,
    /// The format of the answer, if it has a type.
    pub(super) answer: Option<Arc<AnswerFormat>>,
}

impl Requested {
    /// Also returns a warning if the request cannot have its tool choice.
    pub(super) fn new(request: &Request, answer: Option<Arc<AnswerFormat>>) -> (Self, Option<ReplyWarning>) {
        let (choice, is_possible) = request.choice();
        let ignored = (!is_possible).then(|| ReplyWarning::IgnoredToolChoice { tool: forced_tool(choice) });
        let choice = is_possible.then(|| choice.clone());
        let allowed_tools = request.allowed_tools.clone();
        (Requested { wire: Arc::clone(&request.wire), allowed_tools, choice, answer }, ignored)
    }

    /// A warning if the reply does not have the call that the request required.
    fn check_choice(&self, reply: &AssistantMessage) -> Option<ReplyWarning> {
        let choice = self.choice.as_ref()?;
        let is_called = match choice {
            ToolChoice::Auto | ToolChoice::None => true,
            ToolChoice::Required => !reply.tool_calls.is_empty(),
            ToolChoice::Tool(name) => reply.tool_calls.iter().any(|call| call.name == *name),
        };
        (!is_called).then(|| ReplyWarning::ForcedToolNotCalled { tool: forced_tool(choice) })
    }
}

fn forced_tool(choice: &ToolChoice) -> Option<String> {
    match choice {
        ToolChoice::Tool(name) => Some(name.clone()),
        _ => None,
    }
}

/// A reply that was added to a session.
pub(super) struct ReceivedReply {
    number: u64,
    usage: Option<Usage>,
    /// The answer that was a call, as text.
    answer: Option<String>,
    warnings: Vec<ReplyWarning>,
}

impl ReceivedReply {
    pub(super) fn report(self, reporter: &mut Reporter<impl FnMut(&Event)>) {
        let ReceivedReply { number, usage, answer, warnings } = self;
        if let Some(text) = answer {
            reporter.report(Event::Text { text });
        }
        for warning in warnings {
            reporter.report(warning);
        }
        reporter.report(Event::ReplyFinished { number, usage });
    }
}

/// The calls of the tool for the answer that do not end the run, with their errors: an accepted one is a text already.
fn rejected_calls(answer: &AnswerFormat, reply: &AssistantMessage) -> Vec<(String, CallError)> {
    let answers = reply.tool_calls.iter().filter(|call| answer.is_answer(call));
    let has_written_keys = reply.origin().is_some_and(|origin| wire::has_written_keys(&origin.wire));
    answers.map(|call| (call.id.clone(), answer.call_error(call, has_written_keys))).collect()
}

/// The reason why a text is not accepted as the answer.
fn rejected_text(answer: &AnswerFormat, reply: &AssistantMessage) -> Option<String> {
    let is_answer = RunEnd::from_reply(reply) == Some(RunEnd::Answered) && reply.tool_calls.is_empty();
    is_answer.then(|| answer.validate(reply.text()).err()).flatten().map(|invalid| invalid.reason())
}

impl Session {
    /// Adds a reply whose ids are unique in the session.
    pub(super) fn receive(
        &mut self,
        mut reply: AssistantMessage,
        requested: &Requested,
        limits: Limits,
    ) -> ReceivedReply {
        let (number, usage) = (self.replies, reply.usage());
        let not_called = requested.check_choice(&reply);
        if let Some(answer) = &requested.answer {
            answer.use_own_keys(&mut reply);
        }
        let was_call = reply.tool_calls.len() == 1;
        let reply = match &requested.answer {
            Some(answer) => answer.with_text(reply),
            None => reply,
        };
        let answer = (was_call && reply.tool_calls.is_empty()).then(|| reply.text().to_owned());
        let mut warnings = ReplyWarning::from_reply(&reply);
        warnings.extend(not_called);
        let mut rejected = Vec::new();
        if let Some(answer) = &requested.answer {
            rejected = rejected_calls(answer, &reply);
            let error = rejected.first().map(|(_, error)| error.without_correction());
            let reason = error.or_else(|| rejected_text(answer, &reply));
            warnings.extend(reason.map(|reason| ReplyWarning::InvalidAnswer { reason }));
        }
        if usage.is_none() && limits.tokens.is_some() {
            warnings.push(ReplyWarning::UnknownUsage);
        }
        self.unrecorded = None;
        self.count_reply(&reply);
        self.count_change();
        if let State::Ready(conversation) = &mut self.state {
            self.state = match std::mem::take(conversation).receive_with(reply, &warnings) {
                Received::Answer(conversation) => State::Ready(conversation),
                Received::ToolCalls(calls) => {
                    State::Pending(Pending::new(calls, requested.allowed_tools.clone()))
                }
            };
        }
        self.reject_calls(rejected);
        ReceivedReply { number, usage, answer, warnings }
    }

    /// Gives each of these pending calls its error.
    fn reject_calls(&mut self, rejected: Vec<(String, CallError)>) {
        let Some(Pending { calls, .. }) = self.state.pending_mut() else { return };
        for (id, error) in rejected {
            // The call is pending.
            let _ = calls.set_result(&id, ToolFailure::from(error).into(), None);
        }
        self.state.finish();
    }
}
