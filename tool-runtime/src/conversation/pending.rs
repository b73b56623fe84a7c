//! Calls that wait for their results.

use super::repeated_failures::Failures;
use super::{Conversation, NotPendingError, ReplyWarning};
use crate::approval::ProposedCall;
use crate::context::CallRecord;
use crate::dispatch::Concurrent;
use crate::fingerprint::Fingerprint;
use crate::message::{AssistantMessage, Content, Message, ToolCall, ToolMessage};
use crate::outcome::{CallError, Outcome};
use crate::registry::Registry;
use crate::tool::{Approval, Batch};
use std::collections::HashMap;

/// A conversation whose newest reply calls tools. It becomes a [`Conversation`] again once each call has its result,
/// and cannot be sent before.
///
/// [`dispatch`](PendingCalls::dispatch) runs all calls. A program that asks a person approves or denies calls first
/// ([`awaiting_approval`](PendingCalls::awaiting_approval)), and can store them until the person decides: they
/// serialize with their state and without loss, except for data of the program (outcomes and artifacts of results, and
/// warnings).
/// Results are kept: if the future of [`run`](PendingCalls::run) is dropped, finished calls keep their results, and the
/// next `run` runs only the others.
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
/// let reply = AssistantMessage::from_tool_calls(calls.into());
/// let Received::ToolCalls(pending) = Conversation::new().user("Delete both.").receive(reply) else { unreachable!() };
/// let stored = serde_json::to_string(&pending)?; // until the person has decided
///
/// let mut pending: PendingCalls = serde_json::from_str(&stored)?;
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
#[must_use = "it contains the conversation"]
pub struct PendingCalls {
    pub(super) before: Conversation,
    pub(super) reply: Box<AssistantMessage>,
    /// One state for each call of the reply.
    pub(super) states: Vec<CallState>,
}

/// The state of a call.
#[derive(Clone, Debug, Default)]
pub(super) struct CallState {
    pub(super) result: Option<ToolMessage>,
    /// The fingerprint of the approved tool and arguments.
    pub(super) approved: Option<Fingerprint>,
}

impl PendingCalls {
    /// The reply must have calls, with usable ids.
    pub(super) fn new(before: Conversation, reply: AssistantMessage) -> Self {
        let states = vec![CallState::default(); reply.tool_calls.len()];
        PendingCalls { before, reply: Box::new(reply), states }
    }

    /// The calls of the reply, with and without results. Their ids are unique within the reply.
    #[must_use]
    pub fn calls(&self) -> &[ToolCall] {
        &self.reply.tool_calls
    }

    /// The calls without results.
    pub fn without_result(&self) -> impl Iterator<Item = &ToolCall> {
        let calls = self.calls().iter().zip(&self.states);
        calls.filter(|(_, state)| state.result.is_none()).map(|(call, _)| call)
    }

    /// The result of the call with this id, if there is one.
    #[must_use]
    pub fn result_of(&self, id: &str) -> Option<&ToolMessage> {
        let mut calls = self.calls().iter().zip(&self.states);
        calls.find(|(call, _)| call.id == id)?.1.result.as_ref()
    }

    /// Whether the call with this id is approved with its current arguments, and has not started since the approval.
    #[must_use]
    pub fn is_approved(&self, id: &str) -> bool {
        let mut calls = self.calls().iter().zip(&self.states);
        calls.any(|(call, state)| call.id == id && state.approval(call) == Approval::Granted)
    }

    /// The conversation before the reply, for example to display it while the calls wait.
    pub fn conversation(&self) -> &Conversation {
        &self.before
    }

    /// The reply with the calls, as it will be in the history. Its text is its `content`.
    #[must_use]
    pub fn reply(&self) -> &AssistantMessage {
        &self.reply
    }

    /// Like [`Conversation::warnings`].
    #[must_use]
    pub fn warnings(&self) -> &[ReplyWarning] {
        self.before.warnings()
    }

    /// The calls that a person must approve before they run, with the arguments that their tools will receive: calls of
    /// tools with `requires_approval` without result and without approval. A call with invalid arguments is not
    /// included, since it does not run; the model receives an error.
    ///
    /// If a tool takes state from its batch, its arguments can be checked only with that state: use a registry that is
    /// [bound](Registry::with) to the batch.
    #[must_use]
    pub fn awaiting_approval(&self, registry: &Registry) -> Vec<ProposedCall> {
        let batch = self.batch(registry);
        let calls = self.calls().iter().zip(&self.states).enumerate();
        let waiting = calls
            .filter(|(_, (call, state))| state.result.is_none() && state.approval(call) == Approval::None);
        waiting
            .filter_map(|(position, (call, _))| registry.awaiting_approval(&batch, position, call))
            .collect()
    }

    /// The batch of the calls, with the number of their reply.
    fn batch<'a>(&self, registry: &'a Registry) -> Batch<'a> {
        let replies =
            self.before.messages().iter().filter(|message| matches!(message, Message::Assistant(_)));
        Batch::new(registry.batch(), replies.count() as u64)
    }

    /// Approves this call with its current arguments. The approval is valid only for these arguments and for one run: a
    /// call that started in a run that was dropped needs a new approval. (A clone keeps the approval, and so do calls
    /// that were stored before the run.) The hook of [`before_call`](crate::RegistryBuilder::before_call) runs in
    /// addition, and may deny the call.
    ///
    /// # Errors
    ///
    /// There is no call with this id, or it already has a result.
    pub fn approve(&mut self, id: &str) -> Result<(), NotPendingError> {
        let (call, state) = self.call_without_result(id)?;
        state.approved = Some(fingerprint(call));
        Ok(())
    }

    /// Approves this call with other arguments: the text of one JSON object, which replaces the arguments of the model
    /// in the history. If they are invalid, the call fails when it runs, and the model receives the error.
    ///
    /// # Errors
    ///
    /// There is no call with this id, or it already has a result.
    pub fn approve_with(&mut self, id: &str, arguments: impl Into<String>) -> Result<(), NotPendingError> {
        let (call, state) = self.call_without_result(id)?;
        call.set_arguments(arguments.into());
        state.approved = Some(fingerprint(call));
        Ok(())
    }

    /// Denies this call, which does not run. The model receives the reason after `Error: `.
    ///
    /// # Errors
    ///
    /// There is no call with this id, or it already has a result.
    pub fn deny(&mut self, id: &str, reason: impl Into<String>) -> Result<(), NotPendingError> {
        let (call, state) = self.call_without_result(id)?;
        *state = CallState { result: Some(denied(call, reason.into())), approved: None };
        Ok(())
    }

    /// Sets the result of this call: text, or parts with images and files ([`Content`]). Its tool does not run. For a failure,
    /// [`add_results`](PendingCalls::add_results) takes a [`ToolMessage::error`].
    ///
    /// # Errors
    ///
    /// There is no call with this id, or it already has a result.
    pub fn provide_result(&mut self, id: &str, content: impl Into<Content>) -> Result<(), NotPendingError> {
        let (call, state) = self.call_without_result(id)?;
        *state = CallState {
            result: Some(ToolMessage::new(&*call.id, content).with_tool(&*call.name)),
            approved: None,
        };
        Ok(())
    }

    /// Adds results of these calls from a dispatch, in any order: for example the results of a streamed reply. A
    /// failure that only reports that its call needs approval is ignored, so that a person can still approve the call.
    /// Repeated failures get a note for the model, as in [`run`](PendingCalls::run).
    ///
    /// ```
    /// use tool_runtime::conversation::Received;
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
    /// let reply = AssistantMessage::from_tool_calls(vec![ToolCall::new("call_1", "now", "{}")]);
    /// let results = registry.dispatch(&reply.tool_calls).await;
    /// let Received::ToolCalls(mut pending) = Conversation::new().user("What time is it?").receive(reply) else { unreachable!() };
    /// pending.add_results(results)?;
    /// let chat = pending.finish().expect("each call has its result");
    /// assert_eq!(chat.messages()[2].text(), "12:00");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// A result belongs to no call, or to a call that already has a result. In this case, no result is added.
    pub fn add_results(
        &mut self,
        results: impl IntoIterator<Item = ToolMessage>,
    ) -> Result<(), NotPendingError> {
        let failures = Failures::before(self.before.messages());
        let calls = self.reply.tool_calls.iter().zip(&mut self.states);
        let mut open: HashMap<&str, _> = calls.map(|call| (&*call.0.id, call)).collect();
        let mut taken = Vec::new();
        for result in results {
            match open.remove(&*result.tool_call_id) {
                Some((call, state)) if state.result.is_none() => taken.push((call, state, result)),
                Some(_) => return Err(NotPendingError::HasResult { id: result.tool_call_id }),
                None if self.reply.tool_calls.iter().any(|call| call.id == result.tool_call_id) => {
                    return Err(NotPendingError::HasResult { id: result.tool_call_id });
                }
                None => return Err(NotPendingError::UnknownId { id: result.tool_call_id }),
            }
        }
        for (call, state, result) in taken {
            if !waits_for_approval(&result) {
                *state = CallState { result: Some(failures.with_note(call, result)), approved: None };
            }
        }
        Ok(())
    }

    /// Fails every call without a result with `Error: ` and this reason. No tool runs.
    ///
    /// ```
    /// use tool_runtime::conversation::Received;
    /// use tool_runtime::{AssistantMessage, Conversation, ToolCall};
    ///
    /// let reply = AssistantMessage::from_tool_calls(vec![ToolCall::new("call_1", "now", "{}")]);
    /// let Received::ToolCalls(pending) = Conversation::new().user("What time is it?").receive(reply) else { unreachable!() };
    /// let chat = pending.skip_rest("skipped by user");
    /// assert_eq!(chat.messages()[2].text(), "Error: skipped by user");
    /// ```
    pub fn skip_rest(self, reason: impl Into<String>) -> Conversation {
        let reason = reason.into();
        self.close(|call| denied(call, reason.clone()))
    }

    /// Fails every call without a result with `Error: skipped by user`, and adds a user message. For a user who writes
    /// something instead of deciding about the calls.
    ///
    /// ```
    /// use tool_runtime::conversation::Received;
    /// use tool_runtime::{AssistantMessage, Conversation, ToolCall};
    ///
    /// let reply = AssistantMessage::from_tool_calls(vec![ToolCall::new("call_1", "delete", "{}")]);
    /// let Received::ToolCalls(pending) = Conversation::new().user("Clean up.").receive(reply) else { unreachable!() };
    /// let chat = pending.interrupt("Wait, make a copy first.");
    /// assert_eq!(chat.messages()[2].text(), "Error: skipped by user");
    /// assert_eq!(chat.messages()[3].text(), "Wait, make a copy first.");
    /// ```
    pub fn interrupt(self, content: impl Into<Content>) -> Conversation {
        self.skip_rest("skipped by user").user(content)
    }

    /// Runs every call without a result concurrently, like [`Registry::dispatch`]. A call that needs approval and has
    /// none fails with an error that reports it.
    ///
    /// If the future is dropped, finished calls keep their results. The next run starts the others again, although they
    /// may have taken effect before; a `blocking` tool that is running continues on its thread. A call that failed in
    /// the same way three times in a row since the last user message gets a note for the model.
    pub async fn run(&mut self, registry: &Registry) {
        let registry = &*registry.for_dispatch();
        let batch = &self.batch(registry);
        let failures = Failures::before(self.before.messages());
        let calls = self.reply.tool_calls.iter_mut().zip(&mut self.states).enumerate();
        let running =
            calls.filter(|(_, (_, state))| state.result.is_none()).map(|(position, (call, state))| {
                let failures = &failures;
                async move {
                    let approval = state.approval(call);
                    let record = CallRecord::default();
                    let CallState { approved, result } = state;
                    let _used = UsedOnceBegun { approved, record: &record };
                    let mut message = ToolMessage::blank(&call.id);
                    registry
                        .write_message(batch, position, call, approval, Some(&record), &mut message)
                        .await;
                    registry.store_coerced_arguments(call);
                    *result = Some(failures.with_note(call, message));
                }
            });
        Concurrent::new(running).join().await;
    }

    /// Returns the conversation if every call has its result.
    ///
    /// # Errors
    ///
    /// Returns the pending calls if a call has no result.
    pub fn finish(self) -> Result<Conversation, Self> {
        if self.without_result().next().is_some() {
            return Err(self);
        }
        // Every call has its result, so none is skipped.
        Ok(self.skip_rest(""))
    }

    /// Runs every call and returns the conversation: [`run`](PendingCalls::run), then [`finish`](PendingCalls::finish).
    pub async fn dispatch(mut self, registry: &Registry) -> Conversation {
        self.run(registry).await;
        // Every call has its result, so none is skipped.
        self.skip_rest("")
    }

    /// Returns the conversation, with `missing` for each call without a result.
    pub(super) fn close(self, missing: impl Fn(&ToolCall) -> ToolMessage) -> Conversation {
        let PendingCalls { before: mut conversation, reply, states } = self;
        let calls = reply.tool_calls.iter().zip(states);
        let results: Vec<ToolMessage> =
            calls.map(|(call, state)| state.result.unwrap_or_else(|| missing(call))).collect();
        conversation.push(Message::Assistant(*reply));
        for result in results {
            conversation.push(result.into());
        }
        conversation
    }

    fn call_without_result(&mut self, id: &str) -> Result<(&mut ToolCall, &mut CallState), NotPendingError> {
        let mut calls = self.reply.tool_calls.iter_mut().zip(&mut self.states);
        match calls.find(|(call, _)| call.id == id) {
            None => Err(NotPendingError::UnknownId { id: id.to_owned() }),
            Some((_, CallState { result: Some(_), .. })) => {
                Err(NotPendingError::HasResult { id: id.to_owned() })
            }
            Some(found) => Ok(found),
        }
    }
}

/// Removes the approval once the tool has started, even if it does not finish: an approval is valid for one run.
struct UsedOnceBegun<'a> {
    approved: &'a mut Option<Fingerprint>,
    record: &'a CallRecord,
}

impl Drop for UsedOnceBegun<'_> {
    fn drop(&mut self) {
        if self.record.has_begun() {
            *self.approved = None;
        }
    }
}

impl CallState {
    fn approval(&self, call: &ToolCall) -> Approval {
        match &self.approved {
            Some(approved) if *approved == fingerprint(call) => Approval::Granted,
            _ => Approval::None,
        }
    }
}

/// The fingerprint of a tool and its arguments.
fn fingerprint(call: &ToolCall) -> Fingerprint {
    Fingerprint::new(&[&call.name, &call.arguments])
}

fn waits_for_approval(result: &ToolMessage) -> bool {
    matches!(result.outcome().and_then(Outcome::error), Some(CallError::NeedsApproval { .. }))
}

pub(super) fn denied(call: &ToolCall, reason: String) -> ToolMessage {
    ToolMessage::failed(&call.id, &call.name, CallError::Denied { tool: call.name.clone(), reason })
}
