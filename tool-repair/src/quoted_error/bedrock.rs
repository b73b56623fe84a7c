//! Error messages of the API for requests with invalid messages, word for word, but with `N` in place of each index: one message
//! of the API has all results of a reply, so its indices are not those of the list.

use super::QuotedError;
use tool_runtime::history::{Violation, ViolationKind};

const TOO_MANY_RESULTS: &str = "The number of toolResult blocks at messages.N.content exceeds the number of toolUse blocks of previous turn.";

/// <https://github.com/earendil-works/pi/pull/3443>
const EMPTY_REPLY: &str = "The content field in the Message object at messages.N is empty. Add a ContentBlock object to the content \
     field and try again.";

pub(super) fn quoted_error(violation: &Violation) -> Option<QuotedError> {
    let id = &violation.id;
    let text = match violation.kind {
        ViolationKind::OrphanResult
        | ViolationKind::LostCalls
        | ViolationKind::UnknownId
        | ViolationKind::DuplicateResult => TOO_MANY_RESULTS.to_owned(),
        ViolationKind::MissingResult | ViolationKind::MessageBetween => {
            format!("Expected toolResult blocks at messages.N.content for the following Ids: {id}")
        }
        ViolationKind::EmptyReply => EMPTY_REPLY.to_owned(),
        ViolationKind::MissingCallId => constraint(id, "greater than or equal to 1"),
        ViolationKind::LongId => constraint(id, "less than or equal to 64"),
        _ => return None,
    };
    Some(QuotedError { by: "Bedrock", text })
}

/// The error for an id of another length: <https://github.com/BerriAI/litellm/issues/19384> has this form.
fn constraint(id: &str, length: &str) -> String {
    format!(
        "1 validation error detected: Value '{id}' at 'messages.N.member.content.N.member.toolUse.toolUseId' failed to satisfy \
         constraint: Member must have length {length}"
    )
}
