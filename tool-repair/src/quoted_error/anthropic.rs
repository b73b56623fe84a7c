//! Error messages of the provider for requests with invalid messages, word for word. They are without the path at the
//! start, such as `messages.3.content.0: `, since a message of the format may stand for several messages of a list.

use super::QuotedError;
use tool_runtime::history::{Violation, ViolationKind};

const DUPLICATE_ID: &str = "`tool_use` ids must be unique";
const INVALID_ID: &str = "String should match pattern '^[a-zA-Z0-9_-]+$'";
const EMPTY_MESSAGE: &str =
    "all messages must have non-empty content except for the optional final assistant message";

/// <https://github.com/anthropics/claude-code/issues/18947>
fn unexpected_result(id: &str) -> String {
    format!(
        "unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must have a corresponding \
         `tool_use` block in the previous message."
    )
}

/// <https://github.com/anthropics/claude-code/issues/8210>
fn missing_results(ids: &str) -> String {
    format!(
        "`tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each `tool_use` block must have \
         a corresponding `tool_result` block in the next message."
    )
}

fn duplicate_result(id: &str) -> String {
    format!("each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}")
}

pub(super) fn quoted_error(violation: &Violation) -> Option<QuotedError> {
    let text = match violation.kind {
        ViolationKind::OrphanResult | ViolationKind::LostCalls | ViolationKind::UnknownId => {
            unexpected_result(&violation.id)
        }
        ViolationKind::MissingResult | ViolationKind::MessageBetween => missing_results(&violation.id),
        ViolationKind::DuplicateResult => duplicate_result(&violation.id),
        ViolationKind::DuplicateCallId | ViolationKind::RepeatedId => DUPLICATE_ID.to_owned(),
        ViolationKind::MissingCallId => INVALID_ID.to_owned(),
        ViolationKind::EmptyReply => EMPTY_MESSAGE.to_owned(),
        _ => return None,
    };
    Some(QuotedError { by: "Anthropic", text })
}
