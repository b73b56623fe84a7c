//! Error messages of providers for requests with invalid messages, word for word. They are those of OpenAI, or of the
//! provider in the comment.

use super::QuotedError;
use tool_runtime::history::{Violation, ViolationKind};

/// <https://github.com/miurla/morphic/issues/136>, with the spelling of OpenAI.
const RESULT_WITHOUT_CALLS: &str = "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";

/// llama.cpp: <https://github.com/ggml-org/llama.cpp>, `tools/server/server-common.cpp`
const EMPTY_REPLY: &str = "Assistant message must contain either 'content' or 'tool_calls'!";

pub(super) const EMPTY_ID: &str =
    "empty string. Expected a string with minimum length 1, but got an empty string instead.";

/// <https://github.com/BerriAI/litellm/issues/10083>
fn missing_results(ids: &str) -> String {
    format!(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The \
         following tool_call_ids did not have response messages: {ids}"
    )
}

/// Groq.
fn result_without_id(index: usize) -> String {
    format!(
        "'messages.{index}' : for 'role:tool' the following must be satisfied[('messages.{index}.tool_call_id' : property \
         'tool_call_id' is missing)]"
    )
}

/// Mistral: <https://github.com/mistralai/mistral-common>, `protocol/instruct/validator.py`, also for its messages about
/// duplicate ids.
fn unexpected_result(id: &str) -> String {
    format!("Unexpected tool call id {id} in tool results")
}

/// Mistral.
fn duplicate_call(id: &str) -> String {
    format!("Duplicate tool call id {id} in assistant message")
}

/// DeepSeek.
fn repeated_id(index: usize, id: &str) -> String {
    format!("Duplicate value for 'tool_call_id' of {id} in message[{index}]")
}

/// The error message for the id of a call. `position` is the position of the call in its reply.
fn invalid_id(index: usize, position: usize, problem: &str) -> String {
    format!("Invalid 'messages[{index}].tool_calls[{position}].id': {problem}")
}

fn long_id(index: usize, position: usize, length: usize) -> String {
    let problem = format!(
        "string too long. Expected a string with maximum length 40, but got a string with length {length}"
    );
    invalid_id(index, position, &problem)
}

pub(super) fn quoted_error(violation: &Violation) -> Option<QuotedError> {
    let Violation { kind, index, position, id, .. } = violation;
    let (index, position) = (*index, *position);
    let (by, text) = match *kind {
        ViolationKind::OrphanResult | ViolationKind::LostCalls => ("OpenAI", RESULT_WITHOUT_CALLS.to_owned()),
        ViolationKind::MissingResult | ViolationKind::MessageBetween => ("OpenAI", missing_results(id)),
        ViolationKind::UnknownId if id.is_empty() => ("Groq", result_without_id(index)),
        ViolationKind::UnknownId => ("Mistral", unexpected_result(id)),
        ViolationKind::DuplicateResult => ("Mistral", format!("Duplicate tool call id {id} in tool results")),
        ViolationKind::DuplicateCallId => ("Mistral", duplicate_call(id)),
        ViolationKind::MissingCallId => ("Kimi", "Invalid request: tool_call_id  is not found".to_owned()),
        ViolationKind::EmptyReply => ("llama.cpp", EMPTY_REPLY.to_owned()),
        ViolationKind::LongId => ("OpenAI", long_id(index, position, id.len())),
        ViolationKind::RepeatedId => ("DeepSeek", repeated_id(index, id)),
        _ => return None,
    };
    Some(QuotedError { by, text })
}
