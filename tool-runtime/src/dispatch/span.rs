//! The span of a call, according to the OpenTelemetry conventions for generative AI.
//! <https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/#execute-tool-span>

use crate::message::{ToolCall, ToolMessage};
use crate::outcome::{CallError, Truncated};
use crate::output::ErrorSnapshot;
use crate::panics;
use crate::registry::Registry;
use crate::schema::ToolSchema;
use std::error::Error;
use tracing::field::Empty;
use tracing::{Span, info_span, warn};

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
            gen_ai.tool.description = self.get(&call.name).map(ToolSchema::description),
            gen_ai.tool.call.arguments = traces_content.then_some(&*call.arguments),
            gen_ai.tool.call.result = Empty,
            "error.type" = Empty,
        )
    }

    /// Records the outcome of the call.
    pub(super) fn record(&self, span: &Span, message: &ToolMessage) {
        // The `Display` of an error is application code and may panic.
        let _ = panics::catch_panic(|| record(span, message, self.traces_content()));
    }
}

fn record(span: &Span, message: &ToolMessage, traces_content: bool) {
    match message.outcome().and_then(|outcome| outcome.error()) {
        // A call that waits for an approval has not failed.
        Some(CallError::NeedsApproval { .. }) => {}
        Some(error) => {
            span.record("error.type", error.kind());
            match error {
                // The errors quote the arguments, which are content.
                CallError::InvalidArguments { tool, .. } if !traces_content => {
                    let error = format!("invalid arguments for `{tool}`");
                    span.record("otel.status_description", &error);
                    warn!(target: "tool_runtime", error, "the tool call failed");
                }
                error => {
                    span.record("otel.status_description", error.to_string());
                    // Includes the sources: the message of a panic, and the sources of a tool's error.
                    let error = ErrorSnapshot::new(error);
                    warn!(target: "tool_runtime", error = &error as &dyn Error, "the tool call failed");
                }
            }
        }
        None if traces_content => {
            span.record("gen_ai.tool.call.result", message.content.as_str());
        }
        None => {}
    }
}
