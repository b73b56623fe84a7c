//! The span of a call, according to the OpenTelemetry conventions for generative AI.
//! <https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/#execute-tool-span>

use crate::message::{ERROR, ToolCall, ToolMessage};
use crate::outcome::{CallError, Escaped, Truncated};
use crate::output::{ErrorSnapshot, truncate_middle};
use crate::panics;
use crate::registry::Registry;
use std::error::Error;
use tracing::field::Empty;
use tracing::{Span, info_span, warn};

/// The bytes of a text in a span, before it is escaped. `max_output_bytes` limits the text of a result further.
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

impl Registry {
    /// Creates the span of a call.
    pub(super) fn span(&self, call: &ToolCall) -> Span {
        let traces_content = self.traces_content();
        // The name of a span is static. OpenTelemetry shows `otel.name` instead.
        info_span!(
            target: "tool_runtime",
            "execute_tool",
            otel.name = format!("execute_tool {}", Truncated(&call.name)),
            otel.kind = "internal",
            otel.status_description = Empty,
            gen_ai.operation.name = "execute_tool",
            gen_ai.tool.name = %Truncated(&call.name),
            "gen_ai.tool.type" = "function",
            gen_ai.tool.call.id = %Truncated(&call.id),
            gen_ai.tool.description = self.get(&call.name).map(|tool| traced(tool.description())),
            gen_ai.tool.call.arguments = traces_content.then(|| traced_json(&call.arguments)),
            gen_ai.tool.call.result = Empty,
            "error.type" = Empty,
        )
    }

    /// Records the outcome of the call.
    pub(super) fn record(&self, span: &Span, message: &ToolMessage) {
        // The `Display` of an error is application code and may panic.
        let _ = panics::catch_panic(|| match message.outcome().and_then(|outcome| outcome.error()) {
            // A call that waits for an approval has not failed.
            Some(CallError::NeedsApproval { .. }) => {}
            Some(error) => self.record_failure(span, message, error),
            None if self.traces_content() => {
                span.record("gen_ai.tool.call.result", traced(message.content.as_str()));
            }
            None => {}
        });
    }

    /// Records the failure as the model receives it: middleware may have removed a part of its text.
    fn record_failure(&self, span: &Span, message: &ToolMessage, error: &CallError) {
        span.record("error.type", traced(error.kind()));
        if !self.traces_content() {
            let error = traced(&text_without_content(error));
            span.record("otel.status_description", &error);
            warn!(target: "tool_runtime", error, "the tool call failed");
            return;
        }
        let content = message.text();
        let text = content.strip_prefix(ERROR).unwrap_or(content);
        span.record("otel.status_description", traced(text));
        let own_text = error.to_string();
        if self.truncated_error(&own_text).unwrap_or(own_text) == text {
            // Includes the sources: the message of a panic, and the sources of a tool's error.
            let error = ErrorSnapshot::new(error).map(traced);
            warn!(target: "tool_runtime", error = &error as &dyn Error, "the tool call failed");
        } else {
            warn!(target: "tool_runtime", error = traced(text), "the tool call failed");
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
