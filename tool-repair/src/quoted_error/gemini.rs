//! Error messages of the provider for requests with invalid contents, word for word.

use super::QuotedError;
use tool_runtime::history::{Violation, ViolationKind};

const EMPTY_CONTENT: &str = "contents.parts must not be empty.";
const RESULTS_WITHOUT_CALLS: &str =
    "Please ensure that function response turn comes immediately after a function call turn.";
const WRONG_NUMBER_OF_RESULTS: &str = "Please ensure that the number of function response parts is equal to \
     the number of function call parts of the function call turn.";

pub(super) fn quoted_error(violation: &Violation) -> Option<QuotedError> {
    let text = match violation.kind {
        ViolationKind::OrphanResult | ViolationKind::LostCalls => RESULTS_WITHOUT_CALLS,
        ViolationKind::MissingResult
        | ViolationKind::MessageBetween
        | ViolationKind::UnknownId
        | ViolationKind::DuplicateResult => WRONG_NUMBER_OF_RESULTS,
        ViolationKind::EmptyReply => EMPTY_CONTENT,
        // Calls without ids are valid there.
        _ => return None,
    };
    Some(QuotedError { by: "Gemini", text: text.to_owned() })
}
