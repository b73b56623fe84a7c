//! The run of pending calls.

use super::call_state::fingerprint;
use super::run_call::CallsRun;
use super::{CallState, PendingCalls, Phase};
use crate::context::{BegunCalls, CallRecord, Order, Progress};
use crate::conversation::repeated_calls::RepeatedCalls;
use crate::dispatch::EarlyCalls;
use crate::outcome::CallError;
use crate::registry::Registry;
use crate::tool::{Approval, Batch, IncomingCall, Place, Unfinished};
use futures_util::FutureExt as _;
use futures_util::future::join_all;

impl PendingCalls {
    /// Runs the calls without results concurrently, like [`Registry::dispatch`], but keeps these pending: calls that need an
    /// approval, calls whose results come later, and cancelled calls. [`dispatch`](PendingCalls::dispatch) fails them
    /// instead.
    ///
    /// If the future is dropped, finished calls keep their results. The next run starts the calls that had not begun,
    /// and repeats those of `read_only` and `idempotent` tools. Any other call fails with [`CallError::Interrupted`],
    /// since it may have taken effect. A `blocking` tool that is running continues on its thread.
    ///
    /// If a call has the same result three times in a row since the last user message, its result ends with a note for the
    /// model; [`note_repeated_calls`](crate::RegistryBuilder::note_repeated_calls) changes this number.
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
    /// pending.run(&registry).await;
    /// assert_eq!(pending.result_of("1").map(|result| result.text()), Some("a.txt"));
    /// assert_eq!(pending.awaiting_approval()[0].id, "2");
    /// # Ok(())
    /// # }
    /// ```
    pub async fn run(&mut self, registry: &Registry) {
        self.run_calls(registry, CallsToRun::KEEP).await;
    }

    /// Like [`run`](PendingCalls::run), but other processes run the calls: each call that would start here is pending in
    /// [`handed_out`](PendingCalls::handed_out) instead. The run context needs a [`run_id`](crate::RunContext::run_id).
    ///
    /// See [`Run::hand_out_calls`](crate::session::Run::hand_out_calls) for the steps that a call has here and there.
    pub async fn hand_out(&mut self, registry: &Registry) {
        self.run_calls(registry, CallsToRun { place: Place::AnotherProcess, ..CallsToRun::KEEP }).await;
    }

    /// Gives the calls the keys of their tools. An approved call stays approved. Returns whether a call had written names.
    fn use_own_keys(&mut self, registry: &Registry) -> bool {
        if !registry.has_rejected_keys() {
            return false;
        }
        let written: Vec<_> = self.reply.tool_calls.iter().map(fingerprint).collect();
        let has_changed = registry.use_own_keys(&mut self.reply);
        for ((call, state), written) in self.reply.tool_calls.iter().zip(&mut self.states).zip(written) {
            match &mut state.phase {
                Phase::Approved { fingerprint: approved, .. } if *approved == written => {
                    *approved = fingerprint(call);
                }
                _ => {}
            }
            state.change_replaced(call, |replaced| registry.own_call(replaced));
        }
        has_changed
    }

    /// Runs these calls, unless they have results.
    pub(crate) async fn run_calls(&mut self, registry: &Registry, to_run: CallsToRun<'_>) {
        let CallsToRun { unfinished, streamed, .. } = to_run;
        let registry = &*registry.for_dispatch();
        let was_written = self.use_own_keys(registry);
        while let Some(call) = self.before.pop_unreported() {
            registry.send_event(&call.into_event());
        }
        let calls = self.reply.tool_calls.iter_mut().zip(&mut self.states).enumerate();
        for (_, (call, state)) in calls.filter(|(position, (_, state))| to_run.starts(*position, state)) {
            state.prepare(registry, call);
        }
        let batch = self.batch(registry);
        let own_order = self.order(registry, &to_run);
        let batch = &Batch {
            has_written_keys: batch.has_written_keys || was_written,
            unfinished,
            place: to_run.place,
            order: streamed.map_or(own_order.as_ref(), |streamed| streamed.order),
            ..batch
        };
        let repeated = Some(RepeatedCalls::before(self.before.messages(), Some(registry)));
        let run = &CallsRun { registry, batch, repeated };
        let keeps_inner_calls = self.keep_inner_calls(registry, unfinished);
        let calls = self.reply.tool_calls.iter_mut().zip(&mut self.states).enumerate();
        let open = calls.filter(|(position, (_, state))| to_run.starts(*position, state));
        let running = open.map(|(position, (call, state))| {
            let record = CallRecord::default();
            if keeps_inner_calls[position] {
                record.set_inner_calls(state.start_inner_calls(unfinished));
            }
            run.run_call(position, call, state, record)
        });
        join_all(running).await;
    }

    /// The order of the calls, if any of them is a barrier. A call that does not run now does not end. A streamed reply has an
    /// order already.
    fn order(&self, registry: &Registry, to_run: &CallsToRun<'_>) -> Option<Order> {
        let progress = |position: usize| match &self.states[position] {
            state if state.result().is_some() => Progress::Ended,
            state if to_run.starts(position, state) || to_run.is_early(position) => Progress::Open,
            _ => Progress::Waits,
        };
        let calls = self.calls();
        let Some(streamed) = to_run.streamed else { return registry.order(calls, progress) };
        let ordered = (0..).zip(calls).map(|(position, call)| registry.ordered(call, progress(position)));
        streamed.order?.start(ordered);
        None
    }

    /// Takes the results of calls that started while their reply was received.
    pub(crate) fn take_early(&mut self, registry: &Registry, early: &EarlyCalls) {
        let batch = &Batch { unfinished: Unfinished::Keep, ..self.batch(registry) };
        let repeated = Some(RepeatedCalls::before(self.before.messages(), Some(registry)));
        let run = CallsRun { registry, batch, repeated };
        for (&position, early) in early {
            let call = self.reply.tool_calls.get_mut(position);
            let (Some(call), Some(state)) = (call, self.states.get_mut(position)) else { continue };
            if early.has_begun() {
                state.set_begun();
            }
            state.is_counted = early.is_counted();
            if let Some(ended) = early.take_ended() {
                run.take(call, state, ended);
            }
        }
    }

    /// Counts this call towards the `max_calls` of its tool, unless it counts already.
    pub(crate) fn count_call(&self, registry: &Registry, id: &str, counts: &BegunCalls) {
        // A call that is handed out was counted then.
        let is_counted = |state: &CallState| state.is_counted || state.handed_out().is_some();
        let Some(position) = self.position(id).filter(|&at| !is_counted(&self.states[at])) else { return };
        let Some(tool) = registry.called_entry(&self.calls()[position]) else { return };
        if let Some(limit) = tool.options.policy.max_calls {
            counts.count(&tool.name, limit);
        }
    }

    /// Marks the calls that a run may start as begun. Those that wait do not start without a decision.
    pub(crate) fn set_open_begun(&mut self) {
        let is_open = |state: &&mut CallState| state.result().is_none() && state.waits_for().is_none();
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
            if state.result().is_some() {
                continue;
            }
            state.restore_arguments(call);
            let record = CallRecord::default();
            let incoming = IncomingCall::new(batch, position, call, Approval::None, &record);
            // A rejected call ends at once.
            if let Some(ended) = registry.run_call(&incoming).now_or_never() {
                *state = CallState::finished(ended.into_message(registry, call));
            }
        }
    }
}

/// The calls of a reply that a run starts.
#[derive(Clone, Copy)]
pub(crate) struct CallsToRun<'a> {
    pub(crate) unfinished: Unfinished,
    pub(crate) place: Place,
    /// The number of calls, from the first, that may run.
    pub(crate) within_limit: usize,
    /// The calls of the reply, if it was streamed.
    pub(crate) streamed: Option<StreamedCalls<'a>>,
}

/// The calls of a streamed reply.
#[derive(Clone, Copy)]
pub(crate) struct StreamedCalls<'a> {
    /// Their order, if any tool of the registry is a barrier.
    pub(crate) order: Option<&'a Order>,
    /// The calls that have started.
    pub(crate) early: &'a EarlyCalls,
}

impl CallsToRun<'_> {
    pub(super) const FAIL: Self = CallsToRun { unfinished: Unfinished::Fail, ..Self::KEEP };
    pub(crate) const KEEP: Self = CallsToRun {
        unfinished: Unfinished::Keep,
        place: Place::ThisProcess,
        within_limit: usize::MAX,
        streamed: None,
    };

    fn starts(&self, position: usize, state: &CallState) -> bool {
        let may_run = self.unfinished == Unfinished::Fail || !state.waits_for_result();
        let is_wanted = position < self.within_limit && !self.is_early(position);
        state.result().is_none() && may_run && is_wanted
    }

    fn is_early(&self, position: usize) -> bool {
        self.streamed.is_some_and(|streamed| streamed.early.contains_key(&position))
    }
}
