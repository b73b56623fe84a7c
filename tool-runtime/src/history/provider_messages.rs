//! Error messages of providers for requests with invalid messages, word for word.

use super::violation::{ProviderMessage, ViolationKind};

/// `position` is the position of the call in its reply.
pub(super) fn provider_message(
    kind: ViolationKind,
    index: usize,
    position: usize,
    id: &str,
) -> ProviderMessage {
    let (by, text) = match kind {
        // https://github.com/miurla/morphic/issues/136, with the spelling of OpenAI.
        ViolationKind::OrphanResult | ViolationKind::LostCalls => (
            "OpenAI",
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
                .to_owned(),
        ),
        // https://github.com/BerriAI/litellm/issues/10083
        ViolationKind::MissingResult | ViolationKind::MessageBetween => (
            "OpenAI",
            format!(
                "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. \
                 The following tool_call_ids did not have response messages: {id}"
            ),
        ),
        ViolationKind::UnknownId if id.is_empty() => (
            "Groq",
            format!(
                "'messages.{index}' : for 'role:tool' the following must be satisfied[('messages.{index}.tool_call_id' : \
                 property 'tool_call_id' is missing)]"
            ),
        ),
        // https://github.com/mistralai/mistral-common, protocol/instruct/validator.py, also for the next two.
        ViolationKind::UnknownId => ("Mistral", format!("Unexpected tool call id {id} in tool results")),
        ViolationKind::DuplicateResult => ("Mistral", format!("Duplicate tool call id {id} in tool results")),
        ViolationKind::DuplicateCallId => ("Mistral", format!("Duplicate tool call id {id} in assistant message")),
        ViolationKind::MissingCallId => ("Kimi", "Invalid request: tool_call_id  is not found".to_owned()),
        // https://github.com/ggml-org/llama.cpp, tools/server/server-common.cpp
        ViolationKind::EmptyReply => {
            ("llama.cpp", "Assistant message must contain either 'content' or 'tool_calls'!".to_owned())
        }
        ViolationKind::LongId => (
            "OpenAI",
            format!(
                "Invalid 'messages[{index}].tool_calls[{position}].id': string too long. Expected a string with maximum \
                 length 40, but got a string with length {}",
                id.len()
            ),
        ),
        ViolationKind::RepeatedId => {
            ("DeepSeek", format!("Duplicate value for 'tool_call_id' of {id} in message[{index}]"))
        }
    };
    ProviderMessage { by, text }
}
