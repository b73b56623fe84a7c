//! Error messages of OpenAI for requests with invalid items, word for word. Those for ids are without the path at the
//! start, such as `Invalid 'input[0].call_id': `.

use crate::violation::ViolationKind;
use crate::wire::chat_completions::EMPTY_ID;
use crate::wire::provider::{InvalidMessage, QuotedError};

pub(super) fn long_id(length: usize) -> String {
    format!(
        "string too long. Expected a string with maximum length 64, but got a string with length {length} instead."
    )
}

/// The error message for a result. `kind` is that of its call: for example `function call`.
pub(super) fn missing_call(kind: &str, id: &str) -> String {
    format!("No tool call found for {kind} output with call_id {id}.")
}

pub(super) fn missing_output(kind: &str, id: &str) -> String {
    format!("No tool output found for {kind} {id}.")
}

pub(super) fn duplicate_item(id: &str) -> String {
    format!("Duplicate item found with call_id {id}.")
}

pub(super) fn quoted_error(invalid: &InvalidMessage<'_>) -> Option<QuotedError> {
    const KIND: &str = "function call";
    let text = match invalid.kind {
        ViolationKind::OrphanResult
        | ViolationKind::LostCalls
        | ViolationKind::UnknownId
        | ViolationKind::DuplicateResult => missing_call(KIND, invalid.id),
        ViolationKind::MissingResult | ViolationKind::MessageBetween => missing_output(KIND, invalid.id),
        ViolationKind::DuplicateCallId | ViolationKind::RepeatedId => duplicate_item(invalid.id),
        ViolationKind::MissingCallId => EMPTY_ID.to_owned(),
        ViolationKind::LongId => long_id(invalid.id.len()),
        ViolationKind::EmptyReply => return None,
    };
    Some(QuotedError { by: "OpenAI", text })
}
