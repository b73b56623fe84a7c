//! Warnings: messages that only some servers reject.

use std::collections::HashMap;
use tool_runtime::__repair::violation;
use tool_runtime::history::{Violation, ViolationKind};
use tool_runtime::message::Message;
use tool_runtime::wire::Wire;

/// Finds calls with ids that only some servers of this wire reject: ids that are too long, or that a call of an earlier
/// reply also has ([`Wire::id_rules`]). [`rejected_by`](crate::rejected_by()) lists the servers that reject a kind.
///
/// A request that the wire writes has other ids in their place; serde of a single message does not replace them.
/// Names and arguments of calls need no warning: a wire writes them in a form that its servers accept.
///
/// ```
/// use tool_runtime::message::Message;
/// use tool_runtime::wire::ChatCompletions;
/// use tool_runtime::{AssistantMessage, ToolCall, ToolMessage, history};
/// use tool_runtime_repair::{possible_violations, rejected_by};
///
/// let id = "call_".repeat(9);
/// let messages = [
///     Message::from(AssistantMessage::from_tool_calls(vec![ToolCall::new(&id, "now", "{}")])),
///     ToolMessage::new(&id, "12:00").into(),
/// ];
/// assert!(history::validate(&messages).is_ok());
/// let warnings = possible_violations(&messages, &ChatCompletions::new());
/// assert_eq!(warnings[0].kind, history::ViolationKind::LongId);
/// assert_eq!(rejected_by(warnings[0].kind), ["OpenAI", "Azure"]);
/// ```
#[must_use]
pub fn possible_violations(messages: &[Message], wire: &dyn Wire) -> Vec<Violation> {
    let rules = wire.id_rules();
    let mut found = Vec::new();
    let mut seen = HashMap::new();
    for (index, message) in messages.iter().enumerate() {
        let Message::Assistant(reply) = message else { continue };
        for (position, call) in reply.tool_calls.iter().enumerate() {
            let is_repeated = !call.id.is_empty() && *seen.entry(&*call.id).or_insert(index) != index;
            let is_long = rules.max_bytes.is_some_and(|max| call.id.len() > max);
            let long = is_long.then_some(ViolationKind::LongId);
            let repeated = (is_repeated && rules.unique_across_replies).then_some(ViolationKind::RepeatedId);
            for kind in long.into_iter().chain(repeated) {
                found.push(violation(kind, index, position, &call.id));
            }
        }
    }
    found
}
