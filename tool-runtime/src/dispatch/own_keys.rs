//! Calls get the keys of their tools in place of written names.

use crate::message::{AssistantMessage, ToolCall};
use crate::registry::Registry;
use crate::wire;
use std::borrow::Cow;

impl Registry {
    /// Whether the model that sent a reply received definitions with written names of keys.
    pub(crate) fn has_written_keys(&self, reply: &AssistantMessage) -> bool {
        self.has_rejected_keys() && reply.origin().is_some_and(|origin| wire::has_written_keys(&origin.wire))
    }

    /// The calls of a reply with the keys of their tools.
    #[inline]
    pub(crate) fn with_own_keys<'c>(&self, calls: &'c [ToolCall]) -> Cow<'c, [ToolCall]> {
        let mut calls = Cow::Borrowed(calls);
        if !self.has_rejected_keys() {
            return calls;
        }
        for position in 0..calls.len() {
            if let Some(own) = self.own_call(&calls[position]) {
                calls.to_mut()[position] = own;
            }
        }
        calls
    }

    /// The call with the keys of its tool; `None` if it has no written names.
    pub(crate) fn own_call(&self, call: &ToolCall) -> Option<ToolCall> {
        let contained = self.has_rejected_keys().then(|| self.contained_call(call))?;
        let called = contained.or(call);
        let own = self.entry(&called.name)?.keys.as_ref()?.names.own_arguments(&called.arguments)?;
        let mut renamed = call.clone();
        contained.replace_arguments(&mut renamed, own);
        renamed.is_truncated = call.is_truncated;
        Some(renamed)
    }

    /// Gives the calls of a reply the keys of their tools, if its model may have received written names: the arguments of a reply
    /// without an origin decide. The items of the provider stay as they are. Returns whether a call had written names.
    pub(crate) fn use_own_keys(&self, reply: &mut AssistantMessage) -> bool {
        if reply.origin().is_some_and(|origin| !wire::has_written_keys(&origin.wire)) {
            return false;
        }
        let Cow::Owned(renamed) = self.with_own_keys(&reply.tool_calls) else { return false };
        reply.change_calls(|calls| calls.clone_from_slice(&renamed));
        true
    }
}
