//! Calls with the written names of keys, which become the keys of their tools.

use crate::message::{AssistantMessage, ToolCall};
use crate::registry::Registry;
use crate::wire;
use std::borrow::Cow;

impl Registry {
    /// Whether the model that sent a reply received definitions with written names of keys.
    pub(crate) fn has_written_keys(&self, reply: &AssistantMessage) -> bool {
        let wire = reply.origin().map_or("", |origin| &origin.wire);
        self.has_rejected_keys() && wire::has_written_keys(wire)
    }

    /// The calls of a reply with the keys of their tools.
    #[inline]
    pub(crate) fn with_own_keys<'c>(&self, calls: &'c [ToolCall]) -> Cow<'c, [ToolCall]> {
        if self.has_rejected_keys() { self.renamed(calls) } else { Cow::Borrowed(calls) }
    }

    #[cold]
    fn renamed<'c>(&self, calls: &'c [ToolCall]) -> Cow<'c, [ToolCall]> {
        let mut calls = Cow::Borrowed(calls);
        for position in 0..calls.len() {
            if let Some(own) = self.own_call(&calls[position]) {
                calls.to_mut()[position] = own;
            }
        }
        calls
    }

    /// The call with the keys of its tool; `None` if it has no written names.
    pub(crate) fn own_call(&self, call: &ToolCall) -> Option<ToolCall> {
        if !self.has_rejected_keys() {
            return None;
        }
        let inner = self.inner_call(call);
        let called = inner.or(call);
        let own = self.tool(&called.name)?.keys.as_ref()?.own_arguments(&called.arguments)?;
        let mut renamed = call.clone();
        inner.replace_arguments(&mut renamed, own);
        renamed.is_truncated = call.is_truncated;
        Some(renamed)
    }

    /// Gives the calls of a reply the keys of their tools. The items of the provider stay as they are. Returns whether a call
    /// had written names.
    pub(crate) fn use_own_keys(&self, reply: &mut AssistantMessage) -> bool {
        if !self.has_rejected_keys() || !may_have_written_keys(reply) {
            return false;
        }
        let Cow::Owned(renamed) = self.renamed(&reply.tool_calls) else { return false };
        reply.change_ids(|calls| calls.clone_from_slice(&renamed));
        true
    }
}

/// Whether the model that sent a reply may have received written names. The arguments of a reply without an origin decide.
fn may_have_written_keys(reply: &AssistantMessage) -> bool {
    reply.origin().is_none_or(|origin| wire::has_written_keys(&origin.wire))
}
