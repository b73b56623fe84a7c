//! Error messages of OpenAI for requests with invalid items, word for word. Those for ids are without the path at the
//! start, such as `Invalid 'input[0].call_id': `.

use super::QuotedError;
use super::chat_completions::EMPTY_ID;
use tool_runtime::history::{Violation, ViolationKind};

pub(super) fn quoted_error(violation: &Violation) -> Option<QuotedError> {
    let id = &violation.id;
    let text = match violation.kind {
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
        ViolationKind::MissingCallId => EMPTY_ID.to_owned(),
        ViolationKind::LongId => format!(
            "string too long. Expected a string with maximum length 64, but got a string with length {} instead.",
            id.len()
        ),
        _ => return None,
    };
    Some(QuotedError { by: "OpenAI", text })
}
