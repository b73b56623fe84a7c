//! The span of a call, according to the OpenTelemetry conventions for generative AI.
//! <https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/#execute-tool-span>

use crate::message::ToolCall;
use crate::outcome::{CallError, Escaped, Truncated};
use crate::output::{ErrorSnapshot, truncate_middle};
use crate::panics;
use crate::registry::Registry;
use std::error::Error;
use tracing::field::Empty;
use tracing::{Instrument as _, Span, info_span, warn};

/// The bytes of a text in a span, before it is escaped.
const MAX_BYTES: usize = 64 << 10;

/// A text of a model, a server or a tool. A line break or an escape sequence in it could forge a line of a log.
fn traced(text: &str) -> String {
    match truncate_middle(text, MAX_BYTES) {
        Some(truncated) => Escaped(&truncated).to_string(),
        None => Escaped(text).to_string(),
    }
}

/// Line breaks between the values of a JSON text become spaces, so that the text is still JSON.
fn traced_json(json: &str) -> String {
    traced(&json.replace(['\n', '\r', '\t'], " "))
}

/// The span of one call.
pub(crate) struct CallSpan(Span);

impl CallSpan {
    pub(crate) fn new(registry: &Registry, call: &ToolCall) -> Self {
        let traces_content = registry.traces_content();
        // The name of a span is static. OpenTelemetry shows `otel.name` instead.
        CallSpan(info_span!(
            target: "tool_runtime",
            "execute_tool",
            otel.name = format!("execute_tool {}", Truncated(&call.name)),
            otel.kind = "internal",
            otel.status_description = Empty,
            gen_ai.operation.name = "execute_tool",
            gen_ai.tool.name = %Truncated(&call.name),
            "gen_ai.tool.type" = "function",
            gen_ai.tool.call.id = %Truncated(&call.id),
            gen_ai.tool.description = registry.tool(&call.name).map(|tool| traced(tool.schema.description())),
            gen_ai.tool.call.arguments = traces_content.then(|| traced_json(&call.arguments)),
            gen_ai.tool.call.result = Empty,
            "error.type" = Empty,
        ))
    }

    /// The span that is entered now, for another task or thread.
    pub(crate) fn current() -> Self {
        CallSpan(Span::current())
    }

    /// Enters the span whenever the future is polled.
    pub(crate) fn instrument<F: Future>(&self, future: F) -> impl Future<Output = F::Output> + use<F> {
        future.instrument(self.0.clone())
    }

    /// Runs a closure in the span.
    pub(crate) fn in_scope<T>(&self, run: impl FnOnce() -> T) -> T {
        self.0.in_scope(run)
    }

    /// Records the text of the output.
    pub(crate) fn record_output(&self, registry: &Registry, text: &str) {
        if registry.traces_content() {
            self.0.record("gen_ai.tool.call.result", traced(text));
        }
    }

    /// Records a failure, with the message that the model receives: middleware may have removed a part of it.
    pub(crate) fn record_failure(&self, registry: &Registry, message: &str, error: &CallError) {
        // The `Display` of an error is application code and may panic.
        let _ = panics::catch_panic(|| self.0.in_scope(|| self.warn(registry, message, error)));
    }

    fn warn(&self, registry: &Registry, message: &str, error: &CallError) {
        self.0.record("error.type", traced(error.kind()));
        if !registry.traces_content() {
            let error = traced(&text_without_content(error));
            self.0.record("otel.status_description", &error);
            warn!(target: "tool_runtime", error, "the tool call failed");
            return;
        }
        self.0.record("otel.status_description", traced(message));
        // The arguments of a hook may have secrets of the program.
        let has_other_arguments = matches!(error, CallError::InvalidReplacement { .. });
        if error.to_string() == message && !has_other_arguments {
            // Includes the sources: the message of a panic, and the sources of a tool's error.
            let error = ErrorSnapshot::new(error).map(traced);
            warn!(target: "tool_runtime", error = &error as &dyn Error, "the tool call failed");
        } else {
            warn!(target: "tool_runtime", error = traced(message), "the tool call failed");
        }
    }
}

/// The text of an error without what the tool, its arguments or the program contributed.
fn text_without_content(error: &CallError) -> String {
    match error {
        CallError::InvalidArguments { tool, .. } => format!("invalid arguments for `{tool}`"),
        CallError::Denied { tool, .. } => format!("the call of `{tool}` was denied"),
        CallError::Interrupted { tool, .. } => format!("the call of `{tool}` was interrupted"),
        CallError::Returned { tool, .. } | CallError::Recorded { tool, .. } => {
            format!("the tool `{tool}` returned an error")
        }
        CallError::Unserializable { tool, .. } => format!("the result of `{tool}` cannot be written as JSON"),
        error => error.to_string(),
    }
}
