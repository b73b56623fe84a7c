//! Error messages of the API for requests with invalid messages, word for word. Their indices are those of the messages of the
//! API, which has all results of a reply in one.

use super::QuotedError;
use tool_runtime::history::{Violation, ViolationKind};

pub(super) fn quoted_error(violation: &Violation) -> Option<QuotedError> {
    let Violation { index, position, id, .. } = violation;
    let text = match violation.kind {
        ViolationKind::OrphanResult
        | ViolationKind::LostCalls
        | ViolationKind::UnknownId
        | ViolationKind::DuplicateResult => format!(
            "The number of toolResult blocks at messages.{index}.content exceeds the number of toolUse blocks of previous \
             turn."
        ),
        ViolationKind::MissingResult | ViolationKind::MessageBetween => {
            format!(
                "Expected toolResult blocks at messages.{}.content for the following Ids: {id}",
                index + 1
            )
        }
        // https://github.com/earendil-works/pi/pull/3443
        ViolationKind::EmptyReply => format!(
            "The content field in the Message object at messages.{index} is empty. Add a ContentBlock object to the content \
             field and try again."
        ),
        ViolationKind::MissingCallId => constraint(*index, *position, id, "greater than or equal to 1"),
        ViolationKind::LongId => constraint(*index, *position, id, "less than or equal to 64"),
        _ => return None,
    };
    Some(QuotedError { by: "Bedrock", text })
}

/// The error for an id of another length: <https://github.com/BerriAI/litellm/issues/19384> has this form.
fn constraint(index: usize, position: usize, id: &str, length: &str) -> String {
    let (message, block) = (index + 1, position + 1);
    format!(
        "1 validation error detected: Value '{id}' at 'messages.{message}.member.content.{block}.member.toolUse.toolUseId' \
         failed to satisfy constraint: Member must have length {length}"
    )
}
