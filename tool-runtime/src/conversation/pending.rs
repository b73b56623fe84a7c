//! Calls that wait for their answers.

use super::third_failure::Failures;
use super::{Conversation, NotPendingError, ReplyWarning};
use crate::approval::ProposedCall;
use crate::context::{BatchContext, Progress};
use crate::dispatch::{Approval, CallTerms, Dispatch, SideBySide};
use crate::fingerprint::fingerprint;
use crate::message::{AssistantMessage, Content, Message, ToolCall, ToolMessage};
use crate::outcome::{CallError, Outcome};
use crate::registry::Registry;
use std::collections::HashMap;

/// A conversation whose newest reply asks for tools. It becomes a [`Conversation`] again when each call has its answer,
/// and cannot be sent before.
///
/// [`dispatch`](PendingCalls::dispatch) runs them all. A program that asks a person approves or denies first
/// ([`awaiting_approval`](PendingCalls::awaiting_approval)), and may keep the calls for as long as the person needs: they
/// serialise, and come back in the same state (less what is for the program alone: outcomes and artifacts of answers,
/// and warnings). What was answered stays answered: [`run`](PendingCalls::run) keeps what is finished when its future
/// is dropped, and runs only the rest when it is called again.
///
/// ```
/// use tool_runtime::conversation::{PendingCalls, Turn};
/// use tool_runtime::{AssistantMessage, Conversation, Registry, ToolCall, tool, tools};
///
/// /// Deletes a file.
/// #[tool(requires_approval)]
/// fn delete(path: &str) -> String {
///     format!("{path} is deleted")
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = Registry::new(tools![delete])?;
/// let calls = ["a.txt", "b.txt"].map(|path| ToolCall::new(path, "delete", format!(r#"{{"path":"{path}"}}"#)));
/// let reply = AssistantMessage::calling(calls.into());
/// let Turn::Calls(pending) = Conversation::new().user("Delete both.").reply(reply) else { unreachable!() };
/// let kept = serde_json::to_string(&pending)?; // until the person has decided
///
/// let mut pending: PendingCalls = serde_json::from_str(&kept)?;
/// for call in pending.awaiting_approval(&registry) {
///     match call.arguments().get() {
///         r#"{"path":"a.txt"}"# => pending.approve(call.context().id())?,
///         _ => pending.deny(call.context().id(), "the user wants to keep it")?,
///     }
/// }
/// let chat = pending.dispatch(&registry).await;
/// assert_eq!(chat.messages()[2].text(), "a.txt is deleted");
/// assert_eq!(chat.messages()[3].text(), "Error: the user wants to keep it");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "the conversation is in it"]
pub struct PendingCalls {
    pub(super) before: Conversation,
    pub(super) reply: Box<AssistantMessage>,
    /// Of each call of the reply.
    pub(super) states: Vec<CallState>,
}

/// How far a call is.
#[derive(Clone, Debug, Default)]
pub(super) struct CallState {
    pub(super) answer: Option<ToolMessage>,
    /// That of the tool and the arguments that a person has approved.
    pub(super) approved: Option<Fingerprint>,
}

/// What tells a tool with its arguments from any other.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub(super) struct Fingerprint(String);

impl Fingerprint {
    fn of(call: &ToolCall) -> Self {
        let bytes = call.name.bytes().chain([0]).chain(call.arguments.bytes());
        Fingerprint(format!("{:016x}", fingerprint(bytes)))
    }
}

impl PendingCalls {
    /// The reply is an echo, and has calls.
    pub(super) fn new(before: Conversation, reply: AssistantMessage) -> Self {
        let states = vec![CallState::default(); reply.tool_calls.len()];
        PendingCalls { before, reply: Box::new(reply), states }
    }

    /// The calls of the reply, answered or not. Each has an id of its own.
    #[must_use]
    pub fn calls(&self) -> &[ToolCall] {
        &self.reply.tool_calls
    }

    /// The calls that have no answer yet.
    pub fn unanswered(&self) -> impl Iterator<Item = &ToolCall> {
        let calls = self.calls().iter().zip(&self.states);
        calls.filter(|(_, state)| state.answer.is_none()).map(|(call, _)| call)
    }

    /// The answer to the call with this id, if it is there.
    #[must_use]
    pub fn result_of(&self, id: &str) -> Option<&ToolMessage> {
        let mut calls = self.calls().iter().zip(&self.states);
        calls.find(|(call, _)| call.id == id)?.1.answer.as_ref()
    }

    /// Whether a person has approved the call with this id, with the arguments that it has, and it has not begun since.
    #[must_use]
    pub fn is_approved(&self, id: &str) -> bool {
        let mut calls = self.calls().iter().zip(&self.states);
        calls.any(|(call, state)| call.id == id && state.approval(call) == Approval::Given)
    }

    /// The conversation before the reply: to be shown, while the calls wait.
    pub fn conversation(&self) -> &Conversation {
        &self.before
    }

    /// The reply that asks for them, as it goes into the history: what it says beside its calls is its `content`.
    #[must_use]
    pub fn reply(&self) -> &AssistantMessage {
        &self.reply
    }

    /// As [`Conversation::warnings`].
    #[must_use]
    pub fn warnings(&self) -> &[ReplyWarning] {
        self.before.warnings()
    }

    /// The calls that a person must approve before they run, with the arguments that their tools will get: those of
    /// tools with `requires_approval`, neither answered nor approved yet. One that would not run anyway, since its
    /// arguments are not good, is not among them: the model is told why.
    ///
    /// The arguments of a tool that takes a state of its batch can only be looked at with that: see
    /// [`awaiting_approval_with`](PendingCalls::awaiting_approval_with).
    #[must_use]
    pub fn awaiting_approval(&self, registry: &Registry) -> Vec<ProposedCall> {
        self.awaiting_approval_with(registry, &BatchContext::new())
    }

    /// As [`awaiting_approval`](PendingCalls::awaiting_approval), with what the program will attach to the batch.
    #[must_use]
    pub fn awaiting_approval_with(&self, registry: &Registry, batch: &BatchContext) -> Vec<ProposedCall> {
        let calls = self.calls().iter().zip(&self.states).enumerate();
        let waiting = calls
            .filter(|(_, (call, state))| state.answer.is_none() && state.approval(call) == Approval::None);
        waiting.filter_map(|(index, (call, _))| registry.awaiting_approval(index, call, batch)).collect()
    }

    /// A person has approved this call with the arguments that it has now. For any others the approval does not hold,
    /// and not for a second time: a call that was begun in a run that was dropped needs it again. (A clone has it too,
    /// and so has what was saved before the run.) The hook of
    /// [`before_call`](crate::RegistryBuilder::before_call) is asked all the same, and may still deny.
    ///
    /// # Errors
    ///
    /// There is no such call, or it is answered.
    pub fn approve(&mut self, id: &str) -> Result<(), NotPendingError> {
        let (call, state) = self.unanswered_call(id)?;
        state.approved = Some(Fingerprint::of(call));
        Ok(())
    }

    /// A person has approved this call with arguments of their own: one JSON object, which stands in the history in
    /// place of what the model wrote. If its tool does not take them, the model is told so when it is run.
    ///
    /// # Errors
    ///
    /// There is no such call, or it is answered.
    pub fn approve_with(&mut self, id: &str, arguments: impl Into<String>) -> Result<(), NotPendingError> {
        let (call, state) = self.unanswered_call(id)?;
        call.set_arguments(arguments.into());
        state.approved = Some(Fingerprint::of(call));
        Ok(())
    }

    /// A person does not want this call to run. The model reads the reason after `Error: `.
    ///
    /// # Errors
    ///
    /// There is no such call, or it is answered.
    pub fn deny(&mut self, id: &str, reason: impl Into<String>) -> Result<(), NotPendingError> {
        let (call, state) = self.unanswered_call(id)?;
        *state = CallState { answer: Some(denied(call, reason.into())), approved: None };
        Ok(())
    }

    /// Answers this call in the place of its tool, which is not run.
    ///
    /// # Errors
    ///
    /// There is no such call, or it is answered.
    pub fn provide_result(&mut self, id: &str, content: impl Into<Content>) -> Result<(), NotPendingError> {
        let (call, state) = self.unanswered_call(id)?;
        *state = CallState { answer: Some(ToolMessage::new(&*call.id, content)), approved: None };
        Ok(())
    }

    /// Takes answers that a dispatch has given to these calls, in any order: that of a streamed reply, for example. An
    /// answer that has just come from a dispatch and says that its call needs approval is not taken, so that a person
    /// can still give it. What the model repeats in vain is told so, as in [`run`](PendingCalls::run).
    ///
    /// ```
    /// use tool_runtime::conversation::Turn;
    /// use tool_runtime::{AssistantMessage, Conversation, Registry, ToolCall, tool, tools};
    ///
    /// /// The time of day.
    /// #[tool]
    /// fn now() -> &'static str {
    ///     "12:00"
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = Registry::new(tools![now])?;
    /// let reply = AssistantMessage::calling(vec![ToolCall::new("call_1", "now", "{}")]);
    /// let answers = registry.dispatch(&reply.tool_calls).await;
    /// let Turn::Calls(mut pending) = Conversation::new().user("What time is it?").reply(reply) else { unreachable!() };
    /// pending.add_results(answers)?;
    /// let chat = pending.finish().expect("each call has its answer");
    /// assert_eq!(chat.messages()[2].text(), "12:00");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// An answer is for a call that is not there, or that has its answer: then none is taken.
    pub fn add_results(
        &mut self,
        answers: impl IntoIterator<Item = ToolMessage>,
    ) -> Result<(), NotPendingError> {
        let failures = Failures::before(self.before.messages());
        let calls = self.reply.tool_calls.iter().zip(&mut self.states);
        let mut open: HashMap<&str, _> = calls.map(|call| (&*call.0.id, call)).collect();
        let mut taken = Vec::new();
        for answer in answers {
            match open.remove(&*answer.tool_call_id) {
                Some((call, state)) if state.answer.is_none() => taken.push((call, state, answer)),
                Some(_) => return Err(NotPendingError::Answered { id: answer.tool_call_id }),
                None if self.reply.tool_calls.iter().any(|call| call.id == answer.tool_call_id) => {
                    return Err(NotPendingError::Answered { id: answer.tool_call_id });
                }
                None => return Err(NotPendingError::UnknownId { id: answer.tool_call_id }),
            }
        }
        for (call, state, answer) in taken {
            if !waits_for_approval(&answer) {
                *state = CallState { answer: Some(failures.told(call, answer)), approved: None };
            }
        }
        Ok(())
    }

    /// Answers every call that has no answer yet with `Error: ` and this reason, and runs none.
    ///
    /// ```
    /// use tool_runtime::conversation::Turn;
    /// use tool_runtime::{AssistantMessage, Conversation, ToolCall};
    ///
    /// let reply = AssistantMessage::calling(vec![ToolCall::new("call_1", "now", "{}")]);
    /// let Turn::Calls(pending) = Conversation::new().user("What time is it?").reply(reply) else { unreachable!() };
    /// let chat = pending.skip_rest("skipped by user");
    /// assert_eq!(chat.messages()[2].text(), "Error: skipped by user");
    /// ```
    pub fn skip_rest(self, reason: impl Into<String>) -> Conversation {
        let reason = reason.into();
        self.close(|call| denied(call, reason.clone()))
    }

    /// The person said something instead of deciding: every call that has no answer yet is answered with
    /// `Error: skipped by user`, and what the person said comes behind.
    ///
    /// ```
    /// use tool_runtime::conversation::Turn;
    /// use tool_runtime::{AssistantMessage, Conversation, ToolCall};
    ///
    /// let reply = AssistantMessage::calling(vec![ToolCall::new("call_1", "delete", "{}")]);
    /// let Turn::Calls(pending) = Conversation::new().user("Clean up.").reply(reply) else { unreachable!() };
    /// let chat = pending.interrupt("Wait, make a copy first.");
    /// assert_eq!(chat.messages()[2].text(), "Error: skipped by user");
    /// assert_eq!(chat.messages()[3].text(), "Wait, make a copy first.");
    /// ```
    pub fn interrupt(self, said: impl Into<Content>) -> Conversation {
        self.skip_rest("skipped by user").user(said)
    }

    /// Runs every call that has no answer yet, side by side, as [`Registry::dispatch`] does: each has its answer then.
    /// One that needs approval and has none is answered with an error that says so.
    ///
    /// When the future is dropped, the answers that are there stay; to run again runs the rest, from the beginning:
    /// what a tool did before it was dropped may have taken effect, and a `blocking` one that has a thread goes on. A
    /// call that has failed in the same way three times in a row since the user spoke is told so.
    pub async fn run(&mut self, registry: &Registry) {
        self.run_with(registry, &BatchContext::new()).await;
    }

    /// As [`run`](PendingCalls::run), with what the program attaches to this batch.
    pub async fn run_with(&mut self, registry: &Registry, batch: &BatchContext) {
        let dispatch = &Dispatch::of(batch);
        let failures = Failures::before(self.before.messages());
        let calls = self.reply.tool_calls.iter_mut().zip(&mut self.states).enumerate();
        let running = calls.filter(|(_, (_, state))| state.answer.is_none()).map(|(index, (call, state))| {
            let failures = &failures;
            async move {
                let approval = state.approval(call);
                let progress = Progress::default();
                let CallState { approved, answer } = state;
                let _used = UsedOnceBegun { approved, progress: &progress };
                let terms = CallTerms { approval, progress: Some(&progress), ..CallTerms::NONE };
                let answered = registry.answer(index, call, &terms, dispatch).await;
                registry.write_as_understood(call);
                *answer = Some(failures.told(call, answered));
            }
        });
        SideBySide::of(running).end().await;
    }

    /// The conversation, if every call has its answer.
    ///
    /// # Errors
    ///
    /// The calls as they are, if one has none.
    pub fn finish(self) -> Result<Conversation, Self> {
        if self.unanswered().next().is_some() {
            return Err(self);
        }
        // Nothing is left to be skipped.
        Ok(self.skip_rest(""))
    }

    /// Runs every call, and is the conversation again: [`run`](PendingCalls::run), then
    /// [`finish`](PendingCalls::finish).
    pub async fn dispatch(self, registry: &Registry) -> Conversation {
        self.dispatch_with(registry, &BatchContext::new()).await
    }

    /// As [`dispatch`](PendingCalls::dispatch), with what the program attaches to this batch.
    pub async fn dispatch_with(mut self, registry: &Registry, batch: &BatchContext) -> Conversation {
        self.run_with(registry, batch).await;
        // Nothing is left to be skipped.
        self.skip_rest("")
    }

    /// The conversation, with an answer for each call that has none.
    pub(super) fn close(self, missing: impl Fn(&ToolCall) -> ToolMessage) -> Conversation {
        let PendingCalls { before: mut conversation, reply, states } = self;
        let calls = reply.tool_calls.iter().zip(states);
        let answers: Vec<ToolMessage> =
            calls.map(|(call, state)| state.answer.unwrap_or_else(|| missing(call))).collect();
        conversation.push(Message::Assistant(*reply));
        for answer in answers {
            conversation.push(answer.into());
        }
        conversation
    }

    fn unanswered_call(&mut self, id: &str) -> Result<(&mut ToolCall, &mut CallState), NotPendingError> {
        let mut calls = self.reply.tool_calls.iter_mut().zip(&mut self.states);
        match calls.find(|(call, _)| call.id == id) {
            None => Err(NotPendingError::UnknownId { id: id.to_owned() }),
            Some((_, CallState { answer: Some(_), .. })) => {
                Err(NotPendingError::Answered { id: id.to_owned() })
            }
            Some(found) => Ok(found),
        }
    }
}

/// An approval is for one run: it is gone when the tool has begun, also if it does not come to its end.
struct UsedOnceBegun<'a> {
    approved: &'a mut Option<Fingerprint>,
    progress: &'a Progress,
}

impl Drop for UsedOnceBegun<'_> {
    fn drop(&mut self) {
        if self.progress.has_begun() {
            *self.approved = None;
        }
    }
}

impl CallState {
    fn approval(&self, call: &ToolCall) -> Approval {
        match &self.approved {
            Some(approved) if *approved == Fingerprint::of(call) => Approval::Given,
            _ => Approval::None,
        }
    }
}

fn waits_for_approval(answer: &ToolMessage) -> bool {
    matches!(answer.outcome().and_then(Outcome::error), Some(CallError::NeedsApproval { .. }))
}

pub(super) fn denied(call: &ToolCall, reason: String) -> ToolMessage {
    ToolMessage::failed(&call.id, CallError::Denied { tool: call.name.clone(), reason })
}
