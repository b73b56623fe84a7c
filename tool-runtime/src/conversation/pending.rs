//! Calls that wait for their results.

mod call_state;
mod decisions;
mod inner_calls;
mod positions;
mod run;
mod run_call;

pub(super) use call_state::{CallState, Edit, Phase, ReplacedArguments, WaitsFor};
use positions::Positions;
pub(crate) use run::{CallsToRun, StreamedCalls};
pub(super) use run_call::CallsRun;

use super::{Conversation, FinishedCall, WaitingCall, is_question};
use crate::context::{Cause, RunContext};
use crate::dispatch::HandedOutCall;
use crate::message::{AssistantMessage, Message, ToolCall, ToolMessage};
use crate::outcome::CallError;
use crate::registry::Registry;
use crate::tool::{Approval, Batch};

/// A conversation whose newest reply calls tools. It becomes a [`Conversation`] again once each call has its result,
/// and cannot be sent before.
///
/// [`dispatch`](PendingCalls::dispatch) runs all calls. A program that asks a person uses [`run`](PendingCalls::run), which
/// keeps the calls that need an approval ([`awaiting_approval`](PendingCalls::awaiting_approval)), and can store them until
/// the person decides: they serialize with their state and without loss, except for data of the program (outcomes and
/// artifacts of results, and warnings).
///
/// If the future of [`run`](PendingCalls::run) is dropped, finished calls keep their results, and the next `run` runs only
/// the others.
///
/// ```
/// use tool_runtime::conversation::{PendingCalls, Received};
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
/// let reply = AssistantMessage::from_tool_calls(calls);
/// let Received::ToolCalls(mut pending) = Conversation::new().user("Delete both.").receive(reply) else { unreachable!() };
/// pending.run(&registry).await;
/// let stored = serde_json::to_string(&pending)?; // until the person has decided
///
/// let mut pending: PendingCalls = serde_json::from_str(&stored)?;
/// for call in pending.awaiting_approval() {
///     match &*call.arguments {
///         r#"{"path":"a.txt"}"# => pending.approve(&call.id)?,
///         _ => pending.deny(&call.id, "the user wants to keep it")?,
///     }
/// }
/// let chat = pending.dispatch(&registry).await;
/// assert_eq!(chat.messages()[2].text(), "a.txt is deleted");
/// assert_eq!(chat.messages()[3].text(), "Error: the user wants to keep it");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "it contains the conversation"]
pub struct PendingCalls {
    pub(super) before: Conversation,
    pub(super) reply: Box<AssistantMessage>,
    /// One state for each call of the reply.
    pub(super) states: Vec<CallState>,
    positions: Positions,
    /// The number of calls, from the first, that are known to have results.
    finished_calls: usize,
}

impl PendingCalls {
    /// The reply must have calls, with usable ids.
    pub(super) fn new(before: Conversation, reply: AssistantMessage) -> Self {
        let states = vec![CallState::default(); reply.tool_calls.len()];
        PendingCalls::with_states(before, reply, states)
    }

    /// The reply has one call for each state.
    pub(super) fn with_states(before: Conversation, reply: AssistantMessage, states: Vec<CallState>) -> Self {
        PendingCalls {
            before,
            reply: Box::new(reply),
            states,
            positions: Positions::default(),
            finished_calls: 0,
        }
    }

    /// The position of the call with this id.
    pub(in crate::conversation) fn position(&self, id: &str) -> Option<usize> {
        self.positions.find(id, &self.reply.tool_calls)
    }

    /// The calls of the reply, with and without results. Their ids are unique within the reply. Keys that a provider rejects
    /// have their written names until a run, since no registry has seen the calls before.
    #[must_use]
    pub fn calls(&self) -> &[ToolCall] {
        &self.reply.tool_calls
    }

    /// The calls without results.
    pub fn without_result(&self) -> impl Iterator<Item = &ToolCall> {
        let calls = self.calls().iter().zip(&self.states);
        calls.filter(|(_, state)| state.result().is_none()).map(|(call, _)| call)
    }

    /// The result of the call with this id, if there is one.
    #[must_use]
    pub fn result_of(&self, id: &str) -> Option<&ToolMessage> {
        let owner = self.owner(id);
        owner.states[owner.position(id)?].result()
    }

    /// Whether each call has its result. It continues after the calls that are known to have results, so that many decisions
    /// take linear time.
    pub(crate) fn is_finished(&mut self) -> bool {
        let finished = &mut self.finished_calls;
        // A result is never removed.
        while self.states.get(*finished).is_some_and(|state| state.result().is_some()) {
            *finished += 1;
        }
        *finished == self.states.len()
    }

    /// Whether the call at this position has its result; `None` if there is no such call.
    pub(crate) fn has_result(&self, position: usize) -> Option<bool> {
        self.states.get(position).map(|state| state.result().is_some())
    }

    /// Whether the call with this id is approved with its current arguments, and has not started since the approval.
    #[must_use]
    pub fn is_approved(&self, id: &str) -> bool {
        let owner = self.owner(id);
        owner
            .position(id)
            .is_some_and(|at| owner.states[at].approval(&owner.calls()[at]) == Approval::Granted)
    }

    /// The conversation before the reply, for example to display it while the calls wait.
    pub fn conversation(&self) -> &Conversation {
        &self.before
    }

    pub(crate) fn conversation_mut(&mut self) -> &mut Conversation {
        &mut self.before
    }

    /// The reply with the calls, as it will be in the history. Its text is its `content`.
    #[must_use]
    pub fn reply(&self) -> &AssistantMessage {
        &self.reply
    }

    /// The calls whose results come from elsewhere: from a job, a person, the system that runs the tool, or the process to which
    /// the call was [handed out](PendingCalls::handed_out). Empty before the first [`run`](PendingCalls::run), unless
    /// [`add_results`](PendingCalls::add_results) has added such a call.
    #[must_use]
    pub fn awaiting_result(&self) -> Vec<WaitingCall> {
        self.waiting(&|call, state| state.waits_for_result() && !is_question(call))
    }

    /// The calls that other processes run: see [`hand_out`](PendingCalls::hand_out).
    #[must_use]
    pub fn handed_out(&self) -> Vec<HandedOutCall> {
        self.states.iter().filter_map(CallState::handed_out).cloned().collect()
    }

    /// The calls that a person must approve, with the arguments that their tools will receive, and with the reasons why
    /// arguments that a person has edited are invalid. Empty before the first [`run`](PendingCalls::run), unless
    /// [`add_results`](PendingCalls::add_results) has added the failure of such a call.
    #[must_use]
    pub fn awaiting_approval(&self) -> Vec<WaitingCall> {
        self.waiting(&|_, state| !state.waits_for_result())
    }

    /// The batch of the calls, with the number of their reply.
    fn batch<'a>(&self, registry: &'a Registry) -> Batch<'a> {
        // The context of a session's run has the number. Counting the replies again for each reply would take quadratic
        // time.
        let number = registry.run_context().and_then(RunContext::number_of_reply);
        let replies = || {
            let messages = self.before.messages().iter();
            messages.filter(|message| matches!(message, Message::Assistant(_))).count() as u64
        };
        let has_written_keys = registry.has_written_keys(&self.reply);
        Batch { has_written_keys, ..registry.new_batch(number.unwrap_or_else(replies)) }
    }

    /// Fails every call without a result with `Error: ` and this reason. No tool runs. The error of a call that began in
    /// an interrupted run reports that it may have taken effect.
    ///
    /// ```
    /// use tool_runtime::conversation::Received;
    /// use tool_runtime::{AssistantMessage, Conversation, ToolCall};
    ///
    /// let reply = AssistantMessage::from_tool_calls(vec![ToolCall::new("call_1", "now", "{}")]);
    /// let Received::ToolCalls(pending) = Conversation::new().user("What time is it?").receive(reply) else { unreachable!() };
    /// let chat = pending.skip_calls("skipped by user");
    /// assert_eq!(chat.messages()[2].text(), "Error: skipped by user");
    /// ```
    pub fn skip_calls(self, reason: impl Into<String>) -> Conversation {
        let reason = reason.into();
        let PendingCalls { before: mut conversation, mut reply, states, .. } = self;
        let calls = reply.tool_calls.iter_mut().zip(states);
        let results: Vec<ToolMessage> = calls
            .map(|(call, state)| match state {
                CallState { phase: Phase::Finished(result), .. } => result,
                mut state => {
                    for ended in state.skip_inner_calls(&call.id, &reason) {
                        conversation.push_unreported(ended);
                    }
                    state.restore_arguments(call);
                    let result = denied(call, &state, reason.clone());
                    let cause = state.cause(Cause::Skipped);
                    if !is_question(call) {
                        let unreported = FinishedCall::new(state.reported_call(call), cause, &result);
                        conversation.push_unreported(unreported);
                    }
                    result
                }
            })
            .collect();
        conversation.push(Message::Assistant(*reply));
        for result in results {
            conversation.push(result.into());
        }
        conversation
    }

    /// Returns the conversation if every call has its result.
    ///
    /// # Errors
    ///
    /// Returns the pending calls if a call has no result.
    pub fn into_conversation(self) -> Result<Conversation, Self> {
        if self.without_result().next().is_some() {
            return Err(self);
        }
        // Every call has its result, so none is skipped.
        Ok(self.skip_calls(""))
    }

    /// Runs every call and returns the conversation. A call that needs approval and has none, whose result comes later, or
    /// that is cancelled, fails with an error that reports it: to keep such calls, use [`run`](PendingCalls::run).
    ///
    /// If the future is dropped, the conversation is lost; [`run`](PendingCalls::run) keeps it.
    pub async fn dispatch(mut self, registry: &Registry) -> Conversation {
        self.run_calls(registry, CallsToRun::FAIL).await;
        // Every call has its result, so none is skipped.
        self.skip_calls("")
    }
}

/// The message of a call that a person denied or skipped.
pub(super) fn denied(call: &ToolCall, state: &CallState, reason: String) -> ToolMessage {
    let tool = tool_name(call, state);
    let error = if state.may_have_taken_effect() {
        CallError::Interrupted { tool, reason }
    } else {
        CallError::Denied { tool, reason }
    };
    let mut result = ToolMessage::failed(&call.id, &call.name, error);
    result.add_note(&state.note_of_inner_calls());
    result
}

/// The name of the called tool, for an error.
fn tool_name(call: &ToolCall, state: &CallState) -> String {
    state.contained_tool().unwrap_or(&call.name).to_owned()
}
