//! A reply in which the model declines to answer.

use crate::message::AssistantMessage;

/// The reply with this reason, and with the finish reason of the wire's provider: see the documentation of
/// [Anthropic](https://docs.anthropic.com/en/docs/test-and-evaluate/strengthen-guardrails/handle-streaming-refusals),
/// [OpenAI](https://platform.openai.com/docs/guides/structured-outputs#refusals) and
/// [Gemini](https://ai.google.dev/api/generate-content#BlockReason).
pub(super) fn declined(reason: String, wire: &str) -> AssistantMessage {
    let finish_reason = match wire {
        "anthropic" => "refusal",
        "responses" => "completed",
        "gemini" => "SAFETY",
        _ => "stop",
    };
    let reply = AssistantMessage { refusal: Some(reason), ..AssistantMessage::default() };
    reply.with_finish_reason(finish_reason)
}
