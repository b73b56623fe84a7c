//! The run of pending calls.

use super::call_state::fingerprint;
use super::{CallState, PendingCalls, WaitsFor, tool_name};
use crate::context::{BatchContext, BegunCalls, CallRecord};
use crate::conversation::repeated_failures::Failures;
use crate::dispatch::{Concurrent, EarlyCalls};
use crate::message::{ToolCall, ToolMessage};
use crate::outcome::{CallError, Outcome};
use crate::registry::Registry;
use crate::tool::{Approval, Batch};
use futures_util::FutureExt as _;
use tokio_util::sync::CancellationToken;

impl PendingCalls {
    /// Runs every call without a result concurrently, like [`Registry::dispatch`]. Each call has a result afterwards: one
    /// that needs approval and has none, or whose result comes later, fails with an error that reports it. To keep such
    /// calls pending, use [`run_allowed`](PendingCalls::run_allowed).
    ///
    /// If the future is dropped, finished calls keep their results. The next run starts the calls that had not begun,
    /// and repeats those of `read_only` and `idempotent` tools. Any other call fails with [`CallError::Interrupted`],
    /// since it may have taken effect. A `blocking` tool that is running continues on its thread.
    ///
    /// If a call fails in the same way three times in a row since the last user message, its error ends with a note for the
    /// model; [`note_repeated_failures`](crate::RegistryBuilder::note_repeated_failures) changes this number.
    pub async fn run(&mut self, registry: &Registry) {
        self.run_calls(registry, Unfinished::Fail, |_| true).await;
    }

    /// Runs calls like [`run`](PendingCalls::run), but keeps these pending: calls that need an approval, calls whose
    /// results come later, and cancelled calls.
    ///
    /// The [`before_call`](crate::RegistryBuilder::before_call) hook decides first: a call that it denies is denied without
    /// a person. The hook is called again for each call that still needs an approval in the next run.
    ///
    /// ```
    /// use tool_runtime::conversation::Received;
    /// use tool_runtime::{AssistantMessage, Conversation, Registry, ToolCall, tool, tools};
    ///
    /// /// The names of all files.
    /// #[tool(read_only)]
    /// fn list() -> &'static str {
    ///     "a.txt"
    /// }
    ///
    /// /// Deletes a file.
    /// #[tool(requires_approval)]
    /// fn delete(path: &str) {}
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = Registry::new(tools![list, delete])?;
    /// let calls = vec![ToolCall::new("1", "list", "{}"), ToolCall::new("2", "delete", r#"{"path":"a.txt"}"#)];
    /// let chat = Conversation::new().user("Clean up.");
    /// let Received::ToolCalls(mut pending) = chat.receive(AssistantMessage::from_tool_calls(calls)) else {
    ///     unreachable!()
    /// };
    /// pending.run_allowed(&registry).await;
    /// assert_eq!(pending.result_of("1").map(|result| result.text()), Some("a.txt"));
    /// assert_eq!(pending.awaiting_approval(&registry)[0].id(), "2");
    /// # Ok(())
    /// # }
    /// ```
    pub async fn run_allowed(&mut self, registry: &Registry) {
        self.run_calls(registry, Unfinished::Keep, |_| true).await;
    }

    /// Gives the calls the keys of their tools. An approved call stays approved. Returns whether a call had written names.
    fn use_own_keys(&mut self, registry: &Registry) -> bool {
        if !registry.has_rejected_keys() {
            return false;
        }
        let written: Vec<_> = self.reply.tool_calls.iter().map(fingerprint).collect();
        let has_changed = registry.use_own_keys(&mut self.reply);
        for ((call, state), written) in self.reply.tool_calls.iter().zip(&mut self.states).zip(written) {
            if state.approved == Some(written) {
                state.approved = Some(fingerprint(call));
            }
            state.change_replaced(call, |replaced| registry.own_call(replaced));
        }
        has_changed
    }

    /// Runs the calls without results at these positions.
    pub(crate) async fn run_calls(
        &mut self,
        registry: &Registry,
        unfinished: Unfinished,
        is_wanted: impl Fn(usize) -> bool,
    ) {
        let registry = &*registry.for_dispatch();
        let was_written = self.use_own_keys(registry);
        let batch = self.batch(registry);
        let batch = &Batch { has_written_keys: batch.has_written_keys || was_written, ..batch };
        let interrupted = &Batch {
            rejection: Some(|tool| CallError::Interrupted { tool, reason: String::new() }),
            ..*batch
        };
        let no_result =
            &Batch { rejection: Some(|tool| CallError::NeedsResult { tool, ticket: None }), ..*batch };
        let failures = Failures::before(self.before.messages(), registry.repeated_failures());
        let run = &CallsRun { registry, batch, failures, unfinished };
        let calls = self.reply.tool_calls.iter_mut().zip(&mut self.states).enumerate();
        let open = calls.filter(|(position, (_, state))| {
            let may_run = unfinished == Unfinished::Fail || !state.waits_for_result();
            state.result.is_none() && may_run && is_wanted(*position)
        });
        let running = open.map(|(position, (call, state))| async move {
            if state.is_interrupted() {
                // The tool has begun with the arguments in the history.
                state.replaced = None;
            }
            if let Some(arguments) = state.edit.take() {
                registry.inner_call(call).replace_arguments(call, arguments);
                state.approved = Some(fingerprint(call));
            }
            let batch = match &*state {
                CallState { has_begun: true, .. } if !registry.may_repeat(call) => interrupted,
                state if state.waits_for_result() => no_result,
                _ => batch,
            };
            let approval = state.approval(call);
            let record = CallRecord::default();
            record.set_counted(state.is_counted);
            if state.is_edited && unfinished == Unfinished::Keep {
                record.set_waits_if_invalid();
            }
            let mut message = ToolMessage::blank(&call.id);
            let begun = MarkBegun { state: &mut *state, record: &record };
            registry.write_message(batch, position, call, approval, Some(&record), &mut message).await;
            drop(begun);
            run.take(position, call, state, message);
        });
        Concurrent::new(running).join().await;
    }

    /// Takes the results of calls that started while their reply was received.
    pub(crate) fn take_early(&mut self, registry: &Registry, early: &EarlyCalls) {
        let batch = &self.batch(registry);
        let failures = Failures::before(self.before.messages(), registry.repeated_failures());
        let run = CallsRun { registry, batch, failures, unfinished: Unfinished::Keep };
        for (&position, early) in early {
            let call = self.reply.tool_calls.get_mut(position);
            let (Some(call), Some(state)) = (call, self.states.get_mut(position)) else { continue };
            if early.has_begun() {
                state.set_begun();
            }
            state.is_counted = early.is_counted();
            if let Some(message) = early.take_message() {
                run.take(position, call, state, message);
            }
        }
    }

    /// Counts this call towards the `max_calls` of its tool, unless it counts already.
    pub(crate) fn count_call(&self, registry: &Registry, id: &str, counts: &BegunCalls) {
        let Some(position) = self.position(id).filter(|&at| !self.states[at].is_counted) else { return };
        let call = &self.calls()[position];
        let inner = registry.inner_call(call);
        let name = &inner.or(call).name;
        if let Some(limit) = registry.policy(name).and_then(|policy| policy.max_calls) {
            counts.count(name, limit);
        }
    }

    /// Marks the calls that a run may start as begun.
    pub(crate) fn set_open_begun(&mut self) {
        let is_open = |state: &&mut CallState| state.result.is_none() && state.waits_for.is_none();
        self.states.iter_mut().filter(is_open).for_each(CallState::set_begun);
    }

    /// Fails the calls without results at these positions. None of them runs.
    pub(crate) fn reject(
        &mut self,
        registry: &Registry,
        error: fn(String) -> CallError,
        is_wanted: impl Fn(usize) -> bool,
    ) {
        let batch = &Batch { rejection: Some(error), ..self.batch(registry) };
        let calls = self.reply.tool_calls.iter_mut().zip(&mut self.states).enumerate();
        for (position, (call, state)) in calls.filter(|(position, _)| is_wanted(*position)) {
            if state.result.is_some() {
                continue;
            }
            state.restore_arguments(call);
            let mut message = ToolMessage::blank(&call.id);
            let writing = registry.write_message(batch, position, call, Approval::None, None, &mut message);
            // A rejected call has its message at once.
            if writing.now_or_never().is_some() {
                *state = CallState::with_result(message);
            }
        }
    }
}

/// The calls that a run cannot finish, since they need an approval or a result from elsewhere, or since they are cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unfinished {
    /// They fail.
    Fail,
    /// They stay pending.
    Keep,
}

/// Marks a call that has begun. An approval is valid for one run, even if the tool does not finish.
struct MarkBegun<'a> {
    state: &'a mut CallState,
    record: &'a CallRecord,
}

impl Drop for MarkBegun<'_> {
    fn drop(&mut self) {
        if self.record.has_begun() {
            self.state.set_begun();
        }
        self.state.is_counted = self.record.is_counted();
    }
}

/// The data that the calls of a run share.
struct CallsRun<'a> {
    registry: &'a Registry,
    batch: &'a Batch<'a>,
    failures: Failures<'a>,
    unfinished: Unfinished,
}

impl CallsRun<'_> {
    /// Takes the message of a call.
    fn take(&self, position: usize, call: &mut ToolCall, state: &mut CallState, message: ToolMessage) {
        let error = message.outcome().and_then(Outcome::error);
        match error.filter(|_| self.unfinished == Unfinished::Keep) {
            // Its reply was truncated after it had started early: it will not run, so no person is asked.
            Some(CallError::NeedsApproval { .. } | CallError::NeedsResult { ticket: None, .. })
                if call.is_truncated =>
            {
                let error = CallError::Truncated { tool: tool_name(call, state) };
                *state = CallState::with_result(ToolMessage::failed(&call.id, &call.name, error));
            }
            Some(CallError::NeedsApproval { .. }) => self.ask(position, call, state, None),
            Some(CallError::NeedsResult { ticket, .. }) => {
                let (tool, arguments) = self.called(position, call);
                state.wait(WaitsFor::Result { tool, arguments, ticket: ticket.clone() });
            }
            Some(error) if state.is_edited && error.is_about_arguments() => {
                self.ask(position, call, state, Some(error.to_string()));
            }
            // The next run starts it again, unless it has begun and must not be repeated.
            Some(CallError::Cancelled { .. }) if self.is_cancelled() => {}
            _ => {
                self.registry.store_coerced_arguments(call);
                *state = CallState::with_result(self.failures.with_note(call, message));
            }
        }
    }

    /// Lets the call wait for a person, who must know whether it may have taken effect in an earlier run.
    fn ask(&self, position: usize, call: &ToolCall, state: &mut CallState, error: Option<String>) {
        let (tool, arguments) = self.called(position, call);
        let has_begun = state.has_begun && !self.registry.is_read_only(call);
        state.wait(WaitsFor::Approval { tool, arguments, error });
        state.has_begun = has_begun;
    }

    /// The tool and the arguments that it receives, if they differ from those of the call.
    fn called(&self, position: usize, call: &ToolCall) -> (Option<String>, Option<String>) {
        let tool = self.registry.inner_call(call).get().map(|inner| inner.name.clone());
        let arguments = self.registry.object_to_run(self.batch, position, call);
        (tool, (arguments != call.arguments).then_some(arguments))
    }

    fn is_cancelled(&self) -> bool {
        self.batch.context.and_then(BatchContext::token).is_some_and(CancellationToken::is_cancelled)
    }
}

impl CallState {
    fn set_begun(&mut self) {
        (self.approved, self.waits_for, self.edit) = (None, None, None);
        self.has_begun = true;
    }

    fn wait(&mut self, waits_for: WaitsFor) {
        let is_edited = self.is_edited;
        // A call that waits for its result has the arguments with which it was started.
        let replaced = self.replaced.take().filter(|_| matches!(waits_for, WaitsFor::Approval { .. }));
        *self = CallState { waits_for: Some(waits_for), is_edited, replaced, ..CallState::default() };
    }
}
