//! The spans of a run and of its requests, according to the OpenTelemetry conventions for generative AI.
//! <https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-agent-spans/>

use crate::context::RunContext;
use crate::message::{AssistantMessage, Usage};
use crate::outcome::Truncated;
use crate::registry::Registry;
use crate::wire::{Wire, provider_or_chat_completions};
use futures_util::stream::{Stream, poll_fn};
use tracing::field::Empty;
use tracing::{Instrument as _, Span, info_span};

/// The error type of the conventions for an error that has no kind.
const OTHER_ERROR: &str = "_OTHER";

/// The span of a run, which contains those of its requests and calls.
pub(in crate::session) struct RunSpan {
    span: Span,
    /// The tokens of the session before the run.
    before: Usage,
}

impl RunSpan {
    pub(in crate::session) fn new(registry: &Registry, before: Usage) -> Self {
        let run_id = registry.run_context().and_then(RunContext::id_of_run);
        let span = info_span!(
            target: "tool_runtime",
            "invoke_agent",
            otel.kind = "internal",
            gen_ai.operation.name = "invoke_agent",
            gen_ai.conversation.id = run_id.map(|id| Truncated(id).to_string()),
            gen_ai.usage.input_tokens = Empty,
            gen_ai.usage.cache_read.input_tokens = Empty,
            gen_ai.usage.cache_creation.input_tokens = Empty,
            gen_ai.usage.output_tokens = Empty,
            gen_ai.usage.reasoning.output_tokens = Empty,
            "error.type" = Empty,
        );
        RunSpan { span, before }
    }

    /// Runs the future in the span.
    pub(in crate::session) async fn instrument<F: Future>(&self, run: F) -> F::Output {
        run.instrument(self.span.clone()).await
    }

    /// Records the tokens of the run, and whether it failed.
    pub(in crate::session) fn end(&self, after: Usage, has_failed: bool) {
        let RunSpan { span, before } = self;
        record_usage(span, after.since(*before));
        if has_failed {
            span.record("error.type", OTHER_ERROR);
        }
    }
}

/// The span of a request and its reply, without the calls of the reply.
pub(in crate::session) struct ChatSpan(Span);

impl ChatSpan {
    pub(in crate::session) fn new(wire: &dyn Wire) -> Self {
        ChatSpan(info_span!(
            target: "tool_runtime",
            "chat",
            otel.kind = "client",
            gen_ai.operation.name = "chat",
            gen_ai.provider.name = provider_or_chat_completions(wire.name()).telemetry_name,
            gen_ai.response.id = Empty,
            gen_ai.response.model = Empty,
            gen_ai.response.finish_reasons = Empty,
            gen_ai.usage.input_tokens = Empty,
            gen_ai.usage.cache_read.input_tokens = Empty,
            gen_ai.usage.cache_creation.input_tokens = Empty,
            gen_ai.usage.output_tokens = Empty,
            gen_ai.usage.reasoning.output_tokens = Empty,
            "error.type" = Empty,
        ))
    }

    /// Runs the future of the client in the span.
    pub(in crate::session) fn instrument<F: Future>(
        &self,
        client: F,
    ) -> impl Future<Output = F::Output> + use<F> {
        client.instrument(self.0.clone())
    }

    /// Reads the stream of the client in the span, in which no call runs.
    pub(in crate::session) fn instrument_stream<S: Stream>(
        &self,
        chunks: S,
    ) -> impl Stream<Item = S::Item> + use<S> {
        let (span, mut chunks) = (self.0.clone(), Box::pin(chunks));
        poll_fn(move |context| span.in_scope(|| chunks.as_mut().poll_next(context)))
    }

    /// Ends the span with the reply; `None` if the client returned an error, or if the reply was interrupted.
    pub(in crate::session) fn end(self, reply: Option<&AssistantMessage>) {
        let ChatSpan(span) = self;
        let Some(reply) = reply else {
            span.record("error.type", OTHER_ERROR);
            return;
        };
        if let Some(origin) = reply.origin() {
            let origin =
                [("gen_ai.response.id", &origin.response_id), ("gen_ai.response.model", &origin.model)];
            for (field, value) in origin {
                span.record(field, value.as_deref().map(|value| Truncated(value).to_string()));
            }
        }
        if let Some(reason) = reply.finish_reason() {
            span.record("gen_ai.response.finish_reasons", format!("[\"{}\"]", Truncated(reason)));
        }
        reply.usage().into_iter().for_each(|usage| record_usage(&span, usage));
    }
}

fn record_usage(span: &Span, usage: Usage) {
    span.record("gen_ai.usage.input_tokens", usage.input_tokens);
    span.record("gen_ai.usage.cache_read.input_tokens", usage.cached_input_tokens);
    span.record("gen_ai.usage.cache_creation.input_tokens", usage.cache_write_tokens);
    span.record("gen_ai.usage.output_tokens", usage.output_tokens);
    span.record("gen_ai.usage.reasoning.output_tokens", usage.reasoning_tokens);
}
