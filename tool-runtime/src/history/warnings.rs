//! Warnings: messages that only some servers reject.

use super::violation::{Violation, ViolationKind};
use crate::message::Message;
use std::collections::HashMap;

/// Finds calls that only some servers reject: arguments that are not a JSON object, and names and ids outside their
/// limits. [`AssistantMessage::echo`](crate::AssistantMessage::echo) writes names and arguments in a form that all
/// servers accept; [`ViolationKind::rejected_by`] lists the servers that reject a kind.
///
/// ```
/// use tool_runtime::message::Message;
/// use tool_runtime::{AssistantMessage, ToolCall, ToolMessage, history};
///
/// let messages = [
///     Message::from(AssistantMessage::calling(vec![ToolCall::new("call_1", "now", "{\"zone\":")])),
///     ToolMessage::new("call_1", "12:00").into(),
/// ];
/// assert!(history::validate(&messages).is_ok());
/// let warnings = history::warnings(&messages);
/// assert_eq!(warnings[0].kind, history::ViolationKind::ArgumentsNotAnObject);
/// assert_eq!(warnings[0].kind.rejected_by(), ["Ollama", "llama.cpp"]);
/// ```
#[must_use]
pub fn warnings(messages: &[Message]) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut seen = HashMap::new();
    for (index, message) in messages.iter().enumerate() {
        let Message::Assistant(reply) = message else { continue };
        for (position, call) in reply.tool_calls.iter().enumerate() {
            let is_repeated = !call.id.is_empty() && *seen.entry(&*call.id).or_insert(index) != index;
            let broken = [
                (ViolationKind::ArgumentsNotAnObject, !call.is_written_with_an_object()),
                (ViolationKind::UnusableName, !call.is_written_with_a_usable_name()),
                (ViolationKind::LongId, call.id.len() > MAX_ID_BYTES),
                (ViolationKind::RepeatedId, is_repeated),
            ];
            for (kind, _) in broken.into_iter().filter(|&(_, is_broken)| is_broken) {
                found.push(Violation::new(kind, index, position, &call.id));
            }
        }
    }
    found
}

/// The limit of OpenAI, which rejects longer ids with "string too long":
/// <https://platform.openai.com/docs/api-reference/chat/create>.
const MAX_ID_BYTES: usize = 40;
