//! Messages with a role and a list of elements, in which adjacent messages of one role are one message.

use super::element::Element;
use crate::message::Message;
use serde::Serialize;
use std::collections::HashMap;

#[derive(Serialize)]
pub(super) struct RoleMessage<'a> {
    pub(super) role: &'static str,
    pub(super) content: Vec<Element<'a>>,
}

pub(super) const USER: &str = "user";
pub(super) const ASSISTANT: &str = "assistant";

/// Adds elements to the newest message if it has this role: all results of a reply, and the content of the user after them,
/// are in one message. A message without elements is left out. Anthropic's API and Converse reject any other form.
pub(super) fn push<'a>(messages: &mut Vec<RoleMessage<'a>>, role: &'static str, content: Vec<Element<'a>>) {
    match messages.last_mut() {
        Some(last) if last.role == role => last.content.extend(content),
        _ if content.is_empty() => {}
        _ => messages.push(RoleMessage { role, content }),
    }
}

/// The tools of the newest reply, by the ids of its calls, if no message is after it.
pub(super) fn called_tools(messages: &[Message]) -> HashMap<String, String> {
    match messages.last() {
        Some(Message::Assistant(reply)) => {
            reply.tool_calls.iter().map(|call| (call.id.clone(), call.name.clone())).collect()
        }
        _ => HashMap::new(),
    }
}
