//! The contained call, without the feature `search`: there is none.

use crate::message::ToolCall;

/// It takes no memory in the future of a call.
#[derive(Clone, Debug)]
pub(crate) struct ContainedCall;

#[allow(clippy::unused_self, reason = "the methods with the feature need the contained call")]
impl ContainedCall {
    pub(crate) fn from_call(_: &ToolCall) -> Self {
        ContainedCall
    }

    pub(crate) fn replace_arguments(&self, outer: &mut ToolCall, arguments: String) {
        outer.set_arguments(arguments);
    }

    pub(crate) fn get(&self) -> Option<&ToolCall> {
        None
    }

    pub(crate) fn or<'a>(&'a self, outer: &'a ToolCall) -> &'a ToolCall {
        outer
    }
}
