//! A reply in which the model declines to answer.

use crate::message::AssistantMessage;

/// A refusal with the finish reason that the provider of this wire sends with it.
///
/// - Anthropic: <https://docs.anthropic.com/en/docs/test-and-evaluate/strengthen-guardrails/handle-streaming-refusals>
/// - Responses and Chat Completions: <https://platform.openai.com/docs/guides/structured-outputs#refusals>
/// - Gemini: <https://ai.google.dev/api/generate-content#BlockReason>
pub(super) fn refusal(text: String, wire: &str) -> AssistantMessage {
    let reason = match wire {
        "anthropic" => "refusal",
        "responses" => "completed",
        "gemini" => "SAFETY",
        _ => "stop",
    };
    let reply = AssistantMessage { refusal: Some(text), ..AssistantMessage::default() };
    reply.with_finish_reason(reason)
}
