//! The rules by which the providers of each wire reject requests.
//!
//! They are independent of `tool-runtime`, so that they find its mistakes: they read the JSON of a request, and have the error
//! messages of the providers themselves. Exception: its conversions of definitions know which definitions a provider rejects.

mod anthropic;
mod bedrock;
mod chat_completions;
mod gemini;
mod gemini_interactions;
mod ollama;
mod response_format;
mod responses;

use crate::rejected::Checked;
use serde_json::Value;
use std::sync::Arc;
use tool_runtime::wire::{Wire, by_name};

/// The rules of a provider, or of the providers that share a format.
pub(crate) struct Rules {
    /// The name of the wire.
    wire: &'static str,
    /// Checks the body of a request.
    pub(crate) check: fn(&dyn Wire, &Value) -> Checked,
    /// The finish reason of a reply in which the model declines to answer.
    pub(crate) declined_finish_reason: &'static str,
}

static RULES: [Rules; 7] = [
    Rules { wire: chat_completions::WIRE, check: chat_completions::check, declined_finish_reason: "stop" },
    Rules {
        wire: anthropic::WIRE,
        check: |_, body| anthropic::check(body),
        // https://docs.anthropic.com/en/docs/test-and-evaluate/strengthen-guardrails/handle-streaming-refusals
        declined_finish_reason: "refusal",
    },
    Rules {
        wire: responses::WIRE,
        check: |_, body| responses::check(body),
        // https://platform.openai.com/docs/guides/structured-outputs#refusals
        declined_finish_reason: "completed",
    },
    Rules {
        wire: gemini::WIRE,
        check: |_, body| gemini::check(body),
        // https://ai.google.dev/api/generate-content#BlockReason
        declined_finish_reason: "SAFETY",
    },
    Rules {
        wire: gemini_interactions::WIRE,
        check: |_, body| gemini_interactions::check(body),
        declined_finish_reason: "completed",
    },
    Rules {
        wire: bedrock::WIRE,
        check: |_, body| bedrock::check(body),
        // https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
        declined_finish_reason: "content_filtered",
    },
    Rules { wire: ollama::WIRE, check: |_, body| ollama::check(body), declined_finish_reason: "stop" },
];

/// The rules for requests of this wire.
pub(crate) fn rules_of(wire: &str) -> Option<&'static Rules> {
    RULES.iter().find(|rules| rules.wire == wire)
}

/// Each wire whose feature of `tool-runtime` is enabled, with its default settings.
pub(crate) fn wires() -> impl Iterator<Item = Arc<dyn Wire>> {
    RULES.iter().filter_map(|rules| by_name(rules.wire).ok())
}
