//! The span of a call, without the feature `tracing`.

use crate::message::ToolCall;
use crate::outcome::CallError;
use crate::registry::Registry;

/// It takes no memory in the future of a call.
pub(crate) struct CallSpan;

#[allow(clippy::unused_self, reason = "the methods with the feature need the span")]
impl CallSpan {
    pub(crate) fn new(_: &Registry, _: &ToolCall) -> Self {
        CallSpan
    }

    pub(crate) fn current() -> Self {
        CallSpan
    }

    pub(crate) fn instrument<F: Future>(&self, future: F) -> F {
        future
    }

    pub(crate) fn in_scope<T>(&self, run: impl FnOnce() -> T) -> T {
        run()
    }

    pub(crate) fn record_output(&self, _: &Registry, _: &str) {}

    pub(crate) fn record_failure(&self, _: &Registry, _: &str, _: &CallError) {}
}
