//! The spans of a run and of its requests, without the feature `tracing`.

use crate::message::{AssistantMessage, Usage};
use crate::registry::Registry;
use crate::wire::Wire;
use futures_util::Stream;

pub(in crate::session) struct RunSpan;

#[allow(clippy::unused_self, reason = "the methods with the feature need the span")]
impl RunSpan {
    pub(in crate::session) fn new(_: &Registry, _: Usage) -> Self {
        RunSpan
    }

    pub(in crate::session) fn instrument<F: Future>(&self, run: F) -> F {
        run
    }

    pub(in crate::session) fn end(&self, _: Usage, _: bool) {}
}

pub(in crate::session) struct ChatSpan;

#[allow(clippy::unused_self, reason = "the methods with the feature need the span")]
impl ChatSpan {
    pub(in crate::session) fn new(_: &dyn Wire) -> Self {
        ChatSpan
    }

    pub(in crate::session) fn instrument<F: Future>(&self, client: F) -> F {
        client
    }

    pub(in crate::session) fn instrument_stream<S: Stream>(&self, chunks: S) -> S {
        chunks
    }

    pub(in crate::session) fn end(self, _: Option<&AssistantMessage>) {}
}
