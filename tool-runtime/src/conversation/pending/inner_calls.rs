//! The calls of a tool among pending calls: where decisions about them go.

use super::{CallState, PendingCalls};
use crate::conversation::{Conversation, WaitingCall};
use crate::message::{AssistantMessage, ToolCall};
use crate::registry::Registry;
use crate::tool::Unfinished;

impl PendingCalls {
    /// No calls, to which those of a tool are added.
    pub(in crate::conversation) fn empty() -> Self {
        PendingCalls::new(Conversation::new(), AssistantMessage::from_tool_calls([]))
    }

    /// Adds a call.
    pub(in crate::conversation) fn push(&mut self, call: ToolCall) {
        self.reply.tool_calls.push(call);
        self.states.push(CallState::default());
        self.positions = super::Positions::default();
    }

    /// A copy of the call at this position, for its run. Until it is put back, it counts as begun.
    pub(in crate::conversation) fn start(&mut self, position: usize) -> Option<(ToolCall, CallState)> {
        let (call, state) = (self.reply.tool_calls.get(position)?, self.states.get_mut(position)?);
        let started = (call.clone(), state.clone());
        if state.result().is_none() {
            state.set_begun();
        }
        Some(started)
    }

    /// Puts a call back after its run.
    pub(in crate::conversation) fn put_back(
        &mut self,
        position: usize,
        call: &mut ToolCall,
        state: &mut CallState,
    ) {
        std::mem::swap(&mut self.reply.tool_calls[position], call);
        std::mem::swap(&mut self.states[position], state);
    }

    /// Whether each call keeps the calls of its tool, if it does not end. The ids of these must differ from those of the reply.
    pub(super) fn keep_inner_calls(&self, registry: &Registry, unfinished: Unfinished) -> Vec<bool> {
        let calls = self.calls().iter();
        let is_inner =
            |id: &str, outer: &str| id.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'));
        let has_same_ids = |call: &ToolCall| self.calls().iter().any(|other| is_inner(&other.id, &call.id));
        let keeps = |(call, state): (&ToolCall, &CallState)| {
            let may_wait = unfinished == Unfinished::Keep || state.inner.is_some();
            may_wait && registry.is_resumable(call) && !has_same_ids(call)
        };
        calls.zip(&self.states).map(keeps).collect()
    }

    /// The calls among which the one with this id is: these, or those that the tool of one of these makes.
    pub(super) fn owner(&self, id: &str) -> &PendingCalls {
        if self.position(id).is_some() {
            return self;
        }
        let inner = self.states.iter().filter_map(|state| state.inner.as_ref());
        inner.map(|inner| inner.calls.owner(id)).find(|owner| owner.position(id).is_some()).unwrap_or(self)
    }

    /// Decides about the call with this id among the calls that have it. A decision that ends a call moves its last event to the
    /// outermost calls. The next run sends it.
    pub(in crate::conversation) fn in_owner<T>(
        &mut self,
        id: &str,
        decide: impl FnOnce(&mut PendingCalls) -> T,
    ) -> T {
        let has_id = |state: &CallState| {
            state.inner.as_ref().is_some_and(|inner| inner.calls.owner(id).position(id).is_some())
        };
        let outer = if self.position(id).is_some() { None } else { self.states.iter().position(has_id) };
        let outer = outer.and_then(|at| Some((at, self.states[at].inner.as_mut()?)));
        let Some((at, inner)) = outer else { return decide(self) };
        let decided = inner.calls.in_owner(id, decide);
        let outer_call = self.reply.tool_calls[at].id.clone();
        while let Some(call) = inner.calls.before.pop_unreported() {
            self.before.push_unreported(call.made_by(&outer_call));
        }
        decided
    }

    /// The calls that wait for what is wanted, with those that tools make.
    pub(in crate::conversation) fn waiting(
        &self,
        is_wanted: &dyn Fn(&ToolCall, &CallState) -> bool,
    ) -> Vec<WaitingCall> {
        let mut waiting = Vec::new();
        for (call, state) in self.calls().iter().zip(&self.states) {
            if is_wanted(call, state) {
                waiting.extend(state.waiting(call));
            }
            let inner = state.inner.iter().flat_map(|inner| inner.calls.waiting(is_wanted));
            waiting.extend(inner.map(|made| WaitingCall {
                outer_call: made.outer_call.or_else(|| Some(call.id.clone())),
                ..made
            }));
        }
        waiting
    }

    /// Whether the tool of a call continues in a later run.
    pub(crate) fn has_inner_calls(&self) -> bool {
        self.states.iter().any(|state| state.inner.is_some())
    }
}
