//! A call of a reply, independent of its tool.

use super::Batch;
use crate::contained_call::ContainedCall;
use crate::context::{CallRecord, HookArguments};
use crate::message::{ToolCall, means_none};

/// A call of a reply, with its batch, its approval and its record, independent of its tool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IncomingCall<'a> {
    pub(crate) batch: &'a Batch<'a>,
    /// The position in the reply.
    pub(crate) position: usize,
    pub(crate) call: &'a ToolCall,
    pub(crate) approval: Approval,
    pub(crate) record: &'a CallRecord,
    /// Whether it is in the arguments of a call of `call_tool`.
    pub(crate) is_contained: bool,
}

impl<'a> IncomingCall<'a> {
    pub(crate) fn new(
        batch: &'a Batch<'a>,
        position: usize,
        call: &'a ToolCall,
        approval: Approval,
        record: &'a CallRecord,
    ) -> Self {
        IncomingCall { batch, position, call, approval, record, is_contained: false }
    }

    /// The call in the arguments of this call of `call_tool`, or otherwise this call.
    pub(crate) fn or_contained(&self, contained: &'a ContainedCall) -> Self {
        IncomingCall { call: contained.or(self.call), is_contained: contained.get().is_some(), ..*self }
    }

    /// The arguments that the tool gets: those of the model, or what coercion or the hook has put in their place.
    pub(crate) fn arguments(&self) -> &'a str {
        self.record.arguments().unwrap_or(&self.call.arguments)
    }

    /// The arguments that the tool gets, as one JSON object.
    pub(crate) fn object(&self) -> &'a str {
        as_object(self.arguments())
    }

    /// The arguments before [`Decision::RunWith`](crate::approval::Decision::RunWith) replaced them, as one JSON object.
    pub(crate) fn proposed_object(&self) -> &'a str {
        as_object(self.record.coerced_arguments().unwrap_or(&self.call.arguments))
    }

    /// The arguments of an event, and those that the tool gets in their place.
    pub(crate) fn event_arguments(&self) -> (String, Option<HookArguments>) {
        let run_with = self.record.run_with().map(|arguments| HookArguments(arguments.to_owned()));
        (self.proposed_object().to_owned(), run_with)
    }

    /// Whether the model wrote the arguments by a definition with written names of keys. It has no definition of a contained call.
    pub(crate) fn has_written_keys(&self) -> bool {
        self.batch.has_written_keys && !self.is_contained
    }
}

fn as_object(arguments: &str) -> &str {
    let is_none = !arguments.starts_with('{') && means_none(arguments);
    if is_none { "{}" } else { arguments }
}

/// The approval of a call before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Approval {
    /// Not approved. The hook decides, and must approve a tool that requires approval.
    None,
    /// A person has approved these arguments. The hook may still deny the call.
    Granted,
    /// A person has edited these arguments, and decides again if they are invalid.
    Edited { is_granted: bool },
    /// The program runs the tool directly; the hook is not called.
    Bypassed,
}

impl Approval {
    pub(crate) fn is_edited(self) -> bool {
        matches!(self, Approval::Edited { .. })
    }

    /// Whether a person has approved the call.
    pub(crate) fn is_granted(self) -> bool {
        matches!(self, Approval::Granted | Approval::Edited { is_granted: true })
    }
}
