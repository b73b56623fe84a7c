//! Error messages of providers for requests with invalid messages, word for word.

use super::violation::{ProviderMessage, ViolationKind};

/// The error message of a provider of this wire. `position` is the position of the call in its reply.
pub(super) fn provider_message(
    wire: &str,
    kind: ViolationKind,
    index: usize,
    position: usize,
    id: &str,
) -> ProviderMessage {
    let message = |by, text| Some(ProviderMessage { by, text });
    let of_wire = match wire {
        "anthropic" => anthropic(kind, id).and_then(|text| message("Anthropic", text)),
        "responses" => responses(kind, id).and_then(|text| message("OpenAI", text)),
        "gemini" => gemini(kind).and_then(|text| message("Gemini", text.to_owned())),
        _ => None,
    };
    of_wire.unwrap_or_else(|| chat_completions(kind, index, position, id))
}

/// Without the path at the start, such as `messages.3.content.0: `, since a message of the format may stand for several
/// messages of a list.
fn anthropic(kind: ViolationKind, id: &str) -> Option<String> {
    Some(match kind {
        // https://github.com/anthropics/claude-code/issues/18947
        ViolationKind::OrphanResult | ViolationKind::LostCalls | ViolationKind::UnknownId => format!(
            "unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must have a \
             corresponding `tool_use` block in the previous message."
        ),
        // https://github.com/anthropics/claude-code/issues/8210
        ViolationKind::MissingResult | ViolationKind::MessageBetween => format!(
            "`tool_use` ids were found without `tool_result` blocks immediately after: {id}. Each `tool_use` block must \
             have a corresponding `tool_result` block in the next message."
        ),
        ViolationKind::DuplicateResult => format!(
            "each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}"
        ),
        ViolationKind::DuplicateCallId | ViolationKind::RepeatedId => {
            "`tool_use` ids must be unique".to_owned()
        }
        ViolationKind::MissingCallId => "String should match pattern '^[a-zA-Z0-9_-]+$'".to_owned(),
        ViolationKind::EmptyReply => {
            "all messages must have non-empty content except for the optional final assistant message"
                .to_owned()
        }
        ViolationKind::LongId => return None,
    })
}

fn responses(kind: ViolationKind, id: &str) -> Option<String> {
    Some(match kind {
        ViolationKind::OrphanResult
        | ViolationKind::LostCalls
        | ViolationKind::UnknownId
        | ViolationKind::DuplicateResult => {
            format!("No tool call found for function call output with call_id {id}.")
        }
        ViolationKind::MissingResult | ViolationKind::MessageBetween => {
            format!("No tool output found for function call {id}.")
        }
        ViolationKind::DuplicateCallId | ViolationKind::RepeatedId => {
            format!("Duplicate item found with call_id {id}.")
        }
        ViolationKind::MissingCallId => {
            "empty string. Expected a string with minimum length 1, but got an empty string instead."
                .to_owned()
        }
        ViolationKind::LongId => format!(
            "string too long. Expected a string with maximum length 64, but got a string with length {} instead.",
            id.len()
        ),
        ViolationKind::EmptyReply => return None,
    })
}

fn gemini(kind: ViolationKind) -> Option<&'static str> {
    match kind {
        ViolationKind::OrphanResult | ViolationKind::LostCalls => {
            Some("Please ensure that function response turn comes immediately after a function call turn.")
        }
        ViolationKind::MissingResult
        | ViolationKind::MessageBetween
        | ViolationKind::UnknownId
        | ViolationKind::DuplicateResult => Some(
            "Please ensure that the number of function response parts is equal to the number of function call parts of \
             the function call turn.",
        ),
        ViolationKind::EmptyReply => Some("contents.parts must not be empty."),
        // Calls without ids are valid there.
        ViolationKind::DuplicateCallId
        | ViolationKind::MissingCallId
        | ViolationKind::LongId
        | ViolationKind::RepeatedId => None,
    }
}

fn chat_completions(kind: ViolationKind, index: usize, position: usize, id: &str) -> ProviderMessage {
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
